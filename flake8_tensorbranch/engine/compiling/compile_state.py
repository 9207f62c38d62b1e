"""Python state that a compiled function is specialised on and that changes: attributes of modules, module globals."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from astroid import nodes

from flake8_tensorbranch.engine.branching.tracers import Tracers
from flake8_tensorbranch.engine.compiling import kept
from flake8_tensorbranch.engine.compiling.accesses import Access, Place, Reader, behind, evens_out, registered_names
from flake8_tensorbranch.engine.compiling.beginnings import default, form, is_mapping
from flake8_tensorbranch.engine.inference.program import Program
from flake8_tensorbranch.engine.lattice import CONTAINER, HOST, MAPPING, SHAPE, TENSOR
from flake8_tensorbranch.engine.lookup import loops, names
from flake8_tensorbranch.engine.refs import Instance
from flake8_tensorbranch.engine.regions.instances import Instances
from flake8_tensorbranch.engine.regions.region import Regions
from flake8_tensorbranch.engine.regions.trace import noted
from flake8_tensorbranch.engine.repairs.buffers import registered
from flake8_tensorbranch.engine.sink import SinkKind, TracedSite
from flake8_tensorbranch.syntax.names import ClassInfo, FunctionInfo, ModuleIndex, dotted

KIND: Final = "compiled"
_UNSPECIALISED: Final = "allow_unspec_int_on_nn_module"


class State:
    """Finds the places that change from call to call of a compiled function, and where it reads them first."""

    def __init__(self, program: Program, regions: Regions) -> None:
        self.program = program
        self.regions = regions
        self.members = regions.members(KIND)
        self.instances = Instances(program, regions)
        self.tracers = Tracers(program.analysis)
        self.reader = Reader(program, self.place, self._attribute)
        self._accesses: dict[FunctionInfo | None, list[Access]] = {}
        self._changes: dict[Place, tuple[str, nodes.NodeNG] | None] = {}
        self._globals: dict[ClassInfo, bool] = {}
        self._reaches: dict[FunctionInfo, bool] = {}

    def sites(self) -> Iterator[TracedSite]:
        """A site for each place and compiled function that is specialised on it."""
        index = self.program.index
        if not self.members or _UNSPECIALISED in index.text:
            return
        specialised = self.regions.has("module-int-specialised")
        for function, membership in self.members.items():
            if membership.entry.option("fullgraph") is True and self.regions.of(function, "checkpointed") is not None:
                continue  # the change itself is refused there
            by_place: dict[Place, list[Access]] = {}
            for access in self.accesses(function):
                by_place.setdefault(access.place, []).append(access)
            for place, accesses in by_place.items():
                first = accesses[0]
                if first.how in ("set", "empty") or self.tracers.guard(index, function, first.node, tracer=KIND):
                    continue
                held = self.moves(place) if self._class(function, getattr(first.node, "expr", None)) else None
                change = held or self.change(place) or self.instances.differ(place, membership)
                if change is None:
                    continue
                what, where = change
                if kept.is_attribute(place[1]) and what == "int" and not self._is_read(place):
                    continue  # a counter that no graph reads
                if what in ("int", "instance") and place[0] is not None and not specialised:
                    continue
                if what == "int" and not membership.way and self.is_given(function, first.node):
                    continue  # its guards are those of an argument
                path = place[0].module.path if place[0] is not None and where.root() is not index.tree else index.path
                related = (noted(path, where, "it changes here"),)
                shown = [first, *_deciding(accesses)] if first.how == "step" else [first]
                edits = registered(index, *place) if what == "int" and _is_own(place, index) else None
                for access in dict.fromkeys(shown):
                    yield TracedSite(
                        SinkKind.COMPILED_STATE,
                        access.node,
                        function,
                        _spelled(access.node, place[1]),
                        {KIND: membership},
                        {"what": what},
                        related,
                        repairs={"buffer": edits} if edits is not None else {},
                    )

    def _is_read(self, place: Place) -> bool:
        """True when compiled code reads a place, not to step it alone."""
        return any(a.place == place and a.how == "read" for member in self.members for a in self.accesses(member))

    # Accesses

    def accesses(self, function: FunctionInfo | None) -> list[Access]:
        """The accesses of attributes of objects and of globals in a function, in source order."""
        known = self._accesses.get(function)
        if known is None:
            top = self.program.index.tree if function is None else function.node
            found = [a for node in loops.walk(top) if (a := self.reader.access(function, node)) is not None]
            # The right side of an assignment is read before its target is written.
            found.sort(key=lambda a: (a.node.lineno or 0, a.how == "set", a.node.col_offset or 0))
            known = self._accesses[function] = found
        return known

    def place(self, function: FunctionInfo | None, node: nodes.NodeNG) -> Place | None:
        """The place that a name or an attribute stands for."""
        if isinstance(node, (nodes.Name, nodes.AssignName)):
            index = self.program.index
            if function is None or function.module is not index:
                return None
            held = behind(function, node)
            if held is not node:
                return self.place(function, held)
            if node.name in function.local_names and node.name not in function.declared_global:
                mine = kept.by_default(self.program, function, node.name) or (
                    function not in self.members and kept.is_lent(function, node.name, self.members)
                )
                return (None, kept.cell(function, node.name)) if mine else None
            around = names.owner(function.parent, node.name)
            if around is not None:
                return None if around in self.members else (None, kept.cell(around, node.name))
            if node.name not in index.bindings or index.bindings[node.name][0].item is not None:
                return None
            return None, node.name
        if not isinstance(node, (nodes.Attribute, nodes.AssignAttr)):
            return None
        return self._attribute(function, node.expr, node.attrname)

    def _attribute(self, function: FunctionInfo | None, holder: nodes.NodeNG, name: str) -> Place | None:
        cls = self._owner(function, holder)
        if cls is not None:
            return self._holder(cls, name), name
        own = kept.function_of(self.program, function, holder)
        return None if own is None else (None, kept.attribute(own, name))

    def _owner(self, function: FunctionInfo | None, node: nodes.NodeNG) -> ClassInfo | None:
        up = function
        while up is not None:
            if up.takes_self and isinstance(node, nodes.Name) and node.name == up.params[0].name:
                return up.cls
            up = up.parent
        for ref in self.program.value(function, node).each:
            if isinstance(ref, Instance) and isinstance(ref.cls, ClassInfo):
                return ref.cls
        return self._class(function, node)

    def _class(self, function: FunctionInfo | None, node: Any) -> ClassInfo | None:
        """The class that an expression is: by its name, as `type(o)` or `o.__class__`, in a class method."""
        if isinstance(node, nodes.Attribute) and node.attrname == "__class__":
            return self._owner(function, node.expr)
        if isinstance(node, nodes.Call) and isinstance(node.func, nodes.Name) and node.func.name == "type":
            return self._owner(function, node.args[0]) if len(node.args) == 1 else None
        if not isinstance(node, nodes.Name):
            return None
        if function is not None and function.is_classmethod and node.name == function.params[0].name:
            return function.cls
        return next((r for r in self.program.value(function, node).each if isinstance(r, ClassInfo)), None)

    def is_given(self, function: FunctionInfo, node: nodes.NodeNG) -> bool:
        """True for an attribute of what compiled code is handed: an object that is no module (facts I: dynamic)."""
        base = getattr(node, "expr", None)
        given = isinstance(base, nodes.Name) and any(p.name == base.name for p in function.params)
        owner = self._owner(function, base) if isinstance(base, nodes.Name) and given else None
        return owner is not None and not self.program.analysis.resolver.is_module(owner)

    def _holder(self, cls: ClassInfo, name: str) -> ClassInfo:
        """The class whose constructor or body makes an attribute, so that bases and subclasses mean the same place."""
        bases = self.program.analysis.resolver.lineage(cls)
        making = (b for b in bases if name in b.body or any(w.name == "__init__" for w in b.stores.get(name, ())))
        return next(making, next((b for b in bases if name in b.stores), cls))

    # Changes

    def change(self, place: Place) -> tuple[str, nodes.NodeNG] | None:
        """How a place changes between calls (what it is, where it changes); None when nothing shows that it does."""
        return self.moves(place) if place[0] is None or self.guards(place[0]) else None

    def moves(self, place: Place) -> tuple[str, nodes.NodeNG] | None:
        """The same, whether or not the compiler guards on the value of such a place."""
        if place not in self._changes:
            self._changes[place] = self._change(place)
        return self._changes[place]

    def _change(self, place: Place) -> tuple[str, nodes.NodeNG] | None:
        cls = place[0]
        kind = self.kind(place)
        if not kind:
            return None
        index = self.program.index
        elsewhere = () if cls is None else (w for w in cls.stores.get(place[1], ()) if w.module is not index)
        for function in (*index.scopes, *elsewhere):
            if function is not None and function.name == "__init__":
                continue
            mine = [a for a in self.accesses(function) if a.place == place]
            if not mine or (kind == "length" and function not in self.members and evens_out(mine, function)):
                continue
            if function in self.members:
                if mine[0].how in ("set", "empty") and not self._read_before(function, place):
                    continue  # starts anew in every call
                found = next((a for a in mine if self.carries(function, a, kind)), None)
            else:
                changing = (a for a in mine if a.how != "read" or a.value is not None)
                found = next((a for a in changing if self._between(function, a, kind)), None)
            if found is not None:
                return kind, found.node
        return None

    def guards(self, cls: ClassInfo) -> bool:
        """True when ints of the class's objects are guarded by value: modules, what modules keep, and what a global of
        the file holds (facts I).
        """
        resolver = self.program.analysis.resolver
        if resolver.is_module(cls) or self._is_global(cls):
            return True
        for holder in self.program.index.classes:
            if resolver.is_module(holder):
                owner = self.program.analysis.instance_of(holder)
                for name in holder.stores:
                    kept = self.program.analysis.attribute(holder, name, owner)
                    if any(isinstance(ref, Instance) and ref.cls is cls for ref in kept.refs):
                        return True
        return False

    def _is_global(self, cls: ClassInfo) -> bool:
        """True when a global of the file is an object of the class."""
        if cls not in self._globals:
            index = self.program.index
            made = [getattr(b.statement, "value", None) for found in index.bindings.values() for b in found]
            calls = (v for v in made if isinstance(v, nodes.Call))
            resolver = self.program.analysis.resolver
            self._globals[cls] = any(resolver.expression(index, call.func, None) is cls for call in calls)
        return self._globals[cls]

    def kind(self, place: Place) -> str:
        """What a place starts as: ``int``, ``str``, ``length`` (a container); empty for anything else."""
        cls, name = place
        if cls is not None and any(n == name for w in cls.stores.get(name, ()) for n in registered_names(w)):
            return ""
        kinds = {form(v) for v in self.beginnings(place) if v is not None}
        if kept.is_cell(name):
            kinds &= {"length"}  # an int of a closure is dynamic after its first change
        if kinds & {"float", "other-number"}:
            return ""
        return next((k for k in ("length", "int", "str") if k in kinds), "")

    def beginnings(self, place: Place) -> list[nodes.NodeNG | None]:
        """What is stored at a place, wherever that is: None for what no single value was given for."""
        cls, name = place
        if cls is None and kept.is_kept(name):
            stored = [
                a.value
                for s in self.program.index.scopes
                for a in self.accesses(s)
                if a.place == place and a.how == "set"
            ]
            return [*stored, *kept.bound(self.program.index, name)]
        if cls is None:
            return [getattr(b.statement, "value", None) for b in self.program.index.bindings.get(name, ())]
        values: list[nodes.NodeNG | None] = []
        for writer in cls.stores.get(name, ()):
            own = [a.value for a in self.accesses(writer) if a.place == place and a.how == "set"]
            values += [default(writer, v) for v in own]
        return values + [getattr(s, "value", None) for s in cls.body.get(name, ())]

    def _read_before(self, function: FunctionInfo, place: Place) -> bool:
        """True when a compiled caller reads the place before it calls the function that writes it."""
        for caller in self.members:
            first = next((a for a in self.accesses(caller) if a.place == place), None)
            if caller is function or first is None or first.how != "read":
                continue
            calls = [n for n, callees in self.program.facts[caller].calls.items() if function in callees]
            if any((n.lineno or 0) >= (first.node.lineno or 0) for n in calls):
                return True
        return False

    def carries(self, function: FunctionInfo | None, access: Access, kind: str) -> bool:
        """True when a write inside of the compiled region leaves another value to the next call."""
        if access.how == "grow" or access.how == "step":
            return _changes(access, kind)
        if access.how != "set" or access.value is None or kind != "int":
            return False
        value = self.program.value(function, access.value)
        return bool(value.deps & SHAPE and value.kinds & HOST and not value.kinds & (TENSOR | CONTAINER | MAPPING))

    def _between(self, function: FunctionInfo | None, access: Access, kind: str) -> bool:
        """True when a write outside of the region runs again and again between calls of compiled code."""
        for loop in loops.around(access.node):
            if loops.mentions(getattr(access.node, "expr", None), loops.targets(loop)):
                return False  # the objects of the loop, each once
            if self._per_round(access, kind, loops.counters(loop)) and self._runs_compiled(function, loop):
                return True
        if function is None or access.how == "read":
            return False
        if access.how == "grow" and kind == "length" and self._grows_again(function, access.place):
            return True
        for scope, facts in self.program.facts.items():
            for node, callees in facts.calls.items():
                if (
                    function not in callees
                    or not isinstance(node, nodes.Call)
                    or (scope is not None and scope.name == "__init__")
                ):
                    continue
                for loop in loops.around(node):
                    if loops.mentions(node.func, loops.targets(loop)):
                        break
                    names = loops.counters(loop)
                    passed = {p for p, a in _arguments(node, function) if loops.counted(a, names)}
                    if self._per_round(access, kind, passed) and self._runs_compiled(scope, loop):
                        return True
        return False

    def _grows_again(self, function: FunctionInfo, place: Place) -> bool:
        """True for a method or a nested function, as often as it is called: it puts something in that stays, and calls
        compiled code.
        """
        if (function.parent is None and not function.takes_self) or kept.is_of(place[1], function):
            return False
        calls = self.program.facts[function].calls.values()
        return any(self._enters(callee, 4) for callees in calls for callee in callees)

    def _per_round(self, access: Access, kind: str, names: set[str]) -> bool:
        if access.how == "read":
            entered = access.value is not None and loops.counted(access.value, names)
            return entered and kind == "length" and any(map(is_mapping, self.beginnings(access.place)))
        if access.how in ("grow", "step"):
            return _changes(access, kind)
        return (
            access.how == "set" and access.value is not None and kind != "length" and loops.counted(access.value, names)
        )

    def _runs_compiled(self, scope: FunctionInfo | None, loop: nodes.NodeNG) -> bool:
        """True when a loop's body calls compiled code, as far as calls can be followed."""
        facts = self.program.facts.get(scope)
        if facts is None:
            return False
        below = [n for s in getattr(loop, "body", ()) for n in (s, *loops.walk(s)) if isinstance(n, nodes.Call)]
        return any(self._enters(callee, 4) for call in below for callee in facts.calls.get(call, ()))

    def _enters(self, function: FunctionInfo, depth: int) -> bool:
        known = self._reaches.get(function)
        if known is None:
            known = function in self.members
            if not known and depth > 0 and function in self.program.facts:
                calls = self.program.facts[function].calls.values()
                known = any(self._enters(c, depth - 1) for callees in calls for c in callees)
            self._reaches[function] = known
        return known


