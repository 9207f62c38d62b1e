"""Functions of other files that the regions of a file run, with the calls in the file that lead to them."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Final, cast

from astroid import nodes

from flake8_tensorbranch.engine.inference.frame import Facts, State
from flake8_tensorbranch.engine.inference.program import Program, functions_of
from flake8_tensorbranch.engine.inference.summary import Analysis
from flake8_tensorbranch.engine.lattice import (
    BOTTOM,
    CALLABLE,
    DATA,
    HOST,
    MASK,
    OBJECT,
    RANDOM,
    UNBACKED,
    UNKNOWN,
    AbstractValue,
    join,
    make,
)
from flake8_tensorbranch.engine.lookup.guards import for_error
from flake8_tensorbranch.engine.lookup.origins import Expr
from flake8_tensorbranch.engine.refs import Instance
from flake8_tensorbranch.engine.regions.decorators import Around
from flake8_tensorbranch.engine.regions.region import Entry, Membership, Regions, Step
from flake8_tensorbranch.syntax.names import ClassInfo, FunctionInfo, ModuleIndex

_DEPTH: Final = 4
_MOST: Final = 80  # functions looked at for one file, and wrappers beside
_KINDS: Final = ("checkpointed", "compiled", "exported", "traced", "vmapped")
_ONCE: Final = ("compiled", "exported", "traced", "vmapped")  # a branch in what is handed over spoils the call itself


@dataclass(frozen=True, slots=True)
class Reached:
    """A function of another file: its facts for what it is handed, the call in this file, the regions, the way on."""

    function: FunctionInfo
    facts: Facts
    scope: FunctionInfo | None
    call: nodes.NodeNG
    regions: dict[str, Membership]
    way: tuple[Step, ...]

    @property
    def handed(self) -> bool:
        """True where the call itself compiles, exports, traces or maps what it is given."""
        return any(kind in _ONCE and m.entry.node is self.call for kind, m in self.regions.items())

    def calls(self, here: ModuleIndex) -> dict[FunctionInfo, Expr]:
        """The functions on the way from this file, `here`, itself the last of them, each with the call that runs it."""
        found: dict[FunctionInfo, Expr] = {}
        call = Expr(here, self.scope, self.call)
        for step in self.way:
            assert step.caller is not None
            found[step.caller] = call
            call = Expr(step.caller.module, step.caller, step.node)
        found[self.function] = call
        return found


def reached(program: Program, regions: Regions) -> list[Reached]:
    """Every such function, once for each call in the file; the nearest first."""
    if "abroad" not in regions.memo:
        regions.memo["abroad"] = list(_reached(program, regions))
    return cast("list[Reached]", regions.memo["abroad"])


def _reached(program: Program, regions: Regions) -> Iterator[Reached]:
    left = [_MOST]
    for begin, functions in regions.entries:
        handed = [f for f in functions if f not in program.facts and told_here(program, begin, f)]
        if handed and isinstance(begin.node, nodes.Call) and begin.kind in _KINDS:
            inside = {begin.kind: Membership(begin, ())}
            yield from _from(program, regions, begin.scope, begin.node, handed, inside, left)
    scopes = dict.fromkeys(f for kind in _KINDS for f in regions.members(kind))
    for scope in scopes:
        # What an option declares, it declares for the other files as well: each reports its own.
        inside = {k: m for k in _KINDS if (m := regions.of(scope, k)) is not None and m.entry.node is not None}
        for call, callees in program.facts[scope].calls.items():
            strangers = [c for c in callees if c not in program.facts]
            if strangers and not for_error(call):
                yield from _from(program, regions, scope, call, strangers, inside, left)
    yield from _around(program, regions)


def _around(program: Program, regions: Regions) -> Iterator[Reached]:
    """The wrappers around members, each solved once for all that it is around, and told at each of their decorators."""
    left = [_MOST]
    places: dict[tuple[FunctionInfo, str], list[tuple[Around, Membership]]] = {}
    for one, member in regions.around:
        places.setdefault((one.wrapper, member.entry.kind), []).append((one, member))
    for (wrapper, kind), around in places.items():
        first, begun = around[0]
        wrapped = make(CALLABLE, refs=frozenset(one.function for one, _ in around))
        given = {wrapper: {first.name: wrapped} if first.name else {}}
        at = (first.function.parent, first.decorator)
        found = list(_from(program, regions, *at, [wrapper], {kind: begun}, left, given))
        for one, member in around:
            put = (one.function.parent, one.decorator, {kind: member})
            yield from (replace(there, scope=put[0], call=put[1], regions=put[2]) for there in found)


def told_here(program: Program, begin: Entry, function: FunctionInfo) -> bool:
    """False for what an entry is given by the callers of its function in other files alone: these report it."""
    node, scope, row = begin.node, begin.scope, begin.row
    if not isinstance(node, nodes.Call) or scope is None or row is None or len(node.args) <= max(row.argument, 0):
        return True
    given = node.args[max(row.argument, 0)]
    if not isinstance(given, nodes.Name) or not any(p.name == given.name for p in scope.params):
        return True
    passed = [facts.arguments.get((scope, given.name)) for facts in program.facts.values()]
    passed.append(program.analysis.parameters(scope).get(given.name))  # its annotation
    return any(function in functions_of(program.analysis, value) for value in passed if value is not None)


def _from(
    program: Program,
    regions: Regions,
    scope: FunctionInfo | None,
    call: nodes.NodeNG,
    functions: list[FunctionInfo],
    inside: dict[str, Membership],
    left: list[int],
    given: dict[FunctionInfo, State] | None = None,
) -> Iterator[Reached]:
    """What one call runs in other files, `left` functions at most; `given` is what free names of theirs hold."""
    seen: set[FunctionInfo] = set()
    queue: deque[tuple[FunctionInfo, Facts, tuple[Step, ...]]] = deque((c, program.facts[scope], ()) for c in functions)
    while queue and left[0] > 0:
        function, caller, way = queue.popleft()
        kinds = {k: m for k, m in inside.items() if not regions.is_outside(function, m.entry)}
        if function in seen or function.name == "__init__" or not kinds:
            continue
        seen.add(function)
        left[0] -= 1
        begins = not way and any(m.entry.node is call for m in kinds.values())
        owner = _owner(program, caller, call).get(function) if begins else None
        known = {} if owner is None else {function.params[0].name: owner}
        facts = _facts(program.analysis, function, caller, begins, (given or {}).get(function, known))
        if facts.exhausted:
            continue
        yield Reached(function, facts, scope, call, kinds, way)
        if len(way) + 1 < _DEPTH:
            for node, inner in facts.calls.items():
                strangers = [c for c in inner if c not in program.facts]
                if strangers and not for_error(node):
                    further = (*way, Step(function, node))
                    queue.extend((c, facts, further) for c in strangers)


def _owner(program: Program, caller: Facts, call: nodes.NodeNG) -> dict[FunctionInfo, AbstractValue]:
    """The objects that a call begins a region with, by the method of theirs that runs."""
    found: dict[FunctionInfo, AbstractValue] = {}
    for given in getattr(call, "args", ())[:1]:
        for ref in caller.values.get(given, UNKNOWN).each:
            if isinstance(ref, Instance) and isinstance(ref.cls, ClassInfo):
                one = make(OBJECT, refs=frozenset({ref}))
                for function in functions_of(program.analysis, one):
                    found[function] = join(found.get(function, BOTTOM), one)
    return found


def _facts(analysis: Analysis, function: FunctionInfo, caller: Facts, begins: bool, known: State) -> Facts:
    """The facts of a function for what a caller hands it; kept, since other files hand on the same.

    Where the region `begins` with it, what it is handed was read and drawn before, and is the same in every run.
    `known` are the object that a method runs on, or the function that a wrapper is around.
    """
    declared = analysis.parameters(function)
    bound: State = known | {
        name: settled(value) if begins else value
        for (callee, name), value in caller.arguments.items()
        if callee is function and value.known and value != declared.get(name)
        if not (value.kinds == HOST and value.deps & MASK)  # a flag that was settled before the call
    }
    if not bound:
        return analysis.facts_of(function.module, function)
    memo = function.module.memo
    key = ("abroad", function, tuple(sorted(bound.items(), key=lambda item: item[0])))
    if key not in memo:
        memo[key] = analysis.facts_of(function.module, function, bound)
    return cast("Facts", memo[key])


def settled(value: AbstractValue) -> AbstractValue:
    """What a region is handed: it was read and drawn before the region runs, and is the same when it runs again."""
    elem = None if value.elem is None else settled(value.elem)
    items = None if value.items is None else tuple((k, settled(v)) for k, v in value.items)
    return make(value.kinds, value.deps & ~(RANDOM | DATA | UNBACKED | MASK), value.const, value.refs, elem, items)
