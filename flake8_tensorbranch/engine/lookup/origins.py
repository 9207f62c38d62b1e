"""Where an expression comes from in the source: through names, attributes, parameters' callers and returned values."""

from __future__ import annotations

from collections.abc import Iterator, KeysView
from dataclasses import dataclass
from typing import Any, Final

from astroid import nodes

from flake8_tensorbranch.engine.inference import decorating, heirs
from flake8_tensorbranch.engine.inference.frame import Callees, Facts
from flake8_tensorbranch.engine.inference.program import Program
from flake8_tensorbranch.engine.inference.resolve import Variable
from flake8_tensorbranch.engine.lattice import UNKNOWN, AbstractValue
from flake8_tensorbranch.engine.refs import Bound, Closure, Instance
from flake8_tensorbranch.knowledge.regions import REGION_ATTRIBUTES, entry
from flake8_tensorbranch.syntax.binding import assigned, field_default
from flake8_tensorbranch.syntax.names import ClassInfo, FunctionInfo, ModuleIndex

DEPTH: Final = 8
MOST: Final = 24


@dataclass(frozen=True, slots=True)
class Expr:
    """An expression (or a function's definition) and the scope it stands in."""

    module: ModuleIndex
    scope: FunctionInfo | None
    node: Any  # an astroid node; what it must be is tested where it matters


