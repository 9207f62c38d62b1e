"""What runs inside checkpointed regions: each function, with the arguments and state that its own entry hands on."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from astroid import nodes

from flake8_tensorbranch.engine.checkpointing import beginnings, places
from flake8_tensorbranch.engine.checkpointing.places import Place
from flake8_tensorbranch.engine.checkpointing.strangers import matters
from flake8_tensorbranch.engine.inference import calls, randomness
from flake8_tensorbranch.engine.inference.arguments import Arguments
from flake8_tensorbranch.engine.inference.frame import Callees, Facts, Frame, State
from flake8_tensorbranch.engine.inference.program import Program
from flake8_tensorbranch.engine.inference.summary import Analysis
from flake8_tensorbranch.engine.lattice import (
    NONE,
    NONE_VALUE,
    TENSOR,
    UNKNOWN,
    AbstractValue,
)
from flake8_tensorbranch.engine.lookup.loops import inside
from flake8_tensorbranch.engine.lookup.modes import without_grad
from flake8_tensorbranch.engine.lookup.origins import Expr, Origins, position
from flake8_tensorbranch.engine.refs import Instance
from flake8_tensorbranch.engine.regions.abroad import settled, told_here
from flake8_tensorbranch.engine.regions.region import Entry, Regions
from flake8_tensorbranch.knowledge.regions import REGION_ATTRIBUTES, entry
from flake8_tensorbranch.syntax.names import ClassInfo, FunctionInfo

DEPTH: Final = 9
MOST: Final = 150  # activations of one file
MOST_STRANGE: Final = 12  # of these, below each function of another file that a region begins with
MOST_SOLVED: Final = 60  # of these, solved anew for their own arguments

_GENERATOR: Final = Instance("torch.Generator")


class Activation:
    """One run of a function inside a region.

    `places` says which state outside of the region each parameter is; one that is missing there was made by the region.
    `certain` is false where only names tell that the region runs it; `twin` runs alike and has the same children.
    """

    def __init__(
        self,
        origins: Origins,
        entry: Entry,
        function: FunctionInfo,
        facts: Facts,
        places_: dict[str, Place],
        parent: Activation | None = None,
        call: nodes.NodeNG | None = None,
        certain: bool = True,
    ) -> None:
        self.origins = origins
        self.analysis: Analysis = origins.program.analysis
        self.entry = entry
        self.function = function
        self.facts = facts
        self.places = places_
        self.parent = parent
        self.call = call
        self.certain: bool = certain and (parent is None or parent.certain)
        self.children: list[Activation] = []
        self.twin: Activation | None = None

    def ancestor(self, function: FunctionInfo) -> Activation | None:
        """The activation of a function that this one runs below; None when there is none."""
        up = self.parent
        while up is not None and up.function is not function:
            up = up.parent
        return up

    def entered(self, call: nodes.NodeNG) -> Activation | None:
        """The one activation that a call starts; None for none, or for several."""
        found = [c for c in self.children if c.call is call]
        return found[0] if len(found) == 1 else None

    @property
    def order(self) -> tuple[tuple[int, int], ...]:
        """Where in its region's run the activation starts: the positions of the calls that lead to it."""
        before = self.parent.order if self.parent is not None else ()
        return before if self.call is None else (*before, position(self.call))

    def returned(self) -> list[nodes.NodeNG]:
        """The expressions that the function returns."""
        function = self.function
        node: Any = function.node
        if function.is_lambda:
            return [node.body]
        return [r.value for r in function.returns_nodes if r.value is not None]

    def argument(self, name: str) -> nodes.NodeNG | None:
        """The expression that the call of the activation hands to a parameter; None where none is seen."""
        if self.parent is None or self.call is None or not any(p.name == name for p in self.function.params):
            return None
        given = self.origins.argument(self.parent.expr(self.call), self.function, name)
        return None if given is None else given.node

    def expr(self, node: nodes.NodeNG) -> Expr:
        """An expression of the function, to ask its origins."""
        return Expr(self.function.module, self.function, node)

    def reached(self, node: nodes.NodeNG) -> bool:
        """True when the run comes to an expression at all."""
        return node in self.facts.values

    def run(self) -> Iterator[Activation]:
        """This activation and all below it."""
        yield self
        for child in self.children:
            yield from child.run()


