"""What the objects that a region runs were built with, where others of their classes are built in other ways."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Final

from astroid import nodes

from flake8_tensorbranch.engine.checkpointing.contents import Contents
from flake8_tensorbranch.engine.checkpointing.insides import Activation
from flake8_tensorbranch.engine.lookup.origins import Expr, Origins
from flake8_tensorbranch.engine.refs import Instance
from flake8_tensorbranch.knowledge.layers import DRAWING
from flake8_tensorbranch.syntax.names import ClassInfo, FunctionInfo, last_name

_DEPTH: Final = 5
_MOST: Final = 40  # objects below one region


@dataclass(frozen=True, slots=True)
class _Built:
    """One object: its class, the call that builds it, and the object whose constructor makes the call."""

    cls: ClassInfo
    call: Expr
    within: _Built | None = None


class Building:
    """Answers for the entries of one program."""

    def __init__(self, origins: Origins, contents: Contents) -> None:
        self.origins = origins
        self.contents = contents
        self.resolver = origins.program.analysis.resolver
        self._every: dict[tuple[Expr | None, tuple[Activation, ...]], list[_Built] | None] = {}

    def is_off(self, start: Expr | None, heads: list[Activation], layer: Expr) -> bool:
        """True for a layer or function of dropout whose probability is 0 for every object of its class that the region
        runs; `start` is the function or module that the entry is given, `heads` are the runs that it begins with.
        """
        scope = layer.scope
        if scope is None or scope.cls is None:
            return False
        given = self._probability(layer)
        if given is None:
            return False
        key = (start, tuple(heads))
        if key not in self._every:
            self._every[key] = self._objects(start, heads)
        objects = self._every[key]
        own = [o for o in objects or () if scope.cls in self.resolver.mro(o.cls)]
        return bool(own) and all(self._is_zero(given, o, _DEPTH) for o in own)

    def _probability(self, layer: Expr) -> Expr | None:
        """The one expression that gives a layer, or a call of a function, its probability."""
        call = layer.node
        if isinstance(call, nodes.Call) and "dropout" in last_name(call.func) and self.origins.externals(layer):
            named = next((k.value for k in call.keywords if k.arg == "p"), None)
            given = call.args[1] if len(call.args) > 1 else named
            return None if given is None else replace(layer, node=given)
        inner = call.func if isinstance(call, nodes.Call) else call
        made = self.origins.of(replace(layer, node=inner))
        names = [n for o in made for n in self.origins.externals(o) if n in DRAWING]
        if len(made) != 1 or len(names) != 1 or not isinstance(made[0].node, nodes.Call):
            return None
        table, built = DRAWING[names[0]], made[0].node
        named = next((k.value for k in built.keywords if k.arg == table.keyword), None)
        positional = built.args[table.position] if 0 <= table.position < len(built.args) else None
        given = named if named is not None else positional
        return None if given is None else replace(made[0], node=given)

    def _objects(self, start: Expr | None, heads: list[Activation]) -> list[_Built] | None:
        """The objects that a region runs, with those that they build; None where some are not in view."""
        roots = [start] if start is not None and self._classes(start) else []
        if not roots:
            for head in heads:
                for run in head.run():
                    if run.function.cls is None or run.parent is None or run.parent.function.cls is not None:
                        continue
                    if isinstance(run.call, nodes.Call):
                        roots.append(run.parent.expr(run.call.func))
        found: list[_Built] = []
        for root in roots:
            for origin in self.origins.of(root):
                classes = self._classes(origin)
                if not isinstance(origin.node, nodes.Call) or len(classes) != 1:
                    return None
                found.append(_Built(classes[0], origin))
        for built in found:
            if len(found) > _MOST:
                return None
            found.extend(self._parts(built))
        return found

    def _parts(self, built: _Built) -> Iterator[_Built]:
        """The objects that the constructors of an object build."""
        depth, up = 0, built.within
        while up is not None:
            depth, up = depth + 1, up.within
        for base in self.resolver.mro(built.cls) if depth < _DEPTH else ():
            init = base.methods.get("__init__") if isinstance(base, ClassInfo) else None
            for expr in (Expr(init.module, init, c) for c in init.calls) if init is not None else ():
                yield from (_Built(cls, expr, built) for cls in self._classes(expr))

    def _classes(self, expr: Expr) -> list[ClassInfo]:
        refs = self.origins.value(expr).each
        return [r.cls for r in refs if isinstance(r, Instance) and isinstance(r.cls, ClassInfo)]

    def _is_zero(self, given: Expr, built: _Built, depth: int) -> bool:
        """True where an expression of an object's methods is 0 for this object."""
        if self.contents.is_zero(given):
            return True
        node, scope = given.node, given.scope
        if depth <= 0 or scope is None:
            return False
        if isinstance(node, nodes.Name) and any(p.name == node.name for p in scope.params):
            if scope.name != "__init__" or scope.cls not in self.resolver.mro(built.cls):
                return False
            if node.name in {
                n.name for n in scope.node.nodes_of_class(nodes.AssignName) if n.statement() is not scope.node
            }:
                return False
            return self._is_given_zero(scope, node.name, built, depth)
        if isinstance(node, nodes.Attribute):
            steps = self.origins.step(given, calls=False)
            return bool(steps) and all(self._is_zero(s, built, depth - 1) for s in steps)
        return False

    def _is_given_zero(self, init: FunctionInfo, name: str, built: _Built, depth: int) -> bool:
        """True where the call that builds an object, or the constructor of its own class, gives 0 to a parameter."""
        default = next((p.default for p in init.params if p.name == name), None)
        first = self.resolver.method(built.cls, "__init__")
        if first is init:
            sites, within = [built.call], built.within
        else:
            sites, within = [s for s in self.origins.sites(init) if s.scope is first], built
        if not sites:
            return False
        for site in sites:
            unpacks = any(isinstance(a, nodes.Starred) for a in site.node.args) or any(
                not k.arg for k in site.node.keywords
            )
            given = self.origins.argument(site, init, name)
            if given is None and default is not None and not unpacks:
                given = Expr(init.module, init.parent, default)
            if given is None:
                return False
            zero = self.contents.is_zero(given) or (within is not None and self._is_zero(given, within, depth - 1))
            if not zero:
                return False
        return True
