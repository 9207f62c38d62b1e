"""The layers of its own object that a checkpointed region runs, and where else in a step the object runs them."""

from __future__ import annotations

from collections.abc import Iterator

from astroid import nodes

from flake8_tensorbranch.engine.checkpointing.frozen import Frozen
from flake8_tensorbranch.engine.checkpointing.leaving import leaves
from flake8_tensorbranch.engine.checkpointing.recomputes import Recompute, Recomputes
from flake8_tensorbranch.engine.lookup.guards import exclusive
from flake8_tensorbranch.engine.lookup.modes import loop_around, without_grad
from flake8_tensorbranch.engine.lookup.origins import Expr, Origins
from flake8_tensorbranch.engine.refs import Instance
from flake8_tensorbranch.knowledge.modules import PARAMETER_NAMES
from flake8_tensorbranch.syntax.kinds import FUNCTIONS
from flake8_tensorbranch.syntax.names import ClassInfo, FunctionInfo, dotted, names_own


class OwnLayers:
    """Layers by the names of the attributes that hold them, in the class whose method makes the checkpointed call."""

    def __init__(self, origins: Origins, recomputes: Recomputes, frozen: Frozen) -> None:
        self.origins = origins
        self.recomputes = recomputes
        self.frozen = frozen

    def shared(self, made: Recompute, reached: set[FunctionInfo]) -> str:
        """How a step runs a layer of the region besides: the region `twice`, or the layer `outside` of it; else empty.

        `reached` are the functions that a step runs; none where that is not known, and all of the class may.
        """
        scope = made.call.scope
        cls = class_of(scope)
        if scope is None or cls is None:
            return ""
        layers = self._layers(made, cls)
        if not layers:
            return ""
        if self._again(made, scope):
            return "twice"
        region = self.recomputes.reads(made)
        for function in made.call.module.functions:
            if class_of(function) is not cls or function in region or (reached and function not in reached):
                continue
            for name, node in self._uses(function):
                beside = function is scope and (made.call.node.parent_of(node) or apart(node, made.call.node))
                if name in layers and not beside and not self._leaves(Expr(function.module, function, node)):
                    return "outside"
        for other in self.recomputes.all():
            if other.call.node is made.call.node or class_of(other.call.scope) is not cls:
                continue
            if reached and other.call.scope not in reached:
                continue
            beside = other.call.scope is scope and apart(other.call.node, made.call.node)
            if not beside and layers & self._layers(other, cls):
                return "twice"
        return ""

    def _again(self, made: Recompute, scope: FunctionInfo) -> bool:
        """True where a loop repeats the region, or the method that runs it."""
        if loop_around(made.call.node) is not None:
            return True
        own = [s for s in self.origins.sites(scope) if class_of(s.scope) is class_of(scope)]
        beside = {i for i, s in enumerate(own) for o in own[:i] if s.scope is o.scope and apart(s.node, o.node)}
        return any(loop_around(s.node) is not None for s in own) or len(own) - len(beside) > 1

    def _layers(self, made: Recompute, cls: ClassInfo) -> set[str]:
        """The trained layers of `self` that a region runs: one itself, or those that its functions in the class run."""
        function = made.function
        if function is None:
            return set()
        name = self._layer(function)
        if name:
            return {name}
        # The region itself stands in a method, or is one of the same object.
        first = [f for f in made.functions if class_of(f) is cls]
        if not first or any(f.cls is not None and not (dotted(function.node) or "").startswith("self.") for f in first):
            return set()
        return {n for f in self.recomputes.reads(made) if class_of(f) is cls for n, _ in self._uses(f)}

    def _uses(self, function: FunctionInfo) -> Iterator[tuple[str, nodes.NodeNG]]:
        """Where a function runs a layer of `self`, or reads its parameters."""
        for call in function.calls:
            name = self._layer(Expr(function.module, function, call.func))
            if name:
                yield name, call
        for node in function.node.nodes_of_class(nodes.Attribute, FUNCTIONS):
            if node.attrname in PARAMETER_NAMES:
                name = self._layer(Expr(function.module, function, node.expr))
                if name:
                    yield name, node

    def _layer(self, expr: Expr) -> str:
        """The attribute of `self` that an expression names, where a layer with something to train is; else empty."""
        node = expr.node
        if isinstance(node, nodes.Name):
            steps = self.origins.step(expr, calls=False)
            return self._layer(steps[0]) if len(steps) == 1 and isinstance(steps[0].node, nodes.Attribute) else ""
        path = (dotted(node) or "").split(".")
        if len(path) != 2 or not names_own(expr.scope, path[0]) or not isinstance(node, nodes.Attribute):
            return ""
        classes = [r.cls for r in self.origins.value(expr).each if isinstance(r, Instance)]
        trains = classes and not any(isinstance(c, str) and self.frozen.bare(c) for c in classes)
        module = all(self.origins.program.analysis.resolver.is_module(c) for c in classes)
        return path[1] if trains and module and not self.frozen.module(expr) else ""

    def _leaves(self, use: Expr) -> bool:
        """True for a use that no gradient comes back to."""
        return without_grad(self.origins, use) or leaves(use)


def class_of(function: FunctionInfo | None) -> ClassInfo | None:
    """The class in whose method a function stands, nested or not."""
    while function is not None and function.cls is None:
        function = function.parent
    return function.cls if function is not None else None


def apart(one: nodes.NodeNG, other: nodes.NodeNG) -> bool:
    """True for two places of one function of which a run comes to one at most: by a test, or since a way ends."""
    return exclusive(one, other) or _ends(one, other) or _ends(other, one)


def _ends(one: nodes.NodeNG, other: nodes.NodeNG) -> bool:
    """True where the block that holds a place leaves the function, and does not hold the other place."""
    below, up = one, one.parent
    while up is not None and not isinstance(below, FUNCTIONS):
        for name in ("body", "orelse", "handlers"):
            block = getattr(up, name, None)
            if isinstance(block, list) and below in block and not isinstance(up, FUNCTIONS):
                held = any(s is other or s.parent_of(other) for s in block)
                if not held and isinstance(block[-1], (nodes.Return, nodes.Raise)):
                    return True
        below, up = up, up.parent
    return False
