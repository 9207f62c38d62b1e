"""TBR508: a reentrant checkpoint under DDP marks parameters ready twice."""

from __future__ import annotations

from collections.abc import Iterator

from flake8_tensorbranch.engine.sink import CheckpointSite, SinkKind
from flake8_tensorbranch.rules import Finding, Rule, nonreentrant, other_variant

RULE = Rule(
    "tbr-reentrant-unused-parameters", frozenset({SinkKind.CHECKPOINT}), "E", "0.1.0", fix_availability="sometimes"
)
_HOW = {
    "unused": "reentrant checkpoint under DDP with find_unused_parameters=True",
    "twice": "this reentrant checkpoint runs several times a step under DDP",
    "outside": "what this reentrant checkpoint runs is used outside of it, too, under DDP",
}
_READY = "DDP raises 'marked ready twice'"
_EITHER = "DDP raises, or the ranks get different gradients"


def check(site: CheckpointSite) -> Iterator[Finding]:
    """Report reentrant checkpoints that DDP stops with an error, or whose gradients it does not bring together."""
    how = site.facts.get("ddp")
    if isinstance(how, str) and how:
        yield Finding(
            site.node,
            f"{_HOW[how]}: {_READY if how == 'unused' else _EITHER}",
            other_variant(site.facts),
            related=site.related,
            fix=nonreentrant(site),
        )
