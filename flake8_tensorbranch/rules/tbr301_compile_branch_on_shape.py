"""TBR301: a size decides a branch in a compiled region."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from flake8_tensorbranch.engine.lattice import NO_CONST, SHAPE, UNBACKED
from flake8_tensorbranch.engine.sink import Decides, SinkKind, ValueSite
from flake8_tensorbranch.rules import Finding, Rule, sentence

RULE = Rule("tbr-compile-branch-on-shape", frozenset({SinkKind.SIZE_BRANCH}), "W", "0.1.0")
_HELP: Final = "decide in `__init__`, or pad"


def check(site: ValueSite) -> Iterator[Finding]:
    """One more graph per outcome; with `dynamic=False` one per size, up to the recompile limit."""
    member = site.regions.get("compiled")
    if member is None or site.declared or site.guarded or site.decides is Decides.NOTHING:
        return
    if not site.deps & (SHAPE | UNBACKED):
        return
    if site.comparison == "empty" or (site.comparison == "equality" and site.decides is Decides.ERROR):
        return  # sizes 0 and 1 are specialised anyway, and validation by equality folds: neither adds a graph
    single, truth = site.comparison == "single", site.comparison == "truth"
    dynamic = member.entry.option("dynamic")
    if single:
        cost = "a graph for size 1, which it has in any case"
    elif truth:
        cost = "a guard that it is not zero, and no graph more"
    elif dynamic is False:
        end = "an error" if member.entry.option("fullgraph") is True else "eager"
        cost = f"with `dynamic=False` one graph per size, 8 of them, then {end}"
    elif dynamic is NO_CONST:
        cost = "a graph more per outcome, or per size if not dynamic"
    else:
        cost = "one more graph per outcome"
    yield Finding(
        site.node,
        sentence(f"size test `{{}}` decides {site.effect} when compiled: {cost}", site.subject, _HELP),
        _HELP,
        site.certain,
        site.related,
        opt_in=single or truth or site.decides is Decides.ERROR,
    )
