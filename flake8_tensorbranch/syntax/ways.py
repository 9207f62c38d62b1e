"""Lay out basic blocks: place items, open blocks where ways part, and lead jumps out through `finally` and `with`."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, ClassVar

from astroid import nodes

from flake8_tensorbranch.syntax.graph import Block, Cfg, Edge, EdgeKind, Item, LambdaReturn, Scope, WithExit

__all__ = ["BlockWriter", "Frame"]


class Frame:
    """An enclosing statement, as seen by what jumps out of it.

    `ways` maps a kind of way out (raise, return, break, continue) to the block that handles it. `guarded`: implicit
    exceptions matter here. `final` / `manager`: the `finally` body or `with` that every way out runs through.
    `depth`: in how many `finally` bodies this one lies.
    """

    __slots__ = (
        "after",
        "depth",
        "final",
        "guarded",
        "loop",
        "manager",
        "outer",
        "shared",
        "shared_end",
        "swallows",
        "ways",
    )

    def __init__(self, outer: Frame | None, guarded: bool, ways: dict[str, int]) -> None:
        self.outer = outer
        self.guarded = guarded
        self.ways = ways
        self.loop = False
        self.final: list[nodes.NodeNG] | None = None
        self.depth = 0
        self.manager: nodes.With | None = None
        self.swallows = False
        self.after = -1  # block behind a swallowing `with`
        self.shared = -1  # entry of the one copy of a nested `finally` body
        self.shared_end: Block | None = None


class BlockWriter:
    """Writes the blocks of one scope; a subclass adds `compound`, what to do for each statement that directs control.

    Items are appended to the current block, blocks are opened where ways part or meet; `cur` is None when unreachable.

    A block with edges takes no more items: its edges are exceptions of the last item, which carry the state at the
    block's end. `fresh` is the exception target that already has the state in which an empty current block starts.
    """

    compound: ClassVar[Mapping[type, Callable[[Any, Any], None]]] = {}

    def __init__(self, scope: Scope) -> None:
        self.scope = scope
        self.blocks = [Block(0), Block(1), Block(2)]
        self.cur: Block | None = self.blocks[0]
        self.fresh = -1
        self.heads: set[int] = set()
        self.final_depth = 0
        self.prune = False  # whether blocks without a way to them may have come up
        self.frame = Frame(None, False, {"return": 1, "raise": 2, "break": 1, "continue": 1})

    def build(self) -> Cfg:
        """Write the whole scope."""
        scope: Any = self.scope
        if type(scope) is nodes.Lambda:
            self.blocks[0].items.append(LambdaReturn(scope))
        else:
            self.body(scope.body)
        if self.cur is not None:
            self.link(self.cur, 1, "flow")
        cfg = Cfg(scope, self.blocks, 0, 1, 2)
        if self.prune:
            _drop_unreachable(cfg)
        return cfg

    # Blocks and edges.

    def new(self) -> Block:
        """Add a block that nothing leads to yet."""
        block = Block(len(self.blocks))
        self.blocks.append(block)
        return block

    def link(self, block: Block, to: int, kind: EdgeKind, test: nodes.NodeNG | None = None, truth: bool = True) -> None:
        """Add an edge to the end of `block`."""
        block.edges.append(Edge(to, test, truth, kind))

    def start(self, block: Block, kind: EdgeKind, test: nodes.NodeNG | None = None, truth: bool = True) -> Block:
        """Make a new block, entered only from `block`, the current one."""
        self.cur = new = self.new()
        self.fresh = -1
        for edge in block.edges:
            if edge.kind == "exception":
                self.fresh = edge.to
        self.link(block, new.index, kind, test, truth)
        return new

    def join(self, ends: Sequence[Block]) -> None:
        """Go on from all of `ends` at once."""
        if len(ends) < 2:
            self.cur = ends[0] if ends else None
            self.fresh = -1
            return
        self.cur = new = self.new()
        self.fresh = -1
        for end in ends:
            self.link(end, new.index, "flow")

    # Items.

    def append(self, item: Item) -> Block:
        """Add an item that raises nothing, or where exceptions do not matter."""
        cur = self.cur
        assert cur is not None
        if cur.edges:
            cur = self.start(cur, "flow")
        cur.items.append(item)
        return cur

    def evaluate(self, item: Item) -> Block:
        """Add an item that may raise, alone in its block if exceptions matter; the handler sees before and after."""
        if not self.frame.guarded:
            return self.append(item)
        cur = self.cur
        assert cur is not None
        target = self.route("raise")
        if cur.edges:
            if cur.edges[-1].to != target:
                self.link(cur, target, "exception")
            cur = self.start(cur, "flow")
        elif cur.items or self.fresh != target:
            self.link(cur, target, "exception")
            cur = self.start(cur, "flow")
        cur.items.append(item)
        self.link(cur, target, "exception")
        return cur

    def body(self, statements: Sequence[nodes.NodeNG]) -> None:
        """Write statements up to the first that no way leads to."""
        compound = self.compound
        for statement in statements:
            cur = self.cur
            if cur is None:
                return
            build = compound.get(type(statement))
            if build is not None:
                build(self, statement)
            elif not self.frame.guarded and not cur.edges:
                cur.items.append(statement)
            elif _is_inert(statement):
                self.append(statement)
            else:
                self.evaluate(statement)

    # Ways out.

    def route(self, kind: str) -> int:
        """The block where a jump of this kind from the current frame leads first.

        Frames inside of the target get their part of the way (a `finally` copy, a `with` exit) from the outermost
        inwards, so that building one never has to build another.
        """
        frame: Frame | None = self.frame
        passed: list[Frame] = []
        while True:
            assert frame is not None  # the root frame knows every kind
            target = frame.ways.get(kind, -1)
            if target < 0 and frame.loop and kind == "break":
                target = frame.ways[kind] = self.new().index
            if target >= 0:
                break
            passed.append(frame)
            frame = frame.outer
        for frame in reversed(passed):
            if frame.manager is not None or frame.final is not None:
                target = self.way_through(frame, kind, target)
            frame.ways[kind] = target
        return target

    def way_through(self, frame: Frame, kind: str, target: int) -> int:
        """Build the part of a way out to block `target` that lies in `frame`; return its first block."""
        edge: EdgeKind = "exception" if kind == "raise" else "back" if target in self.heads else "flow"
        if frame.shared >= 0:
            if frame.shared_end is not None:
                self.link(frame.shared_end, target, edge)
            return frame.shared
        saved = self.cur, self.fresh, self.frame
        assert frame.outer is not None
        self.frame = frame.outer
        self.cur = entry = self.new()
        self.fresh = -1
        if frame.manager is not None:
            end = self.exit_manager(frame.manager)
            if frame.swallows and kind == "raise":
                frame.after = self.new().index
                self.link(end, frame.after, "flow")
            if not (kind == "raise" and frame.outer.guarded):  # else `exit_manager` has linked it
                self.link(end, target, edge)
        else:
            self.final_body(frame)
            if frame.depth:
                frame.shared = entry.index
                frame.shared_end = self.cur
            if self.cur is not None and not (kind == "raise" and self.cur.edges and self.cur.edges[-1].to == target):
                self.link(self.cur, target, edge)
        self.cur, self.fresh, self.frame = saved
        return entry.index

    def exit_manager(self, manager: nodes.With) -> Block:
        """Leave a `with`; what its exit raises is raised behind it, so no handler sees the inside of the `with`."""
        block = self.append(WithExit(manager))
        if self.frame.guarded:
            self.link(block, self.route("raise"), "exception")
        return block

    def final_body(self, frame: Frame) -> None:
        """Write one copy of a `finally` body."""
        assert frame.final is not None
        saved = self.final_depth
        self.final_depth = frame.depth + 1
        self.body(frame.final)
        self.final_depth = saved

    def leave(self, kind: str) -> None:
        """End the current block with a jump."""
        assert self.cur is not None
        target = self.route(kind)
        edge: EdgeKind = "exception" if kind == "raise" else "back" if target in self.heads else "flow"
        self.link(self.cur, target, edge)
        self.cur = None


def _is_inert(statement: nodes.NodeNG) -> bool:
    """Whether a simple statement surely raises nothing."""
    if type(statement) is nodes.Expr:
        return type(statement.value) is nodes.Const
    if type(statement) is nodes.Assign:
        return type(statement.value) is nodes.Const and all(type(t) is nodes.AssignName for t in statement.targets)
    return type(statement) in (nodes.Pass, nodes.Global, nodes.Nonlocal)


def _drop_unreachable(cfg: Cfg) -> None:
    """Renumber the blocks without those that only a `finally` which never ends would have led to."""
    alive = cfg.reachable_from(cfg.entry) | {cfg.entry, cfg.exit, cfg.raise_exit}
    if len(alive) == len(cfg.blocks):
        return
    cfg.blocks = [block for block in cfg.blocks if block.index in alive]
    number = {block.index: position for position, block in enumerate(cfg.blocks)}
    for block in cfg.blocks:
        block.index = number[block.index]
        for edge in block.edges:
            edge.to = number[edge.to]
