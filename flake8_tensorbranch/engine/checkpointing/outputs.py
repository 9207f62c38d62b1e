"""Outputs of checkpointed functions that autograd does not look into: tensors in lists, dicts and objects."""

from __future__ import annotations

from typing import Any, Final

from astroid import nodes

from flake8_tensorbranch.engine.checkpointing.recomputes import Recompute
from flake8_tensorbranch.engine.checkpointing.taken import computed_with, fields_read
from flake8_tensorbranch.engine.lattice import HOST, TENSOR
from flake8_tensorbranch.engine.lookup.origins import Expr, Origins
from flake8_tensorbranch.engine.refs import Instance
from flake8_tensorbranch.knowledge.containers import BUILDS, FILLS, NAMED_TUPLE, NAMED_TUPLE_MAKER, PLAIN_BASES
from flake8_tensorbranch.knowledge.gradients import CUTS
from flake8_tensorbranch.syntax.names import ClassInfo, FunctionInfo, dotted

_LITERALS: Final = (nodes.List, nodes.Dict, nodes.ListComp, nodes.DictComp)


class Outputs:
    """What functions of one program give; each is read once, however many calls checkpoint it."""

    def __init__(self, origins: Origins) -> None:
        self.origins = origins
        self._known: dict[FunctionInfo, tuple[bool, tuple[tuple[int, int], ...]]] = {}

    def held(self, made: Recompute) -> bool:
        """True when the region gives its tensors in a list or dict, or in one inside of its tuple that is computed
        with.
        """
        for function in made.functions:
            whole, positions = self._of(function)
            if whole or any(computed_with(self.origins, made.call, *place) for place in positions):
                return True
        return False

    def renamed(self, made: Recompute) -> bool:
        """True when the region gives a named tuple, of which its caller reads a field by its name."""
        for function in made.functions:
            results = [o for result in self.origins.returns(function) for o in self.origins.of(result)]
            if any(_is_named(self.origins, o) for o in results) and fields_read(self.origins, made.call):
                return True
        return False

    def _of(self, function: FunctionInfo) -> tuple[bool, tuple[tuple[int, int], ...]]:
        """Whether a function gives tensors in a list or dict, and at which positions of tuples of which length."""
        if function not in self._known:
            whole, positions = False, set[tuple[int, int]]()
            for origin in (o for result in self.origins.returns(function) for o in self.origins.of(result)):
                whole = whole or _holds(self.origins, origin, function)
                parts = origin.node.elts if isinstance(origin.node, nodes.Tuple) else ()
                for position, part in enumerate(parts):
                    inside = self.origins.of(Expr(origin.module, origin.scope, part))
                    if any(_holds(self.origins, o, function) or _nests(self.origins, o) for o in inside):
                        positions.add((position, len(parts)))
            self._known[function] = whole, tuple(sorted(positions))
        return self._known[function]


def _holds(origins: Origins, origin: Expr, function: FunctionInfo) -> bool:
    """True for what is a list, dict or record of tensors where it is made."""
    value, node = origins.value(origin), origin.node
    if isinstance(node, nodes.Call):
        return _is_record(origins, origin, node) or _collects(origins, origin, node)
    if not isinstance(node, _LITERALS) or (value.elem is not None and value.elem.must(HOST)):
        return False
    if isinstance(node, (nodes.ListComp, nodes.DictComp)):
        return True
    held = node.elts if isinstance(node, nodes.List) else [value for _, value in node.items]
    if not held:
        return _filled(origin.scope or function, node)
    return not all(_is_cut(origins, Expr(origin.module, origin.scope, part)) for part in held)


def _is_cut(origins: Origins, part: Expr) -> bool:
    """True for what is detached, or has no gradient by what made it, wherever it is made."""
    made = [o.node.func for o in origins.of(part) if isinstance(o.node, nodes.Call)]
    return bool(made) and all(isinstance(func, nodes.Attribute) and func.attrname in CUTS for func in made)


def _nests(origins: Origins, origin: Expr) -> bool:
    """True for a tuple of tensors, which autograd looks into only where it is the whole result."""
    if not isinstance(origin.node, nodes.Tuple):
        return False
    return any(origins.value(Expr(origin.module, origin.scope, part)).must(TENSOR) for part in origin.node.elts)


def _collects(origins: Origins, origin: Expr, made: nodes.Call) -> bool:
    """True for `list(...)`, `dict(...)` and other containers of Python's that are given tensors, or filled later on."""
    if not isinstance(made.func, (nodes.Name, nodes.Attribute)) or not origins.externals(origin) & BUILDS:
        return False
    value = origins.value(origin)
    if value.elem is not None and value.elem.must(TENSOR):
        return True
    given = [origins.value(Expr(origin.module, origin.scope, k.value)) for k in made.keywords]
    return any(v.must(TENSOR) for v in given) or (origin.scope is not None and _filled(origin.scope, made))


def _is_record(origins: Origins, origin: Expr, made: nodes.Call) -> bool:
    """True for an object of a class of the project that is given tensors: autograd does not look into it."""
    classes = [r.cls for r in origins.value(origin).each if isinstance(r, Instance)]
    if not classes or not all(isinstance(c, ClassInfo) and _is_opaque(origins, c) for c in classes):
        return False
    given = [*made.args, *(k.value for k in made.keywords)]
    return any(origins.value(Expr(origin.module, origin.scope, g)).must(TENSOR) for g in given)


def _is_named(origins: Origins, made: Expr) -> bool:
    """True for an object of a named tuple's class of the project."""
    if not isinstance(made.node, nodes.Call):
        return False
    for ref in origins.value(made).each:
        cls = ref.cls if isinstance(ref, Instance) else None
        if isinstance(cls, ClassInfo) and NAMED_TUPLE in origins.program.analysis.resolver.mro(cls):
            return True
    built = origins.step(Expr(made.module, made.scope, made.node.func))
    return any(NAMED_TUPLE_MAKER in origins.externals(b) for b in built if isinstance(b.node, nodes.Call))


def _is_opaque(origins: Origins, cls: ClassInfo) -> bool:
    """True for a dataclass, and for a class that is neither a tuple nor a tensor by any of its bases."""
    decorators = cls.node.decorators.nodes if cls.node.decorators is not None else ()
    names = (dotted(d.func if isinstance(d, nodes.Call) else d) or "" for d in decorators)
    if any(name.rsplit(".", 1)[-1] == "dataclass" for name in names):
        return True
    order = origins.program.analysis.resolver.mro(cls)
    made = any(isinstance(b, nodes.Call) for c in order if isinstance(c, ClassInfo) for b in c.bases)
    return not made and all(isinstance(c, ClassInfo) or c in PLAIN_BASES for c in order)


def _filled(function: FunctionInfo, literal: Any) -> bool:
    """True when a function puts something into a list or dict of its own that began as this empty literal."""
    name = getattr(literal.parent, "targets", [getattr(literal.parent, "target", None)])[0]
    if not isinstance(name, nodes.AssignName):
        return False
    grows = (c.func.expr for c in function.calls if isinstance(c.func, nodes.Attribute) and c.func.attrname in FILLS)
    owners = (f.value if isinstance(f, nodes.Subscript) else f for f in grows)
    if any(isinstance(owner, nodes.Name) and owner.name == name.name for owner in owners):
        return True
    return any(
        isinstance(target, nodes.Subscript) and isinstance(target.value, nodes.Name) and target.value.name == name.name
        for statement in function.node.nodes_of_class(nodes.Assign)
        for target in statement.targets
    )
