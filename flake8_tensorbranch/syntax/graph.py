"""Data types of a control-flow graph over astroid nodes, and the questions answered from its shape alone."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal, TypeAlias

from astroid import nodes

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
]

Scope: TypeAlias = "nodes.Module | nodes.FunctionDef | nodes.Lambda | nodes.ClassDef"
EdgeKind = Literal["flow", "branch", "loop", "back", "exception", "case"]


class _NodeItem:
    """An evaluation step which is no whole statement; `node` is where it stands in the tree."""

    __slots__ = ("node",)

    def __init__(self, node: Any) -> None:
        self.node = node

    def __repr__(self) -> str:
        return f"{type(self).__name__}({type(self.node).__name__}@{self.node.lineno})"


class Test(_NodeItem):
    """Evaluate an expression whose truth picks the way on: the test of `if`, `while` or a match guard."""

    __slots__ = ()
    __test__ = False  # not a test class for pytest

    @property
    def expr(self) -> nodes.NodeNG:
        """The tested expression, also found on the block's branch edges."""
        expr: nodes.NodeNG = self.node
        return expr


class LambdaReturn(_NodeItem):
    """Evaluate and return the body of a lambda; `node` is the `Lambda`."""

    __slots__ = ()

    @property
    def expr(self) -> nodes.NodeNG:
        """The expression returned."""
        expr: nodes.NodeNG = self.node.body
        return expr


class IterEval(_NodeItem):
    """Evaluate the iterable of a `for` loop, once, before the loop; `node` is the `For`."""

    __slots__ = ()


class ForBind(_NodeItem):
    """Bind the target of a `for` loop to the next element; first in the block entered by the loop edge."""

    __slots__ = ()


class WithEnter(_NodeItem):
    """Evaluate context manager `index` of a `with` statement, enter it and bind its target."""

    __slots__ = ("index",)

    def __init__(self, node: nodes.With, index: int) -> None:
        self.node = node
        self.index = index


class WithExit(_NodeItem):
    """Leave all context managers of a `with` statement; one item for each kind of way out of its body."""

    __slots__ = ()


class ExceptBind(_NodeItem):
    """Match an exception against a handler and bind its name; `node` is the `ExceptHandler`."""

    __slots__ = ()


class MatchSubject(_NodeItem):
    """Evaluate the subject of a `match` statement; `node` is the `Match`."""

    __slots__ = ()


class MatchBind(_NodeItem):
    """Bind the names of a case's pattern after it matched and before its guard; `node` is the `MatchCase`."""

    __slots__ = ()


Item: TypeAlias = (
    "nodes.NodeNG | Test | LambdaReturn | IterEval | ForBind | WithEnter | WithExit | ExceptBind"
    " | MatchSubject | MatchBind"
)


class Edge:
    """A way from the end of one block to the start of another.

    `branch`: `test` is an expression that came out as `truth`. `case`: `test` is the `MatchCase` whose pattern
    matched (`truth`) or not. `loop`: from a `for` head, `truth` says whether an element was left. `back`: to the
    head of the loop. `exception`: raised by an item of the block, or the statement `raise`. `flow`: all others.
    """

    __slots__ = ("kind", "test", "to", "truth")

    def __init__(self, to: int, test: nodes.NodeNG | None, truth: bool, kind: EdgeKind) -> None:
        self.to = to
        self.test = test
        self.truth = truth
        self.kind = kind

    def __repr__(self) -> str:
        return f"Edge({self.to}, {self.kind}, {self.truth})"


class Block:
    """A straight run of items; control leaves only at its end, by one of `edges`."""

    __slots__ = ("edges", "index", "items")

    def __init__(self, index: int) -> None:
        self.index = index
        self.items: list[Item] = []
        self.edges: list[Edge] = []

    def __repr__(self) -> str:
        return f"Block({self.index}, {self.items}, {self.edges})"


