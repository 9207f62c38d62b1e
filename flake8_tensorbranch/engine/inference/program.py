"""The facts of one module under check: every scope solved, with what the module's own calls pass."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from typing import Any, Final

from astroid import nodes

from flake8_tensorbranch.engine.inference import callers, decorating, dispatch, meters, overdeclared, readings
from flake8_tensorbranch.engine.inference.annotations import is_text
from flake8_tensorbranch.engine.inference.arguments import is_open
from flake8_tensorbranch.engine.inference.frame import Callees, Facts, State
from flake8_tensorbranch.engine.inference.summary import Analysis
from flake8_tensorbranch.engine.lattice import (
    ARRAY,
    BOTTOM,
    CALLABLE,
    CONTAINER,
    DATA,
    HOST,
    MAPPING,
    MASK,
    NONE,
    OBJECT,
    REST,
    SETTLED,
    SHAPE,
    TENSOR,
    UNKNOWN,
    UNKNOWN_KIND,
    AbstractValue,
    container,
    join,
    make,
    opened,
    with_deps,
    without,
)
from flake8_tensorbranch.engine.refs import Bound, Closure, Instance, Partial, Wrapped
from flake8_tensorbranch.knowledge.evidence import AXES
from flake8_tensorbranch.syntax.names import ClassInfo, FunctionInfo, ModuleIndex

ROUNDS: Final = 6  # how often arguments are pushed on along call edges


class FactsTable(dict["FunctionInfo | None", Facts]):
    """Facts by scope. Every scope of the module is in the table: one that is not solved yet is solved when it is asked
    for.

    Iterating gives the scopes solved so far, as they were when the iteration began.
    """

    def __init__(self, analysis: Analysis, index: ModuleIndex) -> None:
        super().__init__()
        self._analysis = analysis
        self._index = index
        self._scopes = frozenset(index.scopes)

    def __missing__(self, scope: FunctionInfo | None) -> Facts:
        facts = self[scope] = self._analysis.facts_of(self._index, scope)
        return facts

    def __contains__(self, scope: object) -> bool:
        return scope in self._scopes

    def get(self, scope: FunctionInfo | None, default: Any = None) -> Any:
        return self[scope] if scope in self._scopes else default

    def __iter__(self) -> Iterator[FunctionInfo | None]:
        return iter(list(super().keys()))

    def keys(self) -> Any:
        return list(super().keys())

    def items(self) -> Any:
        return list(super().items())

    def values(self) -> Any:
        return list(super().values())


class Program:
    """One module and the facts of its scopes; `None` stands for the module body."""

    def __init__(self, analysis: Analysis, index: ModuleIndex) -> None:
        self.analysis = analysis
        self.index = index
        self.facts: FactsTable = FactsTable(analysis, index)
        self._replaced: dict[
            FunctionInfo | None, list[AbstractValue]
        ] = {}  # declared numbers, tensors by their callers

    def solve(self, wanted: set[FunctionInfo | None] | None = None, alone: bool = False) -> None:
        """Solve the scopes wanted (all by default), then again those whose callers know more of the arguments.

        With `alone`, no other file is asked what it passes.
        """
        for function in self.index.scopes:
            if wanted is None or function in wanted:
                self.facts[function] = self.analysis.facts_of(self.index, function)
        passed: dict[FunctionInfo, State] = {}
        for function in [f for f in self.facts if f is not None and f.cls is not None and (alone or f.tests)]:
            for name, value in dispatch.handed(self.analysis, self.index, function).items():
                if self._improves(function, name, value):
                    passed.setdefault(function, {})[name] = value
        for wrapper, name, value in decorating.handed(self.analysis, self.index):
            if wrapper in self.facts:
                passed.setdefault(wrapper, {})[name] = value
        for function, state in ({} if alone else self._outside(wanted)).items():
            for name, value in state.items():
                if self._improves(function, name, value):
                    known = passed.setdefault(function, {})
                    known[name] = join(known.get(name, BOTTOM), value)
        if not alone:
            self._from_elsewhere(passed)
        for callee, known in passed.items():
            self._again(callee, known)
        changed: set[FunctionInfo | None] = set(self.facts)
        for _ in range(ROUNDS):
            again: dict[FunctionInfo, State] = {}
            for caller in [f for f in self.facts if f in changed]:
                for (callee, name), passed_value in self.facts[caller].arguments.items():
                    declared = self.analysis.parameters(callee).get(name)
                    value = self._handed_on(caller, passed_value) or _as_declared(passed_value, declared)
                    if passed_value.kinds == TENSOR | HOST and value.kinds == HOST and _converts(callee, name):
                        value = passed_value
                    if _holds_numbers(declared) and _holds_numbers(value) and not self._always_reads(callee, name):
                        value = _sizes_only(value)
                    if value.kinds == HOST and value.deps & MASK and callee.name == "forward":
                        continue  # a mode of a module, which was settled before the call
                    if (
                        (wanted is None or callee in wanted)
                        and callee in self.facts
                        and self._improves(callee, name, value)
                    ):
                        known = passed.setdefault(callee, {})
                        old = known.get(name, BOTTOM)
                        new = join(old, value)
                        if new != old:
                            known[name] = new
                            again[callee] = known
            if not again:
                break
            for callee, known in again.items():
                self._again(callee, known)
            changed = {f for f in self.facts if f in again}

    def _outside(self, wanted: set[FunctionInfo | None] | None) -> dict[FunctionInfo, State]:
        """What neighbouring files pass."""

        def solved(module: ModuleIndex, scopes: set[FunctionInfo | None]) -> FactsTable:
            other = Program(self.analysis, module)
            other.solve(scopes, alone=True)
            return other.facts

        @cache
        def near() -> list[tuple[str, str]]:
            return list(self.analysis.project.neighbours(self.index.path, readings.READS))

        found = readings.handed(self.analysis, self.index, wanted, solved, near)
        for further in (
            overdeclared.handed(self.analysis, self.index, wanted),
            meters.handed(self.analysis, self.index, wanted, near),
        ):
            for function, state in further.items():
                known = found.setdefault(function, {})
                for name, value in state.items():
                    known[name] = join(known.get(name, BOTTOM), value)
        return found

    def _again(self, callee: FunctionInfo, known: State) -> None:
        """Solve a function with what its callers pass."""
        declared = self.analysis.parameters(callee)
        bound = {}
        for n, v in known.items():
            bound[n] = v if n not in declared or is_open(declared[n]) else join(v, declared[n])
            if v.deps & SETTLED and bound[n].kinds == v.kinds:
                bound[n] = with_deps(bound[n], SETTLED)
            inner = v.elem
            if n in declared and v.kinds == CONTAINER and inner is not None and inner.kinds == MAPPING and inner.items:
                # Keys that these callers do not fill are filled elsewhere, with what is not known.
                bound[n] = make(
                    v.kinds, v.deps, refs=v.refs, elem=opened({k: i for k, i in inner.items if k != REST}, UNKNOWN)
                )
        self.facts[callee] = self.analysis.facts_of(self.index, callee, bound)
        self._replaced[callee] = [v for n, v in bound.items() if n in declared and declared[n].kinds == HOST]

    def _handed_on(self, caller: FunctionInfo | None, value: AbstractValue) -> AbstractValue | None:
        """The tensor that callers pass for a declared number of this one, where it hands that parameter on: that it
        may be a number is its own declaration, or its default.
        """
        mixed = value.kinds == TENSOR | HOST and value in self._replaced.get(caller, ())
        return without(value, HOST) if mixed else None

    def _always_reads(self, callee: FunctionInfo, name: str) -> bool:
        """True where every caller in the file passes numbers read from tensors."""
        declared = self.analysis.parameters(callee).get(name)
        for facts in self.facts.values():
            given = facts.arguments.get((callee, name))
            if given is not None:
                elem = _as_declared(given, declared).elem
                if elem is None or not elem.deps & DATA:
                    return False
        return True

    def _from_elsewhere(self, passed: dict[FunctionInfo, State]) -> None:
        """What calls in other files pass to functions whose tests are unknown otherwise."""
        tested = [f for f in self.facts if f is not None and f.tests]
        open_ = [f for f in tested if callers.is_open(self.analysis, f, self.facts[f])]
        if not open_:
            return
        for found in callers.passed(self.analysis, self.index, open_):
            for (callee, name), value in found.items():
                value = _as_declared(value, self.analysis.parameters(callee).get(name))
                if callee in open_ and self._improves(callee, name, value):
                    known = passed.setdefault(callee, {})
                    known[name] = join(known.get(name, BOTTOM), value)

    def _improves(self, callee: FunctionInfo, name: str, value: AbstractValue) -> bool:
        """True when an argument says more of a parameter than its declaration, or of a free name than its scope."""
        declared = self.analysis.parameters(callee).get(name)
        if declared is None and name in callee.free and value.known:
            declared = self.analysis.enclosing(callee, name)
        if (
            declared is None
            or not value.known
            or (callee.params and name == callee.params[0].name and callee.takes_self)
        ):
            return False
        if value.kinds & TENSOR and name.endswith(AXES) and not declared.kinds & TENSOR:
            return False  # what is passed was declared wrongly
        if not declared.known or declared.kinds & UNKNOWN_KIND:
            # A plain value changes no verdict: what is unknown is as silent.
            return not value.must(HOST | NONE) or bool(value.deps)
        if declared.kinds & HOST and not declared.kinds & TENSOR:
            return bool(value.kinds & TENSOR or value.deps & (DATA | SHAPE)) and not is_text(callee, name)
        if declared.must(ARRAY | NONE):
            return value.must(ARRAY | NONE) and bool(value.deps & DATA)  # it was read from a tensor
        if declared.kinds & (OBJECT | CALLABLE) and not any(
            isinstance(r, Instance) and isinstance(r.cls, ClassInfo) for r in declared.refs
        ):
            return bool(value.refs)
        if value.elem is None:
            return False
        if declared.elem is None:
            return value.elem.known and value.must(MAPPING)
        if declared.elem.kinds == HOST:
            return bool(value.elem.kinds & TENSOR or value.elem.deps & (DATA | SHAPE))
        return not declared.elem.known or (value.elem.kinds == MAPPING and is_open(declared))

    def value(self, scope: FunctionInfo | None, node: nodes.NodeNG) -> AbstractValue:
        """The value of an expression of a scope; UNKNOWN where it was never reached."""
        facts = self.facts.get(scope)
        return UNKNOWN if facts is None else facts.values.get(node, UNKNOWN)

    def owner(self, node: nodes.NodeNG) -> FunctionInfo | None:
        """The function a node stands in."""
        up = node.parent
        while up is not None:
            found = self.index.scope_of.get(up)
            if isinstance(found, FunctionInfo):
                return found
            up = up.parent
        return None

    def callees(self, scope: FunctionInfo | None, node: nodes.NodeNG) -> Callees:
        """The project's functions that a call may enter."""
        facts = self.facts.get(scope)
        return {} if facts is None else facts.calls.get(node, {})

    def functions_of(self, value: AbstractValue) -> Iterator[FunctionInfo]:
        """The functions that calling a value enters."""
        yield from functions_of(self.analysis, value)


