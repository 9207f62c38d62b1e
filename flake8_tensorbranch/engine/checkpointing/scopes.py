"""Scopes open around calls: `with`, exit stacks, decorators, own context managers, switches set and set back."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any, Final

from astroid import nodes

from flake8_tensorbranch.engine.checkpointing.flags import Changes, Flags
from flake8_tensorbranch.engine.checkpointing.toggles import toggles
from flake8_tensorbranch.engine.lookup.origins import Expr, Origins, line
from flake8_tensorbranch.engine.refs import Instance
from flake8_tensorbranch.knowledge.scopes import PREFERRED_BACKEND, SCOPES, Scope
from flake8_tensorbranch.syntax.kinds import NESTED
from flake8_tensorbranch.syntax.names import ClassInfo, FunctionInfo, ModuleIndex, dotted, last_name
from flake8_tensorbranch.syntax.printing import source_of

_MANAGERS: Final = ("contextmanager", "asynccontextmanager")
_STACKS: Final = ("ExitStack", "AsyncExitStack")


@dataclass(frozen=True, slots=True)
class Opened:
    """One scope: where it is written (and reported), the function it is open in, and which of its nodes it holds.

    `row` is torch's scope, `changes` what a scope of the project changes, `manager` the function or class behind that;
    `chosen` is the call that makes torch's scope, wherever it stands.
    """

    node: nodes.NodeNG
    module: ModuleIndex
    function: FunctionInfo | None
    holds: Callable[[nodes.NodeNG], bool]
    row: Scope | None = None
    changes: Changes | None = None
    manager: FunctionInfo | ClassInfo | None = None
    closes: nodes.NodeNG | None = None
    chosen: Expr | None = None


class Scopes:
    """Finds the scopes of a program."""

    def __init__(self, origins: Origins, flags: Flags) -> None:
        self.origins = origins
        self.flags = flags

    def all(self) -> Iterator[Opened]:
        """Every scope opened in the file under check."""
        index = self.origins.program.index
        for function in index.scopes:
            if function in self.origins.program.facts:
                top = index.tree if function is None else function.node
                yield from self._withs(function, top)
                yield from self._entered(function)
                yield from self._switched(function)
                if isinstance(top, nodes.FunctionDef) and top.decorators is not None:
                    for decorator in top.decorators.nodes:
                        yield from self._open(
                            Expr(index, function.parent if function else None, decorator), function, _everywhere
                        )
                        yield from self._wrapped(function, decorator)

    def _wrapped(self, function: FunctionInfo | None, decorator: nodes.NodeNG) -> Iterator[Opened]:
        """The scopes in which a decorator of another file calls the function; those of this one stand here."""
        index = self.origins.program.index
        for at, maker, inner in self.origins.wrapped(function) if function is not None else ():
            if at is not decorator or maker.module is index or not maker.params:
                continue
            for node in own_nodes(inner.node, nodes.With):
                inside = (c for s in node.body for c in s.nodes_of_class(nodes.Call))
                if any(dotted(c.func) == maker.params[0].name for c in inside):
                    for manager, _ in node.items:
                        for opened in self._open(Expr(maker.module, inner, manager), function, _everywhere):
                            yield replace(opened, node=decorator, module=index)

    def _withs(self, function: FunctionInfo | None, top: nodes.NodeNG) -> Iterator[Opened]:
        for node in own_nodes(top, nodes.With):
            for manager, _ in node.items:
                expr = Expr(self.origins.program.index, function, manager)
                yield from self._open(expr, function, _body_of(node))

    def _entered(self, function: FunctionInfo | None) -> Iterator[Opened]:
        """Scopes entered by `stack.enter_context(...)`: open until the stack's `with` ends, or it is closed."""
        index = self.origins.program.index
        for call in index.calls_in(function):
            func = call.func
            if isinstance(func, nodes.Attribute) and func.attrname == "__enter__":
                closed = self._closed(function, func.expr, call)
                if closed is not None:
                    yield from self._open(Expr(index, function, func.expr), function, closed)
            if not (
                isinstance(func, nodes.Attribute)
                and func.attrname in ("enter_context", "enter_async_context")
                and call.args
            ):
                continue
            holds = self._stack(function, func.expr, call)
            if holds is not None:
                yield from self._open(Expr(index, function, call.args[0]), function, holds)

    def _stack(
        self, function: FunctionInfo | None, stack: nodes.NodeNG, entered: nodes.Call
    ) -> Callable[[nodes.NodeNG], bool] | None:
        name = dotted(stack)
        up = entered.parent
        while up is not None and not isinstance(up, (nodes.FunctionDef, nodes.Module)):
            if isinstance(up, nodes.With):
                for manager, target in up.items:
                    called = (dotted(getattr(manager, "func", manager)) or "").rsplit(".", 1)[-1]
                    if (called in _STACKS or dotted(manager) == name) and (target is None or dotted(target) == name):
                        body = _body_of(up)
                        return lambda node: line(node) >= line(entered) and body(node)
            up = up.parent
        return self._closed(function, stack, entered)

    def _closed(
        self, function: FunctionInfo | None, manager: nodes.NodeNG, entered: nodes.Call
    ) -> Callable[[nodes.NodeNG], bool] | None:
        """What lies between the entry of a manager and the call that leaves it; None where no such call is seen."""
        name = dotted(manager)
        for call in self.origins.program.index.calls_in(function):
            if (
                isinstance(call.func, nodes.Attribute)
                and call.func.attrname in ("close", "aclose", "__exit__")
                and dotted(call.func.expr) == name
            ) and line(call) > line(entered):
                end = line(call)
                return lambda node: line(entered) <= line(node) < end
        return None

    def _switched(self, function: FunctionInfo | None) -> Iterator[Opened]:
        """Switches of torch, and flags of the project, that one function sets and sets back."""
        index = self.origins.program.index
        calls: dict[str, list[nodes.Call]] = {}
        for call in index.calls_in(function):
            for name in self.origins.externals(Expr(index, function, call)):
                if (
                    name in SCOPES
                    and SCOPES[name].form == "switch"
                    and not SCOPES[name].state.startswith("the parameters")
                ):
                    calls.setdefault(name, []).append(call)
        for name, found in calls.items():
            found.sort(key=lambda c: line(c))
            for first, second in pairwise(found):
                if source_of(first) != source_of(second):
                    yield Opened(first, index, function, _between(first, second), SCOPES[name], closes=second)
        if function is None:
            return
        for one, other, key in toggles(function, self.flags):
            yield Opened(one, index, function, _between(one, other), None, Changes(frozenset({key})), closes=other)

    def _open(
        self, expr: Expr, function: FunctionInfo | None, holds: Callable[[nodes.NodeNG], bool]
    ) -> Iterator[Opened]:
        """The scopes that entering an expression opens."""
        for origin in self.origins.of(expr):
            module = expr.module
            for name in self.origins.externals(origin):
                if name in SCOPES and SCOPES[name].form == "context":
                    yield Opened(expr.node, module, function, holds, SCOPES[name], chosen=origin)
            for ref in self.origins.value(origin).each:
                if isinstance(ref, Instance) and isinstance(ref.cls, ClassInfo):
                    yield Opened(expr.node, module, function, holds, None, self.flags.of_class(ref.cls), ref.cls)
                    yield from self._held(expr, ref.cls, function, holds)
            for callee in self.origins.callees(origin):
                if any(d.rsplit(".", 1)[-1] in _MANAGERS for d in callee.decorator_names):
                    yield from self._manager(expr, callee, function, holds)

    def _held(
        self, expr: Expr, cls: ClassInfo, function: FunctionInfo | None, holds: Callable[[nodes.NodeNG], bool]
    ) -> Iterator[Opened]:
        """The scopes of torch that the `__enter__` of a class enters: `self.scope.__enter__()`, a stack's."""
        enter = self.origins.program.analysis.resolver.method(cls, "__enter__")
        for call in enter.calls if enter is not None else ():
            func = call.func
            if not isinstance(func, nodes.Attribute) or func.attrname not in ("__enter__", "enter_context"):
                continue
            scope = call.args[0] if func.attrname == "enter_context" and call.args else func.expr
            for origin in self.origins.of(Expr(cls.module, enter, scope)):
                for name in self.origins.externals(origin):
                    if name in SCOPES and SCOPES[name].form == "context":
                        yield Opened(expr.node, expr.module, function, holds, SCOPES[name], chosen=origin)

    def _manager(
        self, expr: Expr, manager: FunctionInfo, function: FunctionInfo | None, holds: Callable[[nodes.NodeNG], bool]
    ) -> Iterator[Opened]:
        """The scopes that a `@contextmanager` function opens around its yield, and what it changes itself."""
        here = manager.module is self.origins.program.index
        inner: list[tuple[Expr, nodes.NodeNG]] = []
        for node in own_nodes(manager.node, nodes.With):
            if any(node.parent_of(y) for y in own_nodes(manager.node, (nodes.Yield, nodes.YieldFrom))):
                inner.extend((Expr(manager.module, manager, m), m) for m, _ in node.items)
        for call in manager.calls:
            if isinstance(call.func, nodes.Attribute) and call.func.attrname == "enter_context" and call.args:
                inner.append((Expr(manager.module, manager, call.args[0]), call.args[0]))
        for scope, node in inner:
            for opened in self._open(scope, function, holds):
                place = node if here else expr.node
                yield replace(opened, node=place, module=expr.module)
        changes = self.flags.of_generator(manager)
        yield Opened(expr.node, expr.module, function, holds, changes.switch, changes, manager)


