"""Which backward differentiates a call's output: the loss followed through assignments, helpers and returns."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any, Final

from astroid import nodes

from flake8_tensorbranch.engine.checkpointing.differentiated import transformed
from flake8_tensorbranch.engine.inference.attributes import state_path
from flake8_tensorbranch.engine.lookup.modes import switched, without_grad
from flake8_tensorbranch.engine.lookup.origins import Expr, Origins
from flake8_tensorbranch.engine.solver import Budget, solve
from flake8_tensorbranch.knowledge.containers import FILLS
from flake8_tensorbranch.knowledge.frameworks import BACKWARDS, LOSSES
from flake8_tensorbranch.knowledge.gradients import BY_INPUTS, DIFFERENTIATING, LEAVES_THE_GRAPH
from flake8_tensorbranch.syntax import graph
from flake8_tensorbranch.syntax.binding import unpacked
from flake8_tensorbranch.syntax.kinds import FUNCTIONS
from flake8_tensorbranch.syntax.names import FunctionInfo, ModuleIndex, dotted

DEPTH: Final = 5

_PLAIN: Final = frozenset(["float", "int", "bool", "len", "print", "isinstance", "str", "repr", "type", "id", "hash"])

Names = frozenset[str]
State = dict[str, int]


@dataclass(frozen=True, slots=True)
class Event:
    """A backward of the output.

    `node` is where it happens in the function first asked about; None: it happens after that returned.

    `call` is the call that starts it; `partial` is true for `autograd.grad` and `backward(inputs=)`.
    """

    node: nodes.NodeNG | None
    call: Expr
    partial: bool = False


Seeds = dict[nodes.NodeNG, int]
"""Expressions that give an output, with the bit that stands for it in the masks of one solution."""


@dataclass(slots=True)
class _Flow:
    """What one function does with outputs: backwards it starts, whether it gives them on, attributes it keeps them in;
    each with the mask of the outputs that it holds for.
    """

    events: dict[tuple[nodes.NodeNG, bool], tuple[Event, int]]
    returns: int = 0
    attributes: State = field(default_factory=dict)


class Backward:
    """Follows outputs to their backward, within the file under check."""

    def __init__(self, origins: Origins) -> None:
        self.origins = origins
        self._memo: dict[object, _Flow] = {}
        self._seeds: dict[object, dict[str, Seeds]] = {}
        self._found: dict[tuple[nodes.NodeNG, int], list[Event]] = {}
        self._derived: dict[FunctionInfo, list[Expr]] | None = None
        self._after: dict[tuple[FunctionInfo, int], list[Event]] = {}

    def of(self, call: Expr, depth: int = DEPTH) -> list[Event]:
        """The backwards of a call's output."""
        key = (call.node, depth)
        if key not in self._found:
            self._found[key] = [] if without_grad(self.origins, call) else self._events(call, depth)
        return self._found[key]

    def _events(self, call: Expr, depth: int) -> list[Event]:
        seeds = self._alike(call)
        flow, bit = self._flow(call, frozenset(), seeds), seeds[call.node]
        events = [event for event, mask in flow.events.values() if mask & bit]
        scope = call.scope
        if scope is None or depth <= 0:
            return events
        if flow.returns & bit:
            events.extend(self._returned(call.module, scope, depth))
        kept = frozenset(path for path, mask in flow.attributes.items() if mask & bit)
        if kept and scope.cls is not None:
            for method in scope.cls.methods.values():
                if method is not scope:
                    other = self._flow(Expr(method.module, method, method.node), kept, {})
                    events.extend(Event(None, e.call, e.partial) for e, _ in other.events.values())
        return events

    def _returned(self, module: ModuleIndex, scope: FunctionInfo, depth: int) -> list[Event]:
        """The backwards of what a function returns, in its callers."""
        if (scope, depth) not in self._after:
            sites = self.origins.sites(scope)
            found = [Event(None, e.call, e.partial) for site in sites for e in self.of(site, depth - 1)]
            found.extend(Event(None, place, True) for place in self._differentiated().get(scope, ()))
            if not sites and self._is_step(scope):
                found.append(Event(None, Expr(module, scope, scope.node)))
            self._after[scope, depth] = list(dict.fromkeys(found))
        return self._after[scope, depth]

    def _differentiated(self) -> dict[FunctionInfo, list[Expr]]:
        """The functions that `torch.autograd.functional` differentiates by their inputs, with the calls that do."""
        if self._derived is None:
            self._derived = {}
            if self.origins.program.index.mentions(DIFFERENTIATING):
                for place, _, functions in transformed(self.origins, BY_INPUTS):
                    for function in functions:
                        self._derived.setdefault(function, []).append(place)
        return self._derived

    def _alike(self, call: Expr) -> Seeds:
        """The calls of a scope that are spelled as one is: their outputs are followed together."""
        name = dotted(getattr(call.node, "func", None)) or ""
        if not name or not isinstance(call.node, nodes.Call):
            return {call.node: 1}
        key = (call.module, call.scope)
        if key not in self._seeds:
            groups: dict[str, Seeds] = {}
            for other in call.module.calls_in(call.scope):
                group = groups.setdefault(dotted(other.func) or "", {})
                group[other] = 1 << len(group)
            self._seeds[key] = groups
        group = self._seeds[key].get(name, {})
        return group if call.node in group else {call.node: 1}

    def _is_step(self, function: FunctionInfo) -> bool:
        """True for methods whose returned loss a training framework differentiates after they returned."""
        bases = LOSSES.get(function.name, ())
        return (
            function.cls is not None
            and bool(bases)
            and self.origins.program.analysis.resolver.has_base(function.cls, *bases)
        )

    def _flow(self, where: Expr, marked: Names, seeds: Seeds) -> _Flow:
        """Solve one scope: `marked` names hold an output at its entry (bit 1), `seeds` are what gives one."""
        key = (where.module, where.scope, marked, next(iter(seeds), None))
        known = self._memo.get(key)
        if known is None:
            known = self._memo[key] = _Flow({})
            run = _Run(self, where, seeds, known)
            scope: Any = where.module.tree if where.scope is None else where.scope.node
            cfg = self.origins.program.analysis.cfg(where.module, scope)
            solve(
                cfg,
                dict.fromkeys(sorted(marked), 1),
                run.block,
                _either,
                lambda a, b: a == b,
                None,
                Budget(visits=40 * len(cfg.blocks) + 200, widen_after=99),
            )
        return known

    def given(self, function: FunctionInfo, names: Names) -> _Flow:
        """What a function of the project does when these parameters hold the output."""
        return self._flow(Expr(function.module, function, function.node), names, {})


