"""TBR505: a computed tensor enters a reentrant checkpoint by closure and is used elsewhere, too."""

from __future__ import annotations

from collections.abc import Iterator

from flake8_tensorbranch.engine.sink import CheckpointSite, SinkKind
from flake8_tensorbranch.rules import Finding, Rule, nonreentrant

RULE = Rule(
    "tbr-reentrant-shared-closure", frozenset({SinkKind.CHECKPOINT}), "E", "0.1.0", fix_availability="sometimes"
)


def check(site: CheckpointSite) -> Iterator[Finding]:
    """Report closures whose graph would be differentiated twice."""
    name = site.facts.get("shared")
    if isinstance(name, str) and name:
        message = (
            f"`{name}` enters this reentrant checkpoint by closure and is used again: backward runs its graph twice"
        )
        yield Finding(
            site.node,
            message,
            "pass it as an argument" if site.facts.get("fixed") else "pass it as an argument or use_reentrant=False",
            related=site.related,
            fix=nonreentrant(site),
        )
