"""TBR406: a `context_fn` that checkpoint cannot use."""

from __future__ import annotations

from collections.abc import Iterator

from flake8_tensorbranch.engine.sink import CheckpointSite, SinkKind
from flake8_tensorbranch.rules import Finding, Rule

RULE = Rule("tbr-context-fn-malformed", frozenset({SinkKind.CHECKPOINT}), "E", "0.1.0")
_HOW = {
    "debug": ("debug=True beside a context_fn of your own raises ValueError", "drop one of them"),
    "tuple": (
        "context_fn is a tuple, which is not callable: TypeError",
        "pass a function that returns the two contexts",
    ),
    "called": (
        "context_fn is the result of create_selective_checkpoint_contexts(...), not a function",
        "pass functools.partial of it",
    ),
    "single": (
        "context_fn gives something else than two contexts: TypeError",
        "return one for the forward and one for the recompute",
    ),
    "arguments": ("context_fn needs arguments but is called without: TypeError", "bind them with functools.partial"),
    "packet": (
        "the selective policy lists an operator without its overload: ValueError",
        "write torch.ops.aten.<op>.default",
    ),
}


def check(site: CheckpointSite) -> Iterator[Finding]:
    """Report a `context_fn` that makes the call raise."""
    how = site.facts.get("malformed")
    if isinstance(how, str):
        message, advice = _HOW[how]
        yield Finding(site.node, message, advice, related=site.related)
