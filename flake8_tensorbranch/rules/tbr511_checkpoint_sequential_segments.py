"""TBR511: a number of segments that `checkpoint_sequential` cannot split into."""

from __future__ import annotations

from collections.abc import Iterator

from flake8_tensorbranch.engine.sink import CheckpointSite, SinkKind
from flake8_tensorbranch.rules import Finding, Rule, repair

RULE = Rule(
    "tbr-checkpoint-sequential-segments", frozenset({SinkKind.CHECKPOINT}), "E", "0.1.0", fix_availability="sometimes"
)


def check(site: CheckpointSite) -> Iterator[Finding]:
    """Report segments that make the call raise."""
    pair = site.facts.get("segments")
    if isinstance(pair, tuple):
        segments, length = pair
        what = f"{segments} segments" if length < 0 else f"{segments} segments for {length} functions"
        yield Finding(
            site.node,
            f"checkpoint_sequential cannot make {what} and raises",
            "ask for fewer, but at least one",
            related=site.related,
            fix=repair(site, "segments", "Ask for a segment for each function"),
        )
