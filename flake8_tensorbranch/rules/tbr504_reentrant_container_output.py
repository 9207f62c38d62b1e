"""TBR504: the function of a reentrant checkpoint returns its tensors in a list or dict."""

from __future__ import annotations

from collections.abc import Iterator

from flake8_tensorbranch.engine.sink import CheckpointSite, SinkKind
from flake8_tensorbranch.rules import Finding, Rule, nonreentrant, other_variant

RULE = Rule(
    "tbr-reentrant-container-output", frozenset({SinkKind.CHECKPOINT}), "E", "0.1.0", fix_availability="sometimes"
)


def check(site: CheckpointSite) -> Iterator[Finding]:
    """Report regions whose output is detached."""
    message, way = "", "return a tuple"
    if site.facts.get("container_output"):
        message = "the reentrant checkpoint detaches tensors that its function returns in a list, dict or object"
    elif site.facts.get("named_output"):
        message = "the reentrant checkpoint gives a named tuple back as a plain one, and a field is read by its name"
        way = "unpack it"
    if message:
        yield Finding(
            site.node,
            message,
            f"{way}, or {other_variant(site.facts)}",
            related=site.related,
            fix=nonreentrant(site),
        )
