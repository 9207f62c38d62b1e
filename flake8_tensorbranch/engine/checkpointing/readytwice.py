"""Parameters that DDP marks ready twice: those of a reentrant region that also run elsewhere in the same step."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from astroid import nodes

from flake8_tensorbranch.engine.checkpointing.fromoutside import FromOutside
from flake8_tensorbranch.engine.checkpointing.frozen import Frozen
from flake8_tensorbranch.engine.checkpointing.ownlayers import OwnLayers, apart
from flake8_tensorbranch.engine.checkpointing.recomputes import Recompute, Recomputes
from flake8_tensorbranch.engine.lookup.modes import loop_around, without_grad
from flake8_tensorbranch.engine.lookup.origins import Expr, Origins
from flake8_tensorbranch.engine.refs import Instance
from flake8_tensorbranch.knowledge.frameworks import SEARCHES_UNUSED, SEARCHING_STRATEGIES
from flake8_tensorbranch.knowledge.modules import DISTRIBUTED
from flake8_tensorbranch.syntax.names import ClassInfo, FunctionInfo, dotted
from flake8_tensorbranch.syntax.printing import source_of


class ReadyTwice:
    """Judges the reentrant checkpoints of a file that has DDP modules."""

    def __init__(self, origins: Origins, recomputes: Recomputes, frozen: Frozen) -> None:
        self.origins = origins
        self.recomputes = recomputes
        self.layers = OwnLayers(origins, recomputes, frozen)
        self.outside = FromOutside(origins, recomputes, frozen)
        self._wrapped: list[tuple[Expr | None, bool, dict[FunctionInfo, None]]] | None = None

    def of(self, made: Recompute) -> str:
        """How DDP comes to mark a parameter of the region ready twice: `unused` parameters are searched, or it
        runs `twice`; else empty.
        """
        scope = made.call.scope
        held = self.recomputes.holding.of(made.function) if self._ddp() else None
        if held is not None and held.complete and not held.state:
            return ""  # no parameter in it
        puts = list(self.outside.puts.of(scope)) if scope is not None and self._ddp() else []
        for model, unused, reached in self._ddp():
            own = [put for value, put in puts if model is not None and self.outside.holds(model, value, put)]
            ways = ["unused"] if own and unused else [self.outside.again(put) for put in own]
            if any(ways):
                return next(filter(None, ways))
            if reached and scope not in reached:
                continue
            if unused:
                return "unused"
            if scope is not None and self._runs_twice(made, scope):
                return "twice"
            how = self.layers.shared(made, set(reached))
            if how:
                return how
        return ""

    def models(self) -> list[tuple[Expr | None, bool]]:
        """The models of the DDP modules, and whether unused parameters are searched; None for one that a trainer
        trains.
        """
        return [(model, unused) for model, unused, _ in self._ddp()]

    def abroad(self) -> Iterator[tuple[Expr, Recompute]]:
        """The models of the file whose unused parameters DDP searches, each with the reentrant checkpoint that another
        file makes in it.
        """
        for model, unused, reached in self._ddp():
            for function in reached if unused and model is not None else ():
                if function.module is self.origins.program.index:
                    continue
                made = next((m for m in map(self._reentrant, _calls_of(function)) if m is not None), None)
                if made is not None and model is not None:
                    yield model, made
                    break

    def _reentrant(self, call: Expr) -> Recompute | None:
        """The reentrant checkpoint of something with parameters that a call makes, if it makes one."""
        made = self.recomputes.direct(call)
        if (
            made is None
            or self.recomputes.variants(made) not in ({True}, {None})
            or without_grad(self.origins, call, 0)
        ):
            return None
        held = self.recomputes.holding.of(made.function)
        return None if held.complete and not held.state else made

    def _model(self, ddp: Expr) -> Expr | None:
        """The model that a DDP module wraps, as it is given."""
        if ddp.node.args:
            return replace(ddp, node=ddp.node.args[0])
        given = self.recomputes.options.given(ddp, "module")
        return next((g for g in given if isinstance(g, Expr)), None)

    def _ddp(self) -> list[tuple[Expr | None, bool, dict[FunctionInfo, None]]]:
        """The models of the file's DDP modules without a static graph (None where a trainer makes them): whether
        unused parameters are searched, and what their forward reaches.
        """
        if self._wrapped is None:
            self._wrapped = []
            index = self.origins.program.index
            calls = [Expr(index, scope, call) for scope, call in index.all_calls()]
            if any((dotted(e.node.func) or "").endswith("_set_static_graph") for e in calls):
                return self._wrapped
            self._wrapped.extend((None, True, {}) for e in calls if _searches_unused(e.node))
            for expr in calls:
                if DISTRIBUTED not in self.origins.externals(expr):
                    continue
                static = [
                    c
                    for g in self.recomputes.options.given(expr, "static_graph")
                    if isinstance(g, Expr)
                    for c in self.recomputes.options.constants(g)
                ]
                if static and static != [False]:
                    continue
                given = self.recomputes.options.given(expr, "find_unused_parameters")
                unused = any(
                    c is True for g in given if isinstance(g, Expr) for c in self.recomputes.options.constants(g)
                )
                reached: dict[FunctionInfo, None] = {}
                model = self._model(expr)
                for ref in self.origins.value(model).each if model is not None else ():
                    if isinstance(ref, Instance) and isinstance(ref.cls, ClassInfo):
                        forward = self.origins.program.analysis.resolver.method(ref.cls, "forward")
                        reached.update(
                            dict.fromkeys(self.recomputes.tree.reached(forward)) if forward is not None else {}
                        )
                self._wrapped.append((model, unused, reached))
        return self._wrapped

    def _runs_twice(self, made: Recompute, scope: FunctionInfo) -> bool:
        """True when one step runs the same region several times: called again on one module, or in a loop that
        does not choose it.
        """
        if made.function is not None and self._repeats(made.call.node, made.function.node):
            return True
        again = [m for m in self.recomputes.all() if m.call.scope is scope and m is not made and _is_alike(m, made)]
        if any(not apart(m.call.node, made.call.node) for m in again):
            return True
        if scope.name not in ("forward", "__call__"):
            return False
        sites = [s for s in self.origins.sites(scope) if s.scope is not None and s.scope.cls is not None]
        if any(self._repeats(s.node, s.node.func) for s in sites):
            return True
        callees = [(s.scope, source_of(s.node.func)) for s in sites]
        return any(callees.count(c) > 1 for c in callees)

    @staticmethod
    def _repeats(call: nodes.NodeNG, callee: nodes.NodeNG) -> bool:
        loop = loop_around(call)
        if loop is None or not isinstance(callee, nodes.Attribute):
            return False
        generators = loop.generators if isinstance(loop, nodes.ComprehensionScope) else [loop]
        bound = {n.name for g in generators if hasattr(g, "target") for n in g.target.nodes_of_class(nodes.AssignName)}
        return not any(n.name in bound for n in callee.nodes_of_class(nodes.Name))


def _calls_of(function: FunctionInfo) -> Iterator[Expr]:
    """The calls that stand in a function."""
    return (Expr(function.module, function, call) for call in function.calls)


def _is_alike(one: Recompute, other: Recompute) -> bool:
    """True for two calls that checkpoint what is spelled alike."""
    functions = [m.function.node for m in (one, other) if m.function is not None]
    return (
        len(functions) == 2
        and all(isinstance(f, (nodes.Attribute, nodes.Name)) for f in functions)
        and source_of(functions[0]) == source_of(functions[1])
    )


def _searches_unused(call: nodes.Call) -> bool:
    """True for settings of trainers by which DDP searches unused parameters."""
    name = (dotted(call.func) or "").rsplit(".", 1)[-1]
    for keyword in call.keywords:
        given = keyword.value.value if isinstance(keyword.value, nodes.Const) else None
        if (name, keyword.arg) in SEARCHES_UNUSED and given is True:
            return True
        if keyword.arg == "strategy" and given in SEARCHING_STRATEGIES:
            return True
    return False
