"""TBR401: a kernel's scope ends before the backward that recomputes a checkpointed call made in it."""

from __future__ import annotations

from collections.abc import Iterator

from flake8_tensorbranch.engine.sink import ScopeSite, SinkKind
from flake8_tensorbranch.rules import Finding, Rule, repair

RULE = Rule(
    "tbr-sdpa-scope-ends-before-backward", frozenset({SinkKind.SCOPE}), "E", "0.1.0", fix_availability="sometimes"
)


def check(site: ScopeSite) -> Iterator[Finding]:
    """Report scopes that choose an attention kernel."""
    if site.facts.get("form") != "kernel":
        return
    variants = site.facts["variants"]
    if site.facts["preferred"]:
        effect = "recompute in the kernel that torch prefers (flash by default)"
    elif variants == {False}:
        effect = "recompute in another kernel (CheckpointError)"
    elif isinstance(variants, set) and variants and False not in variants:
        effect = "recompute silently in another kernel"
    else:
        effect = "recompute in another kernel (CheckpointError, or silence)"
    message = f"scope ends before backward, so its checkpointed calls {effect}"
    fix = repair(site, "inside", "Choose the kernel inside the function")
    advice, certain = "choose the kernel inside the function", bool(site.facts["certain"])
    yield Finding(site.node, message, advice, certain, related=site.related, fix=fix)
