"""Forward hooks on layers that run inside a checkpointed region: which they are, and which tensors they are given."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Final

from astroid import nodes

from flake8_tensorbranch.engine.checkpointing.recomputes import Recompute
from flake8_tensorbranch.engine.inference.program import functions_of
from flake8_tensorbranch.engine.lookup.names import owner
from flake8_tensorbranch.engine.lookup.origins import Expr, Origins, line
from flake8_tensorbranch.engine.refs import Instance, Partial
from flake8_tensorbranch.knowledge.gradients import CARRIES_GRADIENTS, CUTS
from flake8_tensorbranch.knowledge.modules import FORWARD_HOOKS, ITERATES_MODULES
from flake8_tensorbranch.knowledge.names import TENSOR_ONLY_METHODS
from flake8_tensorbranch.syntax.names import ClassInfo, FunctionInfo, dotted, last_name

_BEFORE: Final = "register_forward_pre_hook"


@dataclass(frozen=True, slots=True)
class Hook:
    """A hook function, the name of the tensors it is given, the layer it is set on, and the call that sets it."""

    function: FunctionInfo
    given: str
    on: Expr
    call: Expr

    def reaches(self, made: Recompute, name: str) -> bool:
        """False where the hook is set on each of several layers, and only the last tensor under a name is read: it is
        what the region gives.
        """
        scope = made.call.scope
        if scope is None or not isinstance(self.on.node, nodes.Name) or self.on.scope is scope:
            return True
        reads = [n for n in scope.node.nodes_of_class((nodes.Name, nodes.Attribute)) if last_name(n) == name]
        items = [n.parent.slice for n in reads if isinstance(n.parent, nodes.Subscript) and n.parent.value is n]
        return not items or not all(map(_is_last, items))

    def bound(self, name: str) -> nodes.NodeNG | None:
        """What a `partial`, written where the hook is set, gives to a parameter of the function; None for no such."""
        part = self.call.node.args[0]
        if not isinstance(part, nodes.Call) or last_name(part.func) != "partial":
            return None
        if any(isinstance(a, nodes.Starred) for a in part.args):
            return None
        slots = [p.name for p in self.function.params][int(self.function.takes_self or self.function.is_classmethod) :]
        given: dict[Any, Any] = dict(zip(slots, part.args[1:], strict=False))
        given |= {k.arg: k.value for k in part.keywords}
        found: nodes.NodeNG | None = given.get(name)
        return found

    def keeps(self, value: Any) -> bool:
        """True for an expression that is what the hook is given, or is computed of it with its graph."""
        while True:
            if isinstance(value, nodes.Subscript):
                value = value.value
            elif isinstance(value, nodes.Call) and isinstance(value.func, nodes.Attribute):
                if value.func.attrname in CUTS or value.func.attrname not in TENSOR_ONLY_METHODS | CARRIES_GRADIENTS:
                    return False
                value = value.func.expr
            else:
                return isinstance(value, nodes.Name) and value.name == self.given


class Hooks:
    """The forward hooks that a file sets."""

    def __init__(self, origins: Origins) -> None:
        self.origins = origins
        self._all: list[Hook] | None = None

    def within(self, made: Recompute, region: list[FunctionInfo]) -> Iterator[Hook]:
        """The hooks on layers that a region runs and whose result, or input, is not the region's own."""
        if self._all is None:
            self._all = list(self._find()) if self.origins.program.index.mentions(tuple(sorted(FORWARD_HOOKS))) else []
        for hook in self._all:
            if self._is_set(hook, made) and self._runs(hook, made, region):
                yield hook

    def _find(self) -> Iterator[Hook]:
        index = self.origins.program.index
        for scope, call in index.all_calls():
            func = call.func
            if not isinstance(func, nodes.Attribute) or func.attrname not in FORWARD_HOOKS or not call.args:
                continue
            value = self.origins.value(Expr(index, scope, call.args[0]))
            for function in functions_of(self.origins.program.analysis, value):
                bound = [r for r in value.each if isinstance(r, Partial)]
                held, named = sum(len(r.args) for r in bound), {n for r in bound for n, _ in r.keywords}
                slots = [p.name for p in function.params if p.name not in named]
                slots = slots[int(function.takes_self or function.is_classmethod) + held :]
                position = 1 if func.attrname == _BEFORE else 2
                if len(slots) == position + 1:
                    yield Hook(function, slots[position], Expr(index, scope, func.expr), Expr(index, scope, call))

    @staticmethod
    def _is_set(hook: Hook, made: Recompute) -> bool:
        """False where the hook is set after the checkpointed call, or is removed before it."""
        setting, call = hook.call.node, made.call.node
        if hook.call.scope is not made.call.scope or hook.call.scope is None:
            return True
        if line(setting) > line(call):
            return False
        up = setting.parent
        while up is not None and not up.is_statement:
            up = up.parent
        if isinstance(up, nodes.With):
            return bool(up.parent_of(call))
        kept = dotted(up.targets[0]) if isinstance(up, nodes.Assign) else None
        removes = (c for c in hook.call.scope.calls if dotted(c.func) == f"{kept}.remove")
        return kept is None or not any(line(setting) < line(c) < line(call) for c in removes)

    def _runs(self, hook: Hook, made: Recompute, region: list[FunctionInfo]) -> bool:
        """True where the region calls the layer, or a chain of layers that it is one of."""
        on = hook.on
        chain = self._chain(on)
        if chain is not None:
            start = made.function
            whole = start is not None and self._same(chain, start)
            return whole or any(self._same(chain, Expr(f.module, f, c.func)) for f in region for c in f.calls)
        before = hook.call.node.func.attrname == _BEFORE
        for function in region:
            for call in function.calls:
                if self._same(on, Expr(function.module, function, call.func)):
                    own = _is_handed(function, call) if before else _is_given_back(function, call)
                    if not own:
                        return True
        return False

    def _chain(self, on: Expr) -> Expr | None:
        """The `Sequential` of which a layer is one, but its last: an item, or what a loop goes over."""
        node = on.node
        if isinstance(node, nodes.Subscript):
            number = node.slice.value if isinstance(node.slice, nodes.Const) else None
            chain = Expr(on.module, on.scope, node.value)
            items = self.origins.value(chain).items
            last = len(items) - 1 if items else None
            return chain if isinstance(number, int) and number >= 0 and number != last else None
        if not isinstance(node, nodes.Name) or on.scope is None:
            return None
        for bound in on.scope.local_names.get(node.name, ()):
            up = bound.parent
            up = up.parent if isinstance(up, nodes.Tuple) else up
            if isinstance(up, nodes.For) and up.parent_of(node):
                over = up.iter
                if isinstance(over, nodes.Call) and isinstance(over.func, nodes.Attribute):
                    if over.func.attrname not in ITERATES_MODULES:
                        return None
                    over = over.func.expr
                return Expr(on.module, on.scope, over)
        return None

    def _same(self, one: Expr, other: Expr) -> bool:
        """True for two expressions that name one layer: an attribute of one class, or one variable."""
        a, b = one.node, other.node
        if isinstance(a, nodes.Attribute) and isinstance(b, nodes.Attribute):
            return a.attrname == b.attrname and bool(self._owners(one) & self._owners(other))
        if isinstance(a, nodes.Name) and isinstance(b, nodes.Name):
            return a.name == b.name and owner(one.scope, a.name) is owner(other.scope, b.name)
        return False

    def _owners(self, expr: Expr) -> set[ClassInfo]:
        """The classes whose attribute an expression reads, with their bases."""
        refs = self.origins.value(Expr(expr.module, expr.scope, expr.node.expr)).each
        classes = [r.cls for r in refs if isinstance(r, Instance) and isinstance(r.cls, ClassInfo)]
        mro = self.origins.program.analysis.resolver.mro
        return {base for cls in classes for base in mro(cls) if isinstance(base, ClassInfo)}


def _is_last(index: nodes.NodeNG) -> bool:
    number = index.operand if isinstance(index, nodes.UnaryOp) and index.op == "-" else None
    return isinstance(number, nodes.Const) and number.value == 1


def _is_given_back(function: FunctionInfo, call: nodes.Call) -> bool:
    """True where a function returns what a call gives: it gets its graph from the checkpoint."""
    up = call.parent
    if isinstance(up, nodes.Lambda):
        return True
    names = {t.name for t in up.targets if isinstance(t, nodes.AssignName)} if isinstance(up, nodes.Assign) else set()
    for returned in function.returns_nodes:
        values = returned.value.elts if isinstance(returned.value, nodes.Tuple) else [returned.value]
        if any(v is call or (isinstance(v, nodes.Name) and v.name in names) for v in values):
            return True
    return False


def _is_handed(function: FunctionInfo, call: nodes.Call) -> bool:
    """True where a call is given a parameter of the function: a tensor that has its graph from outside."""
    return any(isinstance(a, nodes.Name) and any(p.name == a.name for p in function.params) for a in call.args)
