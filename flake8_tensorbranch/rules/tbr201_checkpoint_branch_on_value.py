"""TBR201: a tensor's value decides a branch inside a checkpointed region."""

from __future__ import annotations

from collections.abc import Iterator

from flake8_tensorbranch.engine.lattice import DATA, RANDOM, REPLAYED
from flake8_tensorbranch.engine.sink import Decides, SinkKind, ValueSite
from flake8_tensorbranch.rules import Finding, Rule, branchless, instead, sentence

RULE = Rule(
    "tbr-checkpoint-branch-on-value",
    frozenset({SinkKind.BRANCH, SinkKind.LOOP}),
    "W",
    "0.1.0",
    fix_availability="sometimes",
)


def check(site: ValueSite) -> Iterator[Finding]:
    """A value branch in a checkpointed region, where nothing proves that the recompute reads the same value."""
    member = site.regions.get("checkpointed")
    if member is None or not site.deps & DATA or site.deps & (RANDOM | REPLAYED) or site.mutated:
        return
    if site.decides is Decides.NOTHING:
        return
    reentrant = member.entry.reentrant
    if reentrant is True:
        flip = "a flip on recompute gives wrong gradients silently"
    elif reentrant is False:
        flip = "a flip on recompute raises CheckpointError or is silent"
    else:
        flip = "a flip on recompute raises or gives wrong gradients"
    help_ = instead(site)
    yield Finding(
        site.node,
        sentence(f"`{{}}` decides {site.effect} under checkpoint: {flip}", site.subject, help_),
        help_,
        site.certain,
        site.related,
        fix=branchless(site),
    )
