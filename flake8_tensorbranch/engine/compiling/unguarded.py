"""Compiled functions that are called under different attention backends: no guard tells these apart."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from astroid import nodes

from flake8_tensorbranch.engine.checkpointing.flags import Flags
from flake8_tensorbranch.engine.checkpointing.scopes import Opened, Scopes
from flake8_tensorbranch.engine.inference.heirs import with_heirs
from flake8_tensorbranch.engine.inference.program import Program
from flake8_tensorbranch.engine.lookup import loops
from flake8_tensorbranch.engine.lookup.calltree import tree_of
from flake8_tensorbranch.engine.lookup.origins import Expr, Origins, line
from flake8_tensorbranch.engine.refs import Instance, Wrapped
from flake8_tensorbranch.engine.regions.region import Regions
from flake8_tensorbranch.engine.regions.trace import noted
from flake8_tensorbranch.engine.sink import SinkKind, TracedSite
from flake8_tensorbranch.knowledge.operations import ATTENTION
from flake8_tensorbranch.knowledge.scopes import ATTENTION_BACKEND, SCOPES
from flake8_tensorbranch.syntax.names import FunctionInfo
from flake8_tensorbranch.syntax.printing import source_of


def sites(program: Program, regions: Regions) -> Iterator[TracedSite]:
    """Each scope around a compiled call whose function is called under another backend as well."""
    index = program.index
    if not any(name.rsplit(".", 1)[-1] in index.text for name, row in SCOPES.items() if row.state == ATTENTION_BACKEND):
        return
    finder = _Unguarded(program, regions)
    calls: dict[object, list[tuple[FunctionInfo | None, nodes.Call, nodes.NodeNG | None]]] = {}
    for scope, node in index.all_calls():
        for compiled in finder.compiled(scope, node):
            found = ((s, node, opened) for s, opened in finder.around(scope, node))
            calls.setdefault(compiled, []).extend(found)
    reported: set[nodes.NodeNG] = set()
    for group in calls.values():
        for scope, node, opened in group:
            if opened is None or opened in reported or finder.resets(scope):
                continue
            other = next((n for _, n, o in group if finder.spelled(o) != finder.spelled(opened)), None)
            if other is None and finder.varies(opened):
                other = node
            if other is not None:
                reported.add(opened)
                place = noted(index.path, other, "called under another backend here")
                called = source_of(node.func)
                yield TracedSite(SinkKind.UNGUARDED, opened, scope, called, {}, {}, (place,))


class _Unguarded:
    """Finds compiled calls and the scopes around them."""

    def __init__(self, program: Program, regions: Regions) -> None:
        self.program = program
        self.regions = regions
        # With `backend="eager"` the kernel is picked in every call.
        self.heads = {
            f
            for e, functions in regions.entries
            if e.kind == "compiled" and e.option("backend") != "eager"
            for f in functions
        }
        self.eager = {e.node for e, _ in regions.entries if e.kind == "compiled" and e.option("backend") == "eager"}
        self.origins = Origins(program)
        self._attends: dict[FunctionInfo, bool] = {}
        self._scopes: list[Opened] | None = None

    def compiled(self, scope: FunctionInfo | None, node: nodes.Call) -> list[object]:
        """The compiled functions with an attention in them that a call enters, from eager code."""
        if scope is not None and self.regions.of(scope, "compiled") is not None:
            return []
        found: list[object] = [
            f for f in self.program.callees(scope, node) if (f in self.heads or self.decorated(f)) and self.attends(f)
        ]
        for ref in self.program.value(scope, node.func).each:
            if isinstance(ref, Wrapped) and ref.wrapper == "torch.compile":
                made = self.origins.of(Expr(self.program.index, scope, node.func))
                if any(origin.node in self.eager for origin in made):
                    continue
                inner = ref.function.refs
                if _attends(inner):
                    found.append(ref)
        return found

    def decorated(self, function: FunctionInfo) -> bool:
        """True for a function of another file that a decorator there compiles, with a backend of its own kernels."""
        decorators = getattr(function.node, "decorators", None)
        if decorators is None or function.module is self.program.index:
            return False
        for decorator in decorators.nodes:
            expr = decorator.func if isinstance(decorator, nodes.Call) else decorator
            if self.program.analysis.resolver.expression(function.module, expr, function.parent) == "torch.compile":
                keywords = getattr(decorator, "keywords", ())
                return not any(k.arg == "backend" and getattr(k.value, "value", "") == "eager" for k in keywords)
        return False

    def resets(self, scope: FunctionInfo | None) -> bool:
        """True when the function around a scope throws compiled code away."""
        called = self.program.facts[scope].externals.values()
        return any(name.startswith("torch.") and name.endswith(".reset") for names in called for name in names)

    def attends(self, function: FunctionInfo, depth: int = 6) -> bool:
        """True when a function, or one it calls, runs scaled dot product attention."""
        known = self._attends.get(function)
        if known is None:
            self._attends[function] = False
            facts = self.origins.facts(function.module, function)
            named = [node for node, called in facts.externals.items() if ATTENTION.names & called.keys()]
            known = any(self.opened(function, node) is None for node in named) or (
                not named and any(_attends(value.refs) for value in facts.values.values())
            )
            if not known and depth > 0:
                analysis = self.program.analysis
                calls = ((n, c) for n, callees in facts.calls.items() for c in with_heirs(analysis, callees))
                known = any(self.attends(c, depth - 1) and self.opened(function, n) is None for n, c in calls)
            self._attends[function] = known
        return known

    def opened(self, scope: FunctionInfo | None, node: nodes.NodeNG) -> nodes.NodeNG | None:
        """The innermost scope of a backend that is open around a node in its function, however it is opened."""
        if self._scopes is None:
            every = Scopes(self.origins, Flags(self.origins, tree_of(self.origins))).all()
            self._scopes = [o for o in every if o.row is not None and o.row.state == ATTENTION_BACKEND]
        around = [o.node for o in self._scopes if o.function is scope and o.holds(node)]
        return max(around, key=line, default=None)

    def around(
        self, scope: FunctionInfo | None, node: nodes.NodeNG, depth: int = 3
    ) -> Iterator[tuple[FunctionInfo | None, nodes.NodeNG | None]]:
        """The scopes under which a call may run: its own, or those around the calls of its function in the file."""
        opened = self.opened(scope, node)
        callers = [] if opened is not None or scope is None or depth <= 0 else self.origins.sites(scope)
        for site in callers:
            yield from self.around(site.scope, site.node, depth - 1)
        if not callers:
            yield scope, opened

    @staticmethod
    def spelled(opened: nodes.NodeNG | None) -> str:
        """What a scope opens, as the source says it; empty outside of scopes."""
        return "" if opened is None else source_of(opened)

    @staticmethod
    def varies(opened: nodes.NodeNG) -> bool:
        """True when a loop around the scope opens it with another backend in every round, or a test opens another."""
        if isinstance(opened, nodes.IfExp) or isinstance(opened.parent, nodes.IfExp):
            return True
        return any(loops.mentions(opened, loops.targets(loop)) for loop in loops.around(opened.statement()))


def _attends(refs: Iterable[object]) -> bool:
    """True where one of these is an operation of attention, or a layer that runs one."""
    return any((r.cls if isinstance(r, Instance) else r) in ATTENTION.names for r in refs)  # any order
