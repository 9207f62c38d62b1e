"""What a scope of the project changes while it is open (attributes, globals, hooks), and who reads it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any, Final

from astroid import nodes

from flake8_tensorbranch.engine.checkpointing.stores import of_call, of_target
from flake8_tensorbranch.engine.lookup.calltree import CallTree
from flake8_tensorbranch.engine.lookup.origins import Expr, Origins, line
from flake8_tensorbranch.knowledge.containers import CHANGES
from flake8_tensorbranch.knowledge.modules import FORWARD_HOOKS
from flake8_tensorbranch.knowledge.scopes import MODE_HANDLERS, MODES, SCOPES, Scope
from flake8_tensorbranch.syntax.names import ClassInfo, FunctionInfo, dotted

_CHANGES: Final = CHANGES | {"push", "reset", "set"}
_NOT_FLAGS: Final = frozenset({"training", "requires_grad", "grad", "data"})
_ENVIRONMENT: Final = frozenset({"environ", "getenv"})

HOOK: Final = "a hook"
FUNCTION_MODE: Final = MODE_HANDLERS["__torch_function__"]

Key = tuple[str, str, str]
"""A state: whether it is an attribute, a name or a variable of the environment; its name; the class that owns it."""


@dataclass(frozen=True, slots=True)
class Changes:
    """What a scope changes: `keys` as (kind, name, owner), a known switch of torch, or something every region sees."""

    keys: frozenset[Key] = frozenset()
    switch: Scope | None = None
    everywhere: str = ""  # a hook that changes values, a mode: no read needs to be seen
    on: Expr | None = None  # the module that carries the hook


class Flags:
    """Reads scopes that the project defines itself."""

    def __init__(self, origins: Origins, tree: CallTree) -> None:
        self.origins = origins
        self.tree = tree

    def of_generator(self, function: FunctionInfo) -> Changes:
        """What a `@contextmanager` function changes before its yield and changes back after it."""
        yields = [line(n) for n in function.node.nodes_of_class((nodes.Yield, nodes.YieldFrom))]
        if not yields:
            return Changes()
        before, after = self._nodes([function], 0, yields[0]), self._nodes([function], yields[-1], 1 << 30)
        return self._changes(before, after, function)

    def of_class(self, cls: ClassInfo) -> Changes:
        """What a class with `__enter__` and `__exit__`, or a mode, changes while it is open."""
        resolver = self.origins.program.analysis.resolver
        if resolver.has_base(cls, *MODES):
            for name, mode in MODE_HANDLERS.items():
                method = resolver.method(cls, name)
                if method is not None and not _observes(method):
                    return Changes(everywhere=mode)
            return Changes()
        enter, leave = resolver.method(cls, "__enter__"), resolver.method(cls, "__exit__")
        if enter is None or leave is None:
            return Changes()
        return self._changes(
            self._nodes(self._own(enter), 0, 1 << 30), self._nodes(self._own(leave), 0, 1 << 30), enter
        )

    def _own(self, function: FunctionInfo) -> list[FunctionInfo]:
        return [f for f in self.tree.reached(function)[:6] if f.name != "__init__"]

    def _nodes(self, functions: Iterable[FunctionInfo], low: int, high: int) -> list[tuple[FunctionInfo, nodes.NodeNG]]:
        kinds = (nodes.AssignAttr, nodes.AssignName, nodes.Subscript, nodes.Call, nodes.DelAttr)
        return [
            (f, n)
            for f in functions
            for n in f.node.nodes_of_class(kinds)
            if low < line(n) and (line(n) < high or (low == 0 and line(n) <= high))
        ]

    def _changes(
        self,
        before: list[tuple[FunctionInfo, nodes.NodeNG]],
        after: list[tuple[FunctionInfo, nodes.NodeNG]],
        enter: FunctionInfo,
    ) -> Changes:
        restores = [
            n
            for _, n in after
            if isinstance(n, (nodes.AssignAttr, nodes.Call, nodes.AssignName, nodes.DelAttr)) or _stored(n)
        ]
        if not restores:
            return Changes()
        switches = set(self._switches(before)) & set(self._switches(after))
        if switches:
            return Changes(switch=SCOPES[min(switches)])
        keys: set[Key] = set()
        for function, node in before:
            if (
                isinstance(node, nodes.Call)
                and isinstance(node.func, nodes.Attribute)
                and node.func.attrname in FORWARD_HOOKS
            ) and (any(self._changes_values(function, a) for a in node.args)):
                carrier = Expr(function.module, function, node.func.expr)
                return Changes(everywhere=HOOK, on=carrier)
            key = self.key(function, node)
            if key is not None and key[1] not in _NOT_FLAGS:
                keys.add(key)
        return Changes(frozenset(keys))

    def _switches(self, found: list[tuple[FunctionInfo, nodes.NodeNG]]) -> Iterator[str]:
        for function, node in found:
            if isinstance(node, nodes.Call):
                for name in self.origins.externals(Expr(function.module, function, node)):
                    if name in SCOPES and SCOPES[name].form == "switch":
                        yield name

    def _changes_values(self, function: FunctionInfo, hook: nodes.NodeNG) -> bool:
        """True for a hook that gives something back, and so changes what flows through the module."""
        if isinstance(hook, nodes.Lambda):
            if isinstance(hook.body, nodes.Const) and hook.body.value is None:
                return False
            return not (
                isinstance(hook.body, nodes.Call)
                and (dotted(hook.body.func) or "").rsplit(".", 1)[-1] in ("setattr", *_CHANGES)  # any order
            )
        for ref in self.origins.functions(Expr(function.module, function, hook)):
            return any(
                r.value is not None and not (isinstance(r.value, nodes.Const) and r.value.value is None)
                for r in ref[0].returns_nodes
            )
        return False

    def key(self, function: FunctionInfo, node: nodes.NodeNG) -> Key | None:
        """The state that a store or a call changes; None when it changes none that others see."""
        variable = variable_of(node)
        if variable is not None:
            return ("environment", variable, "")
        if isinstance(node, nodes.AssignAttr):
            return self._attribute(function, node)
        if isinstance(node, nodes.AssignName) and node.name in function.declared_global:
            return ("name", node.name, "")
        if isinstance(node, nodes.Subscript) and _stored(node):
            by_name = of_target(node, None)
            if by_name is not None and by_name.key is None:
                return ("attribute", by_name.name, "")
            return self._base(function, node.value)
        if isinstance(node, nodes.Call):
            func, stored = node.func, of_call(node)
            if stored is not None:
                return ("attribute", stored.name, "")
            if isinstance(func, nodes.Attribute) and func.attrname in _CHANGES:
                return self._base(function, func.expr)
        return None

    def _base(self, function: FunctionInfo, node: nodes.NodeNG) -> Key | None:
        if isinstance(node, nodes.Name) and node.name not in function.local_names:
            return ("name", node.name, "")
        return self._attribute(function, node) if isinstance(node, nodes.Attribute) else None

    def _attribute(self, function: FunctionInfo, node: nodes.Attribute | nodes.AssignAttr) -> Key:
        owner = self._owner(function, node.expr)
        return ("attribute", node.attrname, owner.qualname if owner is not None else "")

    def _owner(self, function: FunctionInfo, node: nodes.NodeNG) -> ClassInfo | None:
        """The class whose own attribute is meant: `cls.x`, `Class.x`, or `self.x` in its methods."""
        holder: FunctionInfo | None = function
        while holder is not None and holder.cls is None:
            holder = holder.parent
        if (
            isinstance(node, nodes.Name)
            and holder is not None
            and holder.params
            and node.name == holder.params[0].name
            and not holder.is_static
        ):
            return holder.cls
        target = self.origins.program.analysis.resolver.expression(function.module, node, function)
        return target if isinstance(target, ClassInfo) else None

    # Reads

    def read_by(
        self,
        changes: Changes,
        functions: Iterable[FunctionInfo],
        is_over: Callable[[FunctionInfo, nodes.NodeNG], bool] = lambda function, node: False,
    ) -> FunctionInfo | None:
        """The first of some functions that reads what a scope changes; None when none does, before all `is_over`."""
        named = {name for kind, name, _ in changes.keys if kind != "environment"}
        for function in functions:
            for node in function.node.nodes_of_class((nodes.Attribute, nodes.Name)):
                if (node.name if isinstance(node, nodes.Name) else node.attrname) in named and is_over(function, node):
                    continue
                if isinstance(node, nodes.Name):
                    if ("name", node.name, "") in changes.keys and node.name not in function.local_names:
                        return function
                    if node.name == "getattr" and _asked(node) & {n for k, n, _ in changes.keys if k == "attribute"}:
                        return function
                    if node.name in _ENVIRONMENT and any(
                        _mentions(node, n) for k, n, _ in changes.keys if k == "environment"
                    ):
                        return function
                    continue
                for kind, name, owner in changes.keys:  # any order
                    if kind == "environment":
                        if node.attrname in _ENVIRONMENT and _mentions(node, name):
                            return function
                        continue
                    if node.attrname != name or (
                        isinstance(node.parent, nodes.Call) and node.parent.func is node and kind == "name"
                    ):
                        continue
                    found = self._owner(function, node.expr)
                    if owner == "" or (found is not None and found.qualname == owner):
                        return function
        return None


def variable_of(node: nodes.NodeNG) -> str | None:
    """The environment variable that `os.environ["NAME"]` or a method of `os.environ` names; None for all else."""
    if isinstance(node, nodes.Subscript):
        holder, name = node.value, node.slice
    elif isinstance(node, nodes.Call) and isinstance(node.func, nodes.Attribute) and node.args:
        holder, name = node.func.expr, node.args[0]
    else:
        return None
    if (dotted(holder) or "").rsplit(".", 1)[-1] != "environ" or not isinstance(name, nodes.Const):
        return None
    return str(name.value)


def _asked(node: nodes.Name) -> set[object]:
    """The name that `getattr(x, "name")` asks for."""
    call = node.parent
    return {a.value for a in call.args[1:2] if isinstance(a, nodes.Const)} if isinstance(call, nodes.Call) else set()


def _mentions(node: nodes.NodeNG, word: str) -> bool:
    return any(c.value == word for c in node.statement().nodes_of_class(nodes.Const))


def _stored(node: nodes.NodeNG) -> bool:
    """True for `x[...]` that is assigned or deleted."""
    if not isinstance(node, nodes.Subscript):
        return False
    parent = node.parent
    return (isinstance(parent, nodes.Assign) and node in parent.targets) or isinstance(
        parent, (nodes.Delete, nodes.AugAssign)
    )


def _observes(method: FunctionInfo) -> bool:
    """True for a mode's handler that runs the operation as it came, and gives back what that gave."""
    return all(
        r.value is not None
        and (_runs(method, r.value) or (isinstance(r.value, nodes.Name) and _is_result(method, r.value.name)))
        for r in method.returns_nodes
    )


