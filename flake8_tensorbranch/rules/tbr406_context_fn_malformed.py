"""TBR406: a `context_fn`, or a `determinism_check`, that checkpoint cannot use."""

from __future__ import annotations

from collections.abc import Iterator

from flake8_tensorbranch.engine.sink import CheckpointSite, SinkKind
from flake8_tensorbranch.rules import Finding, Rule, repair

RULE = Rule("tbr-context-fn-malformed", frozenset({SinkKind.CHECKPOINT}), "E", "0.1.0", fix_availability="sometimes")
_HOW = {
    "debug": ("debug=True beside a context_fn of your own raises ValueError", "drop one of them"),
    "nothing": ("context_fn is None, which is not callable: TypeError", "leave it out"),
    "tuple": (
        "context_fn is a tuple, which is not callable: TypeError",
        "pass a function that returns the two contexts",
    ),
    "called": (
        "context_fn is the result of create_selective_checkpoint_contexts(...), not a function",
        "pass functools.partial of it",
    ),
    "context": (
        "context_fn is a context, not a function that gives two: TypeError",
        "pass a function that returns one for the forward and one for the recompute",
    ),
    "single": (
        "context_fn gives something else than two contexts: TypeError",
        "return one for the forward and one for the recompute",
    ),
    "number": (
        "context_fn gives more or fewer than two contexts: ValueError",
        "return one for the forward and one for the recompute",
    ),
    "determinism": ("torch has no such determinism_check: ValueError", 'take "default" or "none"'),
    "arguments": ("context_fn needs arguments but is called without: TypeError", "bind them with functools.partial"),
    "packet": (
        "the selective policy lists an operator without its overload: ValueError",
        "write torch.ops.aten.<op>.default",
    ),
}
_FIXES = {
    "debug": "Leave `debug` out",
    "tuple": "Build the contexts in a lambda",
    "called": "Pass `functools.partial` of it",
}


def check(site: CheckpointSite) -> Iterator[Finding]:
    """Report what makes the call raise."""
    how = site.facts.get("malformed")
    if isinstance(how, str):
        message, advice = _HOW[how]
        fix = repair(site, "context", _FIXES.get(how, ""))
        yield Finding(site.node, message, advice, related=site.related, fix=fix)
