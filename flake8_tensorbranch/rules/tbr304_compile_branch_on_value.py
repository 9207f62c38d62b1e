"""TBR304: a tensor's value decides control flow in a compiled region."""

from __future__ import annotations

from collections.abc import Iterator

from flake8_tensorbranch.engine.lattice import DATA
from flake8_tensorbranch.engine.sink import SinkKind, ValueSite
from flake8_tensorbranch.rules import Finding, Rule

RULE = Rule("tbr-compile-branch-on-value", frozenset({SinkKind.BRANCH, SinkKind.LOOP, SinkKind.RAISE}), "W", "0.1.0")


def check(site: ValueSite) -> Iterator[Finding]:
    """A graph break; an error with `fullgraph=True`."""
    member = site.regions.get("compiled")
    if member is None or not site.deps & DATA or site.guarded or "checkpointed" in site.regions or site.form == "assert":
        return
    if member.entry.option("fullgraph") is True:
        cost = "`fullgraph=True` makes this an error"
    elif site.frame_lost:
        cost = "the whole frame runs eagerly"
    else:
        cost = "a graph break"
    effect = "whether an error is raised" if site.kind is SinkKind.RAISE else site.effect
    yield Finding(
        site.node,
        f"`{site.subject}` reads a tensor's value and decides {effect} in a compiled region: {cost}",
        "use `torch.where` or `torch.cond`",
        site.certain,
        site.related,
    )
