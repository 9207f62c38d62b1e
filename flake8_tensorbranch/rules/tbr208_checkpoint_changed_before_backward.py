"""TBR208: what a checkpointed forward read is changed before its backward runs it again."""

from __future__ import annotations

from collections.abc import Iterator

from flake8_tensorbranch.engine.sink import RegionSite, SinkKind
from flake8_tensorbranch.rules import Finding, Rule

RULE = Rule("tbr-checkpoint-changed-before-backward", frozenset({SinkKind.CHANGED}), "W", "0.1.0")

_CHANGES = {
    "optimizer": "moves the parameters",
    "parameters": "changes parameters or tensors",
    "mode": "changes the mode",
    "requires_grad": "changes what requires grad",
    "dtype": "changes the dtype",
    "hook": "changes the hooks",
    "layers": "changes the layers",
    "attribute": "changes state",
}


def check(site: RegionSite) -> Iterator[Finding]:
    """The recompute reads the new state, and the gradients mix both."""
    yield Finding(
        site.node,
        f"`{site.subject}` {_CHANGES[site.form]} between a checkpointed forward and its backward, which recomputes",
        "run backward first",
        site.certain,
        site.related,
    )
