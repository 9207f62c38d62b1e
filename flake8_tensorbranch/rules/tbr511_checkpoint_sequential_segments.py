"""TBR511: a number of segments that `checkpoint_sequential` cannot split into."""

from __future__ import annotations

from collections.abc import Iterator

from flake8_tensorbranch.engine.sink import CheckpointSite, SinkKind
from flake8_tensorbranch.rules import Finding, Rule, repair

RULE = Rule(
    "tbr-checkpoint-sequential-segments", frozenset({SinkKind.CHECKPOINT}), "E", "0.1.0", fix_availability="sometimes"
)


def check(site: CheckpointSite) -> Iterator[Finding]:
    """Report segments that make the call raise, or checkpoint nothing: fewer than none (observed, torch 2.13)."""
    pair = site.facts.get("segments")
    if isinstance(pair, tuple):
        segments, length = pair
        what = f"{segments} segments" if length < 0 else f"{segments} segments for {length} functions"
        raises = f"checkpoint_sequential cannot make {what} and raises"
        yield Finding(
            site.node,
            raises if segments >= 0 else f"checkpoint_sequential with {segments} segments checkpoints nothing",
            "ask for fewer, but at least one" if length >= 0 else "ask for at least one",
            related=site.related,
            fix=repair(site, "segments", "Ask for a segment for each function"),
        )
