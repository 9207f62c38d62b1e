"""Regions: functions that run checkpointed, compiled, exported, traced or under vmap, and how they are reached."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from astroid import nodes

from flake8_tensorbranch.engine.inference.arguments import Arguments
from flake8_tensorbranch.engine.inference.frame import Facts
from flake8_tensorbranch.engine.inference.program import Program, functions_of
from flake8_tensorbranch.engine.lattice import NO_CONST, AbstractValue
from flake8_tensorbranch.engine.lookup.guards import for_error
from flake8_tensorbranch.engine.refs import Partial
from flake8_tensorbranch.engine.regions import calledback, decorators, entering, selected, wrappers
from flake8_tensorbranch.engine.regions.heirs import Entered, Heirs
from flake8_tensorbranch.engine.regions.leaves import is_leaf
from flake8_tensorbranch.engine.regions.scripted import Scripting, scripting
from flake8_tensorbranch.knowledge.regions import REGION_ATTRIBUTES, REGION_BASES, RegionEntry, entry
from flake8_tensorbranch.knowledge.tracing import DERIVATIVES, PROXIES
from flake8_tensorbranch.knowledge.versions import has
from flake8_tensorbranch.settings import RegionKind, Settings
from flake8_tensorbranch.syntax.names import ClassInfo, FunctionInfo, dotted


@dataclass(frozen=True, slots=True)
class Entry:
    """One place where a region begins.

    `options` holds literal keyword arguments of the entry (`use_reentrant`, `fullgraph`, ...); a keyword that is
    passed but not literal maps to `NO_CONST`. `node` is None for regions that the settings declare.
    """

    kind: str
    node: nodes.NodeNG | None
    scope: FunctionInfo | None
    row: RegionEntry | None
    options: tuple[tuple[str, object], ...]

    def option(self, name: str, default: object = None) -> object:
        """A literal option of the entry; `NO_CONST` when it is passed but not known."""
        return dict(self.options).get(name, default)

    @property
    def reentrant(self) -> bool | None:
        """Whether a checkpoint is the reentrant variant, as home-made ones are; None when the source does not tell."""
        if self.row is None:
            return True if self.node is not None else None
        if self.row.reentrant_keyword:
            given = self.option(self.row.reentrant_keyword, self.row.reentrant)
            return given if isinstance(given, bool) else self.row.reentrant if given is None else None
        return self.row.reentrant


@dataclass(frozen=True, slots=True)
class Step:
    """One call on the way from a region's entry to a function in it."""

    caller: FunctionInfo | None
    node: nodes.NodeNG


@dataclass(frozen=True, slots=True)
class Membership:
    """A function's place in a region: the entry, and the calls that lead from it to the function."""

    entry: Entry
    way: tuple[Step, ...]


