"""Handlers in a checkpointed region that take the exception by which a recompute stops (facts B2)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from astroid import nodes

from flake8_tensorbranch.engine.checkpointing import saving
from flake8_tensorbranch.engine.checkpointing.insides import Activation, Insides
from flake8_tensorbranch.engine.checkpointing.locate import placed, site, skipped
from flake8_tensorbranch.engine.regions.trace import spelled
from flake8_tensorbranch.engine.sink import RegionSite, SinkKind
from flake8_tensorbranch.syntax.kinds import NESTED
from flake8_tensorbranch.syntax.names import dotted

_BROAD: Final = frozenset({"Exception", "BaseException"})


def sites(insides: Insides) -> Iterator[RegionSite]:
    """One site for each handler around the last tensors that a region saves.

    The stop is raised where the last saved tensor is made: a handler around earlier work never sees it. It is an error
    only where the handler, or what runs after it, saves tensors again or raises something else.
    """
    seen: set[Any] = set()
    for activation in insides.lasting():
        if activation.entry.reentrant is not False or _never_stops(activation):
            continue
        for node in activation.function.node.nodes_of_class((nodes.Try, nodes.With), NESTED):
            found = _suppressing(activation, node) if isinstance(node, nodes.With) else _handling(activation, node)
            if found is not None and found[0] not in seen and not skipped(activation, node):
                seen.add(found[0])
                yield placed(site(SinkKind.SWALLOWED, activation, *found), activation, "caught here")


def _never_stops(activation: Activation) -> bool:
    """True where the early stop is switched off."""
    if activation.entry.option("early_stop", True) is not True:
        return True
    return "set_checkpoint_early_stop" in activation.function.module.text


def _handling(activation: Activation, node: nodes.Try) -> tuple[Any, str, str] | None:
    """The broad handler of a `try`, how it fails and how it is spelled; None where it does no harm."""
    origins = activation.origins
    if not saving.within(origins, activation, node.body) or saving.within(
        origins, activation, [*node.orelse, *node.finalbody]
    ):
        return None
    returns = isinstance(node.body[-1], nodes.Return)
    if saving.after(origins, activation, node, own=not returns, rounds=False):  # in the last round of a loop
        return None
    for handler in node.handlers:
        if handler.type is not None and not _is_broad(handler.type):
            continue
        raises = list(handler.nodes_of_class(nodes.Raise, NESTED))
        if any(_is_same(r, handler) for r in raises):
            return None
        spelling = "except" if handler.type is None else f"except {spelled(handler.type)}"
        if raises and raises[-1] in handler.body:
            return handler, "converts", spelling
        if saving.within(origins, activation, handler.body):
            return handler, "swallows", spelling
        falls = not isinstance(handler.body[-1], nodes.Return)
        return (handler, "swallows", spelling) if falls and saving.follows(origins, activation, node) else None
    return None


def _suppressing(activation: Activation, node: nodes.With) -> tuple[Any, str, str] | None:
    """The same for `contextlib.suppress(Exception)`."""
    for manager, _ in node.items:
        if not isinstance(manager, nodes.Call) or (dotted(manager.func) or "").rsplit(".", 1)[-1] != "suppress":
            continue
        if not any(_is_broad(a) for a in manager.args) or not isinstance(node.body[-1], nodes.Return):
            continue
        origins = activation.origins
        last = saving.within(origins, activation, node.body) and not saving.after(
            origins, activation, node, own=False, rounds=False
        )
        if last and saving.follows(origins, activation, node):
            return manager, "swallows", spelled(manager)
    return None


def _is_broad(node: Any) -> bool:
    if isinstance(node, nodes.Tuple):
        return any(_is_broad(e) for e in node.elts)
    return (dotted(node) or "").rsplit(".", 1)[-1] in _BROAD


def _is_same(node: nodes.Raise, handler: nodes.ExceptHandler) -> bool:
    """True for `raise` and for raising the caught exception itself."""
    if node.exc is None:
        return True
    return isinstance(node.exc, nodes.Name) and handler.name is not None and node.exc.name == handler.name.name
