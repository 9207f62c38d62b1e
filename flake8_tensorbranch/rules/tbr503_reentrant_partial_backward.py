"""TBR503: `autograd.grad` or `backward(inputs=...)` through a reentrant checkpoint."""

from __future__ import annotations

from collections.abc import Iterator

from flake8_tensorbranch.engine.sink import CheckpointSite, SinkKind
from flake8_tensorbranch.rules import Finding, Rule, nonreentrant, other_variant

RULE = Rule(
    "tbr-reentrant-partial-backward", frozenset({SinkKind.CHECKPOINT}), "E", "0.1.0", fix_availability="sometimes"
)


def check(site: CheckpointSite) -> Iterator[Finding]:
    """Report checkpoints that such a backward goes through."""
    if site.facts.get("partial_backward") is not None:
        through = site.facts.get("through") or "autograd.grad or backward(inputs=)"
        message = f"{through} through this reentrant checkpoint raises, or gives its parameters nothing"
        yield Finding(site.node, message, other_variant(site.facts), related=site.related, fix=nonreentrant(site))
