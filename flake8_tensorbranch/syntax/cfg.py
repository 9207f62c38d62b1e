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

from collections.abc import Callable, Mapping, Sequence
from typing import Any, ClassVar

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
from flake8_tensorbranch.syntax.ways import BlockWriter, Frame

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


class _Builder(BlockWriter):
    """The statements that direct control, each as blocks and edges."""

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

    def loop_frame(self, head: Block) -> Frame:
        frame = Frame(self.frame, self.frame.guarded, {"continue": head.index})
        frame.loop = True
        self.heads.add(head.index)
        return frame

    def loop_body(self, frame: Frame, head: Block, statements: Sequence[nodes.NodeNG]) -> None:
        self.frame = frame
        self.body(statements)
        if self.cur is not None:
            self.link(self.cur, head.index, "back")
        assert frame.outer is not None
        self.frame = frame.outer
        self.cur = None

    def loop_end(
        self, frame: Frame, block: Block, kind: EdgeKind, test: nodes.NodeNG | None, orelse: Sequence[nodes.NodeNG]
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
        frame = Frame(outer, outer.guarded or swallows, {})
        frame.manager = node
        frame.swallows = swallows
        for index in range(len(node.items)):
            self.evaluate(WithEnter(node, index))
            self.frame = frame
        self.body(node.body)
        self.frame = outer
        if self.cur is not None:
            self.exit_manager(node)
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
            self.frame = Frame(outer, True, {})
            self.frame.final = node.finalbody
            self.frame.depth = self.final_depth
        around = self.frame
        ends: list[Block] = []
        dispatch = self.new() if node.handlers else None
        if dispatch is not None:
            self.frame = Frame(around, True, {"raise": dispatch.index})
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
            self.frame = Frame(around, True, {"raise": behind.index})
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

    compound: ClassVar[Mapping[type, Callable[[Any, Any], None]]] = {
        nodes.Return: return_,
        nodes.Raise: raise_,
        nodes.Break: break_,
        nodes.Continue: continue_,
        nodes.Assert: assert_,
        nodes.If: if_,
        nodes.For: for_,
        nodes.AsyncFor: for_,
        nodes.While: while_,
        nodes.With: with_,
        nodes.AsyncWith: with_,
        nodes.Try: try_,
        nodes.TryStar: try_,
        nodes.Match: match,
    }


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
