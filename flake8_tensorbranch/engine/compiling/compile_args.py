"""Arguments of compiled functions that cost a graph per value: lengths that change, ints that index or count."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import Final

from astroid import nodes

from flake8_tensorbranch.engine.branching.tracers import Tracers
from flake8_tensorbranch.engine.inference.program import Program
from flake8_tensorbranch.engine.lattice import CONTAINER, MAPPING, OBJECT, TENSOR
from flake8_tensorbranch.engine.lookup import loops
from flake8_tensorbranch.engine.regions.region import Membership, Regions
from flake8_tensorbranch.engine.regions.trace import noted
from flake8_tensorbranch.engine.sink import SinkKind, TracedSite
from flake8_tensorbranch.knowledge.containers import CHANGES
from flake8_tensorbranch.syntax.names import FunctionInfo, dotted

KIND: Final = "compiled"
_LONGER: Final = frozenset({"append", "appendleft", "extend", "insert"})


def sites(program: Program, regions: Regions) -> Iterator[TracedSite]:
    """A site for each parameter of a directly compiled function that its calls specialise again and again."""
    members = regions.members(KIND)
    for function, membership in members.items():
        if not membership.way and function.name != "__init__":
            yield from _Arguments(program, function, membership, members).sites()


class _Arguments:
    """The parameters of one compiled function."""

    def __init__(
        self, program: Program, function: FunctionInfo, membership: Membership, compiled: Collection[FunctionInfo]
    ) -> None:
        self.program = program
        self.function = function
        self.membership = membership
        self.calls = [
            (scope, node)
            for scope, facts in program.facts.items()
            for node, callees in facts.calls.items()
            # A call from compiled code is inlined there, its loop unrolled.
            if function in callees and isinstance(node, nodes.Call) and (scope is None or scope not in compiled)
        ]

    def sites(self) -> Iterator[TracedSite]:
        function = self.function
        slots = [p.name for p in function.params][1 if function.takes_self or function.is_classmethod else 0 :]
        names = [*slots, *([function.vararg] if function.vararg is not None else [])]
        for name in names:
            where = self._length_changes(name, slots) or self._reshaped(name)
            if where is not None:
                first = next(
                    (n for n in loops.walk(function.node) if isinstance(n, nodes.Name) and n.name == name), None
                )
                if first is not None and not Tracers(self.program.analysis).guard(
                    self.program.index, self.function, first, tracer="compiled"
                ):
                    yield self._site(first, name, "length", where)
                continue
            where = self._counts(name, slots)
            if where is not None:
                for node in counting(self.program, self.function, {name}):
                    yield self._site(node, name, "argument", where)

    def _site(self, node: nodes.NodeNG, name: str, what: str, where: nodes.NodeNG) -> TracedSite:
        place = noted(self.program.index.path, where, "it changes here")
        regions = {KIND: self.membership}
        return TracedSite(SinkKind.COMPILED_STATE, node, self.function, name, regions, {"what": what}, (place,))

    def _given(self, call: nodes.Call, name: str, slots: list[str]) -> Iterator[nodes.NodeNG]:
        """What a call passes for a parameter."""
        yield from (k.value for k in call.keywords if k.arg == name)
        if name == self.function.vararg:
            yield from (a for a in call.args[len(slots) :] if isinstance(a, nodes.Starred))
        elif name in slots:
            position = slots.index(name)
            if position < len(call.args) and not any(isinstance(a, nodes.Starred) for a in call.args[: position + 1]):
                yield call.args[position]

    def _length_changes(self, name: str, slots: list[str]) -> nodes.NodeNG | None:
        """A call in a loop that passes a container which the loop makes longer or shorter, or the function longer."""
        fills = self._fills(name)
        for _, call in self.calls:
            for given in self._given(call, name, slots):
                inner = given.value if isinstance(given, nodes.Starred) else given
                path = dotted(inner)
                for loop in loops.around(call):
                    if path is None or path in loops.targets(loop):
                        continue
                    if loops.grows(path, loop) or (
                        fills and not isinstance(given, nodes.Starred) and _keeps(path, loop)
                    ):
                        return call
        return None

    def _fills(self, name: str) -> bool:
        """True where the function itself appends to a parameter, and takes nothing out of it."""
        if name not in {p.name for p in self.function.params} or any(
            isinstance(target, nodes.AssignName) and not isinstance(target.parent, nodes.Arguments)
            for target in self.function.local_names.get(name, ())
        ):
            return False
        done = {
            node.func.attrname
            for node in loops.walk(self.function.node)
            if isinstance(node, nodes.Call)
            and isinstance(node.func, nodes.Attribute)
            and dotted(node.func.expr) == name
        }
        deleted = (n for n in loops.walk(self.function.node) if isinstance(n, (nodes.DelName, nodes.Delete)))
        return bool(done & _LONGER) and not done & CHANGES - _LONGER and next(deleted, None) is None

    def _reshaped(self, name: str) -> nodes.NodeNG | None:
        """The return of a rest, unpacked from a parameter (`a, *rest = p`), with another length: it is passed on."""
        for node in loops.walk(self.function.node):
            if not isinstance(node, nodes.Assign) or dotted(node.value) != name:
                continue
            target = node.targets[0]
            elements = list(target.elts) if isinstance(target, (nodes.Tuple, nodes.List)) else []
            rest = [e for e in elements if isinstance(e, nodes.Starred)]
            if not rest:
                continue
            path = dotted(rest[0].value)
            for returned in self.function.returns_nodes:
                value = returned.value
                if not isinstance(value, (nodes.Tuple, nodes.List)):
                    continue
                for element in value.elts:
                    if isinstance(element, nodes.Starred) and path is not None:
                        sliced = isinstance(element.value, nodes.Subscript) and dotted(element.value.value) == path
                        if sliced or (dotted(element.value) == path and len(value.elts) != len(elements)):
                            return returned
        return None

    def _counts(self, name: str, slots: list[str]) -> nodes.NodeNG | None:
        """A call in a loop that passes the loop's counter."""
        for _, call in self.calls:
            for given in self._given(call, name, slots):
                if any(loops.counted(given, loops.counters(loop)) for loop in loops.around(call)):
                    return call
        return None


