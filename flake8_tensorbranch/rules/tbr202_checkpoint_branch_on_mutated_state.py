"""TBR202: a predicate reads state that its checkpointed region changes."""

from __future__ import annotations

from collections.abc import Iterator

from flake8_tensorbranch.engine.lattice import RANDOM
from flake8_tensorbranch.engine.sink import SinkKind, ValueSite
from flake8_tensorbranch.rules import Finding, Rule

RULE = Rule("tbr-checkpoint-branch-on-mutated-state", frozenset({SinkKind.BRANCH, SinkKind.LOOP}), "E", "0.1.0")


def check(site: ValueSite) -> Iterator[Finding]:
    """The recompute reads what the forward already changed: it takes the other branch."""
    member = site.regions.get("checkpointed")
    if member is None or not site.mutated or site.deps & RANDOM:
        return
    outcome = "wrong in silence" if member.entry.reentrant is True else "CheckpointError, or wrong in silence"
    yield Finding(
        site.node,
        f"the checkpointed region changes `{site.mutated}`, which decides {site.effect}: "
        f"the recompute flips it ({outcome})",
        "decide outside",
        site.certain,
        site.related,
    )
