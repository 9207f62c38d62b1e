"""Places: which state outside of a region an expression in the region stands for."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Hashable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, cast

from astroid import nodes

from flake8_tensorbranch.engine.checkpointing import stores
from flake8_tensorbranch.engine.inference.resolve import Variable
from flake8_tensorbranch.engine.lattice import UNKNOWN, AbstractValue
from flake8_tensorbranch.engine.lookup.guards import exclusive
from flake8_tensorbranch.engine.refs import Instance
from flake8_tensorbranch.knowledge.containers import GIVES_ELEMENTS
from flake8_tensorbranch.knowledge.modules import ITERATES_MODULES, ITERATES_NAMES, ITERATES_TENSORS
from flake8_tensorbranch.knowledge.names import TENSOR_PROPERTIES
from flake8_tensorbranch.knowledge.tensors import SAME_STORAGE, VIEWS
from flake8_tensorbranch.syntax.binding import assigned, binder
from flake8_tensorbranch.syntax.names import ClassInfo, FunctionInfo

if TYPE_CHECKING:
    from flake8_tensorbranch.engine.checkpointing.insides import Activation

ANY: Final = "[]"  # an element of which nothing more is known
_DEPTH: Final = 12

_ELEMENTS: Final = GIVES_ELEMENTS | ITERATES_TENSORS | ITERATES_MODULES


@dataclass(frozen=True, slots=True)
class Place:
    """State that outlives a run of the region: an object's, a module variable, a closed-over name, an argument."""

    root: Hashable
    path: tuple[str, ...] = ()

    def child(self, name: str) -> Place:
        """The attribute or element of it."""
        return Place(self.root, (*self.path, name))

    def meets(self, other: Place) -> bool:
        """True where a change of one may be seen in the other: the same state, or one inside the other."""
        if self.root != other.root:
            return False
        if isinstance(self.root, ClassInfo) and not (self.path and other.path):
            return False  # an object as a whole is not what its attributes hold
        return all(
            a == b or (a[:1] == b[:1] == "[" and ANY in (a, b)) for a, b in zip(self.path, other.path, strict=False)
        )


def of(activation: Activation, node: Any, depth: int = _DEPTH) -> Place | None:
    """The state that an expression is (or is inside of); None for what the run of the region makes itself."""
    if depth <= 0:
        return None
    depth -= 1
    if isinstance(node, (nodes.Name, nodes.AssignName, nodes.DelName)):
        return named(activation, node.name, node.lineno or 0, depth, node)
    if isinstance(node, (nodes.Attribute, nodes.AssignAttr, nodes.DelAttr)):
        return attribute(activation, node.expr, node.attrname, depth)
    if isinstance(node, nodes.Subscript):
        owner = stores.dictionary_of(node.value)
        if owner is not None and isinstance(node.slice, nodes.Const) and isinstance(node.slice.value, str):
            return attribute(activation, owner, node.slice.value, depth)
        base = of(activation, node.value, depth)
        if base is None:
            return None
        return base.child(f"[{node.slice.value!r}]" if isinstance(node.slice, nodes.Const) else ANY)
    if isinstance(node, nodes.Call):
        return _call(activation, node, depth)
    if isinstance(node, (nodes.NamedExpr, nodes.Await)):
        return of(activation, node.value, depth)
    if isinstance(node, nodes.IfExp):
        return of(activation, node.body, depth) or of(activation, node.orelse, depth)
    if isinstance(node, nodes.BoolOp):
        return next((p for p in (of(activation, v, depth) for v in node.values) if p is not None), None)
    return None


def unpacked(node: Any) -> Any:
    """What a call unpacks into its positional arguments, the last of them; None where it unpacks nothing."""
    found = None
    for argument in getattr(node, "args", ()):
        if type(argument) is nodes.Starred:
            found = argument.value
    return found


def named(activation: Activation, name: str, line: int, depth: int = _DEPTH, use: Any = None) -> Place | None:
    """The state that a name stands for where it is used on a line of the activation's function, by the node `use`."""
    function = activation.function
    if name in function.declared_global:
        return Place((function.module, name))
    bound = function.local_names.get(name)
    if bound and not _is_nonlocal(function, name):
        return _local(activation, name, bound, line, depth, use)
    up = function.parent
    while up is not None:
        if name in up.local_names and name not in up.declared_global:
            inside = activation.ancestor(up)
            if inside is not None:
                return _local(inside, name, up.local_names[name], 1 << 30, depth)
            return Place((up, name))
        up = up.parent
    target = activation.analysis.resolver.name(function.module, name)
    return Place((target.module, target.name)) if isinstance(target, Variable) else None


def _is_nonlocal(function: FunctionInfo, name: str) -> bool:
    return name in function.declared_nonlocal


