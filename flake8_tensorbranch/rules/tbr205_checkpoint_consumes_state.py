"""TBR205: a checkpointed region changes state that outlives it, and its recompute changes it again."""

from __future__ import annotations

from collections.abc import Iterator

from flake8_tensorbranch.engine.sink import RegionSite, SinkKind
from flake8_tensorbranch.rules import Finding, Rule

RULE = Rule("tbr-checkpoint-consumes-state", frozenset({SinkKind.STATE}), "E", "0.1.0")

_FORMS = {
    "takes": ("`{}` advances in a checkpointed region: the recompute takes what comes next, {}", "take it outside"),
    "starts": ("the checkpointed region reads `{}` before it stores it: the recompute starts from the stored value, {}", "pass it in"),
    "feeds": ("the checkpointed region changes `{}` and reads it: the recompute changes it again, {}", "pass it in and return it"),
    "counts": ("the checkpointed region changes `{}`: the recompute changes it again, so that it counts twice per step{}", "change it outside"),
    "argument": ("`{}`, an argument of the checkpointed region, is changed in place: backward raises RuntimeError{}", "work on a new tensor"),
}


def check(site: RegionSite) -> Iterator[Finding]:
    """Say what the second run of the region does with the state."""
    outcome = "CheckpointError or wrong in silence" if site.reentrant is False else "wrong in silence"
    words, remedy = _FORMS[site.form]
    said = words.format(site.subject, outcome if site.form in ("takes", "starts", "feeds") else "")
    yield Finding(site.node, said, remedy, site.certain, site.related)
