"""TBR102: a tensor's value decides how often a loop runs, or which of its rounds run in full."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from flake8_tensorbranch.engine.lattice import DATA
from flake8_tensorbranch.engine.sink import Decides, SinkKind, ValueSite
from flake8_tensorbranch.rules import Finding, Rule, advice, sentence

RULE = Rule("tbr-loop-on-value", frozenset({SinkKind.LOOP}), "W", "0.1.0")
_HELP: Final = "use a fixed number of rounds with a mask"


def check(site: ValueSite) -> Iterator[Finding]:
    """A loop whose trip count comes from a tensor's value, outside of regions; opt-in in drivers and out of traces."""
    if not site.deps & DATA or not site.eager:
        return
    help_ = advice(site, _HELP)
    yield Finding(
        site.node,
        sentence(f"`{{}}` reads a tensor's value and decides {site.effect}", site.subject, help_),
        help_,
        site.certain,
        site.related,
        opt_in=site.driver or site.guarded or site.decides is not Decides.WORK,
    )
