"""Numbers that a file reads from tensors and has an object of another file keep: `meter.update(loss.item())`."""

from __future__ import annotations

from typing import Final, cast

from flake8_tensorbranch.engine.inference.frame import Frame
from flake8_tensorbranch.engine.inference.leads import reads_given
from flake8_tensorbranch.engine.lattice import DATA, HOST, NONE, UNKNOWN_KIND, AbstractValue, join
from flake8_tensorbranch.syntax.names import ClassInfo, FunctionInfo

PLAIN: Final = HOST | NONE | UNKNOWN_KIND


def kept(frame: Frame, cls: ClassInfo, name: str, value: AbstractValue) -> AbstractValue:
    """What an object has under a name that methods store which the file hands reads: its own file tells of a plain
    value, no more.
    """
    for method in _updated(frame, cls):
        found = frame.analysis.stores(method, by=frame.module).get(name)
        if found is not None and found.deps & DATA and not found.kinds & ~PLAIN:
            value = join(value, found)
    return value


def _updated(frame: Frame, cls: ClassInfo) -> tuple[FunctionInfo, ...]:
    """The methods of a class for which the file spells reads."""
    memo, key = frame.module.memo, ("updated", cls)
    if key not in memo:
        memo[key] = tuple(m for m in cls.methods.values() if m.attribute_stores and reads_given(m, frame.module))
    return cast("tuple[FunctionInfo, ...]", memo[key])