def own_nodes(top: Any, kinds: type | tuple[type, ...]) -> Iterator[Any]:
    """The nodes of some kinds in a scope, those of nested functions and classes left out."""
    stack = (
        list(top.body)
        if isinstance(getattr(top, "body", None), list)
        else [top.body]
        if isinstance(top, nodes.Lambda)
        else []
    )
    while stack:
        node = stack.pop()
        if isinstance(node, NESTED):
            continue
        if isinstance(node, kinds):
            yield node
        stack.extend(node.get_children())


def _everywhere(node: nodes.NodeNG) -> bool:
    return True


def _body_of(node: nodes.With) -> Callable[[nodes.NodeNG], bool]:
    first, last = line(node.body[0]), node.end_lineno or line(node.body[-1])
    return lambda inner: first <= line(inner) <= last and any(b is inner or b.parent_of(inner) for b in node.body)


def _between(first: nodes.NodeNG, second: nodes.NodeNG) -> Callable[[nodes.NodeNG], bool]:
    return lambda node: line(first) < line(node) < line(second)


def keeps_preferred(origins: Origins, scope: Expr) -> bool:
    """True for a scope that allows the attention kernel that torch prefers, which runs without the scope as well."""
    if not isinstance(scope.node, nodes.Call):
        return False
    named = {k.arg: k.value for k in scope.node.keywords}
    given = scope.node.args[0] if scope.node.args else named.get("backends")
    if given is None or isinstance(given, nodes.Const):
        flash = given if given is not None else named.get("enable_flash")
        return not (isinstance(flash, nodes.Const) and flash.value is False)
    parts: list[Any] = []
    held = origins.value(Expr(scope.module, scope.scope, given)).each  # out of a table of backends
    if any(isinstance(ref, str) and ref.rsplit(".", 1)[-1] == PREFERRED_BACKEND for ref in held):
        return True
    for origin in origins.of(Expr(scope.module, scope.scope, given)):
        made = origin.node
        parts.extend(made.elts if isinstance(made, (nodes.List, nodes.Tuple, nodes.Set)) else [made])
    return any(last_name(part) == PREFERRED_BACKEND for part in parts)


def choice(call: nodes.Call) -> dict[str, object]:
    """What a scope is given, by parameter: backends in a list come in any order, unless their order is a priority."""
    given: dict[str, Any] = dict(zip(("backends", "second", "third"), call.args, strict=False))
    given.update((k.arg or "**", k.value) for k in call.keywords)
    ranked = "set_priority" in given
    found: dict[str, object] = {}
    for name, value in given.items():
        parts: list[Any] = value.elts if isinstance(value, (nodes.List, nodes.Tuple, nodes.Set)) else [value]
        texts = [source_of(part) for part in parts]
        found[name] = tuple(texts if ranked else sorted(set(texts)))
    return found
