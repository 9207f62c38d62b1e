"""TBR201: a tensor's value decides a branch inside a checkpointed region."""

from __future__ import annotations

from collections.abc import Iterator

from flake8_tensorbranch.engine.lattice import DATA, RANDOM, REPLAYED
from flake8_tensorbranch.engine.sink import Decides, SinkKind, ValueSite
from flake8_tensorbranch.rules import Finding, Rule

RULE = Rule("tbr-checkpoint-branch-on-value", frozenset({SinkKind.BRANCH, SinkKind.LOOP}), "W", "0.1.0")


def check(site: ValueSite) -> Iterator[Finding]:
    """A value branch in a checkpointed region, where nothing proves that the recompute reads the same value."""
    member = site.regions.get("checkpointed")
    if member is None or not site.deps & DATA or site.deps & (RANDOM | REPLAYED) or site.mutated:
        return
    if site.decides is Decides.NOTHING:
        return
    reentrant = member.entry.reentrant
    if reentrant is True:
        flip = "a flip in the recompute gives wrong gradients in silence"
    elif reentrant is False:
        flip = "a flip in the recompute raises CheckpointError or passes in silence"
    else:
        flip = "a flip in the recompute raises or gives wrong gradients"
    yield Finding(
        site.node,
        f"`{site.subject}` decides {site.effect} in a checkpointed region: {flip}",
        "use `torch.where`",
        site.certain,
        site.related,
    )
