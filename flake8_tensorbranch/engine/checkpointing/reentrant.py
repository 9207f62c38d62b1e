"""What only the reentrant checkpoint gets wrong: outputs, closures, partial backwards, DDP."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Final

from astroid import nodes

from flake8_tensorbranch.engine.checkpointing.backward import Backward
from flake8_tensorbranch.engine.checkpointing.frozen import Frozen
from flake8_tensorbranch.engine.checkpointing.keptgraph import is_parameter
from flake8_tensorbranch.engine.checkpointing.outputs import Outputs
from flake8_tensorbranch.engine.checkpointing.readytwice import ReadyTwice
from flake8_tensorbranch.engine.checkpointing.recomputes import Recompute, Recomputes
from flake8_tensorbranch.engine.checkpointing.sideoutput import SideOutputs
from flake8_tensorbranch.engine.lattice import TENSOR
from flake8_tensorbranch.engine.lookup.guards import guards
from flake8_tensorbranch.engine.lookup.modes import loop_around, switched, without_grad
from flake8_tensorbranch.engine.lookup.origins import Expr, Origins, line, position
from flake8_tensorbranch.engine.refs import Instance
from flake8_tensorbranch.knowledge.gradients import BY_INPUTS, CUTS
from flake8_tensorbranch.knowledge.tensors import COUNTS, METADATA
from flake8_tensorbranch.syntax.binding import assigned, once
from flake8_tensorbranch.syntax.names import FunctionInfo, dotted

DEPTH: Final = 6
_METADATA: Final = METADATA | COUNTS
_INNER: Final = frozenset({"retain_grad", "register_hook"})
_ASKED: Final = ("requires_grad", "is_grad_enabled", "grad_fn")


class Reentrant:
    """Judges reentrant checkpoint calls."""

    def __init__(self, origins: Origins, recomputes: Recomputes, backward: Backward, frozen: Frozen) -> None:
        self.origins = origins
        self.recomputes = recomputes
        self.backward = backward
        self.outputs = Outputs(origins)
        self._regions: dict[tuple[FunctionInfo, ...], dict[str, object]] = {}
        self.side = SideOutputs(origins, recomputes, backward)
        self.frozen = frozen
        self.parallel = ReadyTwice(origins, recomputes, frozen)

    def of(self, made: Recompute, has_input: bool) -> dict[str, object]:
        """What is wrong with a call; `has_input` says that some argument may require grad, without which nothing
        runs backward.
        """
        found: dict[str, object] = {}
        if without_grad(self.origins, made.call):
            return found
        found |= self.partial(made.call)
        name = self._shared(made) if has_input else ""
        if name:
            found["shared"] = name
        how = self.parallel.of(made)
        if how:
            found["ddp"] = how
        return found | self.within(made)

    def handed(self, made: Recompute, has_input: bool) -> dict[str, object]:
        """What is wrong with what a call hands to a function of another file, which checkpoints it."""
        name = self._closed_over(made, made.call.scope) if has_input and made.call.scope is not None else ""
        return self.within(made) | ({"shared": name} if name else {})

    def within(self, made: Recompute) -> dict[str, object]:
        """What is wrong with what the region does and gives, whoever checkpoints it."""
        found: dict[str, object] = {}
        if self.outputs.held(made):
            found["container_output"] = True
        elif self.outputs.renamed(made):
            found["named_output"] = True
        side = self.side.of(made)
        if side:
            found["side_output"] = side
        return found | self._inside(made)

    def partial(self, call: Expr) -> dict[str, object]:
        """The backward by inputs that goes through what a call gives."""
        partial = next((e for e in self.backward.of(call) if e.partial), None)
        if partial is None:
            return {}
        names = sorted(self.origins.externals(partial.call) & BY_INPUTS)
        through = names[0].removeprefix("torch.") if names else ""
        return {"partial_backward": partial.call, "through": through}

    def _inside(self, made: Recompute) -> dict[str, object]:
        """What is wrong with the functions of a region by themselves."""
        if made.functions not in self._regions:
            inner = self._inner(made)
            self._regions[made.functions] = {"inner": inner} if inner else {}
        return self._regions[made.functions]

    def _inner(self, made: Recompute) -> str:
        """The call in the region that needs a graph there is none of in the forward; empty if there is none."""
        for function in self.recomputes.reads(made):
            for call in function.calls:
                expr = Expr(function.module, function, call)
                if _asks_first(call) or switched(self.origins, expr) is True:
                    continue
                for called in self.origins.of(Expr(function.module, function, call.func), calls=False):
                    method = called.node
                    if not isinstance(method, nodes.Attribute) or method.attrname not in _INNER:
                        continue
                    on = Expr(called.module, called.scope, method.expr)
                    if self.origins.value(on).kinds & TENSOR and not is_parameter(self.origins, on):
                        if not (function in made.functions and _is_input(function, on.node)):
                            return str(method.attrname)
                if self._runs_backward(expr):
                    return "backward"
                if "torch.autograd.grad" in self.origins.externals(expr):
                    return "autograd.grad"
        return ""

    def _runs_backward(self, call: Expr) -> bool:
        """True for a backward of a tensor that was computed where no graph is recorded, as far as the source shows."""
        func = call.node.func
        if "torch.autograd.backward" in self.origins.externals(call) and call.node.args:
            subject = Expr(call.module, call.scope, call.node.args[0])
        elif isinstance(func, nodes.Attribute) and func.attrname == "backward":
            subject = Expr(call.module, call.scope, func.expr)
        else:
            return False
        made = self.origins.of(subject, calls=False)
        recorded = any(switched(self.origins, o) is True or self.origins.callees(o) for o in made)
        own = all(isinstance(o.node, (nodes.Call, nodes.BinOp)) and o.scope is call.scope for o in made)
        return own and not recorded and self.origins.value(subject).must(TENSOR)

    # Closures

    def _shared(self, made: Recompute) -> str:
        """The name of a computed tensor that the region closes over and that others use as well; empty if there
        is none.
        """
        if made.function is None or made.call.scope is None:
            return ""
        for handed in self._handed(made, made.function, made.call.scope):
            name = self._shared(handed)
            if name:
                return name
        return self._closed_over(made, made.call.scope) or self._kept(made, made.call.scope)

    def _closed_over(self, made: Recompute, scope: FunctionInfo) -> str:
        """The name of such a tensor in the scope of the call that hands the region over; empty if there is none."""
        call = made.call
        if made.function is None:
            return ""
        for name, node in self._captured(made.function):
            definition = self._computed(Expr(call.module, scope, node), DEPTH)
            if definition is None or (self._same_scope(definition, scope) and line(definition) > line(call.node)):
                continue
            if loop_around(call.node, definition) is not None and self._same_scope(definition, scope):
                return name
            if self._used_elsewhere(scope, name, made.function.node, call.node) or self._runs_again(made):
                return name
            if name not in scope.local_names and len(self.origins.sites(scope)) > 1:
                return name  # each call of the function around makes a region that closes over it
        return ""

    def _handed(self, made: Recompute, function: Expr, scope: FunctionInfo) -> Iterator[Recompute]:
        """The checkpoints that callers make by a function of the project, to which they hand what is checkpointed."""
        node = function.node
        if not isinstance(node, nodes.Name):
            return
        taker: FunctionInfo | None = scope  # a parameter of the function, or of a decorator that makes it
        while taker is not None and not any(p.name == node.name for p in taker.params):
            taker = taker.parent if node.name not in taker.local_names else None
        for site in self.origins.sites(taker) if taker is not None else ():
            given = (
                self.origins.argument(site, taker, node.name) if taker is not None and site.scope is not taker else None
            )
            if given is not None:
                yield replace(made, call=site, function=given)
        for decorated in made.functions if taker is not scope else ():
            if any(wrapper is scope for _, _, wrapper in self.origins.wrapped(decorated)):
                at = Expr(decorated.module, decorated.parent, decorated.node)
                yield from (
                    replace(made, call=c, function=at) for c in self.origins.sites(scope) if c.scope is not scope
                )

    def _kept(self, made: Recompute, scope: FunctionInfo) -> str:
        """The attribute of its object under which a method keeps a computed tensor that the region reads, and others
        as well; empty if there is none.
        """
        call = made.call.node
        for store in scope.attribute_stores if scope.cls is not None else ():
            path, value = f"{dotted(store.expr)}.{store.attrname}", assigned(store)
            if not path.startswith("self.") or value is None or line(store) > line(call) or not self._reads(made, path):
                continue
            if self._computed(Expr(made.call.module, scope, value), DEPTH) is None:
                continue
            later = (n for n in scope.node.nodes_of_class(nodes.Attribute) if line(n) > (call.end_lineno or line(call)))
            beside = (n for n in call.parent.nodes_of_class(nodes.Attribute) if not call.parent_of(n))
            if any(dotted(n) == path and not self._is_metadata(n) for n in (*later, *beside)):
                return path
            if loop_around(call, store) is not None or any(
                other.call.scope is scope and line(other.call.node) > line(call) and self._reads(other, path)
                for other in self.recomputes.all()
            ):
                return path
        return ""

    def _reads(self, made: Recompute, path: str) -> bool:
        """True when a method of the region reads an attribute of the object of the scope that checkpoints it."""
        scope = made.call.scope
        return any(
            function.cls is not None
            and scope is not None
            and function.cls is scope.cls
            and any(
                dotted(n) == path and not self._is_metadata(n) for n in function.node.nodes_of_class(nodes.Attribute)
            )
            for function in self.recomputes.reads(made)
        )

    def _runs_again(self, made: Recompute) -> bool:
        """True when a later call of the same function checkpoints the same closure by its name, or calls it."""
        function = made.function.node if made.function is not None else None
        if isinstance(function, nodes.Name) and made.call.scope is not None:
            for call in made.call.scope.calls:
                if dotted(call.func) == function.name and line(call) > line(made.call.node):
                    return True
        return any(
            other.call.scope is made.call.scope
            and other.function is not None
            and made.function is not None
            and isinstance(other.function.node, nodes.Name)
            and dotted(other.function.node) == dotted(made.function.node)
            and position(other.call.node) > position(made.call.node)
            for other in self.recomputes.all()
        )

    def _captured(self, function: Expr) -> list[tuple[str, nodes.NodeNG]]:
        """The names that a lambda, nested function, partial or maker closes over, with a node that reads each."""
        found: list[tuple[str, nodes.NodeNG]] = []
        for origin in self.origins.of(function):
            node = origin.node
            if isinstance(node, nodes.Call) and "functools.partial" in self.origins.externals(origin):
                bound = [*node.args[1:], *(k.value for k in node.keywords)]
                found.extend((dotted(b) or "", b) for b in bound if dotted(b))
            scope = origin.module.scope_of.get(node)
            defaults = [q.default for q in scope.params] if isinstance(scope, FunctionInfo) else []
            found.extend((d.name, d) for d in defaults if isinstance(d, nodes.Name))
            holders = _holders(scope) if isinstance(scope, FunctionInfo) else []
            if isinstance(scope, FunctionInfo) and function.scope in holders:
                between = holders[: holders.index(function.scope)]
                for name in scope.node.nodes_of_class(nodes.Name):
                    made = any(name.name in h.local_names for h in between if h is not None)
                    if name.name in scope.free and not made and not self._is_metadata(name):
                        found.append((name.name, name))
        for step in (function, *self.origins.step(function, calls=False)):
            for maker in self.origins.callees(step) if isinstance(step.node, nodes.Call) else ():
                free = {name for inner in maker.nested for name in inner.free}
                given = (self.origins.argument(step, maker, p.name) for p in maker.params if p.name in free)
                found.extend((dotted(g.node) or "", g.node) for g in given if g is not None and dotted(g.node))
        return found

    @staticmethod
    def _is_metadata(name: nodes.NodeNG) -> bool:
        return isinstance(name.parent, nodes.Attribute) and name.parent.attrname in _METADATA

    def _computed(self, expr: Expr, depth: int) -> nodes.NodeNG | None:
        """The call by which trained modules compute the value, once and not by the region; None unless that is
        certain.
        """
        node = expr.node
        if depth <= 0:
            return None
        if isinstance(node, nodes.Name):
            steps = self.origins.step(expr, calls=False)
            bound = [] if expr.scope is None else expr.scope.local_names.get(node.name, [])
            if any(isinstance(b.parent, nodes.Arguments) for b in bound):
                again = _rebound(expr.scope, bound)
                if again is None:
                    return None
                steps = [Expr(expr.module, expr.scope, again)]
            found = [self._computed(s, depth - 1) for s in steps]
            return found[0] if found and all(f is not None for f in found) else None
        if isinstance(node, nodes.Dict):
            return next(
                (
                    f
                    for _, v in node.items
                    if (f := self._computed(Expr(expr.module, expr.scope, v), depth - 1)) is not None
                ),
                None,
            )
        if isinstance(node, nodes.BinOp):
            sides = (self._computed(Expr(expr.module, expr.scope, s), depth - 1) for s in (node.left, node.right))
            return next((s for s in sides if s is not None), None)
        if isinstance(node, nodes.Call):
            func = Expr(expr.module, expr.scope, node.func)
            refs = [r for r in self.origins.value(func).each if isinstance(r, Instance)]
            if refs and not self.frozen.module(func):
                bare = all(isinstance(r.cls, str) and self.frozen.bare(r.cls) for r in refs)
                module = all(
                    (not isinstance(r.cls, str) and self.origins.program.analysis.resolver.is_module(r.cls))
                    or isinstance(r.cls, str)
                    for r in refs
                )
                if module and not bare:
                    return None if without_grad(self.origins, expr) else node
            if (isinstance(node.func, nodes.Attribute) and node.func.attrname not in CUTS) and (
                self.origins.value(Expr(expr.module, expr.scope, node.func.expr)).kinds & TENSOR
            ):
                return self._computed(Expr(expr.module, expr.scope, node.func.expr), depth - 1)
            steps = self.origins.step(expr)
            if steps and all(self._computed(step, depth - 1) is not None for step in steps):
                return node
        return None

    @staticmethod
    def _same_scope(node: nodes.NodeNG, scope: FunctionInfo) -> bool:
        return bool(scope.node.parent_of(node))

    def _used_elsewhere(self, scope: FunctionInfo, name: str, function: nodes.NodeNG, call: nodes.NodeNG) -> bool:
        names = {name, *(n for n in scope.local_names if getattr(once(scope.local_names, n), "name", "") == name)}
        for node in scope.node.nodes_of_class(nodes.Name):
            if node.name not in names or function.parent_of(node) or node is function or self._is_metadata(node):
                continue
            if isinstance(node.parent, nodes.Assign) and node.parent.value is node:
                continue  # another name for it
            inner = next((f for f in scope.nested if f.node.parent_of(node)), None)
            if inner is not None and (inner.name == dotted(function) or inner.node is function):
                continue
            if _comes_after(node, call):
                return True
            if inner is not None and not inner.is_lambda:  # read where that function runs
                uses = (n for n in scope.node.nodes_of_class(nodes.Name) if n.name == inner.name)
                if any(_comes_after(use, call) for use in uses):
                    return True
        return False


def _comes_after(node: nodes.NodeNG, call: nodes.NodeNG) -> bool:
    """True below a call's line, and beside the call in its statement."""
    beside = call.statement().parent_of(node) and not call.parent_of(node)
    return line(node) > (call.lineno or 0) or bool(beside)


def _is_input(function: FunctionInfo, node: nodes.NodeNG) -> bool:
    """True for a parameter of a region that nothing else is bound to: what comes from outside has its graph."""
    name = getattr(node, "name", "")
    return any(p.name == name for p in function.params) and len(function.local_names.get(name, ())) == 1


def _asks_first(call: nodes.Call) -> bool:
    """True where a test that a graph is recorded stands around a call, which then runs in the recompute alone."""
    return any(outcome and any(word in test for word in _ASKED) for test, outcome in guards(call).items())


def _holders(function: FunctionInfo) -> list[FunctionInfo | None]:
    """The functions around a nested one, innermost first."""
    found: list[FunctionInfo | None] = []
    up = function.parent
    while up is not None:
        found.append(up)
        up = up.parent
    return found


def _rebound(scope: FunctionInfo | None, bound: Sequence[nodes.NodeNG]) -> nodes.NodeNG | None:
    """What a parameter is from its one assignment on, where that is a statement of the body itself."""
    if scope is None or len(bound) != 2:
        return None
    target = next(b for b in bound if not isinstance(b.parent, nodes.Arguments))
    statement = target.parent
    if isinstance(statement, nodes.Assign) and statement.parent is scope.node:
        return assigned(target)
    return None
