"""What subclasses make of what their base leaves open: abstract methods, and attributes that only they store.

Subclasses are looked for in the base's own file and in the few files near it that import it (`importers`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, cast

from astroid import nodes

from flake8_tensorbranch.engine.inference.arguments import Arguments, bind
from flake8_tensorbranch.engine.lattice import (
    BOTTOM,
    DATA,
    HOST,
    NONE,
    OBJECT,
    UNKNOWN,
    AbstractValue,
    join,
    join_all,
    make,
)
from flake8_tensorbranch.engine.refs import Instance
from flake8_tensorbranch.importers import importers
from flake8_tensorbranch.syntax.names import ClassInfo, FunctionInfo

if TYPE_CHECKING:
    from flake8_tensorbranch.engine.inference.summary import Analysis

_MOST: Final = 6  # subclasses that are asked


def is_abstract(function: FunctionInfo) -> bool:
    """True for a method that only subclasses can answer: its body does nothing but raise, or nothing at all."""
    body = function.node.body
    if function.cls is None or not isinstance(body, list) or len(body) > 1:
        return False
    if not body:
        return True
    only = body[0]
    if isinstance(only, nodes.Raise):
        raised = only.exc.func if isinstance(only.exc, nodes.Call) else only.exc
        return isinstance(raised, nodes.Name) and raised.name == "NotImplementedError"
    if isinstance(only, nodes.Expr) and isinstance(only.value, nodes.Const):
        return only.value.value is Ellipsis
    return isinstance(only, nodes.Pass)


def heirs(analysis: Analysis, cls: ClassInfo) -> list[ClassInfo]:
    """The subclasses of a class that are known without looking far."""
    memo, key = cls.module.memo, ("heirs", cls)
    if key not in memo:
        found = _among(analysis, cls, cls.module.classes)
        for path in importers(analysis.project.finder, cls.module.path, [cls.name]):
            other = analysis.project.read(path)
            if other is not None and other is not cls.module:
                found += _among(analysis, cls, other.classes)
        memo[key] = found
    return cast("list[ClassInfo]", memo[key])


def _among(analysis: Analysis, cls: ClassInfo, classes: list[ClassInfo]) -> list[ClassInfo]:
    return [c for c in classes if c is not cls and c.bases and cls in analysis.resolver.mro(c)]


def returned(analysis: Analysis, function: FunctionInfo, args: Arguments, owner: AbstractValue) -> AbstractValue:
    """What the subclasses' versions of an abstract method return for these arguments; BOTTOM where none is known."""
    values: list[AbstractValue] = []
    for ref in (r for r in owner.each if isinstance(r, Instance)):
        for heir in heirs(analysis, ref.cls) if isinstance(ref.cls, ClassInfo) else ():
            own = heir.methods.get(function.name)
            if own is None or is_abstract(own) or not own.takes_self or len(values) == _MOST:
                continue
            itself = make(OBJECT, refs=frozenset({Instance(heir)}))
            values.append(analysis.returned(own, bind(own, args, itself)))
    return _agreed(values)


def attribute(analysis: Analysis, cls: ClassInfo, name: str) -> AbstractValue:
    """An attribute that no class above stores, as subclasses do, or what else they are built on; BOTTOM where none is
    known to.
    """
    keeping = [h for h in heirs(analysis, cls) if any(_has(b, name) for b in analysis.resolver.mro(h))][:_MOST]
    value = _agreed(
        [analysis.attribute(heir, name, make(OBJECT, refs=frozenset({Instance(heir)}))) for heir in keeping]
    )
    return join(value, UNKNOWN) if value.kinds else value


def _has(base: ClassInfo | str, name: str) -> bool:
    if not isinstance(base, ClassInfo):
        return False
    method = base.methods.get(name)
    return name in base.stores or name in base.body or (method is not None and method.is_property)


def _agreed(values: list[AbstractValue]) -> AbstractValue:
    """What several subclasses say; BOTTOM where one says that it is plain: then it is so for some objects only."""
    if any(v.must(HOST | NONE) and not v.deps & DATA for v in values):
        return BOTTOM
    return join_all(values)
