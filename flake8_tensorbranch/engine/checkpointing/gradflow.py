"""One function's flow of gradients: which names can require grad at each point, what calls get, what is returned."""

from __future__ import annotations

from collections.abc import KeysView
from typing import TYPE_CHECKING, Any, Final

from astroid import nodes

from flake8_tensorbranch.engine.checkpointing.alternatives import replaced
from flake8_tensorbranch.engine.inference.attributes import state_path
from flake8_tensorbranch.engine.inference.frame import Callees
from flake8_tensorbranch.engine.lattice import CONTAINER, HOST, MAPPING, NONE, TENSOR, AbstractValue, element
from flake8_tensorbranch.engine.lookup.modes import without_grad
from flake8_tensorbranch.engine.lookup.origins import Expr
from flake8_tensorbranch.engine.refs import Instance
from flake8_tensorbranch.engine.solver import Budget, solve
from flake8_tensorbranch.knowledge.gradients import CUTS, FACTORIES, LOADERS, NO_ATTRIBUTES, RESTORING
from flake8_tensorbranch.syntax import graph
from flake8_tensorbranch.syntax.binding import unpacked
from flake8_tensorbranch.syntax.names import ClassInfo, FunctionInfo, dotted

if TYPE_CHECKING:
    from flake8_tensorbranch.engine.checkpointing.gradients import Gradients

NO: Final = 1
MAY: Final = 2
State = dict[str, int]

# Expressions made of parts: any part that can require grad makes the whole so.
_JOINS: Final = (
    *(nodes.BinOp, nodes.BoolOp, nodes.UnaryOp, nodes.Starred, nodes.Await),
    *(nodes.Tuple, nodes.List, nodes.Set, nodes.Dict),
)


