"""TBR510: autograd is asked inside the function of a reentrant checkpoint."""

from __future__ import annotations

from collections.abc import Iterator

from flake8_tensorbranch.engine.sink import CheckpointSite, SinkKind
from flake8_tensorbranch.rules import Finding, Rule, nonreentrant, other_variant

RULE = Rule(
    "tbr-reentrant-inner-autograd", frozenset({SinkKind.CHECKPOINT}), "E", "0.1.0", fix_availability="sometimes"
)


def check(site: CheckpointSite) -> Iterator[Finding]:
    """Report calls that need a graph while the forward records none."""
    name = site.facts.get("inner")
    if isinstance(name, str) and name:
        message = f"`{name}` inside a reentrant checkpoint raises: its forward records no graph"
        yield Finding(site.node, message, other_variant(site.facts), related=site.related, fix=nonreentrant(site))
