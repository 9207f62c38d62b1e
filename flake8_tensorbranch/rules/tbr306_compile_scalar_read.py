"""TBR306: a tensor's value becomes a Python number in a compiled region."""

from __future__ import annotations

from collections.abc import Iterator

from flake8_tensorbranch.engine.sink import SinkKind, TracedSite
from flake8_tensorbranch.rules import Finding, Rule

RULE = Rule("tbr-compile-scalar-read", frozenset({SinkKind.SCALAR_READ}), "I", "0.1.0", opt_in=True)


def check(site: TracedSite) -> Iterator[Finding]:
    """A graph break, unless `fullgraph` or `capture_scalar_outputs` is on (facts A8, H)."""
    member = site.regions.get("compiled")
    if member is None or site.facts.get("captured"):
        return
    cost = "the function runs eagerly" if site.facts.get("lost") else "a graph break"
    if member.entry.option("fullgraph") is True:
        if site.facts.get("whole"):
            return
        cost = "an error with `fullgraph=True` before torch 2.10"
    yield Finding(
        site.node,
        f"`{site.subject}` makes a Python number of a tensor in a compiled region: {cost}",
        "keep it a tensor",
        related=site.related,
    )
