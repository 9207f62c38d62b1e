"""Calls that checkpoint a function: torch's own, wrapped modules, home-made ones; and which of them a call leads to."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from astroid import nodes

from flake8_tensorbranch.engine.checkpointing.holding import Holding
from flake8_tensorbranch.engine.inference.arguments import Arguments
from flake8_tensorbranch.engine.inference.program import functions_of
from flake8_tensorbranch.engine.lookup.calltree import tree_of
from flake8_tensorbranch.engine.lookup.modes import without_grad
from flake8_tensorbranch.engine.lookup.options import Options
from flake8_tensorbranch.engine.lookup.origins import Expr, Origins
from flake8_tensorbranch.engine.refs import Wrapped
from flake8_tensorbranch.engine.regions.homemade import HomeMade, applied, home_made
from flake8_tensorbranch.engine.regions.region import Entry, Regions
from flake8_tensorbranch.knowledge.regions import REGION_ATTRIBUTES, RegionEntry, entry
from flake8_tensorbranch.syntax.names import ClassInfo, FunctionInfo, last_name


@dataclass(frozen=True, slots=True)
class Recompute:
    """One call whose output is recomputed in backward: the call, the function's expression, and the functions it
    may be.
    """

    call: Expr
    function: Expr | None
    functions: tuple[FunctionInfo, ...]
    row: RegionEntry | None = None
    home: HomeMade | None = None
    bound: tuple[Expr, ...] = ()
    """The positional arguments that a partial gives before those of the call."""
    entry: Entry | None = None
    """The decorator, or the class, that made a region of the function which the call calls by its own name."""

    @property
    def first(self) -> int:
        """The position in the call of what the function gets first, the bound arguments apart."""
        if self.function is not None and self.function.node is self.call.node.func:
            return 0  # a wrapped module
        return max(self.skipped - len(self.bound), 0)

    @property
    def skipped(self) -> int:
        """How many of all the arguments, bound ones too, are for the checkpoint itself."""
        return 1 if self.row is None else max(self.row.passed, self.row.argument + 1)

    @property
    def arguments(self) -> tuple[Expr, ...]:
        """The positional arguments as the checkpoint gets them: what is bound, then those of the call."""
        call = self.call
        return (*self.bound, *(Expr(call.module, call.scope, a) for a in call.node.args))


class Recomputes:
    """Finds recomputed calls, here and behind calls."""

    def __init__(self, origins: Origins, regions: Regions) -> None:
        self.origins = origins
        self.regions = regions
        self.tree = tree_of(origins)
        self.options = Options(origins)
        self.holding = Holding(origins)
        self.home = home_made(origins)
        self._heads = {
            function: begin
            for begin, functions in regions.entries
            if begin.kind == "checkpointed" and begin.row is not None and "call" not in begin.row.forms
            for function in functions
        }
        self._direct: dict[nodes.NodeNG, Recompute | None] = {}

    def direct(self, expr: Expr) -> Recompute | None:
        """The recompute that a call itself makes; None when it makes none."""
        if expr.node not in self._direct:
            self._direct[expr.node] = self._find(expr)
        return self._direct[expr.node]

    def _find(self, expr: Expr) -> Recompute | None:
        call = expr.node
        facts = self.origins.facts(expr.module, expr.scope)
        if not isinstance(call, nodes.Call):
            return None
        for name, args in facts.externals.get(call, {}).items():
            row = entry(name)
            if row is not None and row.kind == "checkpointed" and "call" in row.forms:
                bound = self.options.bound(Expr(expr.module, expr.scope, call.func))
                function = self._function(expr, row, bound)
                found = self._functions(args, row)
                return Recompute(expr, function, (*found, *self.regions.begun(call, found)), row, bound=bound)
        func = call.func
        if isinstance(func, nodes.Attribute) and func.attrname in REGION_ATTRIBUTES and call.args:
            row = REGION_ATTRIBUTES[func.attrname]
            found = tuple(
                functions_of(
                    self.origins.program.analysis, self.origins.value(Expr(expr.module, expr.scope, call.args[0]))
                )
            )
            return Recompute(expr, Expr(expr.module, expr.scope, call.args[0]), found, row)
        made = applied(self.origins, self.home, expr)
        bound = () if made is None else self.options.bound(Expr(expr.module, expr.scope, call.func))
        if made is not None and (bound or call.args):
            first = bound[0] if bound else Expr(expr.module, expr.scope, call.args[0])
            found = tuple(functions_of(self.origins.program.analysis, self.origins.value(first)))
            return Recompute(expr, first, found, None, made, bound)
        value = self.origins.value(Expr(expr.module, expr.scope, func))
        for ref in value.each:
            if isinstance(ref, Wrapped):
                row = entry(ref.wrapper)
                if row is not None and row.kind == "checkpointed":
                    found = tuple(functions_of(self.origins.program.analysis, ref.function))
                    return Recompute(expr, Expr(expr.module, expr.scope, func), found, row)
        for callee in facts.calls.get(call, ()):
            if callee in self._heads:
                begin = self._heads[callee]
                return Recompute(expr, Expr(expr.module, expr.scope, func), (callee,), begin.row, entry=begin)
        return None

    def _function(self, expr: Expr, row: RegionEntry, bound: tuple[Expr, ...]) -> Expr | None:
        call = expr.node
        given = (*bound, *(Expr(expr.module, expr.scope, a) for a in call.args))[: row.argument + 1]
        if len(given) > row.argument and not any(isinstance(g.node, nodes.Starred) for g in given):
            return given[row.argument]
        return next((g for g in self.options.given(expr, row.keyword) if isinstance(g, Expr)), None)

    def _functions(self, args: Arguments, row: RegionEntry) -> tuple[FunctionInfo, ...]:
        value = args.get(row.argument, row.keyword)
        return () if value is None else tuple(functions_of(self.origins.program.analysis, value))

    def variants(self, made: Recompute) -> set[bool | None]:
        """The variants a call may be; see `Options.reentrant`. Where a decorator left its option out, or another file
        did, that is told there: the call itself is of the variant that torch takes then.
        """
        if made.row is None:
            return {True}
        if made.entry is None:
            return self.options.reentrant(made.call, made.row)
        return set() if made.entry.reentrant is None else {made.entry.reentrant}

    def behind(self, expr: Expr) -> list[Recompute]:
        """The recomputes that a call makes, itself or in the functions it enters."""
        found = self.direct(expr)
        if found is not None:
            return [found]
        result: list[Recompute] = []
        facts = self.origins.facts(expr.module, expr.scope)
        for callee in self.origins.callees(expr):
            cls = self.tree.class_of(facts, getattr(expr.node, "func", None), callee)
            own = self.origins.program.analysis.resolver.method(cls, callee.name) if cls is not None else None
            instead = (*(w for _, _, w in self.origins.wrapped(callee)), *self.origins.called_instead(callee))
            for entered in (own or callee, *instead):
                steps = self.tree.steps(entered, cls)
                calls = [(Expr(f.module, f, node), of) for f, of in steps for node in f.calls]
                for inner, of in calls:
                    made = self.direct(inner)
                    if made is not None and not without_grad(self.origins, inner, 0):
                        result.append(self._told(self._of_object(made, of), of or cls, expr, calls))
        return result

    def _of_object(self, made: Recompute, cls: ClassInfo | None) -> Recompute:
        """A recompute with the methods of an object's class in the place of those of its bases."""
        resolver = self.origins.program.analysis.resolver
        order = resolver.mro(cls) if cls is not None else []
        own = (resolver.method(cls, f.name) if cls is not None and f.cls in order else f for f in made.functions)
        return replace(made, functions=tuple(f for f in own if f is not None)) if order else made

    def _told(
        self, made: Recompute, cls: ClassInfo | None, start: Expr, calls: list[tuple[Expr, ClassInfo | None]]
    ) -> Recompute:
        """A recompute that another file makes of what this one hands it, with the functions that calls on the way, or
        the object's class `cls`, give it.
        """
        index = self.origins.program.index
        if made.functions or made.call.module is index:
            return made
        found: dict[FunctionInfo, None] = {}
        for call in (start, *(c for c, _ in calls)):
            if call.module is index:
                found.update(dict.fromkeys(self.regions.begun(call.node, ())))
        if not found:
            for begin, functions in self.regions.entries:
                if isinstance(begin.node, nodes.ClassDef):
                    apart = cls is not None and begin.node in self._kin(cls)
                else:
                    apart = begin.row is not None and "wrap" in begin.row.forms
                    apart = apart or (begin.scope is None and isinstance(begin.node, nodes.Call))
                found.update(dict.fromkeys(functions if apart and begin.kind == "checkpointed" else ()))
        return replace(made, functions=tuple(found))

    def _kin(self, cls: ClassInfo) -> list[nodes.ClassDef]:
        """The definitions of a class, its bases and its heirs in the file under check."""
        mro = self.origins.program.analysis.resolver.mro
        return [c.node for c in self.origins.program.index.classes if c in mro(cls) or cls in mro(c)]

    def all(self) -> Iterator[Recompute]:
        """Every recomputed call of the file under check."""
        index = self.origins.program.index
        for scope in self.origins.program.facts:
            for node in index.calls_in(scope):
                found = self.direct(Expr(index, scope, node))
                if found is not None:
                    yield found

    def kept(self) -> Iterator[Recompute]:
        """The partials of checkpoints by which a function is called where no call of this file does: stored as a
        `forward`, or given back by a decorator.
        """
        index = self.origins.program.index
        bound = index.mentions(("partial(",)) and index.mentions(("utils.checkpoint", "utils import checkpoint"))
        for scope, call in (*index.calls_of("functools.partial"), *index.calls_of("partial")) if bound else ():
            up = call.parent
            if len(call.args) < 2:
                continue
            back = isinstance(up, (nodes.Return, nodes.Lambda)) and scope is not None and not self.origins.sites(scope)
            if not back and [last_name(t) for t in getattr(up, "targets", ())] != ["forward"]:
                continue
            names = self.origins.value(Expr(index, scope, call.args[0])).each
            row = next((r for n in names if isinstance(n, str) and (r := entry(n)) is not None), None)
            if row is not None and row.kind == "checkpointed" and "call" in row.forms and not row.sequential:
                function = Expr(index, scope, call.args[row.argument + 1])
                value = self.origins.value(function)
                found = tuple(functions_of(self.origins.program.analysis, value))
                yield Recompute(Expr(index, scope, call), function, found, row)

    def reads(self, made: Recompute) -> list[FunctionInfo]:
        """The functions that run again: all that the checkpointed ones reach."""
        seen: dict[FunctionInfo, None] = {}
        for function in made.functions:
            seen.update(dict.fromkeys(self.tree.reached(function)))
        return list(seen)