class Regions:
    """All regions of a program."""

    def __init__(self, program: Program, settings: Settings) -> None:
        self.program = program
        self.settings = settings
        self.entries: list[tuple[Entry, list[FunctionInfo]]] = []
        self.around: list[tuple[decorators.Around, Membership]] = []  # wrappers of other files around members
        self.memo: dict[str, Any] = {}  # what analyses of regions make once
        self._members: dict[str, dict[FunctionInfo, Membership]] = {}
        self._heirs = Heirs(program)
        self._begun: dict[nodes.NodeNG, list[FunctionInfo]] = {}
        for scope in program.facts:
            for begin, functions in self._in_scope(scope):
                begun = [*functions, *self._heirs.overriding(begin.scope, functions)]
                self.entries.append((begin, begun))
                if begin.node is not None:
                    self._begun[begin.node] = begun
        self.entries.extend(self._decorated())
        self.entries.extend(self._declared())
        for node, scope, functions in entering.made_by_hand(program):
            self.entries.append((Entry("checkpointed", node, scope, None, ()), functions))
        self.entries.extend(self._wrapped())
        self._close()

    def has(self, behaviour: str) -> bool:
        """Whether the target torch behaves so; see `knowledge.versions`."""
        return has(behaviour, self.settings.torch_version)

    def of(self, function: FunctionInfo | None, kind: str) -> Membership | None:
        """How the function is in a region of the kind; None when it is not."""
        return None if function is None else self._members.get(kind, {}).get(function)

    def kinds(self, function: FunctionInfo | None) -> list[str]:
        """The kinds of region the function runs in."""
        return [] if function is None else [k for k, members in self._members.items() if function in members]

    def members(self, kind: str) -> dict[FunctionInfo, Membership]:
        """Every function in a region of the kind."""
        return self._members.get(kind, {})

    def begun(self, call: nodes.NodeNG, functions: tuple[FunctionInfo, ...]) -> list[FunctionInfo]:
        """What a call begins a region with beside `functions`: what decorators are handed, methods of subclasses."""
        return [f for f in self._begun.get(call, ()) if f not in functions]

    def _in_scope(self, scope: FunctionInfo | None) -> Iterator[tuple[Entry, list[FunctionInfo]]]:
        analysis = self.program.analysis
        facts = self.program.facts[scope]
        for node, callees in facts.externals.items():
            for qualname, args in callees.items():
                row = entry(qualname)
                if row is None and qualname == "functools.partial" and _replaces_forward(node):
                    row, args = _bound_entry(args)
                if row is None:
                    continue
                function = args.get(max(row.argument, 0), row.keyword)
                if function is not None and row.sequential:
                    segments = _segments(args)
                    function = entering.segmented(function, segments)
                if function is None:
                    continue
                found = list(functions_of(analysis, function))
                if row.selectors and isinstance(node, nodes.Call):
                    found = selected.functions(self.program, scope, node, row, found)
                if not found and row.kind == "vmapped" and isinstance(node, nodes.Call) and node.args:
                    found = list(functions_of(analysis, facts.values.get(_transformed(facts, node.args[0]), _NOTHING)))
                if not found and row.kind == "checkpointed" and isinstance(node, nodes.Call) and node.args:
                    found = entering.handed(self.program, scope, node.args[max(row.argument, 0)])
                given = self._defaulted(row, options(args) or _keywords(row, node))
                if (
                    args.double_star is not None
                    and row.reentrant_keyword not in args.keywords
                    and row.reentrant_keyword
                ):
                    given = (*given, (row.reentrant_keyword, NO_CONST))  # it may be among what is unpacked
                if row.sequential:
                    given = (*given, ("segments", segments))
                yield Entry(row.kind_with(given), node, scope, row, given), found
        for call in self.program.index.calls_in(scope):
            if isinstance(call.func, nodes.Attribute) and call.func.attrname in REGION_ATTRIBUTES and call.args:
                row = REGION_ATTRIBUTES[call.func.attrname]
                found = list(functions_of(analysis, facts.values.get(call.args[0], _NOTHING)))
                keywords = tuple((k.arg, _literal(k.value)) for k in call.keywords if k.arg in row.own_keywords)
                yield Entry(row.kind, call, scope, row, keywords), found

    def _defaulted(self, row: RegionEntry, given: tuple[tuple[str, object], ...]) -> tuple[tuple[str, object], ...]:
        """The options given, and the defaults that the target torch had before they changed."""
        named = dict(given)
        older = ((name, value) for name, value, changed in row.before if name not in named and not self.has(changed))
        return (*given, *older) if row.before else given

    def _decorated(self) -> Iterator[tuple[Entry, list[FunctionInfo]]]:
        analysis = self.program.analysis
        index = self.program.index
        for function in index.functions:
            node = function.node
            for decorator in node.decorators.nodes if isinstance(node, nodes.FunctionDef) and node.decorators else ():
                yield from self._decorator(function, decorator)
        for cls in index.classes:
            for base in analysis.resolver.mro(cls):
                name = base if isinstance(base, str) else f"{base.module.name}.{base.name}"
                row = REGION_BASES.get(name) or next(
                    (r for q, r in REGION_BASES.items() if q.rsplit(".", 1)[-1] == name.rsplit(".", 1)[-1]), None
                )
                forward = analysis.resolver.method(cls, "forward")
                if row is not None and forward is not None and base is not cls:
                    yield Entry(row.kind, cls.node, None, row, ()), [forward]
            decorators = cls.node.decorators.nodes if cls.node.decorators else ()
            own = cls.methods.get("forward")
            if own is not None:
                for decorator in decorators:
                    yield from self._decorator(own, decorator)

    def _decorator(self, function: FunctionInfo, decorator: nodes.NodeNG) -> Iterator[tuple[Entry, list[FunctionInfo]]]:
        program = self.program
        resolver = program.analysis.resolver
        call = decorator if isinstance(decorator, nodes.Call) else None
        target = resolver.expression(program.index, call.func if call else decorator, function.parent)
        keywords = {k.arg: _literal(k.value) for k in call.keywords if k.arg} if call else {}
        if target == "functools.partial" and call is not None and call.args:
            target = resolver.expression(program.index, call.args[0], function.parent)
        if isinstance(target, str):
            row = entry(target)
            if row is not None:
                yield Entry(row.kind, decorator, function.parent, row, tuple(keywords.items())), [function]
            return
        if target is not None and not isinstance(target, (ClassInfo, FunctionInfo)):
            value = program.analysis.of_target(target)
            for ref in value.each:
                if isinstance(ref, Partial):
                    for name in ref.function.each:
                        row = entry(name) if isinstance(name, str) else None
                        if row is not None:
                            given = tuple((k, v.const) for k, v in ref.keywords)
                            yield Entry(row.kind, decorator, function.parent, row, given), [function]

    def _declared(self) -> Iterator[tuple[Entry, list[FunctionInfo]]]:
        settings = self.settings
        index = self.program.index
        kinds: tuple[tuple[RegionKind, tuple[str, ...]], ...] = (
            ("compiled", settings.compiled),
            ("checkpointed", settings.checkpointed),
        )
        for kind, globs in kinds:
            if globs:
                found = [
                    f
                    for f in index.functions
                    if settings.matches(kind, index.name, f.qualname.replace(".<locals>", ""))
                ]
                if found:
                    yield Entry(kind, None, None, None, ()), found

    def _wrapped(self) -> Iterator[tuple[Entry, list[FunctionInfo]]]:
        """Entries in wrappers of the project, for the functions that no other entry is seen to be given."""
        known = {(begin.kind, function) for begin, functions in self.entries for function in functions}
        for made in wrappers.made(self.program):
            kind = made.row.kind_with(made.options)
            facts = self.program.facts
            new = [f for f in made.functions if (kind, f) not in known or (made.imported and f not in facts)]
            if new:
                known.update((kind, f) for f in new)
                self._begun.setdefault(made.node, new)
                yield Entry(kind, made.node, made.scope, made.row, made.options), new

    def _close(self) -> None:
        """Close every region over the call edges, breadth first: each function keeps its shortest way."""
        program = self.program
        for begin, functions in self.entries:
            self._heirs.begin(begin.kind, begin.scope, begin.node, functions)
        for begin, functions in self.entries:
            members = self._members.setdefault(begin.kind, {})
            queue: deque[FunctionInfo] = deque()
            for function in functions:
                if (
                    function in program.facts
                    and (function not in members or members[function].way)
                    and not self.is_outside(function, begin)
                ):
                    members[function] = Membership(begin, ())
                    queue.append(function)
                    queue.extend(self._around(begin, function, members))
            queue.extend(self._called_back(begin, begin.scope, begin.node, functions, members, ()))
            while queue:
                caller = queue.popleft()
                queue.extend(self._entered(begin, self._heirs.joined(begin.kind, caller), members))
                way = members[caller].way
                for node, callees in program.facts[caller].calls.items():
                    entered = self._heirs.entered(begin.kind, caller, node, callees)
                    queue.extend(self._entered(begin, entered, members))
                    queue.extend(self._called_back(begin, caller, node, callees, members, (*way, Step(caller, node))))

    def _entered(
        self, begin: Entry, entered: Iterable[Entered], members: dict[FunctionInfo, Membership]
    ) -> Iterator[FunctionInfo]:
        """What calls of members enter that is no member yet."""
        for caller, node, callee in entered:
            if (
                callee in self.program.facts
                and callee not in members
                and callee.name != "__init__"
                and not self.is_outside(callee, begin)
                and not for_error(node)
            ):
                members[callee] = Membership(begin, (*members[caller].way, Step(caller, node)))
                yield callee
                yield from self._around(begin, callee, members)

    def _around(
        self, begin: Entry, function: FunctionInfo, members: dict[FunctionInfo, Membership]
    ) -> Iterator[FunctionInfo]:
        """The wrappers of the file that decorators put around a member; those of other files are noted."""
        if not function.decorator_names:
            return
        member = members[function]
        for one in decorators.around(self.program, function, begin.node):
            if self.is_outside(one.wrapper, begin):
                continue
            if one.wrapper not in self.program.facts:
                self.around.append((one, member))
            elif one.wrapper not in members:
                members[one.wrapper] = member
                yield one.wrapper

    def _called_back(
        self,
        begin: Entry,
        scope: FunctionInfo | None,
        node: nodes.NodeNG | None,
        functions: Iterable[FunctionInfo],
        members: dict[FunctionInfo, Membership],
        way: tuple[Step, ...],
    ) -> Iterator[FunctionInfo]:
        """Methods that come into the region through `functions` of other files, which call them on a file's object."""
        facts = self.program.facts
        strangers = [f for f in functions if f not in facts and f.cls is not None and not self.is_outside(f, begin)]
        for method, there in calledback.methods(self.program, scope, node, strangers) if strangers else ():
            if method not in members and not self.is_outside(method, begin):
                members[method] = Membership(begin, (*way, *(Step(function, call) for function, call in there)))
                yield method

    def is_outside(self, function: FunctionInfo, begin: Entry) -> bool:
        """True for functions that `torch.compiler.disable` keeps out of compiled regions, `script` out of traces,
        `torch.fx.wrap` out of symbolic ones, and `torch.library.custom_op` out of all of them.
        """
        if begin.kind != "checkpointed" and any(d.endswith("custom_op") for d in function.decorator_names):
            return True
        if begin.kind == "traced":
            analysis = self.program.analysis
            proxied = begin.row is not None and begin.row.qualname in PROXIES
            return (proxied and is_leaf(analysis, self.program.index, function)) or (
                scripting(analysis, function) is not Scripting.NO
            )
        return begin.kind == "compiled" and any(
            d.endswith(("compiler.disable", "_dynamo.disable", "compiler.is_exporting"))
            for d in function.decorator_names
        )


