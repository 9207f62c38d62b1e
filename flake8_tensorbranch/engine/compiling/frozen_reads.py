"""Numbers that a traced function reads from tensors, where they enter a tensor: a trace keeps those of its example."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Any, Final

from astroid import nodes

from flake8_tensorbranch.engine.branching.answers import tracer_of
from flake8_tensorbranch.engine.branching.tracers import Tracers
from flake8_tensorbranch.engine.compiling import mapped
from flake8_tensorbranch.engine.compiling.numbers import converted, number_read, truth
from flake8_tensorbranch.engine.compiling.reads import tested, under
from flake8_tensorbranch.engine.inference.frame import Facts
from flake8_tensorbranch.engine.inference.program import Program
from flake8_tensorbranch.engine.lattice import CONTAINER, TENSOR, UNKNOWN, UNKNOWN_KIND
from flake8_tensorbranch.engine.lookup.origins import Expr, Origins
from flake8_tensorbranch.engine.lookup.slices import backward
from flake8_tensorbranch.engine.regions import trace
from flake8_tensorbranch.engine.regions.region import Regions
from flake8_tensorbranch.engine.sink import SinkKind, TracedSite
from flake8_tensorbranch.knowledge.gradients import NO_ATTRIBUTES
from flake8_tensorbranch.knowledge.regions import RegionEntry
from flake8_tensorbranch.knowledge.tensors import COUNTS, METADATA
from flake8_tensorbranch.knowledge.tracing import PROXIES, RECORDING
from flake8_tensorbranch.syntax.names import FunctionInfo, called_name

KIND: Final = "traced"
_DEPTH: Final = 4
_NO_VALUES: Final = METADATA | COUNTS | (NO_ATTRIBUTES - {"data", "grad"})
_NO_NUMBER: Final = frozenset({"len", "isinstance", "type", "id"})


def sites(program: Program, regions: Regions) -> Iterator[TracedSite]:
    """A site for each read whose number enters a tensor, and under a symbolic tracer for each conversion."""
    members = regions.members(KIND)
    if not members:
        return
    finder = _Frozen(program, set(members))
    tracers = Tracers(program.analysis)
    for scope, member in members.items():
        facts, row = program.facts[scope], member.entry.row
        recording = row is None or row.qualname in RECORDING
        asked = tested(scope, facts)
        guard = partial(tracers.guard, program.index, scope, tracer=tracer_of({KIND: member}))
        for node, read in _reads(scope, facts, row):
            if under(node, asked) or guard(node) or not finder.is_input(scope, read):
                continue
            if not recording or finder.enters(scope, node, _DEPTH):
                kinds = {KIND: member}
                way = trace.way(program, scope, node, kinds)
                particulars: dict[str, object] = {
                    "array": getattr(getattr(node, "func", None), "attrname", "") == "numpy"
                }
                yield TracedSite(SinkKind.SCALAR_READ, node, scope, trace.spelled(node), kinds, particulars, way)


def _reads(scope: FunctionInfo, facts: Facts, row: RegionEntry | None) -> Iterator[tuple[nodes.NodeNG, nodes.NodeNG]]:
    """Each expression that makes numbers of a tensor which the tracer cannot keep, and that tensor (observed:
    tests/oracle/test_forms_traced.py).
    """
    recording = row is None or row.qualname in RECORDING
    ask = _recorded if recording else _by_proxy if row is not None and row.qualname in PROXIES else _refused
    for node in facts.values:
        if type(node) is nodes.Call:
            source = ask(facts, node) or truth(facts, node) or mapped.quantified(facts, node)
            if source is not None:
                yield node, source
    if not recording:
        yield from mapped.formatted(scope, facts)


def _recorded(facts: Facts, call: nodes.Call) -> nodes.NodeNG | None:
    """The tensor of which a recorder would keep a number, or the memory."""
    func = call.func
    source: nodes.NodeNG
    if isinstance(func, nodes.Attribute) and func.attrname == "numpy":
        source = func.expr
    elif isinstance(func, nodes.Name) and func.name == "bool" and len(call.args) == 1:
        source = call.args[0]
    else:
        return number_read(facts, call)
    value = facts.values.get(source, UNKNOWN)
    return source if value.kinds & TENSOR and not value.kinds & UNKNOWN_KIND else None


def _by_proxy(facts: Facts, call: nodes.Call) -> nodes.NodeNG | None:
    """The tensor that Python converts, which a proxy refuses; methods and functions of math are recorded."""
    if isinstance(call.func, nodes.Attribute) or any(n.startswith("math.") for n in facts.externals.get(call, ())):
        return None
    return converted(facts, call)


def _refused(facts: Facts, call: nodes.Call) -> nodes.NodeNG | None:
    """The tensor whose number is asked for while none is there; a list of them is copied."""
    if called_name(call) == "tolist":
        return None
    return number_read(facts, call) or converted(facts, call) or next((t for _, t in mapped.given(facts, call)), None)


class _Frozen:
    """Follows the numbers of traced functions."""

    def __init__(self, program: Program, members: set[FunctionInfo]) -> None:
        self.program = program
        self.origins = Origins(program)
        self.members = members

    def is_input(self, scope: FunctionInfo, tensor: nodes.NodeNG) -> bool:
        """True for a tensor that is computed from the values of one that the function is handed."""
        facts = self.program.facts[scope]
        own = {p.name for p in scope.params[1 if scope.takes_self else 0 :]}
        return any(
            isinstance(e.node, nodes.Name)
            and e.scope is scope
            and e.node.name in own
            and facts.values.get(e.node, UNKNOWN).kinds & TENSOR
            and not (isinstance(e.node.parent, nodes.Attribute) and e.node.parent.attrname in _NO_VALUES)
            for e in backward(self.origins, Expr(self.program.index, scope, tensor), calls=False)
        )

    def enters(self, scope: FunctionInfo, node: nodes.NodeNG, depth: int) -> bool:
        """True when a number enters a tensor: in its expression, under a name, or where callers use what is given."""
        if depth <= 0:
            return False
        values = self.program.facts[scope].values
        below, up = node, node.parent
        while up is not None and not up.is_statement:
            value = values.get(up, UNKNOWN)
            if isinstance(up, nodes.Call) and below is not up.func:
                called = up.func.name if isinstance(up.func, nodes.Name) else ""
                if called in _NO_NUMBER or self.program.facts[scope].calls.get(up):
                    return False
            made = isinstance(up, (nodes.Call, nodes.BinOp)) or (
                isinstance(up, nodes.Subscript) and self._indexes(values, up, below)
            )
            if made and (value.must(TENSOR) or (value.must(CONTAINER) and isinstance(up, nodes.Call))):
                return value.must(TENSOR) or bool(value.elem is not None and value.elem.kinds & TENSOR)
            if isinstance(up, (nodes.JoinedStr, nodes.Lambda, nodes.ComprehensionScope)) or (
                isinstance(up, nodes.IfExp) and below is up.test
            ):
                return False
            below, up = up, up.parent
        return self._stored(scope, up, below, depth)

    @staticmethod
    def _indexes(values: Any, up: nodes.Subscript, below: nodes.NodeNG) -> bool:
        return below is up.slice or values.get(below, UNKNOWN).kinds & TENSOR != 0

    def _stored(self, scope: FunctionInfo, statement: Any, value: nodes.NodeNG, depth: int) -> bool:
        """True when what a statement does with a number brings it into a tensor."""
        values = self.program.facts[scope].values
        if isinstance(statement, nodes.AugAssign):
            if values.get(statement.target, UNKNOWN).kinds & TENSOR:
                return True
            return self._used(scope, [statement.target], statement, depth)
        if isinstance(statement, nodes.Assign) and value is statement.value:
            return self._used(scope, statement.targets, statement, depth)
        if isinstance(statement, nodes.Return):
            return any(
                site.scope in self.members and self.enters(site.scope, site.node, depth - 1)
                for site in self.origins.sites(scope)
                if site.scope is not None
            )
        return False

    def _used(self, scope: FunctionInfo, targets: list[Any], statement: Any, depth: int) -> bool:
        """True when a name that a number is stored under brings it into a tensor."""
        values = self.program.facts[scope].values
        names = {n.name for t in targets for n in t.nodes_of_class(nodes.AssignName)}
        return any(
            name.name in names
            and (name.lineno or 0) > (statement.lineno or 0)
            and not values.get(name, UNKNOWN).must(TENSOR)
            and self.enters(scope, name, depth - 1)
            for name in scope.node.nodes_of_class(nodes.Name)
        )
