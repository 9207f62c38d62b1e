"""TBR506: a checkpoint call that leaves `use_reentrant` to torch."""

from __future__ import annotations

from collections.abc import Iterator

from flake8_tensorbranch.engine.sink import CheckpointSite, SinkKind
from flake8_tensorbranch.rules import Finding, Rule, nonreentrant

RULE = Rule("tbr-reentrant-implicit", frozenset({SinkKind.CHECKPOINT}), "W", "0.1.0", fix_availability="sometimes")


def check(site: CheckpointSite) -> Iterator[Finding]:
    """Report calls that do not say which variant they mean."""
    if site.facts.get("omitted"):
        message = f"`{site.facts['callee']}` without use_reentrant warns and takes the reentrant variant"
        yield Finding(
            site.node,
            message,
            "pass use_reentrant=False, or True to keep it",
            related=site.related,
            fix=nonreentrant(site),
        )
