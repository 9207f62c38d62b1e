"""Sites inside checkpointed regions: what the source around a node says of its runs, and the way that leads there."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from astroid import nodes

from flake8_tensorbranch.diagnostic import Related
from flake8_tensorbranch.engine.checkpointing.insides import Activation
from flake8_tensorbranch.engine.regions import trace
from flake8_tensorbranch.engine.regions.region import describe
from flake8_tensorbranch.engine.sink import RegionSite, SinkKind
from flake8_tensorbranch.syntax.kinds import SCOPE_NODES


def site(
    kind: SinkKind, activation: Activation, node: Any, form: str, subject: str, certain: bool = True
) -> RegionSite:
    """A site in an activation, with the entry of its region as a related place."""
    return RegionSite(
        kind,
        node,
        activation.function,
        subject,
        form,
        activation.entry.reentrant,
        certain and activation.certain,
        related(activation),
    )


def placed(found: RegionSite, activation: Activation, words: str) -> RegionSite:
    """A site of another file put where this file's call leads to it, the place itself related, with `words`."""
    index = activation.origins.program.index
    if activation.function.module is index:
        return found
    at, call = activation, activation.call
    while at.parent is not None and at.parent.function.module is not index:
        at = at.parent
        call = at.call
    node, scope = (
        (call, at.parent.function) if at.parent is not None else (activation.entry.node, activation.entry.scope)
    )
    if node is None:
        return found
    inner = found.node
    there = trace.noted(activation.function.module.path, inner, words)
    return replace(found, node=node, function=scope, related=(*found.related, there), repairs={})


def related(activation: Activation) -> tuple[Related, ...]:
    """Where the region begins, and the calls that lead to an activation."""
    index = activation.origins.program.index
    found: list[Related] = []
    begin = activation.entry.node
    if begin is not None:
        found.append(trace.noted(index.path, begin, f"checkpointed by {describe(activation.entry)}"))
    way: list[Activation] = []
    up: Activation | None = activation
    while up is not None and up.parent is not None:
        way.append(up)
        up = up.parent
    for step in reversed(way[-4:]):
        call = step.call
        if call is not None and step.parent is not None:
            path = step.parent.function.module.path
            text = f"which calls {trace.spelled(getattr(call, 'func', call))}"
            found.append(trace.noted(path, call, text))
    return tuple(found)


def skipped(activation: Activation, node: Any) -> bool:
    """True where the source shows that one of forward and recompute leaves a node out, or nothing is recomputed."""
    at: Activation | None = activation
    while at is not None and node is not None:
        child, up = node, node.parent
        while up is not None and not isinstance(child, SCOPE_NODES):
            if isinstance(up, (nodes.If, nodes.IfExp)) and child is not up.test:
                taken = child in up.body if isinstance(up, nodes.If) else child is up.body
                if _leaves_out(up.test, taken, activation.entry.reentrant):
                    return True
            for block in ("body", "orelse"):
                statements = getattr(up, block, None)
                if isinstance(statements, list) and child in statements:
                    for earlier in statements[: statements.index(child)]:
                        returns = isinstance(earlier, nodes.If) and isinstance(earlier.body[-1], nodes.Return)
                        if returns and _leaves_out(earlier.test, False, activation.entry.reentrant):
                            return True
            child, up = up, up.parent
        node, at = at.call, at.parent
    return False


def _leaves_out(test: Any, taken: bool, reentrant: bool | None) -> bool:
    """True when a test that came out as `taken` holds in one of the two runs only, or in no training run."""
    if isinstance(test, nodes.UnaryOp) and test.op == "not":
        return _leaves_out(test.operand, not taken, reentrant)
    if isinstance(test, nodes.BoolOp):
        if (test.op == "and") == taken:
            return any(_leaves_out(v, taken, reentrant) for v in test.values)
        return all(_leaves_out(v, taken, reentrant) for v in test.values)
    target = test.func if isinstance(test, nodes.Call) else test
    name = str(getattr(target, "attrname", getattr(target, "name", "")))
    if "recomput" in name.lower():
        return True
    if name == "training":
        return not taken
    if name == "is_grad_enabled":
        return not taken or reentrant is not False
    return False
