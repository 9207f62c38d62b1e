"""Control-flow graphs of single constructs, against listings read by a human; see `listing.py` for the notation."""

from __future__ import annotations

import ast
import sys
from pathlib import Path

import pytest
from astroid import nodes

from flake8_tensorbranch.syntax import cfg
from flake8_tensorbranch.syntax.cfg import build_cfg
from flake8_tensorbranch.syntax.tree import build_module
from tests.syntax.listing import listing


def load_cases() -> dict[str, tuple[str, str]]:
    """The cases of `cfg_cases.txt`: `## name`, the code, `--`, its listing."""
    cases = {}
    for part in ("\n" + (Path(__file__).parent / "cfg_cases.txt").read_text(encoding="utf-8")).split("\n## ")[1:]:
        name, _, rest = part.partition("\n")
        code, _, expected = rest.partition("\n--\n")
        cases[name] = code, expected.strip()
    return cases


CASES = load_cases()


@pytest.mark.parametrize("name", CASES)
def test_listing(name: str) -> None:
    code, expected = CASES[name]
    if "except*" in code and sys.version_info < (3, 11):
        pytest.skip("`except*` needs Python 3.11")
    assert listing(code) == expected


@pytest.mark.skipif(sys.version_info < (3, 12), reason="type aliases need Python 3.12")
def test_type_alias_and_parameters() -> None:
    assert listing("type A[T] = list[T]\ndef f[T](x: T): ...") == "0: type A[T] = list[T]; def f | exit"


def function(text: str) -> cfg.Cfg:
    node = build_module(text, "snippet.py").body[0]
    assert isinstance(node, nodes.FunctionDef)
    return build_cfg(node)


def test_lambda_returns_its_body() -> None:
    module = build_module("f = lambda x: x + 1", "snippet.py")
    graph = build_cfg(module.body[0].value)
    (item,) = graph.blocks[graph.entry].items
    assert isinstance(item, cfg.LambdaReturn)
    assert item.expr.as_string() == "x + 1"
    assert [edge.to for edge in graph.blocks[graph.entry].edges] == [graph.exit]


def test_branch_edges_carry_the_test_node_itself() -> None:
    graph = function("def f():\n    while a:\n        pass")
    loop = graph.scope.body[0]
    block = graph.blocks[graph.block_of(loop.test)]
    assert [(edge.test, edge.truth) for edge in block.edges] == [(loop.test, True), (loop.test, False)]


def test_block_of_finds_statements_items_and_nothing_else() -> None:
    graph = function("def f():\n    for i in a:\n        b\n    return c\n    d")
    loop, leave, unreachable = graph.scope.body
    assert graph.block_of(loop) == graph.entry  # where its iterable is evaluated
    assert graph.block_of(loop.body[0]) in graph.reachable_from(graph.entry)
    assert graph.block_of(graph.blocks[graph.entry].items[0]) == graph.entry
    assert graph.block_of(leave) is not None
    assert graph.block_of(unreachable) is None
    assert graph.block_of(loop.target) is None


def test_reachable_from_includes_the_start_only_on_a_cycle() -> None:
    graph = function("def f():\n    a\n    while b:\n        c")
    inside = graph.block_of(graph.scope.body[1].body[0])
    assert inside in graph.reachable_from(inside)
    assert graph.entry not in graph.reachable_from(graph.entry)
    assert graph.reachable_from(graph.exit) == set()


def test_dominators_of_a_diamond() -> None:
    graph = function("def f():\n    if a:\n        b\n    else:\n        c\n    d")
    branch = graph.scope.body[0]
    left, right = graph.block_of(branch.body[0]), graph.block_of(branch.orelse[0])
    meet = graph.block_of(graph.scope.body[1])
    dominators, post = graph.dominators(), graph.post_dominators()
    assert dominators[graph.entry] == dominators[left] == dominators[right] == dominators[meet] == graph.entry
    assert dominators[graph.raise_exit] == -1
    assert post[graph.entry] == post[left] == post[right] == meet
    assert post[graph.exit] == len(graph.blocks)
    assert graph.dominates(graph.entry, meet)
    assert graph.dominates(meet, meet)
    assert not graph.dominates(left, meet)
    assert not graph.dominates(graph.entry, graph.raise_exit)


def test_an_endless_loop_has_no_post_dominator() -> None:
    graph = function("def f():\n    while True:\n        a")
    body = graph.block_of(graph.scope.body[0].body[0])
    assert graph.post_dominators()[body] == -1
    assert graph.dominates(graph.entry, body)


def nested(depth: int, head: str, tail: str = "") -> str:
    lines = [f"{' ' * level}{head}" for level in range(depth)]
    lines.append(f"{' ' * depth}return a()")
    lines += [f"{' ' * level}{tail}" for level in reversed(range(depth)) if tail]
    return "def f():\n" + "\n".join(f" {line}" for line in lines)


@pytest.mark.parametrize(
    ("head", "tail"),
    [
        ("if a:", ""),
        ("while a:", "else: b"),
        ("for i in a:", ""),
        ("with a:", ""),
        ("try:", "finally: b()"),
        ("try:", "except E: b()"),
    ],
)
def test_the_deepest_nesting_python_parses_takes_linear_space(head: str, tail: str) -> None:
    shallow = len(function(nested(45, head, tail)).blocks)
    deep = len(function(nested(90, head, tail)).blocks)
    assert deep <= 2.2 * shallow


def test_finally_within_finally_takes_linear_space() -> None:
    def text(depth: int) -> str:
        lines = ["def f():"]
        for level in range(depth):
            indent = " " * (level + 1)
            lines += [f"{indent}try:", f"{indent} if a: return b()", f"{indent} c()", f"{indent}finally:"]
        return "\n".join([*lines, " " * (depth + 1) + "d()"])

    assert len(function(text(80)).blocks) <= 2.2 * len(function(text(40)).blocks)


def test_a_thousand_flat_statements_and_a_long_elif_chain_do_not_recurse() -> None:
    flat = function("def f():\n" + "    try: a()\n    finally: b()\n" * 1000)
    assert len(flat.blocks) < 10_000
    chain = "".join(f"    elif a == {number}: b()\n" for number in range(120))
    assert len(function(f"def f():\n    if a: c\n{chain}").blocks) > 120


def test_five_hundred_nested_finally_bodies() -> None:
    tree = ast.parse("def f(): return a()")
    (definition,) = tree.body
    assert isinstance(definition, ast.FunctionDef)
    cleanup = ast.parse("b()").body
    for _ in range(500):
        definition.body = [
            ast.copy_location(ast.Try(body=definition.body, handlers=[], orelse=[], finalbody=cleanup), definition)
        ]
    limit = sys.getrecursionlimit()
    sys.setrecursionlimit(8_000)
    try:
        graph = build_cfg(build_module("", "snippet.py", tree).body[0])
    finally:
        sys.setrecursionlimit(limit)
    assert len(graph.blocks) < 5_000