class GradFlow:
    """One function: facts of names at each point; what its calls are given; what it returns."""

    def __init__(self, gradients: Gradients, function: FunctionInfo, bound: dict[str, int]) -> None:
        self.gradients = gradients
        self.origins = gradients.origins
        self.function = function
        self.bound = bound
        self.at: dict[nodes.NodeNG, list[int]] = {}
        self.named: dict[tuple[nodes.NodeNG, str], int] = {}
        self.result = 0
        self.solving = False
        self.state: State = {}

    def solve(self) -> None:
        self.solving = True
        cfg = self.origins.program.analysis.cfg(self.function.module, self.function.node)
        solve(
            cfg,
            dict(self.bound),
            self._block,
            _merge,
            lambda a, b: a == b,
            None,
            Budget(visits=40 * len(cfg.blocks) + 200, widen_after=99),
        )
        self.solving = False

    def _expr(self, node: nodes.NodeNG) -> Expr:
        return Expr(self.function.module, self.function, node)

    def _block(self, block: graph.Block, state: State) -> State:
        self.state = dict(state)
        for item in block.items:
            self._item(item)
        return self.state

    def _item(self, item: Any) -> None:
        if isinstance(item, nodes.Assign):
            bits = self.bits(item.value)
            for target in item.targets:
                self._bind(target, bits, item.value)
        elif isinstance(item, nodes.AnnAssign):
            if item.value is not None:
                self._bind(item.target, self.bits(item.value), item.value)
        elif isinstance(item, nodes.AugAssign):
            self._bind(item.target, self.bits(item.target) | self.bits(item.value), None)
        elif isinstance(item, nodes.Return):
            if item.value is not None:
                self.result |= self.bits(item.value)
        elif isinstance(item, graph.LambdaReturn):
            self.result |= self.bits(item.expr)
        elif isinstance(item, (nodes.Expr, graph.Test)):
            self.bits(item.value if isinstance(item, nodes.Expr) else item.expr)
        elif isinstance(item, graph.IterEval):
            self.bits(item.node.iter)
        elif isinstance(item, graph.ForBind):
            self._bind(item.node.target, self._element(item.node.iter), None)
        elif isinstance(item, graph.WithEnter):
            self.bits(item.node.items[item.index][0])
        elif isinstance(item, nodes.Assert):
            self.bits(item.test)

    def _element(self, node: nodes.NodeNG) -> int:
        """What iterating gives: batches of a loader require no grad."""
        if (
            isinstance(node, nodes.Call)
            and isinstance(node.func, nodes.Name)
            and node.func.name in ("enumerate", "tqdm", "zip", "iter", "list")
        ):
            bits = [self._element(a) for a in node.args]
            return max(bits, default=MAY)
        names = [str(r.cls) for r in self.origins.value(self._expr(node)).each if isinstance(r, Instance)]
        for origin in self.origins.of(self._expr(node)):
            names.extend(self.origins.externals(origin) if isinstance(origin.node, nodes.Call) else ())
        if any(name.rsplit(".", 1)[-1] in LOADERS for name in names):
            return NO
        if (
            isinstance(node, (nodes.Name, nodes.Attribute))
            and "loader" in (dotted(node) or "").rsplit(".", 1)[-1].lower()
        ):
            return NO
        return self.bits(node)

    def _bind(self, target: Any, bits: int, source: Any) -> None:
        if isinstance(target, (nodes.Tuple, nodes.List)):
            for inner, part in unpacked(target, source):
                self._bind(inner, bits if part is None else self.bits(part), part)
            return
        if isinstance(target, nodes.Starred):
            target = target.value
        if isinstance(target, nodes.AssignAttr) and target.attrname == "requires_grad":
            path = state_path(target.expr)
            if path is not None:
                self.state[path] = NO if isinstance(source, nodes.Const) and source.value is False else MAY
            return
        if isinstance(target, nodes.Subscript):
            path = state_path(target.value)
            if path is not None:
                self.state[path] = self.state.get(path, 0) | bits
            return
        path = state_path(target)
        if path is not None:
            self.state[path] = bits

    # Expressions

    def bits(self, node: Any) -> int:
        """Whether a value can require grad; a container's is the join of its elements'."""
        if isinstance(node, nodes.Const):
            return NO
        if isinstance(node, nodes.Call):
            return self._call(node)
        if isinstance(node, nodes.Name):
            return self._name(node)
        if isinstance(node, nodes.Attribute):
            return self._attribute(node)
        if isinstance(node, (nodes.Compare, nodes.JoinedStr, nodes.Lambda)):
            parts: list[Any] = [node.left, *(right for _, right in node.ops)] if isinstance(node, nodes.Compare) else []
            for part in parts:
                self.bits(part)
            return NO
        if isinstance(node, nodes.Subscript):
            self.bits(node.slice)
            return self.bits(node.value)
        if isinstance(node, nodes.IfExp):
            self.bits(node.test)
            return self.bits(node.body) | self.bits(node.orelse)
        if isinstance(node, nodes.UnaryOp) and node.op in ("not", "~"):
            self.bits(node.operand)
            return NO
        if isinstance(node, nodes.NamedExpr):
            bits = self.bits(node.value)
            self._bind(node.target, bits, node.value)
            return bits
        if isinstance(node, nodes.ComprehensionScope):
            for generator in node.generators:
                self._bind(generator.target, self._element(generator.iter), None)
            inner: Any = node
            return self.bits(inner.value if isinstance(node, nodes.DictComp) else inner.elt)
        if isinstance(node, _JOINS):
            children: list[Any] = list(node.get_children())  # type: ignore[no-untyped-call]
            bits = _one(max((self.bits(child) for child in children), default=NO))
            return NO if bits & MAY and self._is_unrecorded(node) else bits
        return NO if isinstance(node, (nodes.Slice, nodes.DictUnpack)) else MAY

    def _is_unrecorded(self, node: nodes.NodeNG) -> bool:
        """True for arithmetic of tensors where gradients are off; two lists put together stay what they are."""
        expr = self._expr(node)
        if not isinstance(node, nodes.BinOp) or self.origins.value(expr).kinds & (CONTAINER | MAPPING):
            return False
        return without_grad(self.origins, expr, 0)

    def _name(self, node: nodes.Name) -> int:
        known = self.state.get(node.name)
        if known is not None:
            return known
        if _is_plain(self.origins.value(self._expr(node))):
            return NO
        scope: FunctionInfo | None = self.function
        while scope is not None:
            if any(p.name == node.name for p in scope.params) or node.name == scope.vararg:
                return self.gradients.parameter(scope, node.name)
            if node.name in scope.local_names:
                break
            scope = scope.parent
        return MAY

    def _attribute(self, node: nodes.Attribute) -> int:
        path = state_path(node)
        known = self.state.get(path) if path is not None else None
        if known is not None:
            return known
        if node.attrname in NO_ATTRIBUTES or _is_plain(self.origins.value(self._expr(node))):
            return NO
        owner = self.origins.value(self._expr(node.expr))
        for ref in owner.each:
            if isinstance(ref, Instance) and isinstance(ref.cls, ClassInfo):
                return self._stored(ref.cls, node.attrname)
        if owner.kinds & TENSOR or owner.must(CONTAINER | MAPPING):
            return self.bits(node.expr)
        return MAY

    def _stored(self, cls: ClassInfo, name: str) -> int:
        if self.gradients.frozen.attribute(cls, name):
            return NO
        for writer in cls.stores.get(name, ()):
            for call in writer.calls:
                func = call.func
                if (isinstance(func, nodes.Attribute) and func.attrname == "register_buffer" and call.args) and (
                    isinstance(call.args[0], nodes.Const) and call.args[0].value == name
                ):
                    return NO
        return MAY

    def _call(self, node: nodes.Call) -> int:
        self._record(node)
        func = node.func
        if isinstance(func, (nodes.Attribute, nodes.Call)):
            self.bits(func.expr if isinstance(func, nodes.Attribute) else func)
        expr = self._expr(node)
        if without_grad(self.origins, expr, 0):
            return NO
        given = self._given(node)
        value = self.origins.value(expr)
        if isinstance(func, nodes.Attribute) and func.attrname == "requires_grad_":
            on = not (node.args and isinstance(node.args[0], nodes.Const) and node.args[0].value is False)
            path = state_path(func.expr)
            if path is not None:
                self.state[path] = MAY if on else NO
            return MAY if on else NO
        name = func.attrname if isinstance(func, nodes.Attribute) else ""
        externals = self.origins.externals(expr)
        if value.must(HOST | NONE):
            return NO
        made = self.gradients.recomputes.direct(expr)
        if made is not None:
            variants = self.gradients.recomputes.variants(made)
            return self._given(node, made.first) if variants and False not in variants else MAY
        if replaced(self.gradients.recomputes, expr):
            return given
        module = self._module(node, given)
        if module:
            return module
        if externals:
            return self._external(node, externals, given)
        callees = self.origins.callees(expr)
        if callees:
            return self._entered(node, callees)
        if name in CUTS:
            return NO
        if isinstance(func, nodes.Attribute):
            receiver = self.origins.value(self._expr(func.expr))
            bits = self.bits(func.expr)
            if receiver.kinds & (TENSOR | CONTAINER | MAPPING) or (bits == NO and not receiver.must(HOST | NONE)):
                return _one(bits | given)
        return MAY

    def _record(self, node: nodes.Call) -> None:
        bits = []
        for argument in node.args:
            inner = argument.value if isinstance(argument, nodes.Starred) else argument
            bits.append(self.bits(inner))
        known = self.at.get(node)
        self.at[node] = bits if known is None else [a | b for a, b in zip(known, bits, strict=True)]
        for keyword in node.keywords:
            found = self.bits(keyword.value)
            if keyword.arg is not None:
                key = (node, keyword.arg)
                self.named[key] = self.named.get(key, 0) | found

    def _given(self, node: nodes.Call, first: int = 0) -> int:
        """Whether an argument can require grad; of the positional ones those from `first` on count."""
        found = 0
        for argument in node.args[first:]:
            found |= self.bits(argument)
        for keyword in node.keywords:
            found |= self.bits(keyword.value)
        return _one(found)

    def _external(self, node: nodes.Call, externals: KeysView[str], given: int) -> int:
        bits = 0
        for name in externals:
            last = name.rsplit(".", 1)[-1]
            if not name.startswith("torch.") or name in RESTORING:
                bits |= given if name.startswith("builtins.") else MAY
            elif last in CUTS:
                bits |= NO
            elif last in FACTORIES and name.count(".") == 1:
                asked = next((k.value for k in node.keywords if k.arg == "requires_grad"), None)
                bits |= NO if asked is None or (isinstance(asked, nodes.Const) and asked.value is False) else MAY
            elif name.startswith("torch.nn.") and last[:1].isupper():
                bits |= MAY
            else:
                bits |= given
        return bits or MAY

    def _module(self, node: nodes.Call, given: int) -> int:
        """What calling a module gives: with trainable parameters, anything can require grad. 0 when it is no module."""
        callee = self._expr(node.func)
        value = self.origins.value(callee)
        frozen = self.gradients.frozen
        if self.gradients.hooked().output(callee):
            return MAY
        if frozen.embedding(callee) and frozen.module(callee):
            return NO  # its input are integers
        modules = [r for r in value.each if isinstance(r, Instance)]
        if not modules or len(modules) != len(value.refs):
            return 0
        if frozen.module(callee):
            return given
        bits = 0
        for ref in modules:
            if isinstance(ref.cls, ClassInfo):
                return 0
            bits |= given if frozen.bare(ref.cls) else MAY
        return bits

    def _entered(self, node: nodes.Call, callees: Callees) -> int:
        bits = 0
        for callee in callees:
            if callee.name == "__init__" or callee.is_generator:
                return MAY
            bound: dict[str, int] = {}
            for param in callee.params:
                argument = self.origins.argument(self._expr(node), callee, param.name)
                if argument is not None and argument.scope is self.function:
                    bound[param.name] = self.bits(argument.node)
            bits |= self.gradients.returned(callee, bound)
        return bits or MAY


def _is_plain(value: AbstractValue) -> bool:
    """True for a number, a text, and a list or mapping that holds nothing else, such as options to unpack."""
    return value.must(HOST | NONE) or (value.must(CONTAINER | MAPPING | NONE) and element(value).must(HOST | NONE))


def _one(bits: int) -> int:
    """MAY wins: a value made of several can require grad if one of them can."""
    return MAY if bits & MAY else NO


def _merge(a: State, b: State) -> State:
    return {k: a.get(k, 0) | b.get(k, 0) for k in {**a, **b}}
