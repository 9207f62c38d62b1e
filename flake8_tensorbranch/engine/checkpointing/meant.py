"""What a call means whose function has another name: a method kept in a local, a partial, a function in place."""

from __future__ import annotations

from typing import Any, Final, NamedTuple

from astroid import nodes

from flake8_tensorbranch.engine.checkpointing.insides import Activation

_DEPTH: Final = 3
_METHODS: Final = "torch.Tensor."
_FOREACH: Final = "torch._foreach_"


class Meant(NamedTuple):
    """The last name of what is called, the object whose method it is (None for a function), and what it is given."""

    name: str
    owner: nodes.NodeNG | None
    given: list[nodes.NodeNG]


def meant(activation: Activation, call: nodes.Call) -> Meant:
    """What a call in a run of a region means; `torch.Tensor.add_(x, 1)` and `torch._foreach_add_(x, 1)` are methods."""
    given: list[nodes.NodeNG] = list(call.args)
    return _of(activation, call, call.func, given, _DEPTH)


def _of(activation: Activation, call: nodes.Call, func: Any, given: list[nodes.NodeNG], depth: int) -> Meant:
    named = activation.facts.externals.get(call, {})
    for name in named if given else ():
        if name.endswith("_") and name.startswith((_METHODS, _FOREACH)):
            short = name.removeprefix(_METHODS if name.startswith(_METHODS) else _FOREACH)
            return Meant(short, given[0], given[1:])
    if isinstance(func, nodes.Attribute):
        return Meant(func.attrname, func.expr, given)
    if (
        isinstance(func, nodes.Name)
        and depth > 0
        and all(n.startswith("builtins.") for n in named)
        and not activation.facts.calls.get(call)
    ):
        found = activation.origins.of(activation.expr(func), calls=False) if func in activation.facts.values else []
        origin: Any = found[0].node if len(found) == 1 else None
        if isinstance(origin, nodes.Attribute):
            return Meant(origin.attrname, origin.expr, given)
        partial = isinstance(origin, nodes.Call) and "functools.partial" in activation.origins.externals(found[0])
        if partial and origin.args:
            return _of(activation, call, origin.args[0], [*origin.args[1:], *given], depth - 1)
    return Meant(func.name if isinstance(func, nodes.Name) else "", None, given)
