"""Which backward differentiates a call's output: the loss followed through assignments, helpers and returns."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

from astroid import nodes

from flake8_tensorbranch.engine.inference.attributes import state_path
from flake8_tensorbranch.engine.lookup.modes import without_grad
from flake8_tensorbranch.engine.lookup.origins import Expr, Origins
from flake8_tensorbranch.engine.solver import Budget, solve
from flake8_tensorbranch.knowledge.containers import FILLS
from flake8_tensorbranch.knowledge.frameworks import BACKWARDS, LOSSES
from flake8_tensorbranch.knowledge.gradients import LEAVES_THE_GRAPH
from flake8_tensorbranch.syntax import graph
from flake8_tensorbranch.syntax.binding import unpacked
from flake8_tensorbranch.syntax.names import FunctionInfo, dotted

DEPTH: Final = 5

_PLAIN: Final = frozenset(["float", "int", "bool", "len", "print", "isinstance", "str", "repr", "type", "id", "hash"])

Names = frozenset[str]


@dataclass(frozen=True, slots=True)
class Event:
    """A backward of the output.

    `node` is where it happens in the function first asked about; None: it happens after that returned.

    `call` is the call that starts it; `partial` is true for `autograd.grad` and `backward(inputs=)`.
    """

    node: nodes.NodeNG | None
    call: Expr
    partial: bool = False


@dataclass(slots=True)
class _Flow:
    """What one function does with marked values: backwards it starts, and whether it gives them on."""

    events: dict[nodes.NodeNG, Event]
    returns: bool = False
    attributes: Names = frozenset()


class Backward:
    """Follows outputs to their backward, within the file under check."""

    def __init__(self, origins: Origins) -> None:
        self.origins = origins
        self._memo: dict[object, _Flow] = {}

    def of(self, call: Expr, depth: int = DEPTH) -> list[Event]:
        """The backwards of a call's output."""
        if without_grad(self.origins, call):
            return []
        flow = self._flow(call, frozenset(), frozenset({call.node}))
        events = list(flow.events.values())
        scope = call.scope
        if scope is None or depth <= 0:
            return events
        if flow.returns:
            sites = self.origins.sites(scope)
            for site in sites:
                events.extend(Event(None, e.call, e.partial) for e in self.of(site, depth - 1))
            if not sites and self._is_step(scope):
                events.append(Event(None, Expr(call.module, scope, scope.node)))
        if flow.attributes and scope.cls is not None:
            for method in scope.cls.methods.values():
                if method is not scope:
                    other = self._flow(Expr(method.module, method, method.node), flow.attributes, frozenset())
                    events.extend(Event(None, e.call, e.partial) for e in other.events.values())
        return events

    def _is_step(self, function: FunctionInfo) -> bool:
        """True for methods whose returned loss a training framework differentiates after they returned."""
        bases = LOSSES.get(function.name, ())
        return (
            function.cls is not None
            and bool(bases)
            and self.origins.program.analysis.resolver.has_base(function.cls, *bases)
        )

    def _flow(self, where: Expr, marked: Names, seeds: frozenset[nodes.NodeNG]) -> _Flow:
        """Solve one scope: `marked` names hold the output at its entry, `seeds` are expressions that give it."""
        key = (where.module, where.scope, marked, seeds)
        known = self._memo.get(key)
        if known is None:
            known = self._memo[key] = _Flow({})
            run = _Run(self, where, seeds, known)
            scope: Any = where.module.tree if where.scope is None else where.scope.node
            cfg = self.origins.program.analysis.cfg(where.module, scope)
            solve(
                cfg,
                marked,
                run.block,
                lambda a, b: a | b,
                lambda a, b: a == b,
                None,
                Budget(visits=40 * len(cfg.blocks) + 200, widen_after=99),
            )
        return known

    def given(self, site: Expr, function: FunctionInfo, names: Names) -> _Flow:
        """What a function of the project does when these parameters hold the output."""
        return self._flow(Expr(function.module, function, function.node), names, frozenset())


