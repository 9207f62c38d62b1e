"""TBR512: a home-made checkpoint saves an argument that is no tensor."""

from __future__ import annotations

from collections.abc import Iterator

from flake8_tensorbranch.engine.sink import CheckpointSite, SinkKind
from flake8_tensorbranch.rules import Finding, Rule

RULE = Rule("tbr-checkpoint-saves-object", frozenset({SinkKind.CHECKPOINT}), "E", "0.1.0")


def check(site: CheckpointSite) -> Iterator[Finding]:
    """Report arguments that `save_for_backward` refuses."""
    name = site.facts.get("saved_object")
    if isinstance(name, str) and name:
        shown = name if len(name) <= 30 else name[:27] + "..."
        message = f"`{shown}` is no tensor, but this checkpoint saves it by save_for_backward: TypeError"
        yield Finding(site.node, message, "close over it or use torch's checkpoint", related=site.related)
