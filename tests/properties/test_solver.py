"""The solver against a naive fixpoint, on random graphs over small lattices."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from flake8_tensorbranch.engine.solver import Budget, Solution, reverse_postorder, solve

FACTS = "abcd"
State = frozenset[str]


@dataclass
class Edge:
    to: int
    need: str | None = None  # passes only states with this fact
    drop: str | None = None


@dataclass
class Block:
    index: int
    gen: State = frozenset()
    kill: State = frozenset()
    move: tuple[str, str] | None = None  # the second fact, if the first holds
    edges: list[Edge] = field(default_factory=list)


@dataclass
class Graph:
    blocks: list[Block]
    entry: int = 0


def transfer(block: Block, state: State) -> State:
    moved = {block.move[1]} if block.move and block.move[0] in state else frozenset()
    return (state - block.kill) | block.gen | moved


def refine(edge: Edge, state: State) -> State | None:
    if edge.need is not None and edge.need not in state:
        return None
    return state - {edge.drop} if edge.drop else state


def run(graph: Graph, entry: State = frozenset("a"), budget: Budget | None = None) -> Solution[State]:
    return solve(graph, entry, transfer, State.union, State.__eq__, refine, budget)


def naive(graph: Graph, entry: State) -> list[State | None]:
    """Sweep over all edges until nothing changes."""
    before: list[State | None] = [None] * len(graph.blocks)
    before[graph.entry] = entry
    changed = True
    while changed:
        changed = False
        for block in graph.blocks:
            state = before[block.index]
            if state is None:
                continue
            for edge in block.edges:
                new = refine(edge, transfer(block, state))
                old = before[edge.to]
                if new is not None and (old is None or not new <= old):
                    before[edge.to] = new | (old or frozenset())
                    changed = True
    return before


@st.composite
def graphs(draw: Callable[..., int]) -> Graph:
    size = draw(st.integers(1, 9))
    fact, facts = st.sampled_from(FACTS), st.frozensets(st.sampled_from(FACTS), max_size=2)
    maybe = st.none() | fact
    edges = st.lists(st.builds(Edge, st.integers(0, size - 1), maybe, maybe), max_size=3)
    moves = st.none() | st.tuples(fact, fact)
    blocks = [draw(st.builds(Block, st.just(index), facts, facts, moves, edges)) for index in range(size)]
    return Graph(blocks, draw(st.integers(0, size - 1)))


@given(graphs(), st.frozensets(st.sampled_from(FACTS)))
@settings(max_examples=300, deadline=None)
def test_the_least_fixpoint(graph: Graph, entry: State) -> None:
    solution = run(graph, entry)
    assert not solution.exhausted
    assert solution.before == naive(graph, entry)
    assert solution.after == [
        None if state is None else transfer(block, state)
        for block, state in zip(graph.blocks, solution.before, strict=True)
    ]


@given(graphs(), st.integers(0, 12))
@settings(max_examples=150, deadline=None)
def test_the_budget_is_kept_and_running_out_says_nothing(graph: Graph, visits: int) -> None:
    calls = []

    def counted(block: Block, state: State) -> State:
        calls.append(block.index)
        return transfer(block, state)

    solution = solve(graph, frozenset("a"), counted, State.union, State.__eq__, refine, Budget(visits=visits))
    assert solution.visits == len(calls) <= visits
    needed = run(graph).visits
    assert solution.exhausted == (needed > visits)
    if solution.exhausted:
        assert solution.before == solution.after == [None] * len(graph.blocks)


@given(graphs())
@settings(max_examples=150, deadline=None)
def test_reverse_postorder_lists_what_is_reachable_each_once(graph: Graph) -> None:
    order = reverse_postorder(graph)
    reached = {graph.entry}
    for _ in graph.blocks:
        reached |= {edge.to for index in reached for edge in graph.blocks[index].edges}
    assert order[0] == graph.entry
    assert sorted(order) == sorted(reached)


@given(st.lists(st.lists(st.integers(1, 8), max_size=3), min_size=2, max_size=9))
@settings(max_examples=150, deadline=None)
def test_without_cycles_every_block_is_visited_once(steps: list[list[int]]) -> None:
    last = len(steps) - 1
    blocks = [
        Block(index, edges=[Edge(min(index + step, last)) for step in row if index < last])
        for index, row in enumerate(steps)
    ]
    graph = Graph(blocks)
    order = reverse_postorder(graph)
    rank = {index: position for position, index in enumerate(order)}
    assert all(rank[index] < rank[edge.to] for index in order for edge in blocks[index].edges)
    assert run(graph).visits == len(order)


def test_a_loop_settles_before_what_follows_it_is_visited() -> None:
    visited = []
    blocks = [
        Block(0, edges=[Edge(1)]),
        Block(1, edges=[Edge(2), Edge(4)]),
        Block(2, edges=[Edge(3)], gen=frozenset("b")),
        Block(3, edges=[Edge(1)]),
        Block(4),
    ]

    def seen(block: Block, state: State) -> State:
        visited.append(block.index)
        return transfer(block, state)

    solve(Graph(blocks), frozenset("a"), seen, State.union, State.__eq__)
    assert visited == [0, 1, 2, 3, 1, 2, 4]


def test_an_infeasible_way_reaches_nothing() -> None:
    blocks = [Block(0, edges=[Edge(1, need="z"), Edge(2)]), Block(1, edges=[Edge(2)]), Block(2)]
    assert run(Graph(blocks)).before == [frozenset("a"), None, frozenset("a")]


Interval = tuple[float, float]


def hull(left: Interval, right: Interval) -> Interval:
    return min(left[0], right[0]), max(left[1], right[1])


def widen(old: Interval, joined: Interval) -> Interval:
    return (old[0] if joined[0] >= old[0] else float("-inf")), (old[1] if joined[1] <= old[1] else float("inf"))


def count_up(block: Block, state: Interval) -> Interval:
    return (state[0] + 1, state[1] + 1) if block.gen else state


def same(left: Interval, right: Interval) -> bool:
    return left == right


COUNTER = Graph([
    Block(0, edges=[Edge(1)]),
    Block(1, edges=[Edge(2), Edge(3)]),
    Block(2, edges=[Edge(1)], gen=frozenset("+")),
    Block(3),
])  # fmt: skip


def test_widening_ends_a_chain_that_climbs_for_ever() -> None:
    solution = solve(COUNTER, (0, 0), count_up, hull, same, None, Budget(100, widen_after=3), widen)
    assert not solution.exhausted
    assert solution.before == [(0, 0), (0, float("inf")), (0, float("inf")), (0, float("inf"))]
    assert solution.visits < 15


def test_without_widening_the_budget_ends_it() -> None:
    solution = solve(COUNTER, (0, 0), count_up, hull, same, None, Budget(100))
    assert solution.exhausted
    assert solution.visits == 100


@pytest.mark.parametrize("widen_after", [0, 1, 5])
def test_widening_waits_as_long_as_asked(widen_after: int) -> None:
    asked = []

    def counted(old: Interval, joined: Interval) -> Interval:
        asked.append(old[1])
        return widen(old, joined)

    solve(COUNTER, (0, 0), count_up, hull, same, None, Budget(100, widen_after), counted)
    assert asked[0] == max(widen_after - 1, 0)
    assert len(asked) == 1
