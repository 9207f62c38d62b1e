"""TBR211: a normalization in a checkpointed region moves its running statistics twice per step."""

from __future__ import annotations

from collections.abc import Iterator

from flake8_tensorbranch.engine.sink import RegionSite, SinkKind
from flake8_tensorbranch.rules import Finding, Rule

RULE = Rule("tbr-checkpoint-batchnorm", frozenset({SinkKind.STATISTICS}), "I", "0.1.0", opt_in=True)


def check(site: RegionSite) -> Iterator[Finding]:
    """Gradients are right; what evaluation reads is not what training without checkpoints would give."""
    yield Finding(
        site.node,
        f"`{site.subject}` keeps running statistics in a checkpointed region: they advance twice per step",
        "normalize outside, or without running statistics",
        site.certain,
        site.related,
    )
