"""Iterators from outside of a checkpointed region, which its recompute finds advanced."""

from __future__ import annotations

from typing import Any, Final

from astroid import nodes

from flake8_tensorbranch.engine.checkpointing import places
from flake8_tensorbranch.engine.checkpointing.insides import Activation
from flake8_tensorbranch.knowledge.containers import GOES_THROUGH
from flake8_tensorbranch.syntax.names import last_name

_ITERATORS: Final = frozenset({"iter", "zip", "map", "filter", "enumerate", "reversed", "open"})


def outlives(activation: Activation, node: nodes.NodeNG) -> bool:
    """True when an iterator comes from outside of the region, so that the recompute finds it advanced."""
    if isinstance(node, nodes.Call):
        return False
    place = places.of(activation, node)
    return place is not None and not _counts(activation, node)


def _sources(activation: Activation, node: nodes.NodeNG) -> list[Any]:
    return activation.origins.of(activation.expr(node), calls=False) if activation.reached(node) else []


def _counts(activation: Activation, node: nodes.NodeNG) -> bool:
    """True for an `itertools.count`: what it gives is a matter of where it goes, as with a draw."""
    return any(isinstance(o.node, nodes.Call) and _name(o.node) == "count" for o in _sources(activation, node))


def is_iterator(activation: Activation, node: nodes.NodeNG) -> bool:
    """True for a name or attribute that holds an iterator made outside of the region."""
    if not isinstance(node, (nodes.Name, nodes.Attribute)) or places.of(activation, node) is None:
        return False
    found = _sources(activation, node)
    return bool(found) and all(_makes_iterator(activation, o) for o in found)


def iterates(activation: Activation, node: nodes.NodeNG) -> bool:
    """True for a loop over such an iterator, or over `enumerate(iterator)` and its like."""
    if isinstance(node, nodes.Call) and _name(node) in GOES_THROUGH:
        return any(is_iterator(activation, argument) for argument in node.args)
    return is_iterator(activation, node)


def _makes_iterator(activation: Activation, origin: Any) -> bool:
    if isinstance(origin.node, nodes.GeneratorExp):
        return True
    if not isinstance(origin.node, nodes.Call):
        return False
    name = _name(origin.node)
    if isinstance(origin.node.func, nodes.Name) and name in _ITERATORS:
        return True
    if any(e.startswith("itertools.") for e in activation.origins.externals(origin)):
        return True
    return any(c.is_generator for c in activation.origins.callees(origin))


def _name(call: nodes.Call) -> str:
    return last_name(call.func)
