"""Which values can require grad: a forward analysis over two facts, "no" and "may", with the calls in view."""

from __future__ import annotations

from typing import Any, Final

from astroid import nodes

from flake8_tensorbranch.engine.checkpointing.frozen import Frozen
from flake8_tensorbranch.engine.checkpointing.gradflow import MAY, NO, GradFlow
from flake8_tensorbranch.engine.checkpointing.hooked import Hooked
from flake8_tensorbranch.engine.checkpointing.recomputes import Recompute, Recomputes
from flake8_tensorbranch.engine.lattice import CONTAINER, HOST, MAPPING, NONE, OBJECT
from flake8_tensorbranch.engine.lookup.modes import without_grad
from flake8_tensorbranch.engine.lookup.origins import Expr, Origins
from flake8_tensorbranch.knowledge.whole import WHOLE_TYPES
from flake8_tensorbranch.syntax.names import FunctionInfo, dotted, names_own

DEPTH: Final = 6


class Gradients:
    """Asks whether the inputs of reentrant checkpoints can require grad."""

    def __init__(self, origins: Origins, recomputes: Recomputes) -> None:
        self.origins = origins
        self.recomputes = recomputes
        self.frozen = Frozen(origins)
        self.depth = DEPTH
        self._runs: dict[tuple[FunctionInfo, tuple[tuple[str, int], ...]], GradFlow] = {}
        self._hooked: Hooked | None = None
        self._using: dict[tuple[FunctionInfo, ...], bool] = {}

    def of(self, made: Recompute) -> dict[str, object]:
        """`no_grad_input`: true when no direct argument of the region can require grad, though the region trains
        something.
        """
        call, row = made.call, made.row
        if row is None or without_grad(self.origins, call) or self.hooked().anywhere or not self._trains(made):
            return {}
        first = made.first
        if len(made.bound) > made.skipped:
            return {}  # a partial holds arguments of the function
        arguments = call.node.args[first : first + 1] if row.sequential else call.node.args[first:]
        run = self.run(call.scope, {}) if call.scope is not None else None
        if run is None:
            return {}
        bits = run.at.get(call.node)
        if bits is None or len(bits) != len(call.node.args):
            return {}
        given = [NO if self._is_container(call, a) else b for a, b in zip(arguments, bits[first:], strict=False)]
        if row.sequential:
            given += [run.named.get((call.node, "input"), NO)] if not given else []
        return {"no_grad_input": True} if given and not any(b & MAY for b in given) else {}

    def _is_container(self, call: Expr, argument: nodes.NodeNG) -> bool:
        """True for a list, tuple or dict, or the object of a method: autograd does not look for tensors in it."""
        if isinstance(argument, nodes.Name) and (names_own(call.scope, argument.name) or self._wraps(call, argument)):
            return True
        if isinstance(argument, (nodes.Dict, nodes.List, nodes.Tuple, nodes.Set, nodes.Lambda)):
            return True
        return self.origins.value(Expr(call.module, call.scope, argument)).must(CONTAINER | MAPPING)

    def _wraps(self, call: Expr, argument: nodes.Name) -> bool:
        """True for the first parameter of a wrapper that a decorator puts around methods."""
        scope = call.scope
        if scope is None or scope.parent is None or [p.name for p in scope.params[:1]] != [argument.name]:
            return False
        self.origins.sites(scope)  # finds what it wraps
        return self.origins.takes_object(scope)

    def hooked(self) -> Hooked:
        """Where the file makes tensors require grad from outside."""
        if self._hooked is None:
            self._hooked = Hooked(self.origins)
        return self._hooked

    def _trains(self, made: Recompute) -> bool:
        """False for a region that has nothing to train: a frozen module, or functions that use none."""
        function = made.function
        if function is None:
            return True
        if (
            isinstance(function.node, (nodes.Name, nodes.Attribute, nodes.Subscript))
            and self.origins.value(function).kinds & OBJECT
        ) and self.frozen.module(function):
            return False
        if self.frozen.perhaps(function):
            return False
        if made.functions and all(f.cls is None for f in made.functions):
            return self._use(made)
        held = self.recomputes.holding.of(function)
        return held.state or not held.complete or any(f.cls is None and self._uses(f) for f in held.functions)

    def _use(self, made: Recompute) -> bool:
        """True when plain functions, or what they reach, may use parameters."""
        if made.functions not in self._using:
            self._using[made.functions] = any(self._uses(f) for f in self.recomputes.reads(made))
        return self._using[made.functions]

    def _uses(self, function: FunctionInfo) -> bool:
        """True when a plain function may use parameters: it reads attributes, calls modules, or closes over
        something.
        """
        if function.cls is not None:
            return True
        local = set(function.local_names)
        for node in function.node.nodes_of_class(nodes.Name):
            if node.name in local:
                if isinstance(node.parent, nodes.Call) and node.parent.func is node:
                    return True
                continue
            if node.name in function.free:
                return True
            if self.origins.value(Expr(function.module, function, node)).kinds & OBJECT:
                return True
        return False

    def run(self, function: FunctionInfo, bound: dict[str, int]) -> GradFlow:
        """The analysis of a function whose parameters have these facts; those not given come from the calls in view."""
        key = (function, tuple(sorted(bound.items())))
        known = self._runs.get(key)
        if known is None:
            known = self._runs[key] = GradFlow(self, function, bound)
            known.solve()
        return known

    def returned(self, function: FunctionInfo, bound: dict[str, int]) -> int:
        """Whether a call of a function can give something that requires grad."""
        if self.depth <= 0:
            return MAY
        self.depth -= 1
        try:
            body: Any = function.node.body
            if without_grad(self.origins, Expr(function.module, function, body if function.is_lambda else body[0]), 0):
                return NO
            run = self.run(function, bound)
            return run.result or (MAY if run.solving else NO)
        finally:
            self.depth += 1

    def parameter(self, function: FunctionInfo, name: str) -> int:
        """What the calls in view give to a parameter; MAY where none is in view."""
        declared = next((p for p in function.params if p.name == name), None)
        said = dotted(declared.annotation) if declared is not None else None
        if said is not None and said.endswith(WHOLE_TYPES):
            return NO
        if declared is not None and self.origins.program.analysis.parameters(function)[name].must(HOST | NONE):
            return NO
        if function.name in ("training_step", "validation_step") and name == "batch":
            return NO
        sites = self.origins.sites(function)
        if not sites or self.depth <= 0 or (function.cls is not None and function.cls in self.hooked().inputs):
            return MAY
        self.depth -= 1
        try:
            bits = 0
            for site in sites:
                bits |= self._passed(site, function, name)
            return bits or MAY
        finally:
            self.depth += 1

    def _passed(self, site: Expr, function: FunctionInfo, name: str) -> int:
        if site.scope is None:
            return MAY
        run = self.run(site.scope, {})
        bits = run.at.get(site.node)
        if bits is None or not isinstance(site.node, nodes.Call):
            return MAY
        if name == function.vararg:
            named = sum(not p.keyword_only for p in function.params) - self.origins.takes_object(function, site)
            row = self.origins.checkpoint_row(site)
            rest = bits[named + max(getattr(row, "passed", 0), 0) :]
            starred = any(isinstance(a, nodes.Starred) for a in site.node.args)
            return max(bits if starred else rest, default=NO)
        given = self.origins.argument(site, function, name)
        if given is None:
            default = next((p.default for p in function.params if p.name == name), None)
            return NO if isinstance(default, nodes.Const) else MAY
        if given.node in site.node.args:
            return bits[site.node.args.index(given.node)]
        return run.named.get((site.node, name), MAY)
