"""Checkpoints and compiled code that do not go together: what one cannot do inside of the other."""

from __future__ import annotations

from collections.abc import Iterator

from astroid import nodes
from astroid.const import Context

from flake8_tensorbranch.diagnostic import Related
from flake8_tensorbranch.engine.branching.switchedoff import Switches
from flake8_tensorbranch.engine.compiling.accesses import Access
from flake8_tensorbranch.engine.compiling.compile_state import State
from flake8_tensorbranch.engine.inference.program import Program
from flake8_tensorbranch.engine.lattice import CONTAINER, HOST, MAPPING, NONE, TENSOR
from flake8_tensorbranch.engine.lookup import loops, names
from flake8_tensorbranch.engine.lookup.guards import guards
from flake8_tensorbranch.engine.lookup.options import Options
from flake8_tensorbranch.engine.lookup.origins import Expr, Origins
from flake8_tensorbranch.engine.refs import Wrapped
from flake8_tensorbranch.engine.regions.region import Entry, Regions, describe
from flake8_tensorbranch.engine.regions.trace import noted
from flake8_tensorbranch.engine.sink import SinkKind, TracedSite
from flake8_tensorbranch.knowledge.containers import CHANGES
from flake8_tensorbranch.knowledge.scopes import NO_CONTEXT, SCOPES, SELECTIVE
from flake8_tensorbranch.knowledge.tracing import COMPILE, TUNED_MODES
from flake8_tensorbranch.syntax.kinds import FUNCTIONS
from flake8_tensorbranch.syntax.names import FunctionInfo, dotted


