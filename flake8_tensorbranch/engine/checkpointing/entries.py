"""Sites at the entries of checkpointed regions: a random state that is not restored, statistics that advance twice."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import chain
from typing import Any

from astroid import nodes

from flake8_tensorbranch.diagnostic import Edit
from flake8_tensorbranch.engine.checkpointing import saving
from flake8_tensorbranch.engine.checkpointing.building import Building
from flake8_tensorbranch.engine.checkpointing.changes import is_in_place
from flake8_tensorbranch.engine.checkpointing.contents import Contents
from flake8_tensorbranch.engine.checkpointing.earlystop import stops
from flake8_tensorbranch.engine.checkpointing.evaluating import evaluates
from flake8_tensorbranch.engine.checkpointing.insides import Activation, Insides
from flake8_tensorbranch.engine.lattice import NO_CONST, AbstractValue
from flake8_tensorbranch.engine.lookup.modes import without_grad
from flake8_tensorbranch.engine.lookup.origins import Expr
from flake8_tensorbranch.engine.refs import Instance
from flake8_tensorbranch.engine.regions.entering import segmented
from flake8_tensorbranch.engine.regions.region import Entry, describe
from flake8_tensorbranch.engine.regions.trace import noted, spelled
from flake8_tensorbranch.engine.repairs import settings as edits
from flake8_tensorbranch.engine.sink import RegionSite, SinkKind
from flake8_tensorbranch.knowledge.layers import COUNTING, COUNTING_FUNCTIONS, DRAWING, Layer
from flake8_tensorbranch.knowledge.regions import REGION_ATTRIBUTES


class Entries:
    """Looks at each entry of a program's checkpointed regions."""

    def __init__(self, insides: Insides) -> None:
        self.insides = insides
        self.origins = insides.origins
        self.contents = Contents(insides.origins)
        self.building = Building(insides.origins, self.contents)
        self._layers: dict[tuple[Activation, int], Expr | None] = {}
        self._draws: dict[Activation, Expr | None] = {}

    def sites(self) -> Iterator[RegionSite]:
        """The sites of all entries, one of each kind at each place."""
        seen: set[tuple[SinkKind, int, int]] = set()
        begun: dict[Entry, list[Activation]] = {}
        for head in self.insides.heads:
            begun.setdefault(head.entry, []).append(head.twin or head)
        for begin, _ in self.insides.regions.entries:
            if begin.kind != "checkpointed" or begin.node is None or self._without_grad(begin):
                continue
            region = begun.get(begin, [])
            start = self._module(begin)
            asked = (self._rng(begin, region, start), self._statistics(begin, region, start), self._first(begin, start))
            for found in chain.from_iterable(asked):
                key = (found.kind, found.node.lineno or 0, found.node.col_offset or 0)
                if key not in seen:
                    seen.add(key)
                    yield found

    def _without_grad(self, begin: Entry) -> bool:
        return isinstance(begin.node, nodes.Call) and without_grad(
            self.origins, Expr(self.origins.program.index, begin.scope, begin.node)
        )

    def _module(self, begin: Entry) -> Expr | None:
        """The expression of the function or module that an entry is given."""
        node, row = begin.node, begin.row
        if not isinstance(node, nodes.Call) or row is None:
            return None
        index = self.origins.program.index
        position = 0 if REGION_ATTRIBUTES.get(getattr(node.func, "attrname", "")) is row else row.argument
        held = self.contents.options.bound(Expr(index, begin.scope, node.func))
        if 0 <= position < len(held):
            return held[position]
        if 0 <= position < len(node.args) and not any(isinstance(a, nodes.Starred) for a in node.args[: position + 1]):
            return Expr(index, begin.scope, node.args[position])
        return next((Expr(index, begin.scope, k.value) for k in node.keywords if k.arg == row.keyword), None)

    def _rng(self, begin: Entry, region: list[Activation], start: Expr | None) -> Iterator[RegionSite]:
        place = self._unpreserved(begin)
        if place is None:
            return
        drawn = self._layer(begin, region, start, DRAWING) or self._draw(region, start)
        if drawn is not None:
            repair = edits.left_out(self.origins.program.index, place, "True")
            yield self._site(SinkKind.RNG_STATE, begin, place, drawn, "draws here", repair)

    def _layer(self, begin: Entry, heads: list[Activation], start: Expr | None, table: dict[str, Layer]) -> Expr | None:
        """The first layer of a table that a region runs; the same for all entries that run alike."""
        part = None
        if start is not None and begin.row is not None and begin.row.sequential:
            part = segmented(self.origins.value(start), begin.option("segments"))
        found = next(self._run_at(begin, start, table, part), None)
        for head in heads if found is None else ():
            key = (head, id(table))
            if key not in self._layers:
                self._layers[key] = next(self._run_by(head, table), None)
            found = found or self._layers[key]
        if found is None or not self._is_idle(begin, start, found, heads, table):
            return found
        every = chain(self._run_at(begin, start, table, part), *(self._run_by(head, table) for head in heads))
        return next((each for each in every if not self._is_idle(begin, start, each, heads, table)), None)

    def _is_idle(
        self, begin: Entry, start: Expr | None, layer: Expr, heads: list[Activation], table: dict[str, Layer]
    ) -> bool:
        """True for a layer in evaluation mode, and for one that its object was built to drop nothing by."""
        if table is DRAWING and self.building.is_off(start, heads, layer):
            return True
        return evaluates(self.origins, begin, start, layer, heads)

    def _run_by(self, head: Activation, table: dict[str, Layer]) -> Iterator[Expr]:
        """The layers of a table that a run of a region calls."""
        for activation in head.run():
            for found in self.contents.layers([activation], None, table):
                if not self._stops(activation.entry, table, found, activation):
                    yield found

    def _run_at(
        self, begin: Entry, start: Expr | None, table: dict[str, Layer], part: AbstractValue | None
    ) -> Iterator[Expr]:
        """The layers of a table in the module that is the region."""
        return (found for found in self.contents.layers((), start, table, part) if not self._stops(begin, table, found))

    def _stops(self, begin: Entry, table: dict[str, Layer], found: Expr, activation: Activation | None = None) -> bool:
        """True for the last of a region that saves tensors (all of it, without an activation), where it moves its
        statistics later: a non-reentrant recompute stops inside of it, before (facts B9).
        """
        if not stops(self.origins, begin, activation.function if activation is not None else None):
            return False
        called = found.node.func if isinstance(found.node, nodes.Call) else found.node
        refs = self.origins.value(replace(found, node=called)).each
        names = [str(r.cls) for r in refs if isinstance(r, Instance)] or [*self.origins.externals(found)]
        if not names or not all(n in table and table[n].late for n in names):
            return False
        return activation is None or not saving.after(self.origins, activation, found.node)

    def _draw(self, heads: list[Activation], start: Expr | None) -> Expr | None:
        """The first operation that a region draws by."""
        for head in heads:
            if head not in self._draws:
                self._draws[head] = next(self.contents.draws(head.run()), None)
        found = next((d for d in (self._draws[head] for head in heads) if d is not None), None)
        if found is None or not self.building.is_off(start, heads, found):
            return found
        every = (d for head in heads for d in self.contents.draws(head.run()))
        return next((d for d in every if not self.building.is_off(start, heads, d)), None)

    def _unpreserved(self, begin: Entry) -> nodes.NodeNG | None:
        """Where an entry is told not to restore the random state; None where it is not."""
        hidden = isinstance(begin.node, nodes.Call) and any(k.arg is None for k in begin.node.keywords)
        const = begin.option("preserve_rng_state", NO_CONST if hidden else True)
        if const is not False and const is not NO_CONST:
            return None
        assert begin.node is not None
        if not isinstance(begin.node, nodes.Call):
            return begin.node if const is False else None
        index = self.origins.program.index
        given = self.contents.options.given(Expr(index, begin.scope, begin.node), "preserve_rng_state")
        told = [g for g in given if isinstance(g, Expr)]
        if const is NO_CONST and not (told and all(self._is_false(g) for g in told)):
            return None
        return next((g.node for g in told if g.module is index), begin.node)

    def _is_false(self, expr: Expr) -> bool:
        found = self.contents.options.constants(expr)
        return bool(found) and all(c is False for c in found)

    def _statistics(self, begin: Entry, region: list[Activation], start: Expr | None) -> Iterator[RegionSite]:
        counted = self._layer(begin, region, start, COUNTING) or self._counted(begin, region, start)
        if counted is not None:
            assert begin.node is not None
            yield self._site(SinkKind.STATISTICS, begin, begin.node, counted, "its statistics advance here")

    def _counted(self, begin: Entry, heads: list[Activation], start: Expr | None) -> Expr | None:
        """The first operation that moves statistics it is given."""
        every = (
            found
            for head in heads
            for activation in head.run()
            for found in self.contents.counts([activation])
            if not self._stops(activation.entry, COUNTING_FUNCTIONS, found, activation)
        )
        return next((each for each in every if not evaluates(self.origins, begin, start, each, heads)), None)

    def _first(self, begin: Entry, start: Expr | None) -> Iterator[RegionSite]:
        """A chain whose first layer was built to work in place: it changes the input of the region."""
        call, row = begin.node, begin.row
        if start is None or not isinstance(call, nodes.Call) or row is None or len(call.args) <= max(row.passed, 0):
            return
        made = self.origins.of(start)
        layers = [_first_layer(o.node) for o in made if "torch.nn.Sequential" in self.origins.externals(o)]
        if made and len(layers) == len(made) and all(layer is not None and is_in_place(layer) for layer in layers):
            layer = layers[0]
            assert layer is not None
            place = noted(made[0].module.path, layer, "works in place")
            subject = spelled(call.args[row.passed])
            yield RegionSite(
                SinkKind.STATE, call, begin.scope, subject, "argument", begin.reentrant, True, (place,), repairs={}
            )

    def _site(
        self,
        kind: SinkKind,
        begin: Entry,
        node: nodes.NodeNG,
        cause: Expr,
        words: str,
        repair: tuple[Edit, ...] | None = None,
    ) -> RegionSite:
        called = cause.node.func if isinstance(cause.node, nodes.Call) else cause.node
        place = noted(cause.module.path, cause.node, words)
        repairs = {"restored": repair} if repair is not None else {}
        return RegionSite(
            kind, node, begin.scope, spelled(called), describe(begin), begin.reentrant, True, (place,), repairs=repairs
        )


def _first_layer(chain_: nodes.NodeNG) -> nodes.Call | None:
    """The expression that builds the first layer of a chain; None where it is not written there."""
    given: Any = chain_.args[0] if isinstance(chain_, nodes.Call) and chain_.args else None
    if isinstance(given, (nodes.List, nodes.Tuple)):
        given = given.elts[0] if given.elts else None
    return given if isinstance(given, nodes.Call) else None
