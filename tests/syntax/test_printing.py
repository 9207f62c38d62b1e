"""Nodes are printed as their source says it, and those too deep for astroid's printer are named by their place."""

from __future__ import annotations

import pytest
from astroid import nodes

from flake8_tensorbranch.syntax.printing import MAX_NESTING, printed, source_of
from flake8_tensorbranch.syntax.tree import build_module


def expression(text: str) -> nodes.NodeNG:
    statement = build_module(text, "printed.py").body[-1]
    assert isinstance(statement, nodes.Expr)
    return statement.value


@pytest.mark.parametrize(
    "text", ["x.any()", "a[0, :]", "x if y else z", "f(*a, k=1)", "(y := f(x)) > 1", "a < (y := x)", "[(y := x)]"]
)
def test_text_of_a_node(text: str) -> None:
    assert printed(expression(text)) == source_of(expression(text)) == text


def test_too_deep_a_node_is_equal_to_itself_alone() -> None:
    text = "x" + ".abs()" * MAX_NESTING
    node = expression(text)
    assert printed(node) is None
    assert source_of(node) == source_of(expression(text))
    assert source_of(node) != source_of(expression("\n" + text))
    assert printed(expression("x" + ".abs()" * (MAX_NESTING // 2 - 2))) is not None
