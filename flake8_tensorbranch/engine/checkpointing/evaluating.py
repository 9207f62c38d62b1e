"""Layers that a checkpointed region runs in evaluation mode, by what stands before: they draw and count nothing."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any, Final

from astroid import nodes

from flake8_tensorbranch.engine.checkpointing.insides import Activation
from flake8_tensorbranch.engine.lookup.origins import Expr, Origins, line, position
from flake8_tensorbranch.engine.refs import Bound, Instance
from flake8_tensorbranch.engine.regions.region import Entry
from flake8_tensorbranch.syntax.binding import once_global
from flake8_tensorbranch.syntax.kinds import SCOPE_NODES
from flake8_tensorbranch.syntax.names import FunctionInfo, dotted

_MODES: Final = ("eval", "train")
_SAYING: Final = (".eval(", ".train(False", ".train(mode=False")


def evaluates(origins: Origins, begin: Entry, start: Expr | None, layer: Expr, heads: list[Activation]) -> bool:
    """True when a layer of a region is in evaluation mode each time that the region runs: a call before it says so,
    where the region begins or inside of it, or the class keeps the layer in that mode.

    `start` is the function or module that the entry `begin` is given, `layer` the call that runs the layer,
    `heads` are the runs that the region begins with.
    """
    if not layer.module.mentions(_SAYING) and not origins.program.index.mentions(_SAYING):
        return False
    inner = layer.node.func if isinstance(layer.node, nodes.Call) else layer.node
    path, scope = dotted(inner), layer.scope
    classes = (r.cls for r in origins.value(replace(layer, node=inner)).each if isinstance(r, Instance))
    kinds = frozenset(str(c).rsplit(".", 1)[-1] for c in classes)
    if path and layer.node is not (start and start.node) and _is_set(origins, layer, {path}, kinds):
        return True
    if _is_called_so(origins, layer, heads):
        return True
    own = ""
    if path and scope is not None and scope.takes_self and path.startswith(f"{scope.params[0].name}."):
        own = path.split(".", 1)[1]
        if _is_kept(scope, own):
            return True
    if start is None or begin.node is None:
        return False
    holder: Any = start.node
    if isinstance(holder, nodes.Attribute) and any(isinstance(r, Bound) for r in origins.value(start).refs):
        holder = holder.expr
    base = dotted(holder)
    at = replace(start, node=begin.node)
    return base is not None and _is_set(origins, at, {base, *([f"{base}.{own}"] if own else ())}, kinds)


def _is_called_so(origins: Origins, layer: Expr, heads: list[Activation]) -> bool:
    """True when each run of the function that calls a layer is, or is below, a call of a module in evaluation mode."""
    runs = [a for head in heads for a in head.run() if a.function is layer.scope and a.reached(layer.node)]
    return bool(runs) and all(any(_is_below(origins, up) for up in (run, *_above(run))) for run in runs)


def _above(run: Activation) -> Iterator[Activation]:
    up = run.parent
    while up is not None:
        yield up
        up = up.parent


def _is_below(origins: Origins, run: Activation) -> bool:
    """True for a run whose own call is of a module that was set to evaluation before."""
    func = run.call.func if isinstance(run.call, nodes.Call) else None
    path = None if func is None else dotted(func)
    if path is None or run.parent is None or run.call is None:
        return False
    return run.function.name in ("forward", "__call__") and _is_set(origins, run.parent.expr(run.call), {path})


def _is_set(origins: Origins, at: Expr, paths: set[str], kinds: frozenset[str] = frozenset()) -> bool:
    """True when the last call before a place that sets the mode of one of these sets evaluation, and always runs;
    `kinds` are the names of the layer's classes.
    """
    found = [c for c in _setting(at, at.scope, paths, kinds) if position(c) < position(at.node)]
    if any(_sets_while_open(origins, at, paths, item) for item in _open(at.node)):
        return True
    if not found and at.scope is not None:
        names = {p.split(".", 1)[0] for p in paths}
        if names & set(at.scope.local_names) or at.module.mentions((".train(",)):
            return False
        if any(_is_made(at, path) for path in paths):
            return True
        found = list(_setting(at, None, paths, kinds))
        return bool(found) and all(isinstance(_statement(c).parent, nodes.Module) for c in found)
    block = _statement(found[-1]).parent if found and _evaluation(found[-1]) else None
    return block is not None and bool(block.parent_of(at.node))


def _setting(
    at: Expr, scope: FunctionInfo | None, paths: set[str], kinds: frozenset[str] = frozenset()
) -> Iterator[nodes.Call]:
    """The calls of a scope that set the mode of one of these modules, or of one that holds it, alone or in a loop."""
    for call in at.module.calls_in(scope):
        func = call.func
        if isinstance(func, nodes.Attribute) and func.attrname in _MODES:
            path = dotted(func.expr)
            if path is None:
                continue
            if any(p == path or p.startswith(f"{path}.") for p in paths):
                yield call
                continue
            loop = _loop(call, path)
            whole, every = _gone_over(loop) if loop is not None else ("", False)
            if whole and any((p == whole and every) or _is_in(p, whole, every) for p in paths):
                if not _evaluation(call) or _is_meant(call, path, kinds):
                    yield call


def _loop(call: nodes.Call, name: str) -> nodes.For | None:
    """The loop that gives a name from round to round and in whose body, under one test at most, a call stands."""
    up: Any = call.statement().parent
    up = up.parent if isinstance(up, nodes.If) else up
    if not isinstance(up, nodes.For) or not isinstance(up.target, nodes.AssignName):
        return None
    return up if up.target.name == name else None


def _gone_over(loop: nodes.For) -> tuple[str, bool]:
    """The module over whose parts a loop goes, and whether it comes to all of them, itself among them."""
    call = loop.iter
    func = call.func if isinstance(call, nodes.Call) and not call.args and not call.keywords else None
    if not isinstance(func, nodes.Attribute) or func.attrname not in ("modules", "children"):
        return "", False
    return dotted(func.expr) or "", func.attrname == "modules"


def _is_in(path: str, whole: str, every: bool) -> bool:
    return path.startswith(f"{whole}.") and (every or "." not in path[len(whole) + 1 :])


def _is_meant(call: nodes.Call, name: str, kinds: frozenset[str]) -> bool:
    """True for a call of each round, and one under `isinstance` of a layer's class."""
    up: Any = call.statement().parent
    test = getattr(up, "test", None)
    if test is None:
        return True
    if not isinstance(test, nodes.Call) or dotted(test.func) != "isinstance" or len(test.args) != 2:
        return False
    named: list[Any] = test.args[1].elts if isinstance(test.args[1], nodes.Tuple) else [test.args[1]]
    asked = {(dotted(n) or "").rsplit(".", 1)[-1] for n in named}
    block = up.body
    return dotted(test.args[0]) == name and call.statement() in block and bool(kinds) and kinds <= asked