class Insides:
    """The activations of a program's checkpointed regions."""

    def __init__(self, origins: Origins, regions: Regions) -> None:
        self.origins = origins
        self.regions = regions
        self.program: Program = origins.program
        self.analysis = origins.program.analysis
        self._facts: dict[object, Facts] = {}
        self._count = 0
        self._of: dict[FunctionInfo, list[Activation]] | None = None
        self.heads: list[Activation] = []
        seen: set[tuple[object, FunctionInfo]] = set()
        for begin, functions in regions.entries:
            if begin.kind != "checkpointed" or self._without_grad(begin):
                continue
            for head in self._heads(begin, functions):
                key = (begin.node, head.function)
                if key not in seen:
                    seen.add(key)
                    self.heads.append(head)
        alike: dict[object, Activation] = {}
        for head in sorted(self.heads, key=lambda h: h.function.module is not self.program.index):
            first = alike.setdefault(_kind(head), head)
            if first is head:
                self._close(head)
            else:
                head.twin, head.children = first, first.children

    def all(self) -> Iterator[Activation]:
        """Every activation, callers first; of entries that run alike those of the first."""
        for head in self.heads:
            if head.twin is None:
                yield from head.run()

    def of(self, function: FunctionInfo | None) -> list[Activation]:
        """The activations of one function, callers first."""
        if self._of is None:
            self._of = {}
            for activation in self.all():
                self._of.setdefault(activation.function, []).append(activation)
        return [] if function is None else self._of.get(function, [])

    def strange(self) -> Iterator[Activation]:
        """Those of functions of other files, one for all that are alike."""
        seen: set[tuple[FunctionInfo, int]] = set()
        for activation in self.lasting():
            key = (activation.function, id(activation.facts))
            if activation.function.module is not self.program.index and key not in seen:
                seen.add(key)
                yield activation

    def lasting(self) -> Iterator[Activation]:
        """Those of all functions but constructors and custom autograd functions."""
        return (a for a in self.all() if not _makes_own(self.analysis, a.function))

    def here(self) -> Iterator[Activation]:
        """Of these, those of functions of the file under check."""
        return (a for a in self.lasting() if a.function.module is self.program.index)

    def _without_grad(self, begin: Entry) -> bool:
        if not isinstance(begin.node, nodes.Call) or begin.row is None or "call" not in begin.row.forms:
            return False
        return without_grad(self.origins, Expr(self.program.index, begin.scope, begin.node))

    def _heads(self, begin: Entry, functions: list[FunctionInfo]) -> Iterator[Activation]:
        row, node = begin.row, begin.node
        if row is not None and isinstance(node, nodes.Call) and "call" in row.forms and not row.sequential:
            given = self._given(begin, node)
            if given is not None:
                function, rest = given
                frame = Frame(self.analysis, self.program.index, begin.scope, Facts())
                calls.apply(frame, function, rest, node)
                assert frame.facts is not None
                found = frame.facts.calls.get(node, {})
                for callee in found:
                    if callee not in self.program.facts and not told_here(self.program, begin, callee):
                        continue
                    bound = self._settled(Expr(self.program.index, begin.scope, node), callee, frame.facts)
                    yield self._head(begin, callee, self._solved(callee, bound))
                functions = [f for f in functions if f not in found]
        for other in functions:
            if other.module is self.program.index and other in self.program.facts:
                yield self._head(begin, other, self._begun(begin, other))
            elif (
                node in self.program.facts[begin.scope].externals  # the call is torch's own
                and told_here(self.program, begin, other)
                and (begin.option("preserve_rng_state", True) is not True or matters(self.analysis, other))
            ):
                yield self._head(begin, other, self._solved(other, {}))

    def _begun(self, begin: Entry, function: FunctionInfo) -> Facts:
        """The facts of a function that begins a region, with what is known of all that it may be handed."""
        bound = beginnings.bound(self.program, begin, function)
        return self._solved(function, bound) if bound else self.program.facts[function]

    def _head(self, begin: Entry, function: FunctionInfo, facts: Facts) -> Activation:
        known = {name: Place((function, name)) for name in self.analysis.parameters(function)}
        if function.takes_self and function.cls is not None:
            known[function.params[0].name] = Place(function.cls)
        return Activation(self.origins, begin, function, facts, known)

    def _given(self, begin: Entry, node: nodes.Call) -> tuple[AbstractValue, Arguments] | None:
        """The function that an entry's call is given, and the arguments that reach it."""
        facts = self.program.facts[begin.scope]
        assert begin.row is not None
        for name, args in facts.externals.get(node, {}).items():
            row = entry(name)
            if row is begin.row:
                function = args.get(row.argument, row.keyword)
                return (
                    None
                    if function is None
                    else (function, _made_before(args.dropped(row.passed).without(*row.own_keywords)))
                )
        func = node.func
        if isinstance(func, nodes.Attribute) and REGION_ATTRIBUTES.get(func.attrname) is begin.row and node.args:
            if any(isinstance(a, nodes.Starred) for a in node.args) or any(k.arg is None for k in node.keywords):
                return None
            value = facts.values.get
            keywords = {
                k.arg: value(k.value, UNKNOWN) for k in node.keywords if k.arg and k.arg not in begin.row.own_keywords
            }
            return value(node.args[0], UNKNOWN), Arguments(
                [value(a, UNKNOWN) for a in node.args[1:]], keywords=keywords
            )
        return None

    def _solved(self, function: FunctionInfo, bound: State) -> Facts:
        """The facts of a function run with these arguments."""
        key = (function, tuple(sorted(bound.items(), key=lambda item: item[0])))
        known = self._facts.get(key)
        if known is None:
            if len(self._facts) < MOST_SOLVED:
                known = self.analysis.facts_of(function.module, function, bound)
            else:
                known = self.origins.facts(function.module, function)
            self._facts[key] = known
        return known

    def _settled(self, site: Expr, callee: FunctionInfo, facts: Facts, caller: Activation | None = None) -> State:
        """What a callee's parameters get from a call: None for a generator that all calls on the way leave out."""
        bound = _bound(facts, callee)
        up = callee.parent
        if up is not None and (caller is None or (up is not caller.function and caller.ancestor(up) is None)):
            # What a function from outside of the region closes over was read and drawn before the region runs.
            params = self.analysis.parameters(callee)
            bound = {n: v if n in params else settled(v) for n, v in bound.items()}
        for param in callee.params:
            value = bound.get(param.name) or self.analysis.parameters(callee).get(param.name, UNKNOWN)
            optional = value.kinds & NONE and _GENERATOR in value.refs and isinstance(site.node, nodes.Call)
            if optional and self.origins.left_out(site, callee, param.name):
                bound[param.name] = NONE_VALUE
        return bound

    def _close(self, head: Activation) -> None:
        """Follow the calls below an activation."""
        strange = head.function.module is not self.program.index
        most = min(MOST, self._count + MOST_STRANGE) if strange else MOST
        work = [(head, 0)]
        seen: set[object] = set()
        while work:
            activation, depth = work.pop(0 if strange else -1)
            supposed = list(self._supposed(activation))
            for node, callees in (*activation.facts.calls.items(), *self._properties(activation), *supposed):
                for callee in callees:
                    if (
                        callee.name == "__init__"
                        or depth >= DEPTH
                        or self._count >= most
                        or activation.ancestor(callee) is not None
                        or (strange and not matters(self.analysis, callee))
                    ):
                        continue
                    if callee is activation.function:
                        continue
                    facts = self._solved(
                        callee, self._settled(activation.expr(node), callee, activation.facts, activation)
                    )
                    handed = self._handed(activation, node, callee)
                    key = (callee, id(facts), tuple(sorted(handed.items(), key=lambda item: item[0])), node)
                    if key in seen:
                        continue
                    seen.add(key)
                    certain = not any(node is call for call, _ in supposed)
                    child = Activation(self.origins, activation.entry, callee, facts, handed, activation, node, certain)
                    activation.children.append(child)
                    self._count += 1
                    work.append((child, depth + 1))

    def _properties(self, activation: Activation) -> Iterator[tuple[nodes.NodeNG, Callees]]:
        """The properties that a function reads, as calls."""
        for node in inside(activation.function):
            if type(node) is not nodes.Attribute:
                continue
            for ref in activation.facts.values.get(node.expr, UNKNOWN).each:
                if isinstance(ref, Instance) and isinstance(ref.cls, ClassInfo):
                    found = self.analysis.resolver.method(ref.cls, node.attrname)
                    if found is not None and found.is_property:
                        yield node, {found: None}

    def _supposed(self, activation: Activation) -> Iterator[tuple[nodes.NodeNG, Callees]]:
        """Calls of modules whose class only a name tells: `layers[i](x)` where the file has one kind of `...Layer`."""
        index = self.program.index
        facts = activation.facts
        for call in activation.function.calls:
            func = call.func
            value = facts.values.get(func)
            if value is None or value.refs or facts.calls.get(call) or facts.externals.get(call):
                continue
            named = func.value if isinstance(func, nodes.Subscript) else func
            stem = str(getattr(named, "attrname", getattr(named, "name", ""))).lower().strip("_").removesuffix("s")
            if len(stem) < 4 or places.of(activation, func) is None:
                continue
            found = [c for c in index.classes if c.name.lower().endswith(stem) and self.analysis.resolver.is_module(c)]
            forward = self.analysis.resolver.method(found[0], "forward") if len(found) == 1 else None
            if forward is not None:
                yield call, {forward: None}

    def _handed(self, activation: Activation, node: nodes.NodeNG, callee: FunctionInfo) -> dict[str, Place]:
        """Which parameters of a callee are state outside of the region."""
        found: dict[str, Place] = {}
        site = Expr(activation.function.module, activation.function, node)
        starred = places.unpacked(node)
        for param in callee.params:
            given = self.origins.argument(site, callee, param.name)
            place = None if given is None else places.of(activation, given.node)
            if starred is not None and given is None and param.default is None and not param.keyword_only:
                whole = places.of(activation, starred)
                place = None if whole is None else whole.child(places.ANY)
            if place is not None:
                found[param.name] = place
        if callee.takes_self and callee.cls is not None:
            owner = self._owner(node)
            if owner is not None and (_is_super(owner) or places.of(activation, owner) is not None):
                found[callee.params[0].name] = Place(callee.cls)
        return found

    @staticmethod
    def _owner(node: nodes.NodeNG) -> nodes.NodeNG | None:
        """What a call or a property read takes its object from: `o.method` is outside of the region where `o` is."""
        if isinstance(node, nodes.Attribute):
            return node.expr
        return node.func if isinstance(node, nodes.Call) else None


