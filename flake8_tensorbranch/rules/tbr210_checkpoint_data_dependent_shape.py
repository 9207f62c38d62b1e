"""TBR210: values decide the size of a tensor that a checkpointed region saves."""

from __future__ import annotations

from collections.abc import Iterator

from flake8_tensorbranch.engine.sink import RegionSite, SinkKind
from flake8_tensorbranch.rules import Finding, Rule

RULE = Rule("tbr-checkpoint-data-dependent-shape", frozenset({SinkKind.DYNAMIC_SHAPE}), "W", "0.1.0")


def check(site: RegionSite) -> Iterator[Finding]:
    """A routing is a warning: one score that rounds otherwise moves a row. Other sizes are information."""
    outcome = "a flip is a CheckpointError" if site.reentrant is False else "a flip is a shape error or silent"
    if site.reentrant is None:
        outcome = "a flip is an error or silent"
    if site.form == "routed":
        yield Finding(
            site.node,
            f"`{site.subject}` routes in a checkpointed region and decides saved shapes: {outcome}",
            "route outside, pass it in",
            site.certain,
            site.related,
        )
    else:
        yield Finding(
            site.node,
            f"values decide the size of `{site.subject}` in a checkpointed region: {outcome}",
            "compute the mask or the sizes outside",
            site.certain,
            site.related,
            opt_in=True,
        )
