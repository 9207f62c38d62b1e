"""Control-flow graphs of arbitrary programs: well formed, complete, and a superset of what Python executes."""

from __future__ import annotations

import sys
from collections.abc import Iterator

import hypothesmith
import pytest
from astroid import nodes
from hypothesis import HealthCheck, given, reject, settings
from hypothesis import strategies as st

from flake8_tensorbranch.syntax import cfg
from flake8_tensorbranch.syntax.cfg import build_cfg
from flake8_tensorbranch.syntax.tree import TreeError, build_module
from tests.properties.programs import programs
from tests.properties.tracing import TAPES, execute
from tests.properties.walking import follow

FAST = settings(max_examples=120, deadline=None, suppress_health_check=list(HealthCheck))
SLOW = settings(FAST, max_examples=25)
OWN_TAPES = st.lists(st.sampled_from([0, 1, 1, 1, 2, 3, 4, 5]), min_size=1, max_size=30)
SIMPLE = (
    nodes.Assign, nodes.AugAssign, nodes.AnnAssign, nodes.Expr, nodes.Return, nodes.Raise, nodes.Assert, nodes.Delete,
    nodes.Import, nodes.ImportFrom, nodes.Global, nodes.Nonlocal, nodes.Pass, nodes.TypeAlias, nodes.FunctionDef,
    nodes.ClassDef,
)  # fmt: skip
ENDS = (nodes.Return, nodes.Raise, nodes.Break, nodes.Continue, nodes.Assert)


def scopes(node: nodes.NodeNG) -> Iterator[cfg.Scope]:
    work = [node]
    while work:
        node = work.pop()
        if isinstance(node, (nodes.Module, nodes.FunctionDef, nodes.Lambda, nodes.ClassDef)):
            yield node
        work.extend(node.get_children())


def check_shape(graph: cfg.Cfg) -> None:
    """Positions, targets, ends, reachability and labels."""
    assert [block.index for block in graph.blocks] == list(range(len(graph.blocks)))
    assert graph.reachable_from(graph.entry) | {graph.entry, graph.exit, graph.raise_exit} == set(
        range(len(graph.blocks))
    )
    for block in graph.blocks:
        assert all(0 <= edge.to < len(graph.blocks) for edge in block.edges)
        assert (not block.edges) == (block.index in (graph.exit, graph.raise_exit))
        ways = [(edge.kind, edge.truth) for edge in block.edges if edge.kind != "exception"]
        kinds = {kind for kind, _ in ways}
        if "branch" in kinds:
            assert set(ways) in ({("branch", True), ("branch", False)}, {("branch", False)})
            last = block.items[-1]
            test = last.expr if isinstance(last, cfg.Test) else last.test
            assert all(edge.test is test for edge in block.edges if edge.kind == "branch")
        if "loop" in kinds:
            assert ways == [("loop", True), ("loop", False)]
        for edge in block.edges:
            assert (edge.test is not None) == (edge.kind in ("branch", "case"))
            if edge.kind == "back":
                assert graph.dominates(edge.to, block.index)


def check_items(graph: cfg.Cfg) -> None:
    """Items belong to the scope, and stand in one block unless a `finally` or a `with` lies on several ways."""
    count: dict[int, int] = {}
    for block in graph.blocks:
        for item in block.items:
            node = item if isinstance(item, nodes.NodeNG) else item.node
            owner = node.parent.scope() if node.parent is not None and node is not graph.scope else graph.scope
            assert owner is graph.scope
            key = id(item) if isinstance(item, nodes.NodeNG) else id(item.node)
            single = not isinstance(item, (cfg.WithExit, cfg.WithEnter, cfg.ForBind)) and not in_finally(node)
            count[key] = count.get(key, 0) + single
            assert count[key] <= 1, item


def in_finally(node: nodes.NodeNG) -> bool:
    child: nodes.NodeNG | None = node
    while child is not None:
        parent = child.parent
        if isinstance(parent, (nodes.Try, nodes.TryStar)) and any(child is held for held in parent.finalbody):
            return True
        child = parent
    return False


