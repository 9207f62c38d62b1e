"""What a checkpointed region holds in full view: its operations, and whether these are all that it can run."""

from __future__ import annotations

import sys
from dataclasses import dataclass, field
from typing import Any, Final

from astroid import nodes

from flake8_tensorbranch.engine.checkpointing import castings
from flake8_tensorbranch.engine.inference import heirs
from flake8_tensorbranch.engine.inference.arguments import Arguments
from flake8_tensorbranch.engine.inference.frame import Facts, State
from flake8_tensorbranch.engine.lattice import CONTAINER, NONE, OBJECT, TENSOR, UNKNOWN, UNKNOWN_KIND, AbstractValue
from flake8_tensorbranch.engine.lookup.origins import Expr, Origins
from flake8_tensorbranch.engine.refs import Bound, Closure, Giving, Instance, Method, Partial, Wrapped
from flake8_tensorbranch.knowledge import names, regions
from flake8_tensorbranch.knowledge.model import is_known, method
from flake8_tensorbranch.knowledge.operations import CALLING, FACTORIES, OF_CONTEXT, OPAQUE, PLACED
from flake8_tensorbranch.knowledge.scopes import SCOPES, Scope
from flake8_tensorbranch.syntax.kinds import FUNCTIONS
from flake8_tensorbranch.syntax.names import ClassInfo, FunctionInfo

DEPTH: Final = 9
MOST: Final = 60  # functions of one region, each with its own arguments
_HARMLESS: Final = ("torch.", "functools.", "contextlib.", "typing.", "abc.")
_KEEPING: Final = frozenset({"staticmethod", "classmethod", "property", "override", "overload", "contextmanager"})


States = frozenset[str]


@dataclass(slots=True)
class Held:
    """The operations that a region runs: by qualified name, with their arguments and the states that the region itself
    sets around them. `holes` are what cannot be seen into, by these states: a region without any is complete.

    What else it does: `modules`, call one; `state`, read tensors that one keeps; `builds`, make layers; `compiled`,
    run compiled code.
    """

    operations: list[tuple[str, Arguments, States]] = field(default_factory=list)
    functions: dict[FunctionInfo, None] = field(default_factory=dict)
    holes: set[States] = field(default_factory=set)
    state: bool = False
    modules: bool = False
    compiled: bool = False
    builds: bool = False

    @property
    def complete(self) -> bool:
        """Whether all that the region runs is in view."""
        return not self.holes

    def lacks(self, scope: Scope) -> bool:
        """True when none of the operations can run that the scope bears on, but where the region sets its state."""
        open_ = any(scope.state not in states for states in self.holes)
        return scope.on is not None and not open_ and not (self.builds and scope.on.told) and not self.runs(scope)

    def runs(self, scope: Scope) -> bool:
        """True when one of these operations is in view."""
        on = scope.on
        return on is not None and any(
            name in on.names and not _told(args, on.told) and scope.state not in states
            for name, args, states in self.operations
        )


def _told(args: Arguments, name: str) -> bool:
    value = args.keywords.get(name)
    return value is not None and not value.kinds & (NONE | UNKNOWN_KIND)


class Holding:
    """Reads regions: each call must be of a function in view, of an operation or layer in the tables, or of a plain
    value's method.
    """

    def __init__(self, origins: Origins) -> None:
        self.origins = origins
        self.analysis = origins.program.analysis
        self._held: dict[nodes.NodeNG, Held] = {}

    def of(self, start: Expr | None, site: Expr | None = None) -> Held:
        """What calling an expression's value runs; a parameter's value is what the call `site` hands to it."""
        if start is None:
            return Held(holes={frozenset()})
        scope, node = start.scope, start.node
        if site is not None and scope is not None and isinstance(node, nodes.Name):
            if any(p.name == node.name for p in scope.params) and scope in self.origins.callees(site):
                given = self.origins.argument(site, scope, node.name)
                start = given if given is not None else start
        found = self._held.get(start.node)
        if found is None:
            found = self._held[start.node] = Held()
            # As declared: what the calls in view hand over is not all that there may be.
            declared = self.analysis.facts_of(start.module, start.scope)
            _Walk(self, found).value(declared.values.get(start.node, UNKNOWN), None, 0)
        return found

    def of_object(self, value: AbstractValue) -> Held:
        """What calling an object runs, whatever it is called with."""
        found = Held()
        _Walk(self, found).value(value, None, 0)
        return found


