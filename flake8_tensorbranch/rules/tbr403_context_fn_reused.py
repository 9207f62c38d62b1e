"""TBR403: `context_fn` hands out a context manager that was, or will be, entered already."""

from __future__ import annotations

from collections.abc import Iterator

from flake8_tensorbranch.engine.sink import CheckpointSite, SinkKind
from flake8_tensorbranch.rules import Finding, Rule

RULE = Rule("tbr-context-fn-reused", frozenset({SinkKind.CHECKPOINT}), "E", "0.1.0")
_HOW = {
    "same": "context_fn gives one single-use context twice: the recompute enters it again and fails",
    "kept": "context_fn gives single-use contexts that were built before: the second call enters them again and fails",
}


def check(site: CheckpointSite) -> Iterator[Finding]:
    """Report single-use contexts that are entered twice."""
    how = site.facts.get("reused")
    if isinstance(how, str):
        yield Finding(site.node, _HOW[how], "build both inside context_fn", related=site.related)