def _local(activation: Activation, name: str, bound: list[Any], line: int, depth: int, use: Any = None) -> Place | None:
    """The state behind a local: a parameter's argument, or what the nearest binding before the line takes."""
    best: Any = None
    ordered = _ordered(activation, name, bound)
    # What a statement binds holds after it, and in the rounds of a loop that come.
    for at, one in reversed(ordered[: bisect_right(ordered, line, key=lambda each: each[0])]):
        if at == line and not isinstance(one.statement(), (nodes.For, nodes.With)):
            continue
        if use is None or not exclusive(one, use):
            best = one
            break
    if best is None:
        return activation.places.get(name)
    value = assigned(best)
    if value is not None:
        return of(activation, value, depth)
    loop = binder(best)
    if isinstance(loop, (nodes.For, nodes.Comprehension)):
        if is_label(loop, best):
            return None
        source = loop.iter
        if (
            isinstance(source, nodes.Call)
            and isinstance(source.func, nodes.Name)
            and source.func.name in ("enumerate", "zip", "reversed")
        ):
            source = source.args[-1] if source.args else source
        base = of(activation, source, depth)
        return None if base is None else base.child(ANY)
    return None


def is_label(loop: nodes.For | nodes.Comprehension, bound: nodes.NodeNG) -> bool:
    """True for the name or number in `for name, p in net.named_parameters()`, `for i, layer in enumerate(layers)`."""
    func = loop.iter.func if isinstance(loop.iter, nodes.Call) else None
    if not (isinstance(loop.target, nodes.Tuple) and bound is loop.target.elts[0]):
        return False
    if isinstance(func, nodes.Name):
        return bool(func.name == "enumerate")
    return isinstance(func, nodes.Attribute) and func.attrname in ITERATES_NAMES


def _ordered(activation: Activation, name: str, bound: list[Any]) -> list[tuple[int, Any]]:
    """The bindings of a local but its parameter, by line."""
    memo, key = activation.function.module.memo, ("bindings", activation.function, name)
    if key not in memo:
        inner = (one for one in bound if not isinstance(one, nodes.Arguments) and one.lineno is not None)
        found = [(int(one.lineno), one) for one in inner if not isinstance(one.parent, nodes.Arguments)]
        memo[key] = sorted(found, key=lambda each: each[0])
    return cast("list[tuple[int, Any]]", memo[key])


def attribute(activation: Activation, owner: Any, name: str, depth: int = _DEPTH) -> Place | None:
    """The state that an attribute of an object is."""
    value = activation.facts.values.get(owner, UNKNOWN)
    classes = [r for r in value.each if isinstance(r, ClassInfo)]
    if classes and name in classes[0].body:
        return Place(classes[0], (name,))
    base = of(activation, owner, depth)
    if base is None and value.refs and isinstance(owner, nodes.Name):
        base = _of_function(value)
    if base is None:
        return None
    if name in SAME_STORAGE:
        return base
    if name == "__class__":
        return base
    holders = [r.cls for r in value.each if isinstance(r, Instance) and isinstance(r.cls, ClassInfo)]
    if holders:
        return Place(_holder(activation, holders[0], name), (name,))
    if name in TENSOR_PROPERTIES and name != "grad":
        return None  # a size, a dtype
    return base.child(name)


def _of_function(value: AbstractValue) -> Place | None:
    """A function of a module, whose attributes are state as a module's variables are."""
    found = [r for r in value.each if isinstance(r, FunctionInfo) and r.parent is None and r.cls is None]
    return Place((found[0].module, found[0].name)) if len(found) == 1 else None


def _holder(activation: Activation, cls: ClassInfo, name: str) -> ClassInfo:
    """The first class of the hierarchy whose objects have the attribute: subclasses speak of the same state."""
    found = cls
    for base in activation.analysis.resolver.mro(cls):
        if isinstance(base, ClassInfo) and (name in base.stores or name in base.body):
            found = base
    return found


def _call(activation: Activation, node: nodes.Call, depth: int) -> Place | None:
    func = node.func
    if isinstance(func, nodes.Name) and func.name == "getattr" and len(node.args) > 1:
        name: Any = node.args[1]
        told = isinstance(name, nodes.Const) and isinstance(name.value, str)
        return attribute(activation, node.args[0], name.value, depth) if told else None
    inner = activation.entered(node)
    if inner is not None:
        values = inner.function.returns_nodes
        return of(inner, values[0].value, depth) if len(values) == 1 and values[0].value is not None else None
    if isinstance(func, nodes.Attribute):
        if func.attrname in VIEWS or func.attrname.endswith("_"):
            return of(activation, func.expr, depth)
        if func.attrname in _ELEMENTS:
            base = of(activation, func.expr, depth)
            key = node.args[0] if node.args else None
            return None if base is None else base.child(f"[{key.value!r}]" if isinstance(key, nodes.Const) else ANY)
    return None