class _Run:
    """The transfer functions of one scope over names, with the masks of the outputs that they hold."""

    def __init__(self, backward: Backward, where: Expr, seeds: Seeds, flow: _Flow) -> None:
        self.backward = backward
        self.where = where
        self.seeds = seeds
        self.flow = flow
        self.state: State = {}

    def block(self, block: graph.Block, state: State) -> State:
        self.state = dict(state)
        for item in block.items:
            self._item(item)
        return self.state

    def _item(self, item: Any) -> None:
        if isinstance(item, (nodes.FunctionDef, nodes.ClassDef)):
            self.state.pop(item.name, None)
        elif isinstance(item, nodes.Assign):
            value = self._marked(item.value)
            if (
                value
                and isinstance(item.value, (nodes.Call, nodes.BinOp, nodes.UnaryOp))
                and switched(self.backward.origins, Expr(self.where.module, self.where.scope, item)) is False
            ):
                value = 0  # what is computed without gradients leads nowhere
            for target in item.targets:
                self._bind(target, value, item.value)
        elif isinstance(item, nodes.AnnAssign):
            if item.value is not None:
                self._bind(item.target, self._marked(item.value), item.value)
        elif isinstance(item, nodes.AugAssign):
            self._add(state_path(item.target), self._marked(item.value))
        elif isinstance(item, nodes.Return):
            self.flow.returns |= self._marked(item.value) if item.value is not None else 0
        elif isinstance(item, nodes.Expr):
            self._marked(item.value)
        elif isinstance(item, graph.LambdaReturn):
            self.flow.returns |= self._marked(item.expr)
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

    def _bind(self, target: Any, value: int, source: Any) -> None:
        if isinstance(target, (nodes.Tuple, nodes.List)):
            for inner, part in unpacked(target, source):
                self._bind(inner, value if part is None else self._marked(part), part)
            return
        if isinstance(target, nodes.Starred):
            target = target.value
        if isinstance(target, nodes.Subscript):
            self._add(state_path(target.value), value, kept=False)
            return
        path = state_path(target)
        if path is not None:
            self.state.pop(path, None)
            self._add(path, value)

    def _add(self, path: str | None, value: int, kept: bool = True) -> None:
        """A name or path holds these outputs, too; of `self` other methods find them."""
        if path is None or not value:
            return
        self.state[path] = self.state.get(path, 0) | value
        if kept and path.startswith("self."):
            self.flow.attributes[path] = self.flow.attributes.get(path, 0) | value

    def _marked(self, node: Any) -> int:
        """The outputs that an expression's value leads back to; backwards met on the way are recorded."""
        if isinstance(node, nodes.Name):
            return self.state.get(node.name, 0) | self.seeds.get(node, 0)
        if isinstance(node, nodes.Attribute):
            held = self.state.get(state_path(node) or "", 0) | self.seeds.get(node, 0)
            within = self._marked(node.expr)
            return held if node.attrname in LEAVES_THE_GRAPH else held | within
        if isinstance(node, nodes.Call):
            return self._call(node) | self.seeds.get(node, 0)
        if isinstance(node, FUNCTIONS):
            return 0
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
            return 0
        if isinstance(node, (nodes.Yield, nodes.YieldFrom)):
            self.flow.returns |= self._marked(node.value) if node.value is not None else 0
            return 0
        if isinstance(node, nodes.IfExp):
            self._marked(node.test)
            return self._marked(node.body) | self._marked(node.orelse)
        if isinstance(node, nodes.Subscript):
            return self._marked(node.value)
        return _all([self._marked(child) for child in node.get_children()])

    def _call(self, node: nodes.Call) -> int:
        func: Any = node.func
        receiver = self._marked(func.expr) if isinstance(func, nodes.Attribute) else 0
        values = {a: self._marked(a) for a in (*node.args, *(k.value for k in node.keywords))}
        given = _all(values.values())
        held = receiver | given
        if not held:
            return 0
        expr = Expr(self.where.module, self.where.scope, node)
        name = func.attrname if isinstance(func, nodes.Attribute) else ""
        if name in BACKWARDS or "torch.autograd.backward" in self.backward.origins.externals(expr):
            inputs = next((k.value for k in node.keywords if k.arg == "inputs"), None)
            part = held & ~self._stops(inputs) if inputs is not None else 0
            self._record(Event(node, expr, True), part)
            self._record(Event(node, expr, False), held & ~part)
            return 0
        if "torch.autograd.grad" in self.backward.origins.externals(expr) or (dotted(func) or "").endswith(
            "autograd.grad"
        ):
            given_by = (k.value for k in node.keywords if k.arg == "inputs")
            inputs = next(given_by, node.args[1] if len(node.args) > 1 else None)
            self._record(Event(node, expr, True), held if inputs is None else held & ~self._stops(inputs))
            return 0
        if name in FILLS:
            self._add(state_path(func.expr), given & ~receiver)
        if name in LEAVES_THE_GRAPH or (
            isinstance(func, nodes.Name) and func.name in _PLAIN and func.name not in self._locals()
        ):
            return 0
        callees = self.backward.origins.callees(expr)
        own = self.seeds.get(node, 0)
        if not callees or not held & ~own:
            return held
        return held & own | _all([self._entered(expr, callee, values, held & ~own) for callee in callees])

    def _stops(self, inputs: Any) -> int:
        """The outputs that all that is differentiated by leads back to: that backward ends before them."""
        parts = inputs.elts if isinstance(inputs, (nodes.Tuple, nodes.List)) else [inputs]
        found = -1 if parts else 0
        for part in parts:
            found &= self._marked(part)
        return found

    def _locals(self) -> Any:
        return self.where.scope.local_names if self.where.scope is not None else self.where.module.bindings

    def _entered(self, site: Expr, callee: FunctionInfo, values: Seeds, held: int) -> int:
        """The outputs that what a callee returns leads back to, of those that the call's parts hold."""
        if callee.name == "__init__":
            return held
        params: list[tuple[str, int]] = []
        for param in callee.params:
            given = self.backward.origins.argument(site, callee, param.name)
            if given is not None and values.get(given.node, 0):
                params.append((param.name, values[given.node]))
        if callee.vararg is not None:
            params.append((callee.vararg, _all([values[a] for a in site.node.args])))
        known = held & _all([mask for _, mask in params])
        result = held & ~known
        groups: list[tuple[int, tuple[str, ...]]] = [(known, ())]  # outputs that the same parameters hold
        for name, mask in params:
            groups = [
                (part, chosen)
                for outputs, names in groups
                for part, chosen in ((outputs & mask, (*names, name)), (outputs & ~mask, names))
                if part
            ]
        for outputs, names in groups:
            if not outputs:
                continue
            flow = self.backward.given(callee, frozenset(names))
            for event, _ in flow.events.values():
                self._record(Event(site.node, event.call, event.partial), outputs)
            result |= outputs if flow.returns else 0
        return result

    def _record(self, event: Event, outputs: int) -> None:
        assert event.node is not None
        if outputs:
            key = event.node, event.partial
            first, before = self.flow.events.get(key, (event, 0))
            self.flow.events[key] = first, before | outputs


def _all(masks: Iterable[int]) -> int:
    """Every output that is in one of the masks, each of which has been evaluated for what it records."""
    found = 0
    for mask in masks:
        found |= mask
    return found


def _either(a: State, b: State) -> State:
    """What names hold where two ways meet."""
    return {path: a.get(path, 0) | b.get(path, 0) for path in {**a, **b}}
