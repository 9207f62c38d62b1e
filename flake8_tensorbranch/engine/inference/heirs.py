"""What subclasses make of what their base leaves open: abstract methods, and attributes that only they store.

Subclasses are looked for in the base's own file and in the few files near it that import it (`importers`).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Final, cast

from astroid import nodes

from flake8_tensorbranch.engine.inference.arguments import Arguments, bind
from flake8_tensorbranch.engine.lattice import (
    BOTTOM,
    DATA,
    HOST,
    NONE,
    OBJECT,
    SHAPE,
    TENSOR,
    UNKNOWN,
    AbstractValue,
    join,
    join_all,
    make,
)
from flake8_tensorbranch.engine.refs import Instance
from flake8_tensorbranch.importers import importers
from flake8_tensorbranch.knowledge.modules import OPEN_BASES
from flake8_tensorbranch.syntax.kinds import NESTED
from flake8_tensorbranch.syntax.names import ClassInfo, FunctionInfo, ModuleIndex, called_name

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


def is_base(analysis: Analysis, said: AbstractValue, function: FunctionInfo) -> bool:
    """True for an object that a function declares by a base (a bare `nn.Module`, a class of its file), and makes of a
    class of its file.
    """
    module, memo, key = function.module, function.module.memo, ("makes", function)
    if key not in memo:
        names = {name for call in function.calls if (name := called_name(call)) in module.bindings}
        memo[key] = [c for c in module.classes if c.name in names]
    made = cast("list[ClassInfo]", memo[key])
    for ref in said.each if made else ():
        cls = ref.cls if isinstance(ref, Instance) else ""
        if cls in OPEN_BASES or any(cls is not c and cls in analysis.resolver.mro(c) for c in made):
            return True
    return False


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


def overriding(analysis: Analysis, function: FunctionInfo) -> list[FunctionInfo]:
    """The methods in the place of this one in subclasses of its own file."""
    cls, memo = function.cls, function.module.memo
    if cls is None or not function.takes_self or len(function.module.classes) < 2:
        return []
    key = ("overriding", function)
    if key not in memo:
        own = (heir.methods.get(function.name) for heir in subclasses(analysis, cls.module).get(cls, ()))
        memo[key] = [method for method in own if method is not None and method.takes_self]
    return cast("list[FunctionInfo]", memo[key])


def subclasses(analysis: Analysis, index: ModuleIndex) -> dict[ClassInfo, list[ClassInfo]]:
    """The classes of a file by each of the project's classes that they are built on, near or far."""
    if "subclasses" not in index.memo:
        found: dict[ClassInfo, list[ClassInfo]] = {}
        for cls in index.classes:
            for base in analysis.resolver.mro(cls) if cls.bases else ():
                if isinstance(base, ClassInfo) and base is not cls:
                    found.setdefault(base, []).append(cls)
        index.memo["subclasses"] = found
    return cast("dict[ClassInfo, list[ClassInfo]]", index.memo["subclasses"])


def with_heirs(analysis: Analysis, callees: Iterable[FunctionInfo]) -> list[FunctionInfo]:
    """The functions that a call may enter, with the methods in their place in subclasses."""
    found = list(callees)
    for callee in tuple(found):
        if callee.cls is not None:
            found.extend(m for m in overriding(analysis, callee) if m not in found)
    return found


def answering(analysis: Analysis, callees: Iterable[FunctionInfo]) -> list[FunctionInfo]:
    """The functions that a call may enter, with those of subclasses in the place of abstract ones."""
    found = list(callees)
    for callee in tuple(found):
        if callee.cls is not None and is_abstract(callee):
            found.extend(overriding(analysis, callee))
    return found


def managed(function: FunctionInfo) -> list[nodes.NodeNG]:
    """What a generator under `contextmanager` gives to the `with` that opens it."""
    if not any(name.endswith("contextmanager") for name in function.decorator_names):
        return []
    return [y.value for y in function.node.nodes_of_class(nodes.Yield, NESTED) if y.value is not None]


def chosen(analysis: Analysis, function: FunctionInfo, args: Arguments) -> Iterator[tuple[FunctionInfo, AbstractValue]]:
    """What subclasses in the file answer by tensors in the place of a method that answers the same whatever it is
    given.
    """
    for method in overriding(analysis, function)[:_MOST]:
        itself = make(OBJECT, refs=frozenset({Instance(cast("ClassInfo", method.cls))}))
        value = analysis.returned(method, bind(method, args, itself))
        if value.kinds & TENSOR or value.deps & (DATA | SHAPE):
            yield method, value


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
