"""TBR207: a broad handler in a checkpointed region takes the exception that ends its recompute."""

from __future__ import annotations

from collections.abc import Iterator

from flake8_tensorbranch.engine.sink import RegionSite, SinkKind
from flake8_tensorbranch.rules import Finding, Rule

RULE = Rule("tbr-checkpoint-broad-except", frozenset({SinkKind.SWALLOWED}), "E", "0.1.0")


def check(site: RegionSite) -> Iterator[Finding]:
    """The recompute stops early by raising an `Exception`."""
    outcome = "raises this one in backward" if site.form == "converts" else "backward fails"
    yield Finding(
        site.node,
        f"`{site.subject}` catches the exception by which the recompute of this checkpointed region ends: {outcome}",
        "name what may be raised",
        site.certain,
        site.related,
    )
