"""What a checkpointed region contains: the layers of torch.nn it calls, and the operations that draw."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, Final

from astroid import nodes

from flake8_tensorbranch.engine.checkpointing import saving
from flake8_tensorbranch.engine.checkpointing.insides import Activation
from flake8_tensorbranch.engine.checkpointing.lostdraws import is_lost
from flake8_tensorbranch.engine.inference.program import functions_of
from flake8_tensorbranch.engine.lattice import NO_CONST, NONE, TENSOR, UNKNOWN, AbstractValue
from flake8_tensorbranch.engine.lookup.options import UNSEEN, Options
from flake8_tensorbranch.engine.lookup.origins import Expr, Origins, line
from flake8_tensorbranch.engine.refs import Instance, Method, Wrapped
from flake8_tensorbranch.knowledge.layers import COUNTING_FUNCTIONS, DRAWING, DRAWN_WHEN_BUILT, Layer
from flake8_tensorbranch.knowledge.model import lookup
from flake8_tensorbranch.knowledge.model import method as tensor_row
from flake8_tensorbranch.knowledge.randomness import TORCH_SEEDS
from flake8_tensorbranch.knowledge.reproducibility import DISTRIBUTIONS, SAMPLES
from flake8_tensorbranch.syntax.names import last_name

_DEPTH: Final = 5


class Contents:
    """Answers about the contents of regions."""

    def __init__(self, origins: Origins) -> None:
        self.origins = origins
        self.options = Options(origins)

    def layers(
        self,
        region: Iterable[Activation],
        start: Expr | None,
        table: dict[str, Layer],
        part: AbstractValue | None = None,
    ) -> Iterator[Expr]:
        """The calls in a region that run a layer of the table, switched on; `start` is the region's own module, of
        which only a part may be in the region.
        """
        if start is not None and self._has(start, table, part):
            yield start
        elif start is not None and not self.origins.value(start).items:
            yield from self._built(start, table)
        for activation in region:
            for call in activation.facts.values:
                if type(call) is nodes.Call and self._has(
                    activation.expr(call.func), table, activation.facts.values.get(call.func)
                ):
                    yield activation.expr(call)

    def _built(self, start: Expr, table: dict[str, Layer]) -> Iterator[Expr]:
        """The same in the blocks of a chain that a function builds, of which its annotation tells less."""
        for origin in self.origins.of(start):
            if origin.node is start.node or not isinstance(origin.node, nodes.Call):
                continue
            for function in functions_of(self.origins.program.analysis, self.origins.value(origin)):
                for call in function.calls:
                    if self._has(Expr(function.module, function, call.func), table):
                        yield Expr(function.module, function, call)

    def _has(self, expr: Expr, table: dict[str, Layer], value: AbstractValue | None = None) -> bool:
        names = set(_classes(self.origins.value(expr) if value is None else value)) & table.keys()
        if not names:
            return False
        built = [
            (name, Expr(origin.module, origin.scope, call))
            for origin in self.origins.of(expr)
            if isinstance(origin.node, nodes.NodeNG)
            for call in origin.node.nodes_of_class(nodes.Call)
            for name in self.origins.externals(Expr(origin.module, origin.scope, call))
            if name in names
        ]
        if not built:
            return any(table[name].default for name in names)
        return any(self._is_on(call, table[name]) for name, call in built)

    def _is_on(self, call: Expr, layer: Layer) -> bool:
        """True when the argument that switches the layer on is not known to be 0 or False."""
        given = next((k.value for k in call.node.keywords if k.arg == layer.keyword), None)
        if given is None and 0 <= layer.position < len(call.node.args):
            given = call.node.args[layer.position]
        if given is None:
            return layer.default
        if layer.layers >= 0 and self._is_single(call, layer.layers):
            return False
        return not self.is_zero(Expr(call.module, call.scope, given))

    def _is_single(self, call: Expr, position: int) -> bool:
        """True for a stack of recurrent layers that is one alone: nothing is dropped out between it and another."""
        given = next((k.value for k in call.node.keywords if k.arg == "num_layers"), None)
        if given is None and position < len(call.node.args):
            given = call.node.args[position]
        return given is None or self.origins.value(Expr(call.module, call.scope, given)).const == 1

    def is_zero(self, expr: Expr) -> bool:
        """True when an expression is 0, False or None wherever its value comes from."""
        value = self.origins.value(expr)
        if value.const is not NO_CONST:
            return not value.const
        found = [o.node.value if isinstance(o.node, nodes.Const) else UNSEEN for o in self.origins.of(expr)]
        return bool(found) and all(c is not UNSEEN and not c for c in found)

    def draws(self, region: Iterable[Activation]) -> Iterator[Expr]:
        """The operations in a region that draw from torch's default generator."""
        for activation in region:
            for call in activation.facts.values:
                if isinstance(call, nodes.Call) and self._draws(activation, call):
                    if not self._is_seeded(activation, call) and not _is_idle(activation, call):
                        yield activation.expr(call)

    def _is_seeded(self, activation: Activation, call: nodes.Call) -> bool:
        """True where the function seeds torch's generator with one number, always, before it draws."""
        for seeding in activation.function.calls:
            names = activation.facts.externals.get(seeding, {})
            if not any(n in TORCH_SEEDS for n in names) or line(seeding) >= line(call) or len(seeding.args) != 1:
                continue
            block = seeding.statement().parent
            if isinstance(seeding.args[0], nodes.Const) and block is not None and block.parent_of(call):
                return True
        return False

    def counts(self, region: Iterable[Activation]) -> Iterator[Expr]:
        """The functional normalizations in a region that move running statistics which they are given."""
        for activation in region:
            for call, externals in activation.facts.externals.items():
                names = COUNTING_FUNCTIONS.keys() & externals.keys()
                for name in sorted(names) if isinstance(call, nodes.Call) else ():
                    args, row = externals[name], COUNTING_FUNCTIONS[name]
                    kept, given = args.get(1, "running_mean"), args.get(row.position, row.keyword)
                    told = row.default if given is None else given.const
                    if kept is not None and not kept.must(NONE) and told is not False:
                        yield activation.expr(call)

    def _draws(self, activation: Activation, call: nodes.Call) -> bool:
        if any(k.arg == "generator" for k in call.keywords):
            return False
        found = self._is_built_anew(activation, call)
        for name, args in activation.facts.externals.get(call, {}).items():
            if name in DRAWING:
                continue  # it draws where it is run, by what it was built with
            row = (
                lookup(name, len(args.positional), args.names(), kinds=args.kinds())
                if name.startswith("torch.")
                else None
            )
            found = found or (row is not None and "rng" in row.effects)
        func = call.func
        if not found and isinstance(func, nodes.Attribute):
            for ref in activation.facts.values.get(func, UNKNOWN).each:
                if isinstance(ref, Method) and ref.owner.kinds & TENSOR:
                    row = tensor_row(ref.name)
                    found = found or (row is not None and "rng" in row.effects)
                elif isinstance(ref, Method) and ref.name in SAMPLES:
                    classes = [str(r.cls) for r in ref.owner.each if isinstance(r, Instance)]
                    found = found or (bool(classes) and all(c.startswith(DISTRIBUTIONS) for c in classes))
        return found and not self._is_off(activation, call)

    def _is_built_anew(self, activation: Activation, call: nodes.Call) -> bool:
        """True for a layer with drawn parameters that is built and run at once, or under a name that is only run."""
        if not DRAWN_WHEN_BUILT & activation.facts.externals.get(call, {}).keys():
            return False
        if any(k.arg == "device" for k in call.keywords):
            return False
        up = call.parent
        if isinstance(up, nodes.Assign) and len(up.targets) == 1 and isinstance(up.targets[0], nodes.AssignName):
            name = up.targets[0].name
            reads = [n for n in activation.function.node.nodes_of_class(nodes.Name) if n.name == name]
            bound = activation.function.local_names.get(name, ())
            return len(bound) == 1 and bool(reads) and all(_is_run(n) for n in reads)
        return _is_run(call)

    def _is_off(self, activation: Activation, call: nodes.Call) -> bool:
        """True for a functional dropout with a probability of 0, or outside of training."""
        name = str(getattr(call.func, "attrname", getattr(call.func, "name", "")))
        switches: list[Any] = [k.value for k in call.keywords if k.arg in ("p", "dropout_p", "training")]
        if "dropout" in name:
            switches.extend(call.args[1:3])
        elif name == "scaled_dot_product_attention":
            switches.extend(call.args[4:5])
        told = (activation.facts.values.get(s, UNKNOWN).const for s in switches)  # by the call of this activation
        return any(c is not NO_CONST and not c for c in told) or any(self.is_zero(activation.expr(s)) for s in switches)


def _is_run(node: nodes.NodeNG) -> bool:
    return isinstance(node.parent, nodes.Call) and node.parent.func is node


def _is_idle(activation: Activation, call: nodes.Call) -> bool:
    """True for what is drawn for nothing, and what is added after the last tensor that a recompute comes to."""
    if is_lost(activation, call) or (isinstance(call.parent, nodes.Expr) and not last_name(call.func).endswith("_")):
        return True
    added = call.parent
    if activation.entry.reentrant is not False or not isinstance(added, nodes.BinOp) or added.op not in ("+", "-"):
        return False
    return not saving.after(activation.origins, activation, added)


def _classes(value: AbstractValue, depth: int = _DEPTH) -> Iterator[str]:
    """The external classes of a module and of the modules in it."""
    if depth <= 0:
        return
    for ref in value.each:
        if isinstance(ref, Instance) and isinstance(ref.cls, str):
            yield ref.cls
        elif isinstance(ref, Wrapped):
            yield from _classes(ref.function, depth - 1)
    for _, inner in value.items or ():
        yield from _classes(inner, depth - 1)
    if value.elem is not None:
        yield from _classes(value.elem, depth - 1)
