"""TBR509: a tensor leaves a reentrant checkpoint by an attribute."""

from __future__ import annotations

from collections.abc import Iterator

from flake8_tensorbranch.engine.sink import CheckpointSite, SinkKind
from flake8_tensorbranch.rules import Finding, Rule, nonreentrant, other_variant

RULE = Rule("tbr-reentrant-side-output", frozenset({SinkKind.CHECKPOINT}), "E", "0.1.0", fix_availability="sometimes")


def check(site: CheckpointSite) -> Iterator[Finding]:
    """Report losses that lose their gradient."""
    name = site.facts.get("side_output")
    if isinstance(name, str) and name:
        message = f"`{name}` is stored in a reentrant checkpoint and has no graph: its loss gets no gradient"
        yield Finding(
            site.node,
            message,
            f"return it, or {other_variant(site.facts)}",
            related=site.related,
            fix=nonreentrant(site),
        )
