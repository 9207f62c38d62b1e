"""Checkpointed functions that read a name of the function around them which is bound anew before their recompute."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any, Final

from astroid import nodes

from flake8_tensorbranch.engine.checkpointing import rounds, saving
from flake8_tensorbranch.engine.checkpointing.backward import Backward
from flake8_tensorbranch.engine.checkpointing.insides import Activation, Insides
from flake8_tensorbranch.engine.checkpointing.locate import site
from flake8_tensorbranch.engine.checkpointing.rebound import Rebound
from flake8_tensorbranch.engine.lookup.modes import loop_around
from flake8_tensorbranch.engine.lookup.names import owner
from flake8_tensorbranch.engine.lookup.origins import Expr, Origins, line
from flake8_tensorbranch.engine.repairs import closures
from flake8_tensorbranch.engine.sink import RegionSite, SinkKind
from flake8_tensorbranch.knowledge.frameworks import BACKWARD_WORDS
from flake8_tensorbranch.syntax.kinds import NESTED, SCOPE_NODES
from flake8_tensorbranch.syntax.names import FunctionInfo, last_name

_LOOPS: Final = (nodes.For, nodes.While)
_CALLERS: Final = 2


class LateBinding:
    """Looks at the nested functions and lambdas that are checkpointed."""

    def __init__(self, insides: Insides) -> None:
        self.insides = insides
        self.origins: Origins = insides.origins
        self.backward = Backward(insides.origins)
        self.rebound = Rebound(insides.origins)

    def sites(self) -> Iterator[RegionSite]:
        """One site for each checkpointed function, at the call that it is handed to."""
        seen: set[FunctionInfo] = set()
        for head in self.insides.heads:
            function = head.function
            if function in seen or function.module is not self.origins.program.index:
                continue
            seen.add(function)
            if function.parent is None:
                yield from self._by_calls(head)
                continue
            call = self._call(function) or _made_for(head)
            if call is None:
                yield from self._by_callers(head, head.entry.node)
                continue
            scope = _scope_of(function, call)
            free = (n for n in sorted(self._free(function)) if not _is_bound_between(function, scope, n))
            forms = {n: self._rebound(scope, n, call) for n in free if not self._is_over(head, n)}
            forms |= {n: "later" for n, form in forms.items() if not form and self._bound_by_calls(scope, n, call)}
            rebound = [name for name, form in forms.items() if form]
            if rebound:
                yield self._site(head, call, forms[rebound[0]], rebound)
            else:
                yield from self._by_callers(head, call)
        yield from rounds.sites(self.insides, self.backward)

    def _by_calls(self, head: Activation) -> Iterator[RegionSite]:
        """The site of a function or method of the module, where a global that it reads is bound anew by others."""
        scope, call = head.entry.scope, head.entry.node
        if scope is None or not isinstance(call, nodes.Call) or not self.rebound.names:
            return
        for name in sorted(self._free(head.function) & self.rebound.names):
            if self._bound_by_calls(scope, name, call) and not self._is_over(head, name):
                yield site(SinkKind.LATE_BINDING, head, call, "later", name)
                return
        yield from self._by_callers(head, call)

    def _by_callers(self, head: Activation, call: nodes.NodeNG | None) -> Iterator[RegionSite]:
        """The site of a function that reads a name which those who call the entry's scope bind anew, once that has
        returned and before a backward in view.
        """
        scope = head.entry.scope
        if scope is None or not isinstance(call, nodes.Call) or not scope.module.mentions(BACKWARD_WORDS):
            return
        for name in sorted(self._free(head.function)):
            whose = owner(head.function, name)
            if (whose is None and name not in self.rebound.names) or whose is scope:
                continue
            if not self._is_over(head, name) and self._returns_to(scope, name, whose, _CALLERS):
                yield site(SinkKind.LATE_BINDING, head, call, "later", name)
                return

    def _returns_to(self, scope: FunctionInfo, name: str, whose: FunctionInfo | None, depth: int) -> bool:
        """True where a caller of a function binds a name of `whose`, None for the module, before its own backward."""
        for caller in self.origins.sites(scope):
            if (
                caller.scope is None
                or caller.scope.module is not scope.module
                or not isinstance(caller.node, nodes.Call)
            ):
                continue
            events = self.backward.of(caller)
            if not events or any(e.node is None for e in events):
                continue
            if whose is None and self._bound_by_calls(caller.scope, name, caller.node):
                return True
            if whose is caller.scope and self._rebound(caller.scope, name, caller.node):
                return True
            if depth > 0 and self._returns_to(caller.scope, name, whose, depth - 1):
                return True
        return False

    def _bound_by_calls(self, scope: FunctionInfo, name: str, call: nodes.Call) -> bool:
        if name not in self.rebound.names:
            return False
        events = self.backward.of(Expr(scope.module, scope, call))
        return self.rebound.after(scope, name, call, [e.node for e in events])

    def _site(self, head: Activation, call: nodes.Call, form: str, names: list[str]) -> RegionSite:
        found = site(SinkKind.LATE_BINDING, head, call, form, names[0])
        index = self.origins.program.index
        bound = closures.bound(index, head.function, names) if _made_at(head.function, call, names) else None
        return found if bound is None else replace(found, repairs={"bound": bound})

    @staticmethod
    def _free(function: FunctionInfo) -> set[str]:
        """The names that the function takes from the functions around it."""
        defaults = _defaults(function.node)
        inner = {
            n.name
            for n in function.node.nodes_of_class(nodes.Name)
            if not any(d is n or d.parent_of(n) for d in defaults)
        }
        return inner - set(function.local_names)

    def _is_over(self, head: Activation, name: str) -> bool:
        """True for a name that enters nothing which the recompute of the function still computes."""
        read: list[Any] = [n for n in head.function.node.nodes_of_class(nodes.Name) if n.name == name]
        own = all(n in head.facts.values for n in read)
        return own and all(saving.is_over(self.origins, head, n) for n in read)

    def _call(self, function: FunctionInfo) -> nodes.Call | None:
        """The call in the enclosing function that is handed the function: it checkpoints it, or leads there."""
        assert function.parent is not None
        node: Any = function.node
        while isinstance(node.parent, nodes.Call) and last_name(node.parent.func) == "partial":
            node = node.parent
        up = node.parent
        if node is not function.node or function.is_lambda:
            if isinstance(up, (nodes.Call, nodes.Keyword)):
                found: Any = up if isinstance(up, nodes.Call) else up.parent
                return found if self._runs(function.parent, found) else None
        names = {function.name}
        if node is not function.node or function.is_lambda:
            if isinstance(up, nodes.Assign) and isinstance(up.targets[0], nodes.AssignName):
                names = {up.targets[0].name}
        for call in function.parent.calls:
            if any(isinstance(a, nodes.Name) and a.name in names for a in call.args) and self._runs(
                function.parent, call
            ):
                return call
        if getattr(function.node, "decorators", None) is not None:  # checkpointed where it stands: called by its name
            named = (
                c for c in function.parent.calls if isinstance(c.func, nodes.Name) and c.func.name == function.name
            )
            return next(named, None)
        return None

    def _runs(self, scope: FunctionInfo, call: Any) -> bool:
        """True for a call that may run a region at once, and hands its output on: not `partial(f)`, nor a wrapper."""
        facts = self.origins.facts(scope.module, scope)
        names = facts.externals.get(call, {})
        return not any(n.startswith("functools.") or n.endswith(("checkpoint_wrapper", ".compile")) for n in names)

    def _rebound(self, scope: FunctionInfo, name: str, call: nodes.Call) -> str:
        """How a local around the function changes between call and recompute: by a `loop`, or `later`; else empty."""
        loop = _loop_binding(call, name)
        if loop is not None and rounds.keeps(self.origins, scope, loop, name):
            return ""
        owned = name in scope.local_names or name in scope.declared_global
        if not owned and not isinstance(loop, nodes.ComprehensionScope):
            return ""
        loop = None if loop is not None and rounds.is_single(loop) else loop
        events = self.backward.of(Expr(scope.module, scope, call))
        inner = [e.node for e in events]
        if loop is not None:
            if rounds.leaves(call, loop):
                return ""
            if inner and all(n is not None and loop.parent_of(n) and line(n) >= line(call) for n in inner):
                return ""  # backward runs in the same round
            return "loop"
        known = [line(n) for n in inner if n is not None]
        first = min(known) if known and len(known) == len(inner) else None
        if isinstance(call.parent, nodes.Assign) and any(
            isinstance(t, nodes.AssignName) and t.name == name for t in call.parent.targets
        ):
            return "later"
        for bound in scope.local_names.get(name, ()):
            statement = bound.statement() if not isinstance(bound, nodes.Arguments) else None
            if statement is None or isinstance(bound.parent, (nodes.Arguments, nodes.Comprehension)):
                continue
            last = call.statement().tolineno or call.lineno
            if statement.lineno <= last or (first is not None and statement.lineno > first) or _apart(call, statement):
                continue
            return "later"
        return ""


def _made_at(function: FunctionInfo, call: nodes.Call, names: list[str]) -> bool:
    """True when each name has the same value where the function is made and where it is called."""
    made: Any = function.node
    if call.parent_of(made):
        return True
    scope = function.parent
    child, up = made.statement(), made.statement().parent
    block = getattr(up, "body", None)
    if scope is None or not isinstance(block, list) or child not in block or not up.parent_of(call):
        return False  # made in a branch
    loop = loop_around(call)
    if loop is not None and not loop.parent_of(made):
        return False  # made once for all rounds
    begin, last = child.end_lineno or 0, call.lineno or 0
    return not any(begin < line(b) < last for name in names for b in scope.local_names.get(name, ()))


def _defaults(node: Any) -> list[nodes.NodeNG]:
    return [d for d in (*(node.args.defaults or []), *(node.args.kw_defaults or [])) if d is not None]


def _loop_binding(call: nodes.Call, name: str) -> nodes.NodeNG | None:
    """The loop around a call whose every round binds the name anew; None when there is none."""
    child: nodes.NodeNG = call
    up = call.parent
    while up is not None and not isinstance(up, SCOPE_NODES):
        if isinstance(up, _LOOPS) and child in up.body:
            for bound in up.nodes_of_class(nodes.AssignName, NESTED):
                if bound.name == name and not isinstance(bound.parent, nodes.Comprehension):
                    return up
        if isinstance(up, nodes.ComprehensionScope):
            for generator in up.generators:
                if any(n.name == name for n in generator.target.nodes_of_class(nodes.AssignName)):
                    return up
        child, up = up, up.parent
    return None


def _made_for(head: Activation) -> nodes.Call | None:
    """The checkpoint call around a function that another one, defined in the same scope, makes and returns."""
    scope, call = head.entry.scope, head.entry.node
    up = head.function.parent.parent if head.function.parent is not None else None
    return call if up is not None and up is scope and isinstance(call, nodes.Call) else None


def _scope_of(function: FunctionInfo, call: nodes.Call) -> FunctionInfo:
    """The function in which a call stands, of those around a nested one."""
    up = function.parent
    assert up is not None
    return up if up.parent is None or up.node.parent_of(call) else up.parent


def _is_bound_between(function: FunctionInfo, scope: FunctionInfo, name: str) -> bool:
    return function.parent is not None and function.parent is not scope and name in function.parent.local_names


def _apart(call: nodes.NodeNG, statement: nodes.NodeNG) -> bool:
    """True when two places stand in different arms of one branch, or the way between them ends."""
    child, up = call, call.parent
    while up is not None and not isinstance(up, SCOPE_NODES):
        if isinstance(up, nodes.If) and up.parent_of(statement):
            in_body = child in up.body
            if in_body != any(s is statement or s.parent_of(statement) for s in up.body):
                return True
        for block in ("body", "orelse"):
            statements = getattr(up, block, None)
            if not isinstance(statements, list) or child not in statements:
                continue
            later = statements[statements.index(child) :]
            ends = any(isinstance(s, (nodes.Return, nodes.Raise)) for s in later)
            if ends and not any(s is statement or s.parent_of(statement) for s in statements):
                return True
        child, up = up, up.parent
    return False
