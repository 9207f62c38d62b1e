"""TBR209: a checkpointed region fills a cache with a tensor that is computed from a parameter."""

from __future__ import annotations

from collections.abc import Iterator

from flake8_tensorbranch.engine.sink import RegionSite, SinkKind
from flake8_tensorbranch.rules import Finding, Rule

RULE = Rule("tbr-checkpoint-lazy-parameter-cache", frozenset({SinkKind.KEPT_GRAPH}), "E", "0.1.0")


def check(site: RegionSite) -> Iterator[Finding]:
    """The recompute finds the cache filled, and leaves out what the forward did."""
    outcome = "CheckpointError" if site.reentrant is False else "its parameter gets no gradient"
    if site.reentrant is None:
        outcome = "CheckpointError, or a lost gradient"
    what = f"`{site.subject}` caches" if site.form == "cache" else f"the cached `{site.subject}` keeps"
    yield Finding(
        site.node,
        f"{what} what a parameter gives in a checkpointed region: the recompute skips that work ({outcome})",
        "compute it outside",
        site.certain,
        site.related,
    )