def _keeps(path: str, loop: nodes.NodeNG) -> bool:
    """True when a loop passes on the same container in every round, and makes it no shorter."""
    for node in loops.walk(loop):
        if isinstance(node, nodes.Call) and isinstance(node.func, nodes.Attribute) and node.func.attrname in CHANGES:
            if dotted(node.func.expr) == path:
                return False
        elif isinstance(node, (nodes.AssignName, nodes.AssignAttr, nodes.Delete)):
            if dotted(node) == path or isinstance(node, nodes.Delete):
                return False
    return True


def counting(program: Program, function: FunctionInfo, names: set[str]) -> Iterator[nodes.NodeNG]:
    """Where a function counts, indexes, cuts or repeats Python objects with one of some ints (dotted names)."""
    for node in loops.walk(function.node):
        if isinstance(node, nodes.Call) and isinstance(node.func, nodes.Name) and node.func.name == "range":
            if any(loops.counted(a, names) for a in node.args):
                yield node
        elif isinstance(node, nodes.Subscript) and any(loops.counted(a, names) for a in _indices(node)):
            value = program.value(function, node.value)
            if value.kinds & (CONTAINER | MAPPING | OBJECT) and not value.kinds & TENSOR:
                yield node
        elif isinstance(node, nodes.BinOp) and node.op == "*":
            for made, times in ((node.left, node.right), (node.right, node.left)):
                if isinstance(made, (nodes.List, nodes.Tuple)) and loops.counted(times, names):
                    yield node


def _indices(node: nodes.Subscript) -> list[nodes.NodeNG]:
    """The index of an item, or the bounds of a slice."""
    index = node.slice
    bounds = (index.lower, index.upper, index.step) if isinstance(index, nodes.Slice) else (index,)
    return [bound for bound in bounds if bound is not None]
