"""TBR507: a flag by position goes to the function, which does not take it."""

from __future__ import annotations

from collections.abc import Iterator

from flake8_tensorbranch.engine.sink import CheckpointSite, SinkKind
from flake8_tensorbranch.rules import Finding, Rule, repair

RULE = Rule(
    "tbr-checkpoint-positional-flag", frozenset({SinkKind.CHECKPOINT}), "E", "0.1.0", fix_availability="sometimes"
)


def check(site: CheckpointSite) -> Iterator[Finding]:
    """Report a bool after the arguments that the function takes."""
    if site.facts.get("flag"):
        message = "a bool given by position goes to the function, which does not take it: TypeError"
        fix = repair(site, "flag", "Name the flag `use_reentrant`")
        yield Finding(site.node, message, "name the option, as use_reentrant=False", related=site.related, fix=fix)
