"""TBR212: a custom function in a checkpointed region reads its saved tensors twice."""

from __future__ import annotations

from collections.abc import Iterator

from flake8_tensorbranch.engine.sink import RegionSite, SinkKind
from flake8_tensorbranch.rules import Finding, Rule

RULE = Rule("tbr-checkpoint-unpacks-twice", frozenset({SinkKind.UNPACKED}), "E", "0.1.0")


def check(site: RegionSite) -> Iterator[Finding]:
    """The non-reentrant checkpoint hands out each saved tensor once; the reentrant one keeps no such count."""
    which = "a non-reentrant" if site.reentrant is False else "the non-reentrant"
    yield Finding(
        site.node,
        f"`{site.subject}` is read again in the same backward: {which} checkpoint raises CheckpointError",
        "read it once, into names",
        site.certain,
        site.related,
    )
