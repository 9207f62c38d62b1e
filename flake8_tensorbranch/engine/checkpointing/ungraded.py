"""Optimizer steps that find no gradients: they were cleared, or never made, and no backward has run since."""

from __future__ import annotations

from typing import Any, Final

from astroid import nodes

from flake8_tensorbranch.engine.lookup.calltree import CallTree
from flake8_tensorbranch.engine.lookup.modes import loop_around
from flake8_tensorbranch.engine.lookup.origins import Expr, Origins, position
from flake8_tensorbranch.syntax.binding import once
from flake8_tensorbranch.syntax.names import FunctionInfo, dotted, last_name

_MAKES: Final = ("backward", "step", "train", "update", "fit", "closure", "load_state_dict")
"""Parts of names of calls that may leave gradients, or state to step by without them."""


def finds_no_gradients(origins: Origins, tree: CallTree, said: Any, scope: FunctionInfo | None) -> bool:
    """True for `optimizer.step()` that moves nothing: torch's optimizers skip parameters whose `grad` is None."""
    func = said.func if isinstance(said, nodes.Call) and not said.args and not said.keywords else None
    path = dotted(func.expr) if isinstance(func, nodes.Attribute) and func.attrname == "step" else None
    if path is None or scope is None:
        return False
    calls = sorted((c for c in scope.calls if position(c) < position(said)), key=position)
    since = [position(c) for c in calls if _clears(c, path) and _is_below(c.statement().parent, said)]
    if not since and not (_is_new(scope, path) and loop_around(said) is None):
        return False
    begin = since[-1] if since else (0, 0)
    if any(a.attrname == "grad" and begin < position(a) < position(said) for a in scope.attribute_stores):
        return False
    return not any(_may_leave(origins, tree, Expr(scope.module, scope, c)) for c in calls if position(c) > begin)


def _clears(call: nodes.Call, path: str) -> bool:
    func = call.func
    named = isinstance(func, nodes.Attribute) and func.attrname == "zero_grad" and dotted(func.expr) == path
    return named and not call.args and not call.keywords


def _is_new(scope: FunctionInfo, path: str) -> bool:
    """True for an optimizer that the function builds, of the parameters of a module that it builds."""
    made = _built(scope, path)
    given: Any = made.args[0] if made is not None and made.args else None
    source = given.func.expr if isinstance(given, nodes.Call) and isinstance(given.func, nodes.Attribute) else None
    return isinstance(source, nodes.Name) and _built(scope, source.name) is not None


def _built(scope: FunctionInfo, name: str) -> nodes.Call | None:
    """The call that a local name is bound to, once."""
    value = once(scope.local_names, name)
    return value if isinstance(value, nodes.Call) and last_name(value.func)[:1].isupper() else None


def _may_leave(origins: Origins, tree: CallTree, call: Expr) -> bool:
    """True for a call that may run a backward, by its name or by what it leads to."""
    if any(word in last_name(call.node.func) for word in _MAKES):
        return True
    return any("backward" in last_name(c.func) for f in origins.callees(call) for g in tree.reached(f) for c in g.calls)


def _is_below(block: Any, node: Any) -> bool:
    return bool(block.parent_of(node))