class _Walk:
    """One walk over a region; `facts` are those of the scope that calls, None where no call is written."""

    def __init__(self, holding: Holding, held: Held) -> None:
        self.analysis = holding.analysis
        self.held = held
        self.seen: set[tuple[FunctionInfo, States, tuple[tuple[str, AbstractValue], ...]]] = set()
        self.states: States = frozenset()  # what the region has set where the walk is

    def value(self, value: AbstractValue, facts: Facts | None, depth: int) -> None:
        """All that calling a value may run, or what is in a list of functions."""
        listed = bool(value.kinds & CONTAINER) and not value.refs
        if listed:
            self._elements(value, facts, depth)
        known = value.refs or listed
        # A function of a library is of unknown kind itself.
        plain = all(isinstance(r, Method) or (isinstance(r, str) and not r.startswith("torch.")) for r in value.each)
        if not known or (value.kinds & UNKNOWN_KIND and not plain):
            self._hole()
        for ref in value.each:
            self._ref(value, ref, facts, depth)

    def _elements(self, value: AbstractValue, facts: Facts | None, depth: int) -> None:
        for inner in [v for _, v in value.items] if value.items is not None else [value.elem or UNKNOWN]:
            self.value(inner, facts, depth)

    def _ref(self, value: AbstractValue, ref: object, facts: Facts | None, depth: int) -> None:
        if isinstance(ref, FunctionInfo):
            self._enter(ref, facts, depth)
        elif isinstance(ref, Closure):
            self._enter(ref.function, facts, depth)
        elif isinstance(ref, Bound):
            self._method(ref.function, ref.owner, facts, depth)
        elif isinstance(ref, (Partial, Wrapped)):
            self.held.compiled |= isinstance(ref, Wrapped) and ref.wrapper == "torch.compile"
            self.value(ref.function, facts, depth)
        elif isinstance(ref, Instance):
            self.held.modules = True
            self._instance(value, ref, facts, depth)
        elif isinstance(ref, str) and facts is None:
            self._named(ref, Arguments())
        elif isinstance(ref, Method):
            self._plain(ref, facts, depth)
        elif isinstance(ref, Giving):
            self._hole()

    def _instance(self, value: AbstractValue, ref: Instance, facts: Facts | None, depth: int) -> None:
        cls: ClassInfo | str = ref.cls
        if isinstance(cls, ClassInfo):
            for name in ("__call__", "forward"):
                function = self.analysis.resolver.method(cls, name)
                if function is not None:
                    self._method(function, value, facts, depth)
                    return
            bases = (b for b in self.analysis.resolver.mro(cls) if isinstance(b, str))
            cls = next((b for b in bases if b.startswith("torch.nn.")), "")
        if cls == "torch.nn.Sequential" or cls.endswith("Parallel"):
            self._elements(value, facts, depth)
        elif not cls.startswith("torch.nn.") or not is_known(cls):
            self._hole()
        else:
            self.held.state = True
            self.held.operations.append((cls, Arguments(), self.states))

    def _method(self, function: FunctionInfo, owner: AbstractValue, facts: Facts | None, depth: int) -> None:
        """A method, and those of the subclasses in view that take its place."""
        self._enter(function, facts, depth)
        for cls in [r.cls for r in owner.each if isinstance(r, Instance) and isinstance(r.cls, ClassInfo)]:
            for heir in heirs.heirs(self.analysis, cls):
                own = heir.methods.get(function.name)
                if own is not None:
                    self._enter(own, None, depth)

    def _enter(self, function: FunctionInfo, facts: Facts | None, depth: int) -> None:
        """One function, run with what the caller hands to it."""
        outside, self.states = self.states, self.states | self._decorated(function)
        self._run(function, _bound(facts, function), depth)
        self.states = outside

    def _run(self, function: FunctionInfo, bound: State, depth: int) -> None:
        key = (function, self.states, tuple(sorted(bound.items(), key=lambda item: item[0])))
        if key in self.seen:
            return
        self.seen.add(key)
        self.held.functions[function] = None
        seen_through = all(_keeps(name) for name in function.decorator_names) and not heirs.is_abstract(function)
        if depth >= DEPTH or len(self.seen) > MOST or not seen_through:
            self._hole()
            return
        self.held.compiled |= any(name.endswith("compile") for name in function.decorator_names)
        found = self.analysis.facts_of(function.module, function, bound)
        if found.exhausted:
            self._hole()
        for call in function.calls:
            if call in found.values:
                outside, self.states = self.states, self.states | _around(found, call)
                self._call(found, call, depth + 1, function)
                self.states = outside
        for node, callees in found.calls.items():
            for callee in callees if not isinstance(node, nodes.Call) else ():  # operators and items of objects
                self._enter(callee, found, depth + 1)
        for node, value in found.values.items():
            if isinstance(node, nodes.Attribute):
                self._read(found, node, value, depth + 1)

    def _decorated(self, function: FunctionInfo) -> States:
        """The states that decorators of torch set around a function."""
        node: Any = function.node
        decorators: list[Any] = node.decorators.nodes if getattr(node, "decorators", None) is not None else []
        calls = (d for d in decorators if isinstance(d, nodes.Call))
        found = (self.analysis.resolver.expression(function.module, d.func, function.parent) for d in calls)
        return frozenset(SCOPES[name].state for name in found if isinstance(name, str) and name in SCOPES)

    def _hole(self) -> None:
        self.held.holes.add(self.states)

    def _read(self, facts: Facts, node: nodes.Attribute, value: AbstractValue, depth: int) -> None:
        """A tensor that a module keeps is state; a property runs."""
        owner = facts.values.get(node.expr, UNKNOWN)
        for ref in owner.each:
            if isinstance(ref, Instance):
                self.held.state |= bool(value.kinds & (TENSOR | UNKNOWN_KIND))
                cls = ref.cls
                found = self.analysis.resolver.method(cls, node.attrname) if isinstance(cls, ClassInfo) else None
                if found is not None and found.is_property:
                    self._method(found, owner, None, depth)

    def _call(self, facts: Facts, call: nodes.Call, depth: int, function: FunctionInfo) -> None:
        func = call.func
        if isinstance(func, nodes.Name) and func.name == "super":
            return
        value = facts.values.get(func, UNKNOWN)
        name = func.attrname if isinstance(func, nodes.Attribute) else ""
        if value.refs or not (name in OF_CONTEXT or (name and method(name) is not None)):
            self.value(value, facts, depth)
        for name, args in facts.externals.get(call, {}).items():
            made = name in FACTORIES.names or name in PLACED.names
            self._named(name, castings.settled(function, facts.values, call, args) if made else args)
            self._handed(name, args, depth)
        for callee in facts.calls.get(call, {}):
            self._enter(callee, facts, depth)

    def _handed(self, name: str, args: Arguments, depth: int) -> None:
        """The functions among the arguments of a call that leaves the project."""
        for given in args.all():
            if any(isinstance(ref, (FunctionInfo, Bound, Closure, Partial, Wrapped)) for ref in given.each):
                self.value(given, None, depth)
        entry = regions.entry(name)
        if name in CALLING or entry is not None:
            first = args.get(entry.argument, entry.keyword) if entry is not None else args.get(0, "function")
            self.value(first or UNKNOWN, None, depth)

    def _named(self, name: str, args: Arguments) -> None:
        """A function or class outside of the project."""
        head, last = name.partition(".")[0], name.rpartition(".")[2]
        known = names.type_meaning(name) or regions.entry(name) or name in SCOPES or is_known(name)
        self.held.builds |= name.startswith("torch.nn.") and last[:1].isupper()
        self.held.operations.append((name, args, self.states))
        if name in OPAQUE or not (known or head == "numpy" or _standard(head)):
            self._hole()

    def _plain(self, ref: Method, facts: Facts | None, depth: int) -> None:
        """A method of a tensor, a list, a text, or of an object whose class is in the tables."""
        owner, name = ref.owner, ref.name
        if owner.kinds & UNKNOWN_KIND and not owner.kinds & TENSOR and method(name) is None:
            self._hole()
        if not owner.kinds & OBJECT or is_known(f"torch.nn.Module.{name}"):
            return
        for each in owner.each:
            cls = each.cls if isinstance(each, Instance) else None
            if name == "forward" and isinstance(each, Instance):
                self._instance(owner, each, facts, depth)
            elif not isinstance(cls, str) or not (is_known(f"{cls}.{name}") or _standard(cls.partition(".")[0])):
                self._hole()


def _bound(facts: Facts | None, function: FunctionInfo) -> State:
    if facts is None:
        return {}
    given = {p.name: facts.arguments.get((function, p.name)) for p in function.params}
    return {name: value for name, value in given.items() if value is not None and value.known}


def _around(facts: Facts, call: nodes.Call) -> States:
    """The states that the `with` statements of a function set around a call."""
    found: set[str] = set()
    below: nodes.NodeNG = call
    up = call.parent
    while up is not None and not isinstance(up, FUNCTIONS):
        if isinstance(up, nodes.With) and below in up.body:
            names = (n for manager, _ in up.items for n in facts.externals.get(manager, {}))
            found.update(SCOPES[n].state for n in names if n in SCOPES)
        below, up = up, up.parent
    return frozenset(found)


def _keeps(decorator: str) -> bool:
    return decorator.startswith(_HARMLESS) or decorator.rpartition(".")[2] in _KEEPING


def _standard(head: str) -> bool:
    return head in sys.stdlib_module_names or head == "builtins"
