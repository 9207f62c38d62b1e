"""TBR407: `functional_call`, or a transformation of `torch.func`, on what checkpoints inside, or in a region."""

from __future__ import annotations

from collections.abc import Iterator

from flake8_tensorbranch.engine.sink import CheckpointSite, SinkKind
from flake8_tensorbranch.rules import Finding, Rule

RULE = Rule("tbr-functional-call-around-checkpoint", frozenset({SinkKind.CHECKPOINT}), "E", "0.1.0")


def check(site: CheckpointSite) -> Iterator[Finding]:
    """Report calls whose backward recomputes with the module's own parameters."""
    transformed = site.facts.get("transformed")
    if transformed:
        message = f"`{transformed}` raises: what it differentiates checkpoints inside, by hooks or functions it refuses"
        yield Finding(site.node, message, "call it without checkpoint", related=site.related)
    forward = site.facts.get("forward_mode")
    if forward:
        message = f"`{forward}` differentiates what checkpoints inside: a backward of its result recomputes without it"
        yield Finding(site.node, message, "call it without checkpoint", related=site.related)
    inside = site.facts.get("transforms")
    if inside:
        message = f"the region calls `{inside}`, which raises under the hooks of a non-reentrant checkpoint"
        yield Finding(site.node, message, "call it outside, or torch.autograd.grad", related=site.related)
    if site.facts.get("functional"):
        message = "the module checkpoints inside: backward recomputes with its own parameters, not those given"
        yield Finding(site.node, message, "checkpoint around functional_call, not inside", related=site.related)