class Conflicts:
    """Looks at the checkpoint calls inside of compiled code, and at the compiled code inside of checkpoint calls."""

    def __init__(self, program: Program, regions: Regions, state: State) -> None:
        self.program = program
        self.regions = regions
        self.state = state
        self.origins = Origins(program)
        self.options = Options(self.origins)
        self.compiled = regions.members("compiled")
        self.switches = Switches(program)

    def sites(self) -> Iterator[TracedSite]:
        """Every conflict of the file under check."""
        yield from self._exports()
        if not self.compiled and COMPILE not in self.program.index.text:
            return
        inside: dict[FunctionInfo, tuple[Entry, Entry, list[FunctionInfo]]] = {}
        for entry, functions in self.regions.entries:
            if entry.kind != "checkpointed" or not isinstance(entry.node, nodes.Call):
                continue
            outer = self._outer(entry, functions)
            around = self.compiled.get(entry.scope) if entry.scope is not None else None
            if around is not None and entry.node is not None and self.switches.off(entry.scope, entry.node, around):
                continue
            if outer is not None:
                yield from self._context(entry)
                yield from self._conditionals_abroad(functions, entry)
                for function in self._reached(functions):
                    inside.setdefault(function, (entry, outer, functions))
            else:
                yield from self._around(entry, functions)
        for function, (entry, outer, heads) in inside.items():
            yield from self._conditionals(function, entry)
            if outer.option("fullgraph") is True:
                writes = (*self._writes(function, entry), *self._fills(function, entry, heads))
                yield from {site.node: site for site in writes}.values()

    def _exports(self) -> Iterator[TracedSite]:
        """Checkpoints in what `torch.export` traces with `strict=True` (facts J), but for those behind a test."""
        exported = self.regions.members("exported") if self.regions.has("export-refuses-checkpoint") else {}
        for entry, _ in self.regions.entries if exported else ():
            outer = exported.get(entry.scope) if entry.scope is not None and entry.kind == "checkpointed" else None
            if outer is None or outer.entry.option("strict") is not True or entry.node is None:
                continue
            if not guards(entry.node):  # an export in evaluation mode, or with the flag off, leaves it out
                yield self._site(entry.node, entry.scope, "strict", outer.entry)

    def _outer(self, entry: Entry, functions: list[FunctionInfo]) -> Entry | None:
        """The compile entry whose region holds a checkpoint; None where the checkpoint runs eagerly."""
        if entry.scope in self.compiled:
            return self.compiled[entry.scope].entry
        if entry.row is not None and entry.row.wraps:
            # A wrapped module runs where it is called: inside, when compiled code calls it.
            return next(
                (self.compiled[f].entry for f in functions if f in self.compiled and self.compiled[f].way), None
            )
        return None

    def _site(
        self, node: nodes.NodeNG, scope: FunctionInfo | None, how: str, entry: Entry, subject: str = ""
    ) -> TracedSite:
        place = entry.node if entry.node is not None else node
        related: tuple[Related, ...] = ()
        if place is not node:
            related = (noted(self.program.index.path, place, f"{entry.kind} by {describe(entry)}"),)
        return TracedSite(SinkKind.COMPILED_CHECKPOINT, node, scope, subject, {}, {"how": how}, related)

    def _reached(self, functions: list[FunctionInfo]) -> list[FunctionInfo]:
        """The functions of the file that run in a region, nearest first."""
        order = [f for f in functions if f in self.program.facts]
        for current in order:
            for callees in self.program.facts[current].calls.values():
                order.extend(c for c in callees if c in self.program.facts and c not in order)
        return order

    # A checkpoint inside of a compiled function

    def _conditionals(self, function: FunctionInfo, entry: Entry) -> Iterator[TracedSite]:
        """`torch.cond` has no rule for the caching that the compiled checkpoint does (facts A12)."""
        if not self.regions.has("compiled-checkpoint-refuses-cond"):
            return
        for node, called in self.program.facts[function].externals.items():
            if "torch.cond" in called:
                yield self._site(node, function, "cond", entry)

    def _conditionals_abroad(self, functions: list[FunctionInfo], entry: Entry) -> Iterator[TracedSite]:
        """The same in a function of another file that the checkpoint is given: put at the checkpoint."""
        if entry.node is None or not self.regions.has("compiled-checkpoint-refuses-cond"):
            return
        for function in functions:
            if function not in self.program.facts and function.module.mentions(("cond",)):
                facts = self.origins.facts(function.module, function)
                if any("torch.cond" in called for called in facts.externals.values()):
                    yield self._site(entry.node, entry.scope, "cond", entry)
                    return

    def _writes(self, function: FunctionInfo, entry: Entry) -> Iterator[TracedSite]:
        """Python state that the region changes: `HOP: Unsafe side effect`."""
        for access in self.state.accesses(function):
            if access.how == "read":
                changes = self._stores_item(function, access.node)
            else:
                changes = not self._harmless(function, access)
            if changes:
                yield self._site(access.node, function, "write", entry, dotted(access.node) or access.place[1])
        for node in loops.walk(function.node):
            if isinstance(node, nodes.AssignName) and node.name in function.declared_global | _nonlocals(function):
                yield self._site(node, function, "write", entry, node.name)

    def _fills(self, function: FunctionInfo, entry: Entry, heads: list[FunctionInfo]) -> Iterator[TracedSite]:
        """Lists and dicts of the functions around the region, or that it is handed, which it changes."""
        inside = set(self._reached(heads))
        for node in loops.walk(function.node):
            func = node.func if isinstance(node, nodes.Call) else None
            if isinstance(func, nodes.Attribute) and func.attrname in CHANGES:
                held = func.expr
            elif isinstance(node, nodes.Subscript) and node.ctx is Context.Store:
                held = node.value
            else:
                continue
            if not isinstance(held, nodes.Name) or not self.program.value(function, held).must(CONTAINER | MAPPING):
                continue
            bound = function.local_names.get(held.name, ())
            handed = function in heads and bool(bound) and all(isinstance(b.parent, nodes.Arguments) for b in bound)
            around = None if bound else names.owner(function.parent, held.name)
            if handed or (around is not None and around not in inside):
                yield self._site(held, function, "write", entry, held.name)

    def _harmless(self, function: FunctionInfo, access: Access) -> bool:
        """True for a write of the constant that is there already, and for names (looked at on their own)."""
        if isinstance(access.node, (nodes.Name, nodes.AssignName)):
            return access.how != "grow"
        cls, name = access.place
        if access.how != "set" or cls is None or not isinstance(access.value, nodes.Const):
            return False
        made = [a for w in cls.stores.get(name, ()) if w.name == "__init__" for a in self.state.accesses(w)]
        values = [a.value for a in made if a.place == access.place]
        return bool(values) and all(isinstance(v, nodes.Const) and v.value == access.value.value for v in values)

    def _stores_item(self, function: FunctionInfo, node: nodes.NodeNG) -> bool:
        """True for `container[key] = value`, where the container is no tensor."""
        parent = node.parent
        if not isinstance(parent, nodes.Subscript) or parent.value is not node:
            return False
        stored = isinstance(parent.parent, (nodes.Assign, nodes.AugAssign)) and parent.parent.value is not parent
        value = self.program.value(function, node)
        return stored and value.known and not value.may(TENSOR | HOST | NONE)

    def _context(self, entry: Entry) -> Iterator[TracedSite]:
        """A `context_fn` that the compiler cannot call, or that gives other contexts than dispatch modes."""
        call = Expr(self.program.index, entry.scope, entry.node)
        for given in self.options.given(call, "context_fn"):
            if not isinstance(given, Expr):
                continue
            for origin in self.origins.of(given, calls=False):
                how = self._unfit(entry, origin)
                if how:
                    yield self._site(call.node, entry.scope, how, entry)
                    return

    def _unfit(self, entry: Entry, origin: Expr) -> str:
        node = origin.node
        inside = origin.scope is not None and origin.scope in self.compiled and origin.scope.name != "__init__"
        if inside and isinstance(node, FUNCTIONS):
            return "local"
        if isinstance(node, nodes.Attribute) and any(f.takes_self for f, _ in self.origins.functions(origin)):
            return "bound"
        function = self._named(origin)
        for result in self.origins.returns(function) if function is not None else ():
            if isinstance(result.node, (nodes.Tuple, nodes.List)):
                for element in result.node.elts:
                    made = self.origins.of(Expr(result.module, result.scope, element))
                    names = {n for o in made if isinstance(o.node, nodes.Call) for n in self.origins.externals(o)}
                    if NO_CONTEXT in names or names & SCOPES.keys():
                        return "modes"
        return ""

    # Compiled code inside of a checkpoint

    def _around(self, entry: Entry, functions: list[FunctionInfo]) -> Iterator[TracedSite]:
        assert isinstance(entry.node, nodes.Call)
        call = Expr(self.program.index, entry.scope, entry.node)
        compiles = self._compiles(entry, call, functions)
        if not compiles and not self._wraps_compiled(call):
            return
        if any(self._selective(g) for g in self.options.given(call, "context_fn") if isinstance(g, Expr)):
            if self.regions.has("policy-blind-to-compiled"):
                yield self._site(call.node, entry.scope, "selective", entry)
        elif any(self._tuned(c) for c in compiles):
            yield self._site(call.node, entry.scope, "tuned", entry)

    def _compiles(self, entry: Entry, call: Expr, functions: list[FunctionInfo]) -> list[Entry]:
        """The `torch.compile` calls and decorators whose functions run in a region."""
        reached = set(self._reached(functions))
        if entry.row is not None and entry.row.wraps and not self._wraps_compiled(call):
            reached -= set(functions)  # compiled as a whole, the checkpoint with it
        found = [
            made
            for made, compiled in self.regions.entries
            if made.kind == "compiled" and made.node is not None and reached.intersection(compiled)
        ]
        # What the values do not tell is followed in the source: `self.norm = compiled_copy(Norm())`.
        called = [Expr(self.program.index, call.scope, argument) for argument in call.node.args[:1]]
        called += [Expr(self.program.index, f, c.func) for f in reached for c in f.calls]  # any order
        origins = {origin.node for expr in called for origin in self.origins.of(expr)}
        if call.node.args and isinstance(call.node.args[0], nodes.Name):
            origins.add(_bound_before(call.scope, call.node.args[0]))
        found += [e for e, _ in self.regions.entries if e.kind == "compiled" and e.node in origins and e not in found]
        return found

    def _wraps_compiled(self, call: Expr) -> bool:
        """True when what a wrapper is given is compiled already."""
        refs = self.program.value(call.scope, call.node.args[0]).refs if call.node.args else ()
        return any(isinstance(r, Wrapped) and r.wrapper == COMPILE for r in refs)

    def _selective(self, given: Expr) -> bool:
        """True for a `context_fn` that gives the contexts of a selective policy."""
        for origin in self.origins.of(given, calls=False):
            node = origin.node
            if isinstance(node, nodes.Call) and "functools.partial" in self.origins.externals(origin) and node.args:
                inner = Expr(origin.module, origin.scope, node.args[0])
                if SELECTIVE in self.origins.value(inner).refs:
                    return True
            named = self._named(origin)
            for result in self.origins.returns(named) if named is not None else ():
                if SELECTIVE in self.origins.externals(result):
                    return True
        return False

    def _named(self, origin: Expr) -> FunctionInfo | None:
        """The function that an expression, or a definition, is."""
        node = origin.node
        found = origin.module.scope_of.get(node) if isinstance(node, FUNCTIONS) else None
        if isinstance(found, FunctionInfo):
            return found
        return next((function for function, _ in self.origins.functions(origin)), None)

    def _tuned(self, entry: Entry) -> bool:
        """True for a compile call in a mode that benchmarks kernels and pads shapes."""
        if entry.option("mode") in TUNED_MODES:
            return True
        if not isinstance(entry.node, nodes.Call):
            return False
        call = Expr(self.program.index, entry.scope, entry.node)
        return any(
            constant in TUNED_MODES
            for given in self.options.given(call, "mode")
            if isinstance(given, Expr)
            for constant in self.options.constants(given)
        )


def _bound_before(function: FunctionInfo | None, name: nodes.Name) -> nodes.NodeNG | None:
    """The expression that a local was bound to last before it is read, by position."""
    bound = function.local_names.get(name.name, ()) if function is not None else ()
    before = [b for b in bound if isinstance(b.parent, nodes.Assign) and (b.lineno or 0) < (name.lineno or 0)]
    return max(before, key=lambda b: b.lineno).parent.value if before else None


def _nonlocals(function: FunctionInfo) -> set[str]:
    found: set[str] = set()
    for node in loops.walk(function.node):
        if isinstance(node, nodes.Nonlocal):
            found.update(node.names)
    return found
