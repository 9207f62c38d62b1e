"""Sites of state that a checkpointed region changes: its recompute changes it again, or starts from other state."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from astroid import nodes

from flake8_tensorbranch.engine.checkpointing import places, saving
from flake8_tensorbranch.engine.checkpointing.changes import Change, How, in_finally
from flake8_tensorbranch.engine.checkpointing.earlystop import stops
from flake8_tensorbranch.engine.checkpointing.insides import Activation
from flake8_tensorbranch.engine.checkpointing.locate import placed, site, skipped
from flake8_tensorbranch.engine.checkpointing.meant import meant
from flake8_tensorbranch.engine.checkpointing.mutation import Mutations
from flake8_tensorbranch.engine.checkpointing.places import Place
from flake8_tensorbranch.engine.checkpointing.stores import of_call
from flake8_tensorbranch.engine.checkpointing.uses import reads
from flake8_tensorbranch.engine.lattice import TENSOR, UNKNOWN
from flake8_tensorbranch.engine.lookup.modes import without_grad
from flake8_tensorbranch.engine.lookup.origins import line
from flake8_tensorbranch.engine.regions import trace
from flake8_tensorbranch.engine.sink import RegionSite, SinkKind
from flake8_tensorbranch.knowledge.containers import FILLS, TURNS
from flake8_tensorbranch.knowledge.gradients import CUTS
from flake8_tensorbranch.knowledge.layers import COUNTING, STATISTICS
from flake8_tensorbranch.syntax.names import ClassInfo, FunctionInfo, ModuleIndex

_RESETS: Final = frozenset({"zero_", "fill_", "clear", "reset", "copy_"})


class Consumption:
    """Judges the changes of one program."""

    def __init__(self, mutations: Mutations) -> None:
        self.mutations = mutations
        self.program = mutations.program

    def sites(self) -> Iterator[RegionSite]:
        """One site for each changed state at each statement of the file under check."""
        seen: set[tuple[object, int, object]] = set()
        for change in self.mutations.changes:
            key = (change.activation.function.module, int(change.node.lineno or 0), change.place)
            if key in seen:
                continue
            form = self.form(change)
            if form and (change.activation.function.module is self.program.index or self._told(change, form)):
                seen.add(key)
                found = site(SinkKind.STATE, change.activation, change.node, form, _subject(change))
                yield placed(found, change.activation, "changed here")

    def _told(self, change: Change, form: str) -> bool:
        """True where a change in another file is told: it adds or takes, to what its run did not store before.

        Who fills and empties the state in between is not in this file: what is only read and stored is left alone.
        """
        return form != "starts" and not any(
            c.how is How.STORES
            and c.place == change.place
            and c.activation is change.activation
            and line(c.node) < line(change.node)
            for c in self.mutations.changes
        )

    def form(self, change: Change) -> str:
        """What the recompute gets wrong by a change; empty where it repeats alike, or where nothing is lost."""
        at = change.activation
        if change.settled or skipped(at, change.node) or self._is_statistic(change.place):
            return ""
        if change.how is How.TAKES:
            kept = self._balanced(change) or self._renewed(change) or self._comes_late(change)
            return "" if kept else "takes"
        if change.how is How.ARGUMENT:
            return "argument"
        if self._renewed(change):
            return ""
        if change.draws:
            return ""  # reported where it is read
        if change.how is How.STORES:
            for reader, node in self.mutations.reads_of(change):
                decides = _in_test(node)  # the branch itself is reported
                if (
                    reader.entry is at.entry
                    and not decides
                    and self.mutations.matters(change, reader, node, change.place)
                    and not saving.is_over(self.mutations.origins, reader, node)
                ):
                    return "starts"
            return ""
        return self._adds(change)

    def _balanced(self, change: Change) -> bool:
        """True where the region that takes also adds; two calls are two regions, recomputed last to first."""
        entry = change.activation.entry
        return any(
            c.how is How.ADDS
            and c.place == change.place
            and (c.activation.entry is entry or entry.node is None or c.activation.entry.node is None)
            for c in self.mutations.changes
        )

    def _is_statistic(self, place: Place) -> bool:
        """True for the running statistics of a normalization, whatever its forward: they are a matter of its own."""
        root = place.root
        return (
            isinstance(root, ClassInfo)
            and bool(place.path)
            and place.path[-1] in STATISTICS
            and any(base in COUNTING for base in self.program.analysis.resolver.mro(root))
        )

    def _adds(self, change: Change) -> str:
        at = change.activation
        name = meant(at, change.node).name if isinstance(change.node, nodes.Call) else ""
        grows = name in FILLS | TURNS
        if name == "update" and not isinstance(change.node.parent, nodes.Expr):
            return "feeds"  # a cache gives back what it holds
        if name in FILLS and any(c.how is How.TAKES and c.place == change.place for c in self.mutations.changes):
            return ""  # a stack: what is pushed is popped
        if (
            _reads_itself(change, at)
            or self._works_on_itself(change)
            or any(
                reader.entry is at.entry and not saving.is_over(self.mutations.origins, reader, node)
                for reader, node in self.mutations.reads_of(change)
            )
        ):
            return "feeds"
        if self._is_loss(change) and (grows or self._reset_outside(change)):
            return ""  # read between the forward and backward, and begun anew for each step
        if self._comes_late(change):
            return ""
        if grows and not isinstance(change.place.root, ClassInfo) and not _is_global(change):
            return ""
        if grows and (self._reset_outside(change) or not self._read_outside(change)):
            return ""
        return "counts"

    def _works_on_itself(self, change: Change) -> bool:
        """True for `self.h = self.cell(x, self.h)`: the recompute saves tensors of what the forward left there."""
        at, origins = change.activation, self.mutations.insides.origins
        for node in reads(change.value) if change.value is not None else ():
            place = places.of(at, node)
            if place is not None and change.place.meets(place) and saving.enters(origins, at, node):
                return True
        return False

    def _comes_late(self, change: Change) -> bool:
        """True for what stands after the last tensor that is saved, and in no `finally` around it: the recompute has
        stopped before it comes there.
        """
        origins, at, around = self.mutations.insides.origins, change.activation, in_finally(change.node)
        if not stops(origins, at.entry, at.function) or (
            around is not None and saving.within(origins, at, around.body)
        ):
            return False
        return not saving.hangs(origins, at, change.node)

    def _renewed(self, change: Change) -> bool:
        return self.mutations.renewed(change.place, change.activation, change.node)

    def _is_loss(self, change: Change) -> bool:
        """True for a sum of tensors that keep their graph."""
        value = change.value
        if value is None or without_grad(self.mutations.insides.origins, change.activation.expr(change.node), 0):
            return False
        parts = list(value.args) if isinstance(value, nodes.Call) and value is change.node else [value]
        cut = any(
            isinstance(n, nodes.Call)
            and (getattr(n.func, "attrname", "") in CUTS or getattr(n.func, "name", "") in CUTS | {"float"})
            for p in parts
            for n in p.nodes_of_class(nodes.Call)
        )
        kinds = 0
        for part in parts:
            kinds |= change.activation.facts.values.get(part, UNKNOWN).kinds
        return bool(kinds & TENSOR) and not cut

    def _read_outside(self, change: Change) -> bool:
        """True when code outside of the region reads what is collected."""
        inside = {a.function for a in self.mutations.insides.all()}
        name = _name(change)
        tops: list[nodes.NodeNG] = []
        for index in dict.fromkeys((self.program.index, change.activation.function.module)):
            tops += [f.node for f in index.functions if f not in inside and f.name != "__init__"]
            tops += [s for s in index.tree.body if not isinstance(s, (nodes.FunctionDef, nodes.ClassDef))]
        return any(
            n.attrname == name if isinstance(n, nodes.Attribute) else n.name == name
            for top in tops
            for n in top.nodes_of_class((nodes.Attribute, nodes.Name))
        )

    def _reset_outside(self, change: Change) -> bool:
        """True when code outside of the region sets the state anew, constructors apart."""
        inside = {a.function for a in self.mutations.insides.all()}
        name = _name(change)
        for function in self.program.index.functions:
            if function in inside or function.name == "__init__":
                continue
            if any(s.attrname == name for s in function.attribute_stores) or name in function.declared_global:
                return True
            for call in function.calls:
                func = call.func
                if not isinstance(func, nodes.Attribute) or func.attrname not in _RESETS:
                    continue
                if getattr(func.expr, "attrname", getattr(func.expr, "name", "")) == name:
                    return True
        return False


def _name(change: Change) -> str:
    """The attribute or variable that holds the state."""
    name = next((p for p in change.place.path if not p.startswith("[")), "")
    return str(change.place.root[1]) if not name and isinstance(change.place.root, tuple) else name


def _is_global(change: Change) -> bool:
    root = change.place.root
    return isinstance(root, tuple) and isinstance(root[0], ModuleIndex)


def _reads_itself(change: Change, at: Activation) -> bool:
    """True when a stored local is worked on as well: `state = f(self.state); self.state = state; return state`."""
    value: Any = change.value
    if not isinstance(change.node, nodes.Assign) or not isinstance(value, nodes.Name):
        return False
    function: FunctionInfo = at.function
    uses = [n for n in function.node.nodes_of_class(nodes.Name) if n.name == value.name and n is not value]
    return any(line(n) > line(change.node) for n in uses) or len(uses) > 1


def _in_test(node: Any) -> bool:
    """True for a part of a test that decides a branch."""
    child, up = node, node.parent
    while up is not None and not child.is_statement:
        if isinstance(up, (nodes.If, nodes.While, nodes.IfExp, nodes.Assert)) and child is up.test:
            return True
        child, up = up, up.parent
    return False


def _subject(change: Change) -> str:
    node: Any = change.node
    if isinstance(node, nodes.AugAssign):
        return trace.spelled(node.target)
    if isinstance(node, (nodes.Assign, nodes.AnnAssign)):
        targets = node.targets if isinstance(node, nodes.Assign) else [node.target]
        held = (t for t in targets if places.of(change.activation, t) == change.place)
        return trace.spelled(next(held, targets[0]))
    if isinstance(node, nodes.Call):
        stored, out = of_call(node), next((k.value for k in node.keywords if k.arg == "out"), None)
        owner: Any = out or meant(change.activation, node).owner
        if stored is not None:
            return f"{trace.spelled(stored.holder)}.{stored.name}"
        if change.how is not How.TAKES and owner is not None:
            while isinstance(owner, nodes.Call) and isinstance(owner.func, nodes.Attribute):
                owner = owner.func.expr
            return trace.spelled(owner)
    return trace.spelled(node)