class Cfg:
    """The control-flow graph of one scope. Blocks are named by their index in `blocks`.

    `exit` is reached by `return` and by falling off the end, `raise_exit` by exceptions that leave the scope;
    both are always there, perhaps without a way to them. All other blocks are reachable from `entry`.
    """

    __slots__ = ("_items", "_order", "blocks", "entry", "exit", "raise_exit", "scope")

    def __init__(self, scope: Scope, blocks: list[Block], entry: int, exit: int, raise_exit: int) -> None:
        self.scope = scope
        self.blocks = blocks
        self.entry = entry
        self.exit = exit
        self.raise_exit = raise_exit
        self._items: dict[int, int] | None = None
        self._order: dict[str, list[int]] = {}

    def reachable_from(self, block: int) -> set[int]:
        """All blocks that a way from the end of `block` leads to; `block` itself only when it lies on a cycle."""
        seen: set[int] = set()
        work = [block]
        while work:
            for edge in self.blocks[work.pop()].edges:
                if edge.to not in seen:
                    seen.add(edge.to)
                    work.append(edge.to)
        return seen

    def block_of(self, item: Item) -> int | None:
        """The first block that holds `item`: a statement, a small item, or the node a small item stands for.

        None for nodes that are no items of this scope and for unreachable ones.
        """
        if self._items is None:
            items: dict[int, int] = {}
            for block in self.blocks:
                for held in block.items:
                    items.setdefault(id(held), block.index)
                    if isinstance(held, _NodeItem):
                        items.setdefault(id(held.node), block.index)
            self._items = items
        return self._items.get(id(item))

    def dominators(self) -> list[int]:
        """The immediate dominator of each block; `entry` is its own, an unreachable block has -1."""
        found = self._order.get("dominators")
        if found is None:
            found = _immediate_dominators([[edge.to for edge in block.edges] for block in self.blocks], self.entry)
            self._order["dominators"] = found
        return found

    def post_dominators(self) -> list[int]:
        """The immediate post-dominator of each block.

        One more index, `len(blocks)`, stands for leaving the scope in either way. A block from which no way
        leads out has -1.
        """
        found = self._order.get("post")
        if found is None:
            leave = len(self.blocks)
            reverse: list[list[int]] = [[] for _ in range(leave + 1)]
            reverse[leave] = [self.exit, self.raise_exit]
            for block in self.blocks:
                for edge in block.edges:
                    reverse[edge.to].append(block.index)
            found = self._order["post"] = _immediate_dominators(reverse, leave)
        return found

    def dominates(self, above: int, below: int) -> bool:
        """Whether every way from `entry` to `below` leads through `above`; false when `below` is unreachable."""
        tree = self.dominators()
        if tree[below] < 0:
            return False
        while below != above and tree[below] != below:
            below = tree[below]
        return below == above


def _immediate_dominators(successors: Sequence[Sequence[int]], root: int) -> list[int]:
    """Cooper, Harvey and Kennedy's iterative algorithm ("A Simple, Fast Dominance Algorithm", 2001)."""
    postorder: list[int] = []
    seen = {root}
    stack = [(root, iter(successors[root]))]
    while stack:
        node, rest = stack[-1]
        for to in rest:
            if to not in seen:
                seen.add(to)
                stack.append((to, iter(successors[to])))
                break
        else:
            postorder.append(node)
            stack.pop()
    rank = {node: number for number, node in enumerate(postorder)}
    predecessors: dict[int, list[int]] = {node: [] for node in postorder}
    for node in postorder:
        for to in successors[node]:
            predecessors[to].append(node)
    idom = [-1] * len(successors)
    idom[root] = root
    changed = True
    while changed:
        changed = False
        for node in reversed(postorder[:-1]):
            best = -1
            for left in predecessors[node]:
                if idom[left] < 0:
                    continue
                if best < 0:
                    best = left
                    continue
                while best != left:
                    if rank[best] < rank[left]:
                        best = idom[best]
                    else:
                        left = idom[left]
            if idom[node] != best:
                idom[node] = best
                changed = True
    return idom
