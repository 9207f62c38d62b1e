"""Follow a sequence of executed lines through a control-flow graph, on all ways at once."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from astroid import nodes

from flake8_tensorbranch.syntax import cfg

# Lines that Python reports, or may report, although they are edges of the graph and no items.
SILENT = (
    "try:",
    "break",
    "continue",
    "while True:",
    "while 1:",
    "while 0:",
    "if True:",
    "if False:",
    "case _:",
    "case a:",
)

Place = tuple[int, int]  # block, number of its stop
Stop = tuple[int, nodes.NodeNG]  # line, node


class Walker:
    """The set of places where an execution may be; a stop is an item, or the decision at the end of a block."""

    def __init__(self, graph: cfg.Cfg) -> None:
        self.graph = graph
        self.decisions: dict[int, Stop] = {}
        self.stops = [list(self.stops_of(block)) for block in graph.blocks]
        self.places: set[Place] = {(graph.entry, -1)}

    def stops_of(self, block: cfg.Block) -> Iterator[Stop]:
        for item in block.items:
            node = item if isinstance(item, nodes.NodeNG) else item.node
            if isinstance(node, nodes.MatchCase):
                if node.guard is None and is_wildcard(node.pattern):
                    continue
                node = node.pattern
            yield node.lineno, node
        decision = self.decision_of(block)
        if decision is not None:
            self.decisions[block.index] = decision
            yield decision

    def decision_of(self, block: cfg.Block) -> Stop | None:
        for edge in block.edges:
            if edge.kind == "loop":
                loop = self.graph.blocks[edge.to].items[0]
                assert isinstance(loop, cfg.ForBind)
                return loop.node.lineno, loop.node
            if edge.kind == "case":
                assert isinstance(edge.test, nodes.MatchCase)
                if edge.test.guard is not None or not is_wildcard(edge.test.pattern):
                    return edge.test.pattern.lineno, edge.test.pattern
        return None

    def next_places(self, places: Iterable[Place]) -> Iterator[Place]:
        """The stops that come right after one of `places`; the ends of the graph as stop 0."""
        seen: set[int] = set()
        work: list[cfg.Edge] = []
        for block, stop in places:
            edges = self.graph.blocks[block].edges
            if stop + 1 < len(self.stops[block]):
                yield block, stop + 1
                if self.stops[block][stop + 1] is self.decisions.get(block):
                    # The last item may raise before the decision behind it is taken.
                    work += [edge for edge in edges if edge.kind == "exception"]
            else:
                work += edges
        while work:
            to = work.pop().to
            if to not in seen:
                seen.add(to)
                if self.stops[to] or not self.graph.blocks[to].edges:
                    yield to, 0
                else:
                    work += self.graph.blocks[to].edges

    def step(self, line: int) -> bool:
        """Go to `line`, through any number of stops on it; whether that is possible."""
        reached: set[Place] = set()
        work = self.places
        while work:
            work = {
                (block, stop)
                for block, stop in self.next_places(work)
                if stop < len(self.stops[block]) and self.stops[block][stop][0] == line
            } - reached
            reached |= work
        if reached:
            self.places = reached
        return bool(reached)

    def can_end(self, block: int) -> bool:
        """Whether the graph ends in `block` without another stop."""
        return (block, 0) in set(self.next_places(self.places))

    def raises_silently(self) -> bool:
        """Whether the graph models no exception of the statement where we are."""
        return not any(is_guarded(self.stops[block][stop][1]) for block, stop in self.places if stop >= 0)


def follow(graph: cfg.Cfg, source: Sequence[str], lines: Sequence[int], raised: set[int], end: str) -> str | None:
    """Say where an execution leaves the graph, if it does."""
    walker = Walker(graph)
    last = 0
    at_raise = leaving = False
    for position, line in enumerate(lines):
        text = source[line - 1].strip()
        # A handler whose class does not match is reported, too; the body of one that does is on the next line.
        passed_by = text.startswith("except") and lines[position + 1 : position + 2] != [line + 1]
        if text not in SILENT and not passed_by and line != last:
            # Scopes that an exception leaves unmodelled close on lines that may look like the next step.
            leaving = leaving or (at_raise and walker.raises_silently())
            if not walker.step(line):
                return None if leaving else f"no way from line {last} to {line}"
            last = line
            at_raise = False
        at_raise = at_raise or position in raised
    if leaving:
        return None if end != "returned" else f"line {last} goes on after an exception that nothing takes"
    if end == "returned" and not walker.can_end(graph.exit):
        return f"no return from line {last}"
    if end == "raised" and not walker.can_end(graph.raise_exit) and not walker.raises_silently():
        return f"no exception out of line {last}"
    return None


def is_wildcard(pattern: nodes.NodeNG) -> bool:
    return isinstance(pattern, nodes.MatchAs) and pattern.pattern is None


def is_guarded(node: nodes.NodeNG) -> bool:
    """Whether an exception at `node` ends in a `try` of the scope, by what encloses it."""
    child, parent = node, node.parent
    while parent is not None and not isinstance(parent, nodes.FunctionDef):
        if isinstance(parent, (nodes.Try, nodes.TryStar)):
            if child in parent.body:
                return True
            if parent.finalbody and child not in parent.finalbody:
                return True
            if isinstance(parent, nodes.TryStar) and child in parent.handlers:
                return True
        elif isinstance(parent, nodes.With) and child in parent.body and "suppress" in parent.items[0][0].as_string():
            return True
        child, parent = parent, parent.parent
    return False