def _deciding(accesses: list[Access]) -> list[Access]:
    """The first read of a place that a test is made of."""
    for access in accesses[1:]:
        up = access.node.parent
        while access.how == "read" and up is not None and not up.is_statement:
            up = up.parent
        if access.how == "read" and isinstance(up, (nodes.If, nodes.While, nodes.For, nodes.Assert)):
            return [access]
    return []


def _changes(access: Access, kind: str) -> bool:
    """True when a write makes another int, or a container of another length."""
    if access.how == "grow":
        return kind == "length"
    value = access.value
    if kind == "length":
        path = dotted(access.node) or ""
        if isinstance(access.node.parent, nodes.AugAssign):
            return access.node.parent.op == "+="
        return value is not None and loops.lengthens(value, path)
    if value is None or any(isinstance(n.value, float) for n in value.nodes_of_class(nodes.Const)):
        return False
    if isinstance(access.node.parent, nodes.AugAssign):
        return access.node.parent.op != "/="
    return isinstance(value, (nodes.BinOp, nodes.Call, nodes.JoinedStr)) and getattr(value, "op", "") not in ("/", "%")


def _arguments(call: nodes.Call, function: FunctionInfo) -> Iterator[tuple[str, nodes.NodeNG]]:
    slots = [p.name for p in function.params][1 if function.takes_self or function.is_classmethod else 0 :]
    yield from zip(slots, call.args, strict=False)
    for keyword in call.keywords:
        if keyword.arg is not None:
            yield keyword.arg, keyword.value


def _is_own(place: Place, index: ModuleIndex) -> bool:
    """True when the file itself defines the class whose objects hold the place."""
    return place[0] is None or place[0].module is index


def _spelled(node: nodes.NodeNG, name: str) -> str:
    return dotted(node) or name
