"""TBR404: the contexts for forward and recompute differ."""

from __future__ import annotations

from collections.abc import Iterator

from flake8_tensorbranch.engine.sink import CheckpointSite, SinkKind
from flake8_tensorbranch.rules import Finding, Rule

RULE = Rule("tbr-context-fn-mismatch", frozenset({SinkKind.CHECKPOINT}), "E", "0.1.0")


def _short(text: str) -> str:
    return text if len(text) <= 32 else text[:29].rstrip() + "..."


def check(site: CheckpointSite) -> Iterator[Finding]:
    """Report a `context_fn` whose two contexts do not make the same choice."""
    pair = site.facts.get("mismatch")
    if isinstance(pair, tuple):
        first, second = (_short(str(part)) for part in pair)
        message = f"context_fn opens {first} for the forward but {second} for the recompute"
        yield Finding(site.node, message, "give both the same scope", related=site.related)
