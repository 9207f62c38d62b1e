"""Attributes of whose names only an end is written where they are read: `getattr(self, f"{side}_mean")`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, cast

from astroid import nodes

from flake8_tensorbranch.engine.inference import attributes
from flake8_tensorbranch.engine.inference.frame import Frame
from flake8_tensorbranch.engine.lattice import BOTTOM, OBJECT, UNKNOWN, AbstractValue, join, make
from flake8_tensorbranch.engine.refs import Instance
from flake8_tensorbranch.syntax.keeping import ANY, SHORTEST, ends
from flake8_tensorbranch.syntax.names import ClassInfo

if TYPE_CHECKING:
    from flake8_tensorbranch.engine.inference.summary import Analysis

_MOST: Final = 6  # attributes that one spelling may mean


def read(frame: Frame, value: AbstractValue, call: nodes.NodeNG | None) -> AbstractValue:
    """What the attributes hold that `getattr(value, <spelling>)` may mean; UNKNOWN where nothing tells."""
    if not isinstance(call, nodes.Call) or len(call.args) < 2:
        return UNKNOWN
    start, end = ends(call.args[1])
    if len(start) + len(end) < SHORTEST:
        return UNKNOWN
    names: set[str] = set()
    for ref in value.each:
        if isinstance(ref, Instance) and isinstance(ref.cls, ClassInfo):
            for base in frame.analysis.resolver.mro(ref.cls):
                if isinstance(base, ClassInfo):
                    names.update(n for n in (*base.stores, *base.body) if n.startswith(start) and n.endswith(end))
    if not 0 < len(names) <= _MOST:
        return UNKNOWN
    result = BOTTOM
    for name in sorted(names):
        result = join(result, attributes.read(frame, value, name))
    return result


def stored(analysis: Analysis, cls: ClassInfo, name: str) -> AbstractValue:
    """An attribute that is registered by a spelling which `name` fits; BOTTOM where there is none."""
    memo, key = cls.module.memo, ("spellings", cls)
    if key not in memo:
        bases = analysis.resolver.lineage(cls)
        memo[key] = sorted({n for base in bases for n in base.stores if ANY in n})
    value = BOTTOM
    for spelling in cast("list[str]", memo[key]):
        start, _, end = spelling.partition(ANY)
        if name != spelling and name.startswith(start) and name.endswith(end):
            owner = make(OBJECT, refs=frozenset({Instance(cls)}))
            value = join(value, analysis.attribute(cls, spelling, owner))
    return value