def _is_result(method: FunctionInfo, name: str) -> bool:
    """True for a name that holds what the operation gave, and nothing else, as it was."""
    values = [_value(bound) for bound in method.local_names.get(name, ())]
    return bool(values) and all(v is not None and _runs(method, v) for v in values) and not _is_filled(method, name)


def _runs(method: FunctionInfo, node: nodes.NodeNG) -> bool:
    """True for `func(*args, **kwargs)` of what a handler is given, none of it changed."""
    if not (isinstance(node, nodes.Call) and isinstance(node.func, nodes.Name) and len(node.args) == 1):
        return False
    star, own = node.args[0], [p.name for p in method.params[1:2]]
    return (
        isinstance(star, nodes.Starred)
        and [node.func.name] == own
        and all(isinstance(b.parent, nodes.Arguments) for b in method.local_names.get(node.func.name, ()))
        and all(k.arg is None for k in node.keywords)
        and all(_is_given(method, v, ()) for v in (star.value, *(k.value for k in node.keywords)))
    )


def _is_given(method: FunctionInfo, node: Any, seen: tuple[str, ...]) -> bool:
    """True for what a handler is given, as it came: by its name, copied, or with something empty for None."""
    if isinstance(node, nodes.Name):
        bound = method.local_names.get(node.name, ())
        return node.name in seen or (
            bool(bound)
            and not _is_filled(method, node.name)
            and all(isinstance(b.parent, nodes.Arguments) or _binds_given(method, b, (*seen, node.name)) for b in bound)
        )
    if isinstance(node, nodes.BoolOp):
        return node.op == "or" and all(_is_given(method, v, seen) for v in node.values)
    if isinstance(node, nodes.IfExp):
        return all(_is_given(method, v, seen) for v in (node.body, node.orelse))
    if isinstance(node, nodes.Call):
        copies = isinstance(node.func, nodes.Name) and node.func.name in ("dict", "list", "tuple")
        return copies and not node.keywords and all(_is_given(method, a, seen) for a in node.args)
    return _is_empty(node)