def _converts(callee: FunctionInfo, name: str) -> bool:
    """True for a parameter that its function makes a number of itself (`index = int(index)`)."""
    made = (c.args[0] for c in callee.calls if len(c.args) == 1 and getattr(c.func, "name", "") in ("int", "float"))
    return any(isinstance(source, nodes.Name) and source.name == name for source in made)


def _as_declared(value: AbstractValue, declared: AbstractValue | None) -> AbstractValue:
    """An argument that may be a tensor or a number, where the declaration says a number."""
    if declared is None or value.kinds & UNKNOWN_KIND:
        return value
    if declared.must(HOST | NONE) and value.kinds & HOST and value.kinds & TENSOR:
        return without(value, TENSOR)
    if declared.must(CONTAINER) and value.kinds == HOST and value.deps & DATA:
        return container(value)  # a key of a mapping
    if declared.elem is None or value.elem is None or not declared.elem.must(HOST | NONE):
        return value
    if value.elem.must(HOST | NONE):
        return value
    elem = _as_declared(value.elem, declared.elem)
    items = None if value.items is None else tuple((k, _as_declared(v, declared.elem)) for k, v in value.items)
    return make(value.kinds, value.deps, value.const, value.refs, elem, items)


def _holds_numbers(value: AbstractValue | None) -> bool:
    return value is not None and value.elem is not None and value.elem.must(HOST | NONE)


