"""What `context_fn` gives a checkpoint: which contexts, built when, used how often."""

from __future__ import annotations

from collections.abc import Set
from dataclasses import dataclass
from typing import Any, Final

from astroid import nodes

from flake8_tensorbranch.engine.checkpointing import pairs, precision
from flake8_tensorbranch.engine.checkpointing.recomputes import Recompute, Recomputes
from flake8_tensorbranch.engine.checkpointing.scopes import choice, keeps_preferred
from flake8_tensorbranch.engine.lookup.modes import loop_around
from flake8_tensorbranch.engine.lookup.options import OMITTED, UNSEEN, Options
from flake8_tensorbranch.engine.lookup.origins import Expr, Origins
from flake8_tensorbranch.knowledge.scopes import (
    ATTENTION_BACKEND,
    CHECKS,
    DEFAULT_CONTEXTS,
    ENTERED_ONCE,
    NO_CONTEXT,
    SCOPES,
    SELECTIVE,
    SINGLE,
    WITH_ARGUMENTS,
)
from flake8_tensorbranch.syntax.kinds import FUNCTIONS
from flake8_tensorbranch.syntax.names import ClassInfo, FunctionInfo, dotted
from flake8_tensorbranch.syntax.printing import source_of

_STEPS: Final = 4  # helpers that a context is built through
_MANAGERS: Final = ("contextmanager",)


@dataclass(frozen=True, slots=True)
class Built:
    """One context: the call that builds it, whether that runs outside `context_fn`, once for many calls, where it runs
    (the call itself, or the one that leads to it), and which part of what is built it is.
    """

    call: Expr
    outside: bool
    run: Expr
    position: int = 0