class _Run:
    """The transfer functions of one scope over sets of names that hold the output."""

    def __init__(self, backward: Backward, where: Expr, seeds: frozenset[nodes.NodeNG], flow: _Flow) -> None:
        self.backward = backward
        self.where = where
        self.seeds = seeds
        self.flow = flow
        self.state: set[str] = set()

    def block(self, block: graph.Block, state: Names) -> Names:
        self.state = set(state)
        for item in block.items:
            self._item(item)
        return frozenset(self.state)

    def _item(self, item: Any) -> None:
        if isinstance(item, (nodes.FunctionDef, nodes.ClassDef)):
            self.state.discard(item.name)
        elif isinstance(item, nodes.Assign):
            value = self._marked(item.value)
            for target in item.targets:
                self._bind(target, value, item.value)
        elif isinstance(item, nodes.AnnAssign):
            if item.value is not None:
                self._bind(item.target, self._marked(item.value), item.value)
        elif isinstance(item, nodes.AugAssign):
            if self._marked(item.value):
                self._bind(item.target, True, None)
        elif isinstance(item, nodes.Return):
            if item.value is not None and self._marked(item.value):
                self.flow.returns = True
        elif isinstance(item, nodes.Expr):
            self._marked(item.value)
        elif isinstance(item, graph.LambdaReturn):
            if self._marked(item.expr):
                self.flow.returns = True
        elif isinstance(item, graph.Test):
            self._marked(item.expr)
        elif isinstance(item, graph.IterEval):
            self._marked(item.node.iter)
        elif isinstance(item, graph.ForBind):
            self._bind(item.node.target, self._marked(item.node.iter), None)
        elif isinstance(item, graph.WithEnter):
            manager, target = item.node.items[item.index]
            value = self._marked(manager)
            if target is not None:
                self._bind(target, value, None)

    def _bind(self, target: Any, value: bool, source: Any) -> None:
        if isinstance(target, (nodes.Tuple, nodes.List)):
            for inner, part in unpacked(target, source):
                self._bind(inner, value if part is None else self._marked(part), part)
            return
        if isinstance(target, nodes.Starred):
            target = target.value
        if isinstance(target, nodes.Subscript):
            path = state_path(target.value)
            if path is not None and value:
                self.state.add(path)
            return
        path = state_path(target)
        if path is None:
            return
        if value:
            self.state.add(path)
            if path.startswith("self."):
                self.flow.attributes |= {path}
        else:
            self.state.discard(path)

    def _marked(self, node: Any) -> bool:
        """Whether an expression's value leads back to the output; backwards met on the way are recorded."""
        if isinstance(node, nodes.Name):
            return node.name in self.state or node in self.seeds
        if isinstance(node, nodes.Attribute):
            if state_path(node) in self.state or node in self.seeds:
                return True
            return self._marked(node.expr) and node.attrname not in LEAVES_THE_GRAPH
        if isinstance(node, nodes.Call):
            return self._call(node) or node in self.seeds
        if isinstance(node, (nodes.Lambda, nodes.FunctionDef)):
            return False
        if isinstance(node, nodes.ComprehensionScope):
            for generator in node.generators:
                self._bind(generator.target, self._marked(generator.iter), None)
            inner: Any = node
            return self._marked(inner.value if isinstance(node, nodes.DictComp) else inner.elt)
        if isinstance(node, nodes.NamedExpr):
            value = self._marked(node.value)
            self._bind(node.target, value, None)
            return value
        if isinstance(node, nodes.Compare):
            for child in (node.left, *(right for _, right in node.ops)):
                self._marked(child)
            return False
        if isinstance(node, (nodes.Yield, nodes.YieldFrom)):
            if node.value is not None and self._marked(node.value):
                self.flow.returns = True
            return False
        if isinstance(node, nodes.IfExp):
            self._marked(node.test)
            return _some([self._marked(node.body), self._marked(node.orelse)])
        if isinstance(node, nodes.Subscript):
            return self._marked(node.value)
        return _some([self._marked(child) for child in node.get_children()])

    def _call(self, node: nodes.Call) -> bool:
        func: Any = node.func
        receiver = isinstance(func, nodes.Attribute) and self._marked(func.expr)
        values = [(None, a, self._marked(a)) for a in node.args]
        named = [(k.arg, k.value, self._marked(k.value)) for k in node.keywords]
        given = any(m for _, _, m in (*values, *named))
        if not receiver and not given:
            return False
        expr = Expr(self.where.module, self.where.scope, node)
        name = func.attrname if isinstance(func, nodes.Attribute) else ""
        if name in BACKWARDS or "torch.autograd.backward" in self.backward.origins.externals(expr):
            inputs = next((v for k, v, _ in named if k == "inputs"), None)
            self._record(Event(node, expr, inputs is not None and not self._stops(inputs)))
            return False
        if "torch.autograd.grad" in self.backward.origins.externals(expr) or (dotted(func) or "").endswith(
            "autograd.grad"
        ):
            inputs = next((v for k, v, _ in named if k == "inputs"), node.args[1] if len(node.args) > 1 else None)
            if inputs is None or not self._stops(inputs):
                self._record(Event(node, expr, True))
            return False
        if name in FILLS and given and not receiver:
            path = state_path(func.expr)
            if path is not None:
                self._bind_path(path)
        if name in LEAVES_THE_GRAPH or (
            isinstance(func, nodes.Name) and func.name in _PLAIN and func.name not in self._locals()
        ):
            return False
        callees = self.backward.origins.callees(expr)
        if not callees or node in self.seeds:
            return True
        marked = {a for _, a, m in (*values, *named) if m}
        return _some([self._entered(expr, callee, marked) for callee in callees])

    def _stops(self, inputs: Any) -> bool:
        """True where all that is differentiated by leads back to the output: that backward ends before it."""
        parts = inputs.elts if isinstance(inputs, (nodes.Tuple, nodes.List)) else [inputs]
        return bool(parts) and all(self._marked(part) for part in parts)

    def _locals(self) -> Any:
        return self.where.scope.local_names if self.where.scope is not None else self.where.module.bindings

    def _entered(self, site: Expr, callee: FunctionInfo, marked: set[nodes.NodeNG]) -> bool:
        """Whether what the callee returns leads back to the output, where the `marked` arguments do."""
        if callee.name == "__init__":
            return True
        names = set()
        known = True
        for param in callee.params:
            given = self.backward.origins.argument(site, callee, param.name)
            if given is not None and given.node in marked:
                names.add(param.name)
        if not names:
            known = False
        if callee.vararg is not None and any(a in marked for a in site.node.args):
            names.add(callee.vararg)
            known = True
        if not known:
            return True
        flow = self.backward.given(site, callee, frozenset(names))
        for event in flow.events.values():
            self._record(Event(site.node, event.call, event.partial))
        return flow.returns

    def _bind_path(self, path: str) -> None:
        self.state.add(path)
        if path.startswith("self."):
            self.flow.attributes |= {path}

    def _record(self, event: Event) -> None:
        assert event.node is not None
        self.flow.events.setdefault(event.node, event)


def _some(found: list[bool]) -> bool:
    """`any` over a list, whose every element has been evaluated for what it records."""
    return any(found)