def _statement(call: nodes.Call) -> Any:
    """The statement by which a call sets a mode: the loop around it where it does so for each part of a module."""
    func: Any = call.func
    return _loop(call, dotted(func.expr) or "") or call.statement()


def _open(node: Any) -> Iterator[nodes.Call]:
    """The calls whose contexts are open around a place of a function."""
    child, up = node, node.parent
    while up is not None and not isinstance(child, SCOPE_NODES):
        if isinstance(up, nodes.With) and child in up.body:
            yield from (item for item, _ in up.items if isinstance(item, nodes.Call))
        child, up = up, up.parent


def _sets_while_open(origins: Origins, at: Expr, paths: set[str], item: nodes.Call) -> bool:
    """True for a context of the same object that sets evaluation mode before it yields."""
    held = item.func.expr if isinstance(item.func, nodes.Attribute) else None
    for callee in origins.callees(replace(at, node=item)):
        if not callee.is_generator or not callee.takes_self or held is None:
            continue
        yields = min((line(y) for y in callee.node.nodes_of_class(nodes.Yield)), default=0)
        own, outer = f"{callee.params[0].name}.", f"{dotted(held)}."
        for call in _setting(Expr(callee.module, callee, item), callee, {p.replace(outer, own, 1) for p in paths}):
            if line(call) < yields and _evaluation(call):
                return True
    return False


def _evaluation(call: nodes.Call) -> bool:
    given = call.args[0] if call.args else next((k.value for k in call.keywords), None)
    return getattr(call.func, "attrname", "") == "eval" or (isinstance(given, nodes.Const) and given.value is False)


def _is_made(at: Expr, path: str) -> bool:
    """True for a global that is bound once, to a module as `eval` gives it back."""
    call = once_global(at.module.bindings, path)
    return isinstance(call, nodes.Call) and getattr(call.func, "attrname", "") == "eval"


def _is_kept(scope: FunctionInfo, name: str) -> bool:
    """True when a class's own `train` puts a layer back into evaluation mode, whatever it is given."""
    method = scope.cls.methods.get("train") if scope.cls is not None else None
    if method is None or not method.params:
        return False
    path = f"{method.params[0].name}.{name}"
    return any(
        isinstance(c.func, nodes.Attribute)
        and c.func.attrname == "eval"
        and dotted(c.func.expr) == path
        and c.statement().parent is method.node
        for c in method.calls
    )
