"""The source text of a node, as astroid prints it, within a bound on time.

astroid's printer recurses, and where it meets the recursion limit it tries again on the way up: the time is exponential
in the depth that is left. So a node that nests too deep is not printed but named by its place.
"""

from __future__ import annotations

from typing import Final

from astroid import nodes
from astroid.nodes.as_string import AsStringVisitor

MAX_NESTING: Final = 60


class _Printer(AsStringVisitor):
    """astroid's printer, with parentheses around every `:=`: astroid 4.0 leaves them out even where they matter."""

    def visit_namedexpr(self, node: nodes.NamedExpr) -> str:
        return f"({node.target.accept(self)} := {node.value.accept(self)})"

    def _should_wrap(self, node: nodes.NodeNG, child: nodes.NodeNG, is_left: bool) -> bool:
        return not isinstance(child, nodes.NamedExpr) and super()._should_wrap(node, child, is_left)


def printed(node: nodes.NodeNG) -> str | None:
    """The text of a node; None where it nests too deep or astroid cannot print it."""
    if _nests(node, MAX_NESTING):
        return None
    try:
        return str(_Printer()(node))
    except Exception:  # astroid cannot print every tree it can build
        return None


def source_of(node: nodes.NodeNG) -> str:
    """The text of a node, for comparing and searching: what cannot be printed is equal to itself alone."""
    text = printed(node)
    return f"<{type(node).__name__} {node.lineno}:{node.col_offset}>" if text is None else text


def _nests(node: nodes.NodeNG, depth: int) -> bool:
    level = [node]
    while level and depth:
        level, depth = [child for one in level for child in one.get_children()], depth - 1
    return bool(level)