class Origins:
    """Backward slices of expressions over one program; other files' functions are asked on demand."""

    def __init__(self, program: Program) -> None:
        self.program = program
        self.memo: dict[object, object] = {}
        """What analyses have found out about this program."""
        self._sites: dict[FunctionInfo, list[Expr]] | None = None
        self._wrapped: dict[FunctionInfo, tuple[decorating.Wrapping, ...]] = {}
        self._of_methods: dict[FunctionInfo, dict[nodes.NodeNG, None]] = {}
        """What decorators put in the place of methods, with these methods' calls: the first parameter is the object."""

    # Facts

    def facts(self, module: ModuleIndex, scope: FunctionInfo | None) -> Facts:
        """The facts of a scope of any file."""
        if module is self.program.index and scope in self.program.facts:
            return self.program.facts[scope]
        return self.program.analysis.facts_of(module, scope)

    def value(self, expr: Expr) -> AbstractValue:
        """The abstract value of an expression."""
        return self.facts(expr.module, expr.scope).values.get(expr.node, UNKNOWN)

    def externals(self, expr: Expr) -> KeysView[str]:
        """The qualified names of what a call calls outside the project."""
        facts = self.facts(expr.module, expr.scope)
        found = facts.externals.get(expr.node)
        if found is None and isinstance(expr.node, nodes.Call) and expr.node not in facts.values:
            target = self._decorator(expr)
            return ({target: None} if isinstance(target, str) else {}).keys()
        return (found or {}).keys()

    def callees(self, expr: Expr) -> Callees:
        """The project's functions that a call may enter."""
        facts = self.facts(expr.module, expr.scope)
        if isinstance(expr.node, nodes.Call) and expr.node not in facts.values:
            target = self._decorator(expr)
            return {target: None} if isinstance(target, FunctionInfo) else {}
        return facts.calls.get(expr.node, {})

    def _decorator(self, expr: Expr) -> object:
        """What a call names that no state was evaluated for: decorators stand outside every scope's flow."""
        return self.program.analysis.resolver.expression(expr.module, expr.node.func, expr.scope)

    def sites(self, function: FunctionInfo) -> list[Expr]:
        """The calls in the file under check that enter a function."""
        if self._sites is None:
            self._sites = {}
            for scope, facts in self.program.facts.items():
                for node, callees in facts.calls.items():
                    for callee in callees:
                        self._sites.setdefault(callee, []).append(Expr(self.program.index, scope, node))
            for function_, calls in (*self._installed(), *self._decorated(), *self._overriding()):
                self._sites.setdefault(function_, []).extend(calls)
        return self._sites.get(function, [])

    def takes_object(self, function: FunctionInfo, site: Expr | None = None) -> bool:
        """True for a function whose first parameter a call of it (or, without one, some call) does not name: methods,
        and their decorators' wrappers.
        """
        if function.takes_self or function.is_classmethod:
            return True
        self.sites(function)  # which files them
        calls = self._of_methods.get(function, {})
        return bool(calls) if site is None else site.node in calls

    def _installed(self) -> Iterator[tuple[FunctionInfo, list[Expr]]]:
        """Functions stored as the `forward` of what their maker is given, with the calls of what the maker gave
        back.
        """
        index = self.program.index
        for maker in index.functions:
            for store in maker.attribute_stores:
                value = getattr(store.parent, "value", None)
                if store.attrname != "forward" or not isinstance(value, nodes.Name):
                    continue
                inner = next((f for f in maker.nested if f.name == value.name), None)
                if inner is None:
                    continue
                calls: list[Expr] = []
                for site in [
                    Expr(index, s, n) for s, f in self.program.facts.items() for n, c in f.calls.items() if maker in c
                ]:
                    statement = site.node.parent
                    if isinstance(statement, nodes.Assign) and isinstance(statement.targets[0], nodes.AssignAttr):
                        name = statement.targets[0].attrname
                        for function in index.functions:
                            for call in function.calls:
                                if isinstance(call.func, nodes.Attribute) and call.func.attrname == name:
                                    calls.append(Expr(index, function, call))
                yield inner, calls

    def _overriding(self) -> Iterator[tuple[FunctionInfo, list[Expr]]]:
        """Methods in the place of those of a base class of the file, with the calls that the base makes of its own."""
        assert self._sites is not None
        resolver = self.program.analysis.resolver
        for cls in self.program.index.classes if self._sites else ():
            for base in resolver.mro(cls)[1:] if cls.bases else ():
                if not isinstance(base, ClassInfo) or base.module is not cls.module:
                    continue
                for name, method in cls.methods.items():
                    if name in base.methods and name not in ("__init__", "forward"):
                        own = [s for s in self._sites.get(base.methods[name], ()) if _is_on_self(s)]
                        if own:
                            yield method, own

    def _decorated(self) -> Iterator[tuple[FunctionInfo, list[Expr]]]:
        """What a decorator of the project puts in a function's place, with the function's calls but its own."""
        assert self._sites is not None
        for function in self.program.index.functions:
            calls = self._sites.get(function)
            for _, _, inner in self.wrapped(function) if calls else ():
                if function.takes_self or function.is_classmethod:
                    self._of_methods.setdefault(inner, {}).update((c.node, None) for c in calls or ())
                yield inner, [c for c in calls or () if c.scope is not inner]
            for inner in self.called_instead(function) if calls else ():
                yield inner, list(calls or ())

    def called_instead(self, function: FunctionInfo) -> list[FunctionInfo]:
        """The `__call__` of the project's classes that a function is decorated with: its calls enter these."""
        return decorating.called_instead(self.program.analysis, function)

    def wrapped(self, function: FunctionInfo) -> tuple[decorating.Wrapping, ...]:
        """What the project's decorators put in a function's place; see `decorating.wrapping`."""
        if function not in self._wrapped:
            self._wrapped[function] = tuple(decorating.wrapping(self.program.analysis, function))
        return self._wrapped[function]

    # Slices

    def of(self, expr: Expr, calls: bool = True, depth: int = DEPTH) -> list[Expr]:
        """The expressions that an expression's value is made by; one that nothing is known of is its own origin.

        With `calls`, a call of a function of the project is followed to what that returns.
        """
        found: dict[tuple[FunctionInfo | None, nodes.NodeNG], Expr] = {}
        self._expand(expr, calls, depth, found, set())
        return list(found.values())

    def _expand(
        self,
        expr: Expr,
        calls: bool,
        depth: int,
        found: dict[tuple[FunctionInfo | None, nodes.NodeNG], Expr],
        seen: set[nodes.NodeNG],
    ) -> None:
        if expr.node in seen:
            return
        seen.add(expr.node)
        steps = [] if depth <= 0 or len(found) >= MOST else self.step(expr, calls)
        if not steps:
            found[expr.scope, expr.node] = expr
        for step in steps:
            self._expand(step, calls, depth - 1, found, seen)

    def step(self, expr: Expr, calls: bool = True) -> list[Expr]:
        """The expressions one step back; none for an expression that makes its value itself, or is not understood."""
        node, module, scope = expr.node, expr.module, expr.scope
        if isinstance(node, nodes.IfExp):
            return [Expr(module, scope, node.body), Expr(module, scope, node.orelse)]
        if isinstance(node, nodes.BoolOp) and node.op == "or":
            return [Expr(module, scope, value) for value in node.values]
        if isinstance(node, (nodes.NamedExpr, nodes.Await)):
            return [Expr(module, scope, node.value)]
        if isinstance(node, nodes.Name):
            return self._name(expr, node.name)
        if isinstance(node, nodes.Attribute):
            return self._attribute(expr, node)
        if isinstance(node, nodes.Call) and calls:
            kept = isinstance(node.func, nodes.Name) and node.func.name == "staticmethod" and len(node.args) == 1
            return [Expr(module, scope, node.args[0])] if kept else self._returned(expr)
        return []

    def _name(self, expr: Expr, name: str) -> list[Expr]:
        scope = expr.scope
        while scope is not None:
            if name in scope.local_names and name not in scope.declared_global:
                return self._bound(expr.module, scope, name)
            scope = scope.parent
        return self._target(self.program.analysis.resolver.name(expr.module, name))

    def _bound(self, module: ModuleIndex, scope: FunctionInfo, name: str) -> list[Expr]:
        found: list[Expr] = []
        for bound in scope.local_names[name]:
            if isinstance(bound, (nodes.FunctionDef, nodes.ClassDef)):
                found.append(Expr(module, scope, bound))
            elif isinstance(bound.parent, nodes.Arguments) or isinstance(bound, nodes.Arguments):
                passed = self.passed(scope, name)
                if not passed:
                    return []
                found.extend(passed)
            else:
                value = assigned(bound)
                if value is None:
                    return []
                found.append(Expr(module, scope, value))
        return found

    def _target(self, target: object) -> list[Expr]:
        if isinstance(target, FunctionInfo):
            return [Expr(target.module, target.parent, target.node)]
        if not isinstance(target, Variable):
            return []
        found = []
        for binding in target.module.bindings.get(target.name, ()):
            value = getattr(binding.statement, "value", None)
            targets = getattr(binding.statement, "targets", None) or [getattr(binding.statement, "target", None)]
            if value is None or not isinstance(targets[0], nodes.AssignName):
                return []
            found.append(Expr(target.module, None, value))
        return found

    def _attribute(self, expr: Expr, node: nodes.Attribute) -> list[Expr]:
        owner = self.value(Expr(expr.module, expr.scope, node.expr))
        found: list[Expr] = []
        for ref in owner.each:
            cls = ref.cls if isinstance(ref, Instance) else ref  # an object's, or of the class itself
            if isinstance(cls, ClassInfo):
                found.extend(self.stored(cls, node.attrname))
        if found or not all(isinstance(ref, ModuleIndex) for ref in owner.refs):
            return found
        return self._target(self.program.analysis.resolver.expression(expr.module, node, expr.scope))

    def stored(self, cls: ClassInfo, name: str) -> list[Expr]:
        """The expressions that a class's objects keep under an attribute: stores, class body, field defaults,
        properties.
        """
        resolver = self.program.analysis.resolver
        found: list[Expr] = []
        for base in resolver.mro(cls):
            if not isinstance(base, ClassInfo):
                continue
            for writer in base.stores.get(name, ()):
                for store in writer.attribute_stores:
                    value = assigned(store) if store.attrname == name else None
                    if value is not None:
                        found.append(Expr(base.module, writer, value))
            for statement in base.body.get(name, ()):
                value = getattr(statement, "value", None)
                if value is not None:
                    found.append(Expr(base.module, None, field_default(value)))
            method = base.methods.get(name)
            if method is not None and method.is_property:
                found.extend(Expr(base.module, method, r.value) for r in method.returns_nodes if r.value is not None)
        return found

    def _returned(self, expr: Expr) -> list[Expr]:
        found = []
        for callee in heirs.answering(self.program.analysis, self.callees(expr)):
            if callee.name == "__init__" or callee.is_generator or self.checkpoint_row(expr) is not None:
                return []
            found.extend(self.returns(callee))
        return found

    def returns(self, function: FunctionInfo) -> list[Expr]:
        """The expressions a function returns."""
        if function.is_lambda:
            return [Expr(function.module, function, function.node.body)]
        return [Expr(function.module, function, r.value) for r in function.returns_nodes if r.value is not None]

    # Parameters

    def checkpoint_row(self, expr: Expr) -> object:
        """The region entry whose call an expression is, where it runs the function it is given; else None."""
        for name in self.externals(expr):
            row = entry(name)
            if row is not None and row.kind == "checkpointed" and row.passed >= 0:
                return row
        func = getattr(expr.node, "func", None)
        return REGION_ATTRIBUTES.get(func.attrname) if isinstance(func, nodes.Attribute) else None

    def left_out(self, site: Expr, function: FunctionInfo, name: str, depth: int = DEPTH) -> bool:
        """True when a call gives nothing but None to a parameter whose default is None: no argument, None itself, or
        a parameter that all calls in the file leave out.
        """
        call = site.node
        given = self.argument(site, function, name)
        if given is None:
            unpacks = [a for a in call.args if isinstance(a, nodes.Starred)] + [k for k in call.keywords if not k.arg]
            default = next((p.default for p in function.params if p.name == name), None)
            return not unpacks and isinstance(default, nodes.Const) and default.value is None
        if isinstance(given.node, nodes.Const):
            return given.node.value is None
        scope, handed = given.scope, getattr(given.node, "name", "")
        if scope is None or depth <= 0 or not any(p.name == handed for p in scope.params):
            return False
        calls = self.sites(scope)
        return bool(calls) and all(
            isinstance(c.node, nodes.Call) and self.left_out(c, scope, handed, depth - 1) for c in calls
        )

    def passed(self, function: FunctionInfo, name: str) -> list[Expr]:
        """What the calls in the file under check give to a parameter; its default where a call gives nothing."""
        default = next((p.default for p in function.params if p.name == name), None)
        found: list[Expr] = []
        for site in self.sites(function):
            given = self.argument(site, function, name)
            if given is not None:
                found.append(given)
            elif default is not None:
                found.append(Expr(function.module, function.parent, default))
        if not found and default is not None and not self.sites(function):
            found.append(Expr(function.module, function.parent, default))
        return found

    def argument(self, site: Expr, function: FunctionInfo, name: str) -> Expr | None:
        """The expression that one call gives to a parameter; None where it gives none, or that cannot be told."""
        call = site.node
        if not isinstance(call, nodes.Call):
            return None
        slots = [p.name for p in function.params if not p.keyword_only]
        positional = call.args
        row = self.checkpoint_row(site)
        if row is not None:
            positional = positional[getattr(row, "passed", 0) :]
        if self.takes_object(function, site):
            slots = slots[1:]
        if name in slots:
            position = slots.index(name)
            if not any(isinstance(a, nodes.Starred) for a in positional[: position + 1]) and position < len(positional):
                return Expr(site.module, site.scope, positional[position])
        for keyword in call.keywords:
            if keyword.arg == name:
                return Expr(site.module, site.scope, keyword.value)
        if name == function.kwarg:
            unpacked = [k.value for k in call.keywords if k.arg is None]
            return Expr(site.module, site.scope, unpacked[0]) if len(unpacked) == 1 else None
        return None

    def functions(self, expr: Expr) -> list[tuple[FunctionInfo, AbstractValue]]:
        """The functions that an expression's value is, with what they have captured."""
        found: list[tuple[FunctionInfo, AbstractValue]] = []
        value = self.value(expr)
        for ref in value.each:
            if isinstance(ref, FunctionInfo):
                found.append((ref, value))
            elif isinstance(ref, (Bound, Closure)):
                found.append((ref.function, value))
        return found


def _is_on_self(site: Expr) -> bool:
    """True for a call of a method of the object whose method makes the call."""
    func, scope = getattr(site.node, "func", None), site.scope
    own = scope.params[0].name if scope is not None and scope.takes_self else ""
    return isinstance(func, nodes.Attribute) and own != "" and getattr(func.expr, "name", None) == own


def line(node: Any) -> int:
    """The line a node begins on."""
    return int(node.lineno or 0)


def position(node: Any) -> tuple[int, int]:
    """The line and column that a node begins at: the order of the source."""
    return int(node.lineno or 0), int(node.col_offset or 0)