def _binds_given(method: FunctionInfo, bound: Any, seen: tuple[str, ...]) -> bool:
    """True where a name takes what the handler is given; where it takes something empty, only under a test."""
    value = _value(bound)
    empty = _is_empty(value) or (isinstance(value, nodes.Call) and not value.args)
    return _is_given(method, value, seen) and (not empty or isinstance(bound.statement().parent, nodes.If))


def _value(bound: Any) -> Any:
    """What a name is bound to; None where that is no whole value of an assignment."""
    up = bound.parent
    return up.value if isinstance(up, (nodes.Assign, nodes.AnnAssign, nodes.NamedExpr)) else None


def _is_empty(node: Any) -> bool:
    return (isinstance(node, nodes.Dict) and not node.items) or (isinstance(node, nodes.Tuple) and not node.elts)


def _is_filled(method: FunctionInfo, name: str) -> bool:
    """True where a function changes what a name holds: an item, an attribute, by a method in place."""
    for node in method.node.nodes_of_class(nodes.Name):
        up = node.parent
        if node.name != name or not isinstance(up, (nodes.Attribute, nodes.AssignAttr, nodes.Subscript)):
            continue
        changes = up.attrname in _CHANGES or up.attrname.endswith("_") if isinstance(up, nodes.Attribute) else False
        if changes or isinstance(up, nodes.AssignAttr) or _stored(up):
            return True
    return False