class Contexts:
    """Reads the `context_fn` of checkpoint calls."""

    def __init__(self, origins: Origins, recomputes: Recomputes) -> None:
        self.origins = origins
        self.options: Options = recomputes.options
        self.tree = recomputes.tree
        self.holding = recomputes.holding
        self.has = recomputes.regions.has

    def is_default(self, given: Expr) -> bool:
        """True for torch's own `noop_context_fn`."""
        return DEFAULT_CONTEXTS in self.origins.value(given).refs or any(
            DEFAULT_CONTEXTS in self.origins.value(o).refs for o in self.origins.of(given)
        )

    def may_be_another(self, given: Expr) -> bool:
        """True where a function of the project is given on one way, whatever is on the others."""
        return any(isinstance(o.node, FUNCTIONS) or self.origins.functions(o) for o in self.origins.of(given))

    def of(self, made: Recompute, variants: set[bool | None]) -> dict[str, object]:
        """What is wrong with the call's `context_fn`: `reused`, `mismatch` and `malformed` say how, `unset` of None."""
        found: dict[str, object] = {}
        if variants == {False} and self._is_unknown_check(made.call):
            found["malformed"] = "determinism"
        contexts = self.options.given(made.call, "context_fn")
        for given in contexts:
            if not isinstance(given, Expr) or self.is_default(given):
                continue
            if None in self.options.constants(given):
                if isinstance(given.node, nodes.Const):
                    found["unset"] = len(contexts) == 1
                    if variants == {False}:
                        found.setdefault("malformed", "nothing")
                continue
            debug = self.options.given(made.call, "debug") if False in variants else []
            exclusive = OMITTED in debug and OMITTED in contexts  # each given on a way that leaves the other out
            constants = [c for g in debug if isinstance(g, Expr) for c in self.options.constants(g)]
            if True in constants and not exclusive:
                found["malformed"] = "debug"
            for origin in self.origins.of(given, calls=False):
                for one in self._factory(origin):
                    self._judge(made, one, found)
        return found

    def _is_unknown_check(self, call: Expr) -> bool:
        """True where `determinism_check` is a literal on every way, and none that torch has a check for."""
        given = self.options.given(call, "determinism_check")
        values = [c for g in given if isinstance(g, Expr) for c in self.options.constants(g) or [UNSEEN]]
        return OMITTED not in given and bool(values) and not any(c is UNSEEN or c in CHECKS for c in values)

    def _factory(self, origin: Expr) -> list[Expr]:
        """A call that gives a function is followed to the function; one of `partial` or of torch is kept."""
        if isinstance(origin.node, nodes.Call) and not self.origins.externals(origin):
            return self.origins.of(origin)
        return [origin]

    def _judge(self, made: Recompute, given: Expr, found: dict[str, object]) -> None:
        node = given.node
        if isinstance(node, (nodes.Tuple, nodes.List)):
            found.setdefault("malformed", "tuple")
            return
        bound: dict[str, Expr] = {}
        function: FunctionInfo | None = None
        if isinstance(node, nodes.Call):
            externals = self.origins.externals(given)
            if SELECTIVE in externals:
                found.setdefault("malformed", "called")
                return
            if externals & SINGLE:
                found.setdefault("malformed", "context")
            if "functools.partial" not in externals or not node.args:
                return
            inner = Expr(given.module, given.scope, node.args[0])
            if SELECTIVE in self.origins.value(inner).refs:
                if len(node.args) > 1:
                    self._policy(Expr(given.module, given.scope, node.args[1]), found)
                return
            if self._library(inner) & SINGLE:
                found.setdefault("malformed", "single")
            function = next((f for f, _ in self.origins.functions(inner)), None)
            if function is not None:
                slots = [p.name for p in function.params][1 if function.takes_self else 0 :]
                bound = {n: Expr(given.module, given.scope, a) for n, a in zip(slots, node.args[1:], strict=False)}
                bound.update({k.arg: Expr(given.module, given.scope, k.value) for k in node.keywords if k.arg})
        else:
            scope = given.module.scope_of.get(node)
            function = (
                scope if isinstance(scope, FunctionInfo) else next((f for f, _ in self.origins.functions(given)), None)
            )
        if function is None:
            named = self._library(given)
            if self._makes_no_pair(given):
                found.setdefault("malformed", "single")
            if named & (SINGLE | WITH_ARGUMENTS):
                found.setdefault("malformed", "arguments" if named & WITH_ARGUMENTS else "single")
            return
        for param in function.params:
            if param.default is not None and param.name not in bound:
                bound[param.name] = Expr(function.module, function.parent, param.default)
        needed = [p.name for p in function.params if p.default is None][
            1 if function.takes_self or function.is_classmethod else 0 :
        ]
        if [n for n in needed if n not in bound]:
            found.setdefault("malformed", "arguments")
            return
        if _manages(function):
            found.setdefault("malformed", "single")
        for result in self.origins.returns(function):
            self._pair(made, function, result, bound, found)

    def _makes_no_pair(self, given: Expr) -> bool:
        """True for a class of the project whose objects are no sequence of two contexts."""
        classes = [ref for ref in self.origins.value(given).each if isinstance(ref, ClassInfo)]
        resolver = self.origins.program.analysis.resolver
        return bool(classes) and all(
            base == "builtins.object" if isinstance(base, str) else "__iter__" not in base.methods
            for cls in classes
            for base in resolver.mro(cls)
        )

    def _library(self, given: Expr) -> set[str]:
        """The functions and classes of libraries that a name stands for; none where it may stand for others."""
        value = self.origins.value(given)
        names = {ref for ref in value.each if isinstance(ref, str)}
        return names if len(names) == len(list(value.each)) else set()

    def _policy(self, given: Expr, found: dict[str, object]) -> None:
        """A list of operators must hold overloads (`torch.ops.aten.mm.default`), not packets."""
        for origin in self.origins.of(given):
            elements: list[Any] = origin.node.elts if isinstance(origin.node, (nodes.List, nodes.Tuple)) else []
            for item in elements:
                parts = (dotted(item) or "").split(".")
                if "ops" in parts and len(parts) - parts.index("ops") == 3:
                    found.setdefault("malformed", "packet")

    def _pair(
        self, made: Recompute, function: FunctionInfo, result: Expr, bound: dict[str, Expr], found: dict[str, object]
    ) -> None:
        outside = False
        result = _unstarred(result)
        node = result.node
        while not isinstance(node, (nodes.Tuple, nodes.List)):
            if (
                isinstance(node, nodes.BinOp)
                and node.op == "*"
                and isinstance(node.left, (nodes.Tuple, nodes.List))
                and len(node.left.elts) == 1
            ):
                built = self._built(Expr(result.module, result.scope, node.left.elts[0]), function, bound)
                if built is not None and self._once(built.call):
                    found["reused"] = "same"
                return
            if isinstance(node, nodes.Call):
                made_by = self._chosen(result)
                externals = self.origins.externals(made_by)
                if SELECTIVE in externals:
                    if node.args:
                        self._policy(Expr(result.module, result.scope, node.args[0]), found)
                    if self.has("selective-contexts-counted") and outside and self._outlives(made, result):
                        found["reused"] = "kept"
                elif not outside and (externals & SINGLE or any(map(_manages, self.origins.callees(made_by)))):
                    found.setdefault("malformed", "single")
                elif (given := pairs.pair(self.origins, result)) is not None:
                    outside = outside or given[1].scope is not function
                    self._judge_pair(made, function, given, bound, outside, found)
                return
            if isinstance(node, nodes.Const):
                found.setdefault("malformed", "single")
            steps = self.origins.step(result, calls=False)
            if len(steps) != 1:
                return
            outside = outside or steps[0].scope is not function
            result = steps[0]
            node = result.node
        self._judge_pair(made, function, (result, result), bound, outside, found)

    def _judge_pair(
        self,
        made: Recompute,
        function: FunctionInfo,
        given: tuple[Expr, Expr],
        bound: dict[str, Expr],
        outside: bool,
        found: dict[str, object],
    ) -> None:
        """Judges the tuple that is given, and the place that runs it."""
        result, run = given
        node = result.node
        if len(node.elts) != 2:
            starred = any(isinstance(e, nodes.Starred) for e in node.elts)
            if not starred:
                found.setdefault("malformed", "number")
            return
        first, second = (Expr(result.module, result.scope, e) for e in node.elts)
        built_first, built_second = (
            self._built(first, function, bound, outside),
            self._built(second, function, bound, outside),
        )
        if run is not result and not outside:
            return  # a helper builds them anew in each call
        if built_first is None or built_second is None:
            return
        if (built_first.call.node, built_first.position) == (built_second.call.node, built_second.position):
            if self._once(built_first.call) and not isinstance(first.node, nodes.Call):
                found["reused"] = "same"
            return
        for built in (built_first, built_second):
            at = run if run is not result else built.run
            if built.outside and self._once(built.call) and self._outlives(made, at):
                found["reused"] = "kept"
                return
        self._compare(made, built_first.call, built_second.call, bound, found)

    def _built(self, expr: Expr, function: FunctionInfo, bound: dict[str, Expr], outside: bool = False) -> Built | None:
        """The call that builds a context, through names; None where it is not one call in the source."""
        run, position = expr, 0
        for _ in range(8):
            if isinstance(expr.node, nodes.Call):
                return Built(expr, outside, run, position)
            if isinstance(expr.node, nodes.Name) and expr.scope is function and expr.node.name in bound:
                expr = run = bound[expr.node.name]
                outside = True
                continue
            steps = self.origins.step(expr, calls=False)
            if len(steps) == 1:
                outside = outside or steps[0].scope is not function
                expr = run = steps[0]
                continue
            part = pairs.part(self.origins, expr)
            if part is None:
                return None
            outside = outside or part.run.scope is not function
            expr, run, position = part.made, part.run, part.position
        return None

    def _once(self, call: Expr) -> bool:
        """True when what a call builds can be entered only once."""
        externals = self.origins.externals(call)
        if externals & ENTERED_ONCE or (SELECTIVE in externals and self.has("selective-contexts-counted")):
            return True
        return any(_manages(f) for f in self.origins.callees(call))

    def _outlives(self, made: Recompute, call: Expr) -> bool:
        """True when a context is built once and the checkpoint call runs again with it."""
        scope = made.call.scope
        if call.scope is scope and scope is not None:
            return loop_around(made.call.node, call.node) is not None
        up = scope
        while up is not None:
            if (
                up.parent is call.scope
                and call.scope is not None
                and any(up.node.parent_of(n) for n in (made.call.node,))
            ):
                return True
            up = up.parent
        return call.scope is not scope

    def _compare(
        self, made: Recompute, first: Expr, second: Expr, bound: dict[str, Expr], found: dict[str, object]
    ) -> None:
        """Forward and recompute must open the same scope, unless an outer scope of its kind is open around the
        forward.
        """
        first, second = self._chosen(first), self._chosen(second)
        one, other = self.origins.externals(first), self.origins.externals(second)
        if precision.differ(self.origins, self.options, self.holding.of(made.function), first, second, bound):
            alone = NO_CONTEXT in one or NO_CONTEXT in other
            if not (alone and self._opened_elsewhere(made, SCOPES.keys() & (one | other))):
                found["perhaps"] = NO_CONTEXT in one
                found["mismatch"] = tuple(
                    "nothing" if NO_CONTEXT in names else source_of(call.node)
                    for call, names in ((first, one), (second, other))
                )
            return
        rows = [SCOPES[n] for n in (*one, *other) if n in SCOPES]
        if not rows or all(r.restored for r in rows):
            return
        held = self.holding.of(made.function)
        if all(held.lacks(r) for r in rows):
            return  # whichever scope is open, the region does nothing that it bears on
        kernels = all(r.state == ATTENTION_BACKEND for r in rows)
        found["perhaps"] = NO_CONTEXT in one or (kernels and self._may_agree(first, second))
        if one == other:
            if choice(first.node) != choice(second.node):
                found["mismatch"] = (source_of(first.node), source_of(second.node))
            return
        if NO_CONTEXT in other and one & SCOPES.keys():
            found["mismatch"] = (source_of(first.node), "nothing")
        elif NO_CONTEXT in one and not self._opened_elsewhere(made, other):
            found["mismatch"] = ("nothing", source_of(second.node))

    def _may_agree(self, first: Expr, second: Expr) -> bool:
        """True for two choices of a kernel by which a device may take the same: both allow one, and both or none of
        them the one that torch prefers. No context allows all.
        """
        sides = [side for side in (first, second) if NO_CONTEXT not in self.origins.externals(side)]
        preferred = [keeps_preferred(self.origins, side) for side in sides]
        if len(sides) < 2:
            return all(preferred)
        allowed = [{*map(str, n)} if isinstance(n := choice(s.node).get("backends"), tuple) else set() for s in sides]
        return preferred[0] is preferred[1] and bool(allowed[0] & allowed[1])

    def _chosen(self, call: Expr) -> Expr:
        """The call of a library by which a helper builds a context, where the helper returns that alone."""
        for _ in range(_STEPS):
            callees = list(self.origins.callees(call))
            if len(callees) != 1 or self.origins.externals(call) or len(callees[0].returns_nodes) != 1:
                return call
            callee = callees[0]
            node = callee.returns_nodes[0].value
            names = {n.name for n in node.nodes_of_class(nodes.Name)} if node is not None else set()
            if not isinstance(node, nodes.Call) or callee.is_generator or names & callee.local_names.keys():
                return call
            call = Expr(callee.module, callee, node)
        return call

    def _opened_elsewhere(self, made: Recompute, names: Set[str]) -> bool:
        """True when the file opens the scope in a `with` or over a function, too."""
        for _scope, facts in self.origins.program.facts.items():
            for node, called in facts.externals.items():
                if called.keys() & names and isinstance(node.parent, (nodes.With, nodes.Call)):
                    return True
        return not made.call.scope or bool(made.call.scope.decorator_names)


def _manages(function: FunctionInfo) -> bool:
    """True for a function under `@contextmanager`."""
    return any(d.rsplit(".", 1)[-1] in _MANAGERS for d in function.decorator_names)


def _unstarred(expr: Expr) -> Expr:
    """What a tuple of one starred element repeats: `(*pair,)`."""
    elements = expr.node.elts if isinstance(expr.node, (nodes.Tuple, nodes.List)) else ()
    if len(elements) == 1 and isinstance(elements[0], nodes.Starred):
        return Expr(expr.module, expr.scope, elements[0].value)
    return expr
