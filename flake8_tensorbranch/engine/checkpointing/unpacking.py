"""Custom functions in checkpointed regions whose backward reads `ctx.saved_tensors` twice: the second read raises."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from astroid import nodes

from flake8_tensorbranch.engine.checkpointing.insides import Activation, Insides
from flake8_tensorbranch.engine.checkpointing.locate import placed, site, skipped
from flake8_tensorbranch.engine.lookup.guards import exclusive
from flake8_tensorbranch.engine.lookup.modes import loop_around
from flake8_tensorbranch.engine.sink import RegionSite, SinkKind
from flake8_tensorbranch.syntax.kinds import FUNCTIONS
from flake8_tensorbranch.syntax.names import ClassInfo, FunctionInfo

_SAVED: Final = "saved_tensors"
_LEAVES: Final = (nodes.Return, nodes.Raise)


def sites(insides: Insides) -> Iterator[RegionSite]:
    """One site for each such function, in its backward where that is in the file under check, else at the call.

    A non-reentrant checkpoint gives each saved tensor out once, and `ctx.saved_tensors` takes all of them (facts G).
    """
    seen: set[ClassInfo] = set()
    for activation in insides.lasting():
        if activation.entry.reentrant is True or ".apply" not in activation.function.module.text:
            continue
        for call in activation.function.calls:
            cls = _applied(activation, call)
            if cls is None or cls in seen or skipped(activation, call):
                continue
            again = _again(insides, cls)
            if again is not None:
                seen.add(cls)
                yield _site(insides, activation, call, again)


def _site(insides: Insides, activation: Activation, call: nodes.Call, again: tuple[FunctionInfo, Any]) -> RegionSite:
    backward, node = again
    certain = activation.entry.reentrant is False
    head = Activation(insides.origins, activation.entry, backward, activation.facts, {}, activation, call)
    return placed(site(SinkKind.UNPACKED, head, node, "again", str(node.as_string()), certain), head, "read again here")


def _applied(activation: Activation, call: nodes.Call) -> ClassInfo | None:
    """The `autograd.Function` of the project that a call applies, by `F.apply(...)` or by a name for that."""
    analysis, module, scope = activation.analysis, activation.function.module, activation.function
    func: Any = call.func
    if isinstance(func, nodes.Name):
        bound = [b.statement for b in module.bindings.get(func.name, ())]
        func = getattr(bound[0], "value", None) if len(bound) == 1 and func.name not in scope.local_names else None
    if not isinstance(func, nodes.Attribute) or func.attrname != "apply":
        return None
    cls = analysis.resolver.expression(module, func.expr, scope)
    return cls if isinstance(cls, ClassInfo) and analysis.resolver.has_base(cls, "Function") else None


def _again(insides: Insides, cls: ClassInfo) -> tuple[FunctionInfo, Any] | None:
    """The backward of a function that saves tensors, and where it reads them for the second time; None for no such."""
    backward = insides.analysis.resolver.method(cls, "backward")
    if backward is None or _SAVED not in backward.module.text or not backward.params:
        return None
    savers = (insides.analysis.resolver.method(cls, name) for name in ("forward", "setup_context"))
    calls = (call for saver in savers if saver is not None for call in saver.calls)
    if not any(getattr(call.func, "attrname", "") == "save_for_backward" for call in calls):
        return None
    context = backward.params[0].name
    reads = [
        node
        for node in backward.node.nodes_of_class(nodes.Attribute)
        if node.attrname == _SAVED and isinstance(node.expr, nodes.Name) and node.expr.name == context
    ]
    reads.sort(key=lambda node: (node.lineno or 0, node.col_offset or 0))
    for position, node in enumerate(reads):
        if _repeats(node) or any(
            not exclusive(before, node) and not _leaves(before, node) for before in reads[:position]
        ):
            return backward, node
    return None


def _repeats(node: nodes.NodeNG) -> bool:
    """True for a read in a loop that goes on after it."""
    loop = loop_around(node)
    return isinstance(loop, nodes.ComprehensionScope) or (loop is not None and not _leaves(node, loop))


def _leaves(before: nodes.NodeNG, after: nodes.NodeNG) -> bool:
    """True where the function returns after one place before it can come to another one, or to a loop's next round."""
    if before.scope() is not after.scope():
        return False
    child, up = before, before.parent
    while up is not None and child is not after and not isinstance(child, FUNCTIONS):
        for block in ("body", "orelse", "handlers", "finalbody"):
            statements = getattr(up, block, None)
            if isinstance(statements, list) and child in statements:
                rest = statements[statements.index(child) :]
                if any(s is after or s.parent_of(after) for s in rest):
                    return False
                if any(isinstance(s, _LEAVES) for s in rest):
                    return True
        child, up = up, up.parent
    return False
