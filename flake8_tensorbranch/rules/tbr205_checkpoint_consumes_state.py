"""TBR205: a checkpointed region changes state that outlives it, and its recompute changes it again."""

from __future__ import annotations

from collections.abc import Iterator

from flake8_tensorbranch.engine.sink import RegionSite, SinkKind
from flake8_tensorbranch.rules import Finding, Rule

RULE = Rule("tbr-checkpoint-consumes-state", frozenset({SinkKind.STATE}), "E", "0.1.0")

_FORMS = {
    "takes": (
        "`{}` advances in a checkpointed region: the recompute gets the next item, or none (raises, or wrong "
        "in silence)",
        "take it outside",
    ),
    "starts": (
        "the checkpointed region reads `{}`, then stores it: the recompute reads the new value ({})",
        "pass it in",
    ),
    "feeds": ("the checkpointed region changes `{}` and reads it: the recompute changes it again ({})", "pass it in"),
    "counts": (
        "the checkpointed region changes `{}`: the recompute does it again, twice per step",
        "change it outside",
    ),
    "argument": (
        "`{}` is an argument of a checkpointed region and changed in place: backward raises",
        "make a new tensor",
    ),
}
_TWICE = ", or changes it again"  # what the reentrant variant does to a tensor that requires no grad


def check(site: RegionSite) -> Iterator[Finding]:
    """Say what the second run of the region does with the state."""
    outcome = "wrong in silence" if site.reentrant is True else "CheckpointError, or wrong in silence"
    words, remedy = _FORMS[site.form]
    if site.form == "argument" and site.reentrant is not False:
        words += _TWICE
    yield Finding(site.node, words.format(site.subject, outcome), remedy, site.certain, site.related)