def check_complete(graph: cfg.Cfg) -> None:
    """What is entered runs on from statement to statement, as far as simple statements go."""

    def run_on(body: list[nodes.NodeNG]) -> None:
        for statement in body:
            if isinstance(statement, SIMPLE):
                assert graph.block_of(statement) is not None, statement
            if not isinstance(statement, SIMPLE) or isinstance(statement, ENDS):
                break

    if isinstance(graph.scope, nodes.Lambda):
        assert graph.block_of(graph.scope) == graph.entry
    if not isinstance(graph.scope, nodes.Lambda):
        run_on(graph.scope.body)
    for block in graph.blocks:
        for item in block.items:
            if isinstance(item, (cfg.ForBind, cfg.ExceptBind, cfg.MatchBind)):
                if not (isinstance(item, cfg.MatchBind) and item.node.guard is not None):
                    run_on(item.node.body)
            elif isinstance(item, cfg.Test) and isinstance(item.expr.parent, (nodes.If, nodes.While)):
                run_on(item.expr.parent.body)
                if isinstance(item.expr.parent, nodes.If):
                    run_on(item.expr.parent.orelse)
            elif isinstance(item, cfg.WithEnter) and item.index == len(item.node.items) - 1:
                run_on(item.node.body)


def check_dominators(graph: cfg.Cfg) -> None:
    """Against the definition: `a` dominates `b` if without `a` no way leads to `b`."""
    size = len(graph.blocks)
    forward = [[edge.to for edge in block.edges] for block in graph.blocks]
    backward: list[list[int]] = [[] for _ in range(size + 1)]
    backward[size] = [graph.exit, graph.raise_exit]
    for index, targets in enumerate(forward):
        for to in targets:
            backward[to].append(index)
    for edges, root, tree in (
        (forward, graph.entry, graph.dominators()),
        (backward, size, graph.post_dominators()),
    ):
        reached = without(edges, root, -1)
        for node in range(len(edges)):
            above = set()
            step = node
            while tree[step] >= 0:
                above.add(step)
                if tree[step] == step:
                    break
                step = tree[step]
            expected = {cut for cut in range(len(edges)) if node not in without(edges, root, cut)}
            assert above == (expected if node in reached else set())


def without(edges: list[list[int]], root: int, cut: int) -> set[int]:
    seen = {root} - {cut}
    work = list(seen)
    while work:
        for to in edges[work.pop()]:
            if to != cut and to not in seen:
                seen.add(to)
                work.append(to)
    return seen


def check_all(text: str) -> None:
    for scope in scopes(build_module(text, "program.py")):
        graph = build_cfg(scope)
        check_shape(graph)
        check_items(graph)
        check_complete(graph)


@given(programs(star=sys.version_info >= (3, 11)))
@FAST
def test_programs_have_well_formed_graphs(text: str) -> None:
    check_all(text)


@given(programs())
@SLOW
def test_dominators_match_their_definition(text: str) -> None:
    for scope in scopes(build_module(text, "program.py")):
        check_dominators(build_cfg(scope))


@given(hypothesmith.from_grammar())
@SLOW
def test_any_syntax_has_a_well_formed_graph(text: str) -> None:
    try:
        check_all(text)
    except TreeError:
        reject()


@pytest.mark.skipif(sys.version_info < (3, 11), reason="CPython 3.10 also reports lines that it does not execute")
@given(programs(star=True), OWN_TAPES)
@settings(FAST, max_examples=200)
def test_every_execution_is_a_way_through_the_graph(text: str, tape: list[int]) -> None:
    graph = build_cfg(build_module(text, "program.py").body[0])
    source = text.splitlines()
    for outcomes in (tape, *TAPES):
        run = execute(text, outcomes)
        problem = follow(graph, source, run.lines, run.raised, run.end)
        assert problem is None, f"{problem}\n{text}\n{run}"