_NOTHING = AbstractValue(0, 0, NO_CONST, frozenset(), None, None)


def _replaces_forward(node: nodes.NodeNG) -> bool:
    """True for what is stored as the `forward` of a module: other files call it."""
    targets = node.parent.targets if isinstance(node.parent, nodes.Assign) else []
    return any(isinstance(t, nodes.AssignAttr) and t.attrname == "forward" for t in targets)


def _bound_entry(args: Arguments) -> tuple[RegionEntry | None, Arguments]:
    """The region entry that `functools.partial` binds a function to, with the arguments that it is given."""
    names = args.positional[0].each if args.positional else ()
    row = next((found for name in names if isinstance(name, str) and (found := entry(name)) is not None), None)
    return row, args.dropped(1)


def _literal(node: nodes.NodeNG) -> object:
    return node.value if isinstance(node, nodes.Const) else NO_CONST


def _transformed(facts: Facts, node: nodes.NodeNG) -> nodes.NodeNG:
    """What the transformations of `torch.func` around a function are applied to: it runs with the same arguments."""
    while isinstance(node, nodes.Call) and node.args and DERIVATIVES & facts.externals.get(node, {}).keys():
        node = node.args[0]
    return node


def _keywords(row: RegionEntry, node: nodes.NodeNG) -> tuple[tuple[str, object], ...]:
    """The keywords written at a call of a method, whose arguments are not bound."""
    if "method" not in row.forms or not isinstance(node, nodes.Call):
        return ()
    return tuple((k.arg, _literal(k.value)) for k in node.keywords if k.arg is not None)


def _segments(args: Arguments) -> object:
    """The number of segments that `checkpoint_sequential` is given."""
    told = args.get(1, "segments")
    return NO_CONST if told is None else told.const


def options(args: Arguments) -> tuple[tuple[str, object], ...]:
    """The keyword arguments of a call as literals."""
    return tuple((k, v.const) for k, v in args.keywords.items())


def describe(entry_: Entry) -> str:
    """How the source spells an entry, for messages."""
    node = entry_.node
    if node is None:
        return f"declared {entry_.kind} by an option"
    if isinstance(node, nodes.Call):
        return f"{dotted(node.func) or 'call'}(...)"
    if isinstance(node, nodes.ClassDef):
        return f"class {node.name}"
    return f"@{dotted(node) or 'decorator'}"
