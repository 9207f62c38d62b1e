"""Control dependence: what a branch of one scope runs on each of its sides, before the sides meet again."""

from __future__ import annotations

from dataclasses import dataclass

from flake8_tensorbranch.syntax.graph import Block, Cfg, Edge


@dataclass(frozen=True, slots=True)
class Fork:
    """A block that more than one way leads out of.

    `sides` holds, for each way, the blocks on it before all ways meet; `meets` is the block
    where they do, None when that is the end of the scope. `ways` are the edges, in the order of `sides`;
    `once` holds the part of each side that runs before the next round of a loop around the fork.
    """

    block: int
    ways: tuple[Edge, ...]
    sides: tuple[frozenset[int], ...]
    once: tuple[frozenset[int], ...]
    meets: int | None

    @property
    def region(self) -> frozenset[int]:
        """The blocks that run on some of the ways only, or another number of times."""
        return frozenset().union(*self.sides)


class Control:
    """The forks of one graph. An exception is followed where the source raises it (`raise`), not where one might be.

    With `escapes`, an exception that leaves the scope is a way out like `return`; without it such a way ends the
    program and is no side of anything. `throwing` holds blocks whose exception edges are ways as well: calls of
    functions that raise.
    """

    def __init__(self, cfg: Cfg, escapes: bool = False, throwing: frozenset[int] = frozenset()) -> None:
        self.cfg = cfg
        self.pruned = _pruned(cfg, escapes, throwing)
        self._post = self.pruned.post_dominators()
        self._forks: dict[int, Fork] = {}

    def fork(self, index: int) -> Fork | None:
        """The fork at the end of a block; None when only one way leads on."""
        known = self._forks.get(index)
        if known is None:
            edges = tuple(self.pruned.blocks[index].edges)
            if len({e.to for e in edges}) < 2:
                return None
            meets = self._post[index]
            known = self._forks[index] = Fork(
                index,
                edges,
                tuple(frozenset(self._until(e.to, meets)) for e in edges),
                tuple(frozenset() if e.kind == "back" else frozenset(self._until(e.to, meets, False)) for e in edges),
                meets
                if 0 <= meets < len(self.pruned.blocks) and meets not in (self.cfg.exit, self.cfg.raise_exit)
                else None,
            )
        return known

    def _until(self, begin: int, end: int, rounds: bool = True) -> set[int]:
        found: set[int] = set()
        work = [begin]
        while work:
            index = work.pop()
            if index == end or index in found:
                continue
            found.add(index)
            work.extend(e.to for e in self.pruned.blocks[index].edges if rounds or e.kind != "back")
        return found


def _pruned(cfg: Cfg, escapes: bool, throwing: frozenset[int]) -> Cfg:
    """The graph without ways that only an unforeseen exception takes; an endless loop gets a way out of its head."""
    blocks = []
    for block in cfg.blocks:
        copy = Block(block.index)
        copy.items = block.items
        foreseen = block.index in throwing or all(edge.kind == "exception" for edge in block.edges)
        for edge in block.edges:
            if edge.to == cfg.raise_exit and not escapes:
                continue
            if edge.kind == "exception" and not foreseen:
                continue
            copy.edges.append(edge)
        blocks.append(copy)
    pruned = Cfg(cfg.scope, blocks, cfg.entry, cfg.exit, cfg.raise_exit)
    for block in blocks:
        for edge in block.edges:
            head = blocks[edge.to]
            if edge.kind == "back" and not _leaves(pruned, edge.to) and head.edges:
                head.edges.append(Edge(cfg.exit, None, False, "flow"))
    return pruned


def _leaves(cfg: Cfg, index: int) -> bool:
    found = cfg.reachable_from(index)
    return cfg.exit in found or cfg.raise_exit in found
