"""What a scope does, after a checkpointed call, with the list, dict or variable that the region has filled."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from astroid import nodes

from flake8_tensorbranch.engine.checkpointing.recomputes import Recompute
from flake8_tensorbranch.engine.checkpointing.taken import enters, renewed
from flake8_tensorbranch.engine.lookup.names import owner
from flake8_tensorbranch.engine.lookup.origins import Expr, Origins, line
from flake8_tensorbranch.knowledge.frameworks import LOSS_WORDS
from flake8_tensorbranch.syntax.kinds import FUNCTIONS
from flake8_tensorbranch.syntax.names import FunctionInfo, dotted

_DEPTH: Final = 3


def used(
    origins: Origins, made: Recompute, region: list[FunctionInfo], function: FunctionInfo, name: str, handed: bool
) -> bool:
    """True when a tensor is computed, after the call, of what a function of the region keeps under a name from outside,
    or in what it is handed by a parameter.
    """
    scope = made.call.scope
    if scope is None:
        return False
    if not handed:
        return owner(scope, name) is owner(function, name) and any(
            enters_after(origins, made, node) for node in _reads(scope, name, line(made.call.node))
        )
    return any(_filled(origins, made.call, given, _DEPTH) for given in _given(origins, made, region, function, name))


def readers(origins: Origins, made: Recompute, region: list[FunctionInfo]) -> list[FunctionInfo]:
    """The scope of a call, and the functions outside of the region that it calls afterwards."""
    scope = made.call.scope
    if scope is None:
        return []
    called = origins.facts(made.call.module, scope).calls.items()
    found = [c for call, callees in called if _follows(made.call.node, call) for c in callees if c not in region]
    return list(dict.fromkeys([scope, *found]))


def enters_after(origins: Origins, made: Recompute, node: nodes.NodeNG, reader: FunctionInfo | None = None) -> bool:
    """True for an expression that a tensor is computed of after the call, in its scope or in another reader; or that
    the scope returns, under the name of a loss, to callers who are not in view.
    """
    scope = reader or made.call.scope
    if scope is made.call.scope and not _follows(made.call.node, node):
        return False
    if enters(origins, Expr(made.call.module, scope, node)):
        return True
    words = (dotted(node) or "").rsplit(".", 1)[-1].lower()
    named = scope is made.call.scope and any(word in words for word in LOSS_WORDS) and _is_returned(node)
    return named and scope is not None and not origins.sites(scope)


def _is_returned(node: nodes.NodeNG) -> bool:
    up = node.parent
    return isinstance(up, nodes.Return) or (isinstance(up, nodes.Tuple) and isinstance(up.parent, nodes.Return))


def _follows(call: nodes.NodeNG, node: nodes.NodeNG) -> bool:
    """True for what stands after a call in its function; in a loop around both, anywhere."""
    end = (call.end_lineno or call.lineno or 0, call.end_col_offset or 0)
    return (node.lineno or 0, node.col_offset or 0) >= end


def _given(
    origins: Origins,
    made: Recompute,
    region: list[FunctionInfo],
    function: FunctionInfo,
    name: str,
    depth: int = _DEPTH,
) -> Iterator[Expr]:
    """What the checkpointed call gives to a parameter of a function of the region, through those that call it."""
    if function in made.functions:
        given = _bound(origins, made, function, name) or origins.argument(made.call, function, name)
        if given is not None:
            yield given
        return
    for caller in region if depth > 0 else ():
        for call, callees in origins.facts(caller.module, caller).calls.items():
            handed = (
                origins.argument(Expr(caller.module, caller, call), function, name) if function in callees else None
            )
            if handed is None or not isinstance(handed.node, nodes.Name):
                continue
            if any(p.name == handed.node.name for p in caller.params):
                yield from _given(origins, made, region, caller, handed.node.name, depth - 1)
            elif owner(caller, handed.node.name) is made.call.scope:
                yield Expr(made.call.module, made.call.scope, handed.node)  # closed over


def _bound(origins: Origins, made: Recompute, function: FunctionInfo, name: str) -> Expr | None:
    """What a `functools.partial` that is checkpointed gives to a parameter."""
    slots = [p.name for p in function.params if not p.keyword_only][
        int(function.takes_self or function.is_classmethod) :
    ]
    for origin in origins.of(made.function) if made.function is not None else ():
        node = origin.node
        if not isinstance(node, nodes.Call) or "functools.partial" not in origins.externals(origin):
            continue
        found: Any = next((k.value for k in node.keywords if k.arg == name), None)
        if name in slots and slots.index(name) + 1 < len(node.args):
            found = node.args[slots.index(name) + 1]
        if found is not None and not any(isinstance(a, nodes.Starred) for a in node.args):
            return Expr(origin.module, origin.scope, found)
    return None


def _filled(origins: Origins, call: Expr, given: Expr, depth: int) -> bool:
    """True when a tensor is computed of what an argument of a call holds once that has run, here or in the callers."""
    node, scope = given.node, given.scope
    if scope is None or depth <= 0 or not isinstance(node, (nodes.Name, nodes.Attribute)):
        return False
    path = dotted(node)
    end = renewed(scope, str(path), line(call.node))
    for read in scope.node.nodes_of_class(type(node)):
        if (
            dotted(read) == path
            and _follows(call.node, read)
            and line(read) <= end
            and enters(origins, Expr(given.module, scope, read))
        ):
            return True
    if not any(p.name == path for p in scope.params):
        return False
    for site in origins.sites(scope):
        handed = origins.argument(site, scope, str(path))
        if handed is not None and _filled(origins, site, handed, depth - 1):
            return True
    return False


def _reads(scope: FunctionInfo, name: str, since: int) -> Iterator[Any]:
    end = renewed(scope, name, since)
    for node in scope.node.nodes_of_class(nodes.Name, skip_klass=FUNCTIONS):
        if node.name == name and line(node) <= end:
            yield node