def _kind(head: Activation) -> object:
    """What two entries must have in common to run alike: the function, what it is told, and how it is called."""
    entry = head.entry
    named = tuple(k.arg for k in entry.node.keywords) if isinstance(entry.node, nodes.Call) else None
    return head.function, id(head.facts), id(entry.row), entry.options, named, type(entry.node)


def _is_super(node: nodes.NodeNG) -> bool:
    while isinstance(node, nodes.Attribute):
        node = node.expr
    return isinstance(node, nodes.Call) and isinstance(node.func, nodes.Name) and node.func.name == "super"


def _bound(facts: Facts, callee: FunctionInfo) -> State:
    """What a callee's parameters get; a draw that went into a tensor is not followed further."""
    return {
        name: randomness.settled(value) if value.kinds & TENSOR else value
        for (function, name), value in facts.arguments.items()
        if function is callee and value.known
    }


def _made_before(args: Arguments) -> Arguments:
    """Arguments of a region: what they draw or read was made before it runs, and is the same when it runs again."""
    keywords = {k: settled(v) for k, v in args.keywords.items()}
    star = None if args.star is None else settled(args.star)
    return Arguments([settled(v) for v in args.positional], star, keywords, args.double_star)


def _makes_own(analysis: Analysis, function: FunctionInfo) -> bool:
    """True for what works on objects of its own: constructors, and custom functions on their context."""
    return function.cls is not None and (
        function.name == "__init__" or analysis.resolver.has_base(function.cls, "Function")
    )
