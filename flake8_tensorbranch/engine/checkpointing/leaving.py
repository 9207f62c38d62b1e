"""Whether what is read of a parameter leaves the graph, so that no gradient comes back by this way."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Final

from astroid import nodes

from flake8_tensorbranch.engine.lookup.origins import Expr
from flake8_tensorbranch.knowledge.frameworks import TELLS
from flake8_tensorbranch.knowledge.gradients import CUTS, LEAVES_THE_GRAPH, NUMBERS
from flake8_tensorbranch.knowledge.tensors import AFTER_ANOTHER, METADATA_METHODS
from flake8_tensorbranch.syntax.names import dotted, last_name

_DEPTH: Final = 8
_OFF: Final = LEAVES_THE_GRAPH | METADATA_METHODS


def leaves(read: Expr, depth: int = _DEPTH) -> bool:
    """True where all that is made of an expression are numbers, sizes, types, tests, or tensors after its form: through
    chains of attributes, methods and operators, and names bound once.
    """
    node: Any = read.node
    up: Any = node.parent
    if depth <= 0:
        return False
    if isinstance(up, nodes.Attribute):
        called = isinstance(up.parent, nodes.Call) and up.parent.func is up
        return up.attrname in _OFF or leaves(replace(read, node=up.parent if called else up), depth - 1)
    if isinstance(up, (nodes.BinOp, nodes.UnaryOp)):
        return leaves(replace(read, node=up), depth - 1)
    up = up.parent if isinstance(up, nodes.Keyword) else up
    if isinstance(up, nodes.Call):
        name = last_name(up.func) or ""
        plain = isinstance(up.func, nodes.Name) and name in NUMBERS
        if plain or name in CUTS or name in TELLS or (isinstance(up.func, nodes.Attribute) and name in AFTER_ANOTHER):
            return True
        return (dotted(up.func) or "").startswith("torch.") and leaves(replace(read, node=up), depth - 1)
    if isinstance(up, nodes.Assign):
        return len(up.targets) == 1 and _all_leave(read, up.targets[0], depth - 1)
    if isinstance(up, (nodes.If, nodes.While, nodes.Assert, nodes.IfExp)):
        return node is up.test
    return isinstance(up, (nodes.Expr, nodes.Compare, nodes.FormattedValue))


def _all_leave(read: Expr, target: Any, depth: int) -> bool:
    """True where each place leaves that reads a local name which is bound there alone."""
    scope = read.scope
    if scope is None or not isinstance(target, nodes.AssignName) or len(scope.local_names.get(target.name, ())) != 1:
        return False
    reads = (n for n in scope.node.nodes_of_class(nodes.Name) if n.name == target.name)
    return all(leaves(replace(read, node=n), depth) for n in reads)