def _sizes_only(value: AbstractValue) -> AbstractValue:
    """A declared list of numbers: sizes are worth following into it, numbers read by one of many callers are not."""
    assert value.elem is not None
    elem = make(value.elem.kinds, value.elem.deps & ~DATA, refs=value.elem.refs)
    items = None
    if value.items is not None:
        items = tuple((k, make(v.kinds, v.deps & ~DATA, v.const, v.refs, v.elem, v.items)) for k, v in value.items)
    return make(value.kinds, value.deps, value.const, value.refs, elem, items)


def functions_of(analysis: Analysis, value: AbstractValue, depth: int = 4) -> Iterator[FunctionInfo]:
    """The project's functions that calling a value enters: methods of objects, what partials and wrappers hold,
    elements of chains.
    """
    if depth <= 0:
        return
    for ref in value.each:
        if isinstance(ref, FunctionInfo):
            yield ref
        elif isinstance(ref, (Bound, Closure)):
            yield ref.function
        elif isinstance(ref, (Partial, Wrapped)):
            yield from functions_of(analysis, ref.function, depth - 1)
        elif isinstance(ref, Instance) and isinstance(ref.cls, ClassInfo):
            for name in ("__call__", "forward"):
                function = analysis.resolver.method(ref.cls, name)
                if function is not None:
                    yield function
                    break
    for _, inner in value.items or ():
        yield from functions_of(analysis, inner, depth - 1)
    if value.elem is not None and not value.items:
        yield from functions_of(analysis, value.elem, depth - 1)
