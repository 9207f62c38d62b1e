"""Numbers that a file reads from tensors and has an object of another file keep: `meter.update(loss.item())`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, cast

from astroid import nodes

from flake8_tensorbranch.engine.inference import leads
from flake8_tensorbranch.engine.inference.frame import Frame, State
from flake8_tensorbranch.engine.lattice import DATA, HOST, NONE, OBJECT, UNKNOWN_KIND, AbstractValue, join, make
from flake8_tensorbranch.engine.refs import Instance
from flake8_tensorbranch.syntax.names import ClassInfo, FunctionInfo, last_name

if TYPE_CHECKING:
    from flake8_tensorbranch.engine.inference.summary import Analysis

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


def unread(frame: Frame, node: nodes.NodeNG, value: AbstractValue) -> AbstractValue:
    """An object as the file has it: one that it hands no reads has none of those that others of its class get."""
    if not leads.spelled_reads(frame.module):
        return value
    name, refs = last_name(node), []
    if not name:
        return value
    for ref in value.each:
        if type(ref) is Instance and isinstance(ref.cls, ClassInfo) and leads.unread(ref.cls, frame.module, name):
            ref = Instance(ref.cls, unread=True)
        refs.append(ref)
    held = frozenset(refs)
    return value if held == value.refs else make(value.kinds, value.deps, value.const, held, value.elem, value.items)


def stores(analysis: Analysis, method: FunctionInfo) -> State:
    """What a method leaves on an object that the file hands no reads."""

    def compute() -> State:
        bound = {}
        if method.takes_self:
            bound[method.params[0].name] = make(OBJECT, refs=frozenset({Instance(cast("ClassInfo", method.cls), True)}))
        frame = analysis.frame(method, bound)
        analysis.run(frame, method.node)
        return frame.stores

    return analysis.query(method.module.memo, ("stores unread", method), compute, {})


def _updated(frame: Frame, cls: ClassInfo) -> tuple[FunctionInfo, ...]:
    """The methods of a class for which the file spells reads."""
    memo, key = frame.module.memo, ("updated", cls)
    if key not in memo:
        memo[key] = tuple(m for m in cls.methods.values() if m.attribute_stores and leads.reads_given(m, frame.module))
    return cast("tuple[FunctionInfo, ...]", memo[key])
