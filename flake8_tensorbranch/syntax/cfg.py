"""Build the control-flow graph of one scope: all of Python's statements, as basic blocks and labelled edges.

Where the graph is an approximation:

- Exceptions are modelled inside of `try` only: there every statement that can raise ends its block with an edge to
  the handlers, and so does the state before it. Elsewhere only `raise` and `assert` lead to `raise_exit`.
- A `with` swallows exceptions only if its context manager is called by a name that says so (`suppress`, `raises`).
- `finally` bodies have one copy per kind of way out (normal, exception, return, break, continue), but a `finally`
  within a `finally` has one copy shared by all ways, so that the graph stays linear in the size of the source.
- `except*` may go on normally although no handler matched.
- `break` and `continue` are edges, not items. A name bound by `except ... as` is not unbound when the handler ends.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from astroid import nodes

from flake8_tensorbranch.syntax.graph import (
    Block,
    Cfg,
    Edge,
    EdgeKind,
    ExceptBind,
    ForBind,
    Item,
    IterEval,
    LambdaReturn,
    MatchBind,
    MatchSubject,
    Scope,
    Test,
    WithEnter,
    WithExit,
)

__all__ = [
    "Block",
    "Cfg",
    "Edge",
    "EdgeKind",
    "ExceptBind",
    "ForBind",
    "Item",
    "IterEval",
    "LambdaReturn",
    "MatchBind",
    "MatchSubject",
    "Scope",
    "Test",
    "WithEnter",
    "WithExit",
    "build_cfg",
]

_SWALLOWING = frozenset({"suppress", "raises", "assertRaises", "assertRaisesRegex"})


def build_cfg(scope: Scope) -> Cfg:
    """Return the control-flow graph of a module, function, lambda or class body.

    Nested functions and classes are items (their definition runs here), their bodies are graphs of their own.
    Never raises on a tree that `build_module` returned, even for code the compiler rejects (`break` outside of a
    loop leaves the scope).
    """
    return _Builder(scope).build()


class _Frame:
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

    def __init__(self, outer: _Frame | None, guarded: bool, ways: dict[str, int]) -> None:
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


class _Builder:
    """Appends items to the current block and opens blocks where ways part or meet; `cur` is None when unreachable.

    A block with edges takes no more items: its edges are exceptions of the last item, which carry the state at the
    block's end. `fresh` is the exception target that already has the state in which an empty current block starts.
    """

    def __init__(self, scope: Scope) -> None:
        self.scope = scope
        self.blocks = [Block(0), Block(1), Block(2)]
        self.cur: Block | None = self.blocks[0]
        self.fresh = -1
        self.heads: set[int] = set()
        self.final_depth = 0
        self.prune = False
        self.frame = _Frame(None, False, {"return": 1, "raise": 2, "break": 1, "continue": 1})

    def build(self) -> Cfg:
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
        block = Block(len(self.blocks))
        self.blocks.append(block)
        return block

    def link(
        self, block: Block, to: int, kind: EdgeKind, test: nodes.NodeNG | None = None, truth: bool = True
    ) -> None:
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
        compound = _COMPOUND
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
        frame: _Frame | None = self.frame
        passed: list[_Frame] = []
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

    def way_through(self, frame: _Frame, kind: str, target: int) -> int:
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
        self.fresh = target if kind == "raise" else -1
        if frame.manager is not None:
            end = self.evaluate(WithExit(frame.manager))
            if frame.swallows and kind == "raise":
                frame.after = self.new().index
                self.link(end, frame.after, "flow")
            if not (kind == "raise" and frame.outer.guarded):  # else `evaluate` has linked it
                self.link(end, target, edge)
        else:
            self.final_body(frame)
            if frame.depth:
                frame.shared = entry.index
                frame.shared_end = self.cur
            if self.cur is not None:
                self.link(self.cur, target, edge)
        self.cur, self.fresh, self.frame = saved
        return entry.index

    def final_body(self, frame: _Frame) -> None:
        assert frame.final is not None
        saved = self.final_depth
        self.final_depth = frame.depth + 1
        self.body(frame.final)
        self.final_depth = saved

    def leave(self, kind: str) -> None:
        assert self.cur is not None
        target = self.route(kind)
        edge: EdgeKind = "exception" if kind == "raise" else "back" if target in self.heads else "flow"
        self.link(self.cur, target, edge)
        self.cur = None

    # Statements that direct control.

    def return_(self, node: nodes.Return) -> None:
        if node.value is None or type(node.value) is nodes.Const:
            self.append(node)
        else:
            self.evaluate(node)
        self.leave("return")

    def raise_(self, node: nodes.Raise) -> None:
        self.evaluate(node)
        if self.frame.guarded:
            self.cur = None
        else:
            self.leave("raise")

    def break_(self, _node: nodes.Break) -> None:
        self.leave("break")

    def continue_(self, _node: nodes.Continue) -> None:
        self.leave("continue")

    def assert_(self, node: nodes.Assert) -> None:
        test = node.test
        constant = _constant_truth(test)
        if constant is True:
            self.append(node)
            return
        block = self.evaluate(node)
        if constant is None:
            self.start(block, "branch", test, True)
        else:
            self.cur = None
        self.link(block, self.route("raise"), "branch", test, False)

    def if_(self, node: nodes.If) -> None:
        ends: list[Block] = []
        while True:
            constant = _constant_truth(node.test)
            if constant is not None:
                self.body(node.body if constant else node.orelse)
                break
            block = self.evaluate(Test(node.test))
            self.start(block, "branch", node.test, True)
            self.body(node.body)
            if self.cur is not None:
                ends.append(self.cur)
            otherwise = node.orelse
            after = self.start(block, "branch", node.test, False)
            if not otherwise:
                if ends:
                    self.fresh = -1
                    for end in ends:
                        self.link(end, after.index, "flow")
                return
            if len(otherwise) == 1 and type(otherwise[0]) is nodes.If:  # `elif`: a long chain is no deep nesting
                node = otherwise[0]
                continue
            self.body(otherwise)
            break
        if self.cur is not None:
            ends.append(self.cur)
        self.join(ends)

    def loop_frame(self, head: Block) -> _Frame:
        frame = _Frame(self.frame, self.frame.guarded, {"continue": head.index})
        frame.loop = True
        self.heads.add(head.index)
        return frame

    def loop_body(self, frame: _Frame, head: Block, statements: Sequence[nodes.NodeNG]) -> None:
        self.frame = frame
        self.body(statements)
        if self.cur is not None:
            self.link(self.cur, head.index, "back")
        assert frame.outer is not None
        self.frame = frame.outer
        self.cur = None

    def loop_end(
        self, frame: _Frame, block: Block, kind: EdgeKind, test: nodes.NodeNG | None, orelse: Sequence[nodes.NodeNG]
    ) -> None:
        """Leave the loop from `block` by the `else` clause, and join every `break`."""
        after = frame.ways.get("break", -1)
        if after >= 0 and not orelse:
            self.link(block, after, kind, test, False)
        else:
            self.start(block, kind, test, False)
            self.body(orelse)
            if after < 0:
                return
            if self.cur is not None:
                self.link(self.cur, after, "flow")
        self.cur = self.blocks[after]
        self.fresh = -1

    def for_(self, node: nodes.For) -> None:
        head = self.start(self.evaluate(IterEval(node)), "flow")
        if self.frame.guarded:
            self.link(head, self.route("raise"), "exception")
        frame = self.loop_frame(head)
        self.start(head, "loop", None, True)
        self.frame = frame
        self.evaluate(ForBind(node))
        self.loop_body(frame, head, node.body)
        self.loop_end(frame, head, "loop", None, node.orelse)

    def while_(self, node: nodes.While) -> None:
        constant = _constant_truth(node.test)
        if constant is False:
            self.body(node.orelse)
            return
        assert self.cur is not None
        head = self.start(self.cur, "flow")
        self.fresh = -1  # the back edges come in, too
        frame = self.loop_frame(head)
        if constant:
            self.loop_body(frame, head, node.body)
            after = frame.ways.get("break", -1)
            self.join([self.blocks[after]] if after >= 0 else [])
        else:
            block = self.evaluate(Test(node.test))
            self.start(block, "branch", node.test, True)
            self.loop_body(frame, head, node.body)
            self.loop_end(frame, block, "branch", node.test, node.orelse)

    def with_(self, node: nodes.With) -> None:
        outer = self.frame
        swallows = any(_swallows(manager) for manager, _ in node.items)
        frame = _Frame(outer, outer.guarded or swallows, {})
        frame.manager = node
        frame.swallows = swallows
        for index in range(len(node.items)):
            self.evaluate(WithEnter(node, index))
            self.frame = frame
        self.body(node.body)
        self.frame = outer
        if self.cur is not None:
            self.evaluate(WithExit(node))
        if frame.after >= 0:
            after = self.blocks[frame.after]
            if self.cur is not None:
                self.link(self.cur, after.index, "flow")
            self.cur = after
            self.fresh = -1

    def try_(self, node: nodes.Try | nodes.TryStar) -> None:
        outer = self.frame
        if node.finalbody:
            self.prune = True
            self.frame = _Frame(outer, True, {})
            self.frame.final = node.finalbody
            self.frame.depth = self.final_depth
        around = self.frame
        ends: list[Block] = []
        dispatch = self.new() if node.handlers else None
        if dispatch is not None:
            self.frame = _Frame(around, True, {"raise": dispatch.index})
        cur = self.cur
        assert cur is not None
        self.link(cur, self.route("raise"), "exception")
        self.start(cur, "flow")
        self.body(node.body)
        self.frame = around
        self.body(node.orelse)
        if self.cur is not None:
            ends.append(self.cur)
        if dispatch is not None:
            handle = self.star_handlers if type(node) is nodes.TryStar else self.handlers
            handle(node.handlers, dispatch, ends)
        self.frame = outer
        self.join(ends)
        if node.finalbody and self.cur is not None:
            if around.depth:
                behind = self.new()
                entry = self.way_through(around, "normal", behind.index)
                self.link(self.cur, entry, "flow")
                self.cur = behind if around.shared_end is not None else None
                self.fresh = -1
            else:
                self.final_body(around)

    def handlers(self, handlers: list[nodes.ExceptHandler], dispatch: Block, ends: list[Block]) -> None:
        """Branch from the dispatch block to each handler, and outwards unless a bare `except` takes all."""
        if all(handler.type is not None for handler in handlers):
            self.link(dispatch, self.route("raise"), "exception")
        for handler in handlers:
            self.start(dispatch, "exception")
            self.evaluate(ExceptBind(handler))
            self.body(handler.body)
            if self.cur is not None:
                ends.append(self.cur)

    def star_handlers(self, handlers: list[nodes.ExceptHandler], dispatch: Block, ends: list[Block]) -> None:
        """Chain the handlers: any number of them runs, what they raise is raised again behind the last."""
        around = self.frame
        for handler in handlers:
            behind = self.new()
            self.start(dispatch, "exception")
            self.link(dispatch, behind.index, "exception")
            self.frame = _Frame(around, True, {"raise": behind.index})
            self.evaluate(ExceptBind(handler))
            self.body(handler.body)
            if self.cur is not None:
                self.link(self.cur, behind.index, "flow")
            dispatch = behind
        self.frame = around
        self.link(dispatch, self.route("raise"), "exception")
        ends.append(dispatch)

    def match(self, node: nodes.Match) -> None:
        block = self.evaluate(MatchSubject(node))
        ends: list[Block] = []
        for number, case in enumerate(node.cases):
            if number and self.frame.guarded:
                self.link(block, self.route("raise"), "exception")
            self.start(block, "case", case, True)
            self.append(MatchBind(case))
            missed: Block | None = None
            if not _is_irrefutable(case.pattern):
                missed = self.new()
                self.link(block, missed.index, "case", case, False)
            guard = case.guard
            constant = True if guard is None else _constant_truth(guard)
            if constant is not True:
                missed = missed or self.new()
                if constant is None:
                    tested = self.evaluate(Test(guard))
                    self.start(tested, "branch", guard, True)
                    self.link(tested, missed.index, "branch", guard, False)
                else:
                    assert self.cur is not None
                    self.link(self.cur, missed.index, "flow")
                    self.cur = None
            self.body(case.body)
            if self.cur is not None:
                ends.append(self.cur)
            if missed is None:  # whatever comes after an irrefutable case is never tried
                break
            block = missed
        else:
            ends.append(block)
        self.join(ends)


_COMPOUND: dict[type, Callable[[_Builder, Any], None]] = {
    nodes.Return: _Builder.return_,
    nodes.Raise: _Builder.raise_,
    nodes.Break: _Builder.break_,
    nodes.Continue: _Builder.continue_,
    nodes.Assert: _Builder.assert_,
    nodes.If: _Builder.if_,
    nodes.For: _Builder.for_,
    nodes.AsyncFor: _Builder.for_,
    nodes.While: _Builder.while_,
    nodes.With: _Builder.with_,
    nodes.AsyncWith: _Builder.with_,
    nodes.Try: _Builder.try_,
    nodes.TryStar: _Builder.try_,
    nodes.Match: _Builder.match,
}


def _is_inert(statement: nodes.NodeNG) -> bool:
    """Whether a simple statement surely raises nothing."""
    kind = type(statement)
    if kind is nodes.Expr:
        return type(statement.value) is nodes.Const
    if kind is nodes.Assign:
        return type(statement.value) is nodes.Const and all(type(t) is nodes.AssignName for t in statement.targets)
    return kind in (nodes.Pass, nodes.Global, nodes.Nonlocal)


def _constant_truth(test: nodes.NodeNG) -> bool | None:
    """The truth of a literal True, False, 0, 1 or None; None for any other expression."""
    if type(test) is nodes.Const:
        value = test.value
        if value is None or value is False or (type(value) is int and value == 0):
            return False
        if value is True or (type(value) is int and value == 1):
            return True
    return None


def _is_irrefutable(pattern: nodes.NodeNG) -> bool:
    """Whether a pattern matches everything: `_`, a bare name, or an alternative that ends in one."""
    while True:
        if type(pattern) is nodes.MatchAs:
            if pattern.pattern is None:
                return True
            pattern = pattern.pattern
        elif type(pattern) is nodes.MatchOr:
            pattern = pattern.patterns[-1]
        else:
            return False


def _swallows(manager: nodes.NodeNG) -> bool:
    """Whether a context manager is created by a call whose name promises to swallow exceptions."""
    if type(manager) is not nodes.Call:
        return False
    func = manager.func
    name = func.attrname if type(func) is nodes.Attribute else getattr(func, "name", None)
    return name in _SWALLOWING


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
