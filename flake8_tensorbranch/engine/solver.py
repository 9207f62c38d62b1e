"""The worklist fixpoint of a forward data-flow problem; knows no language and no library."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from heapq import heappop, heappush
from typing import Any, Generic, Protocol, TypeVar

__all__ = ["Budget", "Graph", "GraphBlock", "GraphEdge", "Plan", "Solution", "plan", "reverse_postorder", "solve"]


class GraphEdge(Protocol):
    """A way from the end of one block to the start of another."""

    @property
    def to(self) -> int:
        """The position of the block it leads to."""


class GraphBlock(Protocol):
    """A node of the graph; what it holds is the affair of the transfer function."""

    @property
    def edges(self) -> Sequence[GraphEdge]:
        """The ways out of the block."""


BlockT = TypeVar("BlockT", bound=GraphBlock)
BlockT_co = TypeVar("BlockT_co", bound=GraphBlock, covariant=True)


class Graph(Protocol[BlockT_co]):
    """Blocks named by their position, one of which is the entry."""

    @property
    def blocks(self) -> Sequence[BlockT_co]:
        """All blocks; an edge's `to` is a position here."""

    @property
    def entry(self) -> int:
        """The position of the block where everything starts."""


StateT = TypeVar("StateT")


@dataclass(frozen=True, slots=True)
class Budget:
    """How much work a solution may take.

    `visits`: of all blocks together, before `solve` gives up. `widen_after`: visits of the head of a cycle before
    its joins are widened.
    """

    visits: int = 10_000
    widen_after: int = 8


@dataclass(slots=True)  # not frozen, which would take longer to make than a small graph takes to solve
class Solution(Generic[StateT]):
    """States by block: `before` its first item and `after` its last.

    None means that no feasible way leads to the block, or, if `exhausted`, that nothing is known about any block.
    """

    before: list[StateT | None]
    after: list[StateT | None]
    exhausted: bool
    visits: int


@dataclass(frozen=True, slots=True)
class Plan:
    """The order in which a graph's blocks are visited; computed once for many solutions over the same graph."""

    order: list[int]
    rank: list[int]
    ways_in: list[int]


def plan(graph: Graph[GraphBlock]) -> Plan:
    """The plan of a graph: reverse postorder, each block's rank in it, and how many ways lead into each block."""
    blocks = graph.blocks
    order = reverse_postorder(graph)
    rank = [-1] * len(blocks)
    ways_in = [0] * len(blocks)
    for position, index in enumerate(order):
        rank[index] = position
        for edge in blocks[index].edges:
            ways_in[edge.to] += 1
    ways_in[graph.entry] += 1  # the caller's
    return Plan(order, rank, ways_in)


def solve(
    graph: Graph[BlockT],
    entry_state: StateT,
    transfer: Callable[[BlockT, StateT], StateT],
    join: Callable[[StateT, StateT], StateT],
    equal: Callable[[StateT, StateT], bool],
    refine: Callable[[Any, StateT], StateT | None] | None = None,
    budget: Budget | None = None,
    widen: Callable[[StateT, StateT], StateT] | None = None,
    planned: Plan | None = None,
) -> Solution[StateT]:
    """Return the least fixpoint of `transfer` over `graph`, if `transfer` and `refine` are monotone.

    `transfer(block, state)` is the state after a block, `refine(edge, state)` the state that passes an edge or None
    if none does. Neither may change the state it is given, for states are shared between blocks. `join` is the least
    upper bound; `widen(old, joined)` must be at or above `joined`, and ends chains that climb for ever (it is asked
    only where an edge closes a cycle). Without it, the budget ends them: then `Solution.exhausted` is set.
    """
    if budget is None:
        budget = Budget()
    if planned is None:
        planned = plan(graph)
    blocks = graph.blocks
    entry = graph.entry
    count = len(blocks)
    order, rank, ways_in = planned.order, planned.rank, planned.ways_in
    before: list[StateT | None] = [None] * count
    after: list[StateT | None] = [None] * count
    visited = [0] * count
    before[entry] = entry_state
    heap = [rank[entry]]
    waiting = bytearray(count)
    waiting[entry] = 1
    visits = 0
    limit = budget.visits
    widen_after = budget.widen_after

    while heap:
        position = heappop(heap)
        index = order[position]
        waiting[index] = 0
        if visits >= limit:
            return Solution([None] * count, [None] * count, exhausted=True, visits=visits)
        visits += 1
        visited[index] += 1
        state = before[index]
        assert state is not None  # only blocks with a state wait
        block = blocks[index]
        out = after[index] = transfer(block, state)
        for edge in block.edges:
            to = edge.to
            new = out if refine is None else refine(edge, out)
            if new is None:
                continue
            old = before[to]
            if old is not None:
                if new is old:
                    continue
                # With a single way in, the last state that came along it is the whole truth.
                if ways_in[to] > 1:
                    new = join(old, new)
                    if widen is not None and rank[to] <= position and visited[to] >= widen_after:
                        if new is old or equal(old, new):
                            continue
                        new = widen(old, new)
                if new is old or equal(old, new):
                    continue
            before[to] = new
            if not waiting[to]:
                waiting[to] = 1
                heappush(heap, rank[to])
    return Solution(before, after, exhausted=False, visits=visits)


def reverse_postorder(graph: Graph[GraphBlock]) -> list[int]:
    """The blocks reachable from the entry, each before its successors but for edges that close a cycle.

    Of a block's successors the first comes first, with all that only it leads to: a loop's body, whose edge stands
    before the one that leaves the loop, comes before what follows the loop.
    """
    blocks = graph.blocks
    seen = bytearray(len(blocks))
    seen[graph.entry] = 1
    postorder: list[int] = []
    stack = [(graph.entry, len(blocks[graph.entry].edges))]
    while stack:
        index, rest = stack.pop()
        edges = blocks[index].edges
        while rest:
            rest -= 1
            to = edges[rest].to
            if not seen[to]:
                seen[to] = 1
                stack.append((index, rest))
                stack.append((to, len(blocks[to].edges)))
                break
        else:
            postorder.append(index)
    postorder.reverse()
    return postorder
