"""Caches that a checkpointed region fills from parameters: what is kept holds the graph of one run (facts D)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from astroid import nodes

from flake8_tensorbranch.engine.checkpointing import memo, routing, saving
from flake8_tensorbranch.engine.checkpointing.changes import Change, How
from flake8_tensorbranch.engine.checkpointing.insides import Activation
from flake8_tensorbranch.engine.checkpointing.locate import placed, site, skipped
from flake8_tensorbranch.engine.checkpointing.mutation import Mutations
from flake8_tensorbranch.engine.checkpointing.uses import assignments, sources
from flake8_tensorbranch.engine.lattice import HOST, NONE, UNKNOWN
from flake8_tensorbranch.engine.lookup.modes import without_grad
from flake8_tensorbranch.engine.lookup.origins import Expr, Origins, line
from flake8_tensorbranch.engine.refs import Instance
from flake8_tensorbranch.engine.regions.trace import spelled
from flake8_tensorbranch.engine.sink import RegionSite, SinkKind
from flake8_tensorbranch.knowledge.gradients import BARE_MODULES, STOPS
from flake8_tensorbranch.knowledge.modules import PARAMETERS
from flake8_tensorbranch.knowledge.names import CACHING

_NUMBERS: Final = frozenset({"min", "max", "int", "len", "round", "abs"})


class KeptGraph:
    """Looks at the caches that regions fill."""

    def __init__(self, mutations: Mutations) -> None:
        self.mutations = mutations
        self.origins: Origins = mutations.insides.origins

    def sites(self) -> Iterator[RegionSite]:
        """One site for each store that fills a cache, and for each call of a cached function."""
        seen: set[Any] = set()
        for change in self.mutations.changes:
            at = change.activation
            fills = change.settled and change.how is How.STORES and change.node not in seen
            if not fills or change.value is None or skipped(at, change.node):
                continue
            begin = memo.guard(at, change.node, change.place)
            made = memo.made(at, change.value, change.place)
            if not self.keeps(at, made, 0 if begin is None else line(begin)) or not self._saves(change, begin):
                continue
            seen.add(change.node)
            target = change.node.targets[0] if isinstance(change.node, nodes.Assign) else change.node
            yield placed(site(SinkKind.KEPT_GRAPH, at, change.node, "cache", spelled(target)), at, "kept here")
        for activation in self.mutations.insides.all():
            parent, call = activation.parent, activation.call
            if parent is None or call is None or call in seen or not _is_cached(activation):
                continue
            body = activation.function.node.body
            saves = parent.entry.reentrant is not False or saving.within(
                self.origins, activation, body if isinstance(body, list) else [body]
            )
            if saves and any(self.keeps(activation, r) for r in activation.returned()):
                seen.add(call)
                found = site(SinkKind.KEPT_GRAPH, parent, call, "function", activation.function.name)
                yield placed(found, parent, "called here")

    def _saves(self, change: Change, begin: nodes.NodeNG | None) -> bool:
        """True where the recompute, which skips the work, saves fewer tensors; or is reentrant, and loses a graph."""
        at = change.activation
        if at.entry.reentrant is not False or not isinstance(begin, nodes.If) or not begin.parent_of(change.node):
            return True
        return saving.within(self.origins, at, [*begin.body, *begin.orelse])

    def keeps(self, activation: Activation, value: Any, since: int = 0) -> bool:
        """True when an expression is computed from a trainable parameter with gradients recorded; by modules, no
        earlier than on the line `since`: what ran before the cache is asked runs again.
        """
        plain = activation.facts.values.get(value, UNKNOWN).must(HOST | NONE)
        if plain or without_grad(self.origins, activation.expr(value), 0):
            return False
        if any(_is_cut(n) for n in value.nodes_of_class((nodes.Call, nodes.Attribute))):
            return False
        if any(
            is_parameter(self.origins, at.expr(part))
            for at, node in sources(activation, value)
            for part in _parts(node)
        ):
            return True
        if _counts(activation, value):
            return False
        for at, call in routing.computed_from(activation, value):
            if not _runs_below(at, call, activation, since):
                continue
            if _is_cut(call) or without_grad(self.origins, at.expr(call), 0):
                return False
            refs = at.facts.values.get(call.func, UNKNOWN).each
            classes = [r.cls for r in refs if isinstance(r, Instance) and isinstance(r.cls, str)]
            if any(c.startswith("torch.nn.") and c.rsplit(".", 1)[-1] not in BARE_MODULES for c in classes):
                return True
        return False


def is_parameter(origins: Origins, expr: Expr) -> bool:
    """True for the weight or bias of a layer, and for what was made a trainable parameter."""
    node = expr.node
    if isinstance(node, nodes.Attribute) and node.attrname in ("weight", "bias"):
        owner = origins.value(Expr(expr.module, expr.scope, node.expr))
        if any(isinstance(r, Instance) and str(r.cls).startswith("torch.nn.") for r in owner.refs):
            return True
    if not isinstance(node, (nodes.Attribute, nodes.Name)):
        return False
    return any(
        isinstance(o.node, nodes.Call) and origins.externals(o) & PARAMETERS and not _is_frozen(o.node)
        for o in origins.of(expr)
    )


def _runs_below(at: Activation, node: Any, top: Activation, since: int) -> bool:
    """True for what an activation, or one that it calls, runs from a line on."""
    up: Activation | None = at
    while up is not None and up is not top:
        node, up = up.call, up.parent
    return up is top and node is not None and line(node) >= since


def _parts(node: Any) -> Iterator[Any]:
    """A chain of attributes and elements, and what it is read from."""
    while isinstance(node, (nodes.Attribute, nodes.Subscript, nodes.Name)):
        yield node
        if isinstance(node, nodes.Name):
            return
        node = node.expr if isinstance(node, nodes.Attribute) else node.value


def _counts(activation: Activation, value: Any, depth: int = 4) -> bool:
    """True for a size, or a Python number made from one: no graph hangs on it, whatever it is compared with."""
    if activation.facts.values.get(value, UNKNOWN).must(HOST):
        return True
    if isinstance(value, nodes.Name) and depth:
        found = list(assignments(activation, value.name))
        return bool(found) and all(_counts(activation, v, depth - 1) for v in found)
    if isinstance(value, nodes.Call) and isinstance(value.func, nodes.Name) and value.func.name in _NUMBERS:
        return any(_counts(activation, a, depth) for a in value.args)
    if isinstance(value, nodes.IfExp):
        return _counts(activation, value.body, depth) or _counts(activation, value.orelse, depth)
    return False


def _is_cached(activation: Activation) -> bool:
    return any(d.rsplit(".", 1)[-1] in CACHING for d in activation.function.decorator_names)


def _is_cut(node: Any) -> bool:
    if isinstance(node, nodes.Attribute):
        return node.attrname == "data"
    return str(getattr(node.func, "attrname", getattr(node.func, "name", ""))) in STOPS


def _is_frozen(call: nodes.Call) -> bool:
    given = [k.value for k in call.keywords if k.arg == "requires_grad"] or list(call.args[1:2])
    return any(isinstance(g, nodes.Const) and g.value is False for g in given)
