"""TBR101: a tensor's value decides a branch in code whose result is recorded."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from flake8_tensorbranch.engine.lattice import DATA
from flake8_tensorbranch.engine.sink import Decides, SinkKind, ValueSite
from flake8_tensorbranch.rules import Finding, Rule, advice, branchless, sentence

RULE = Rule("tbr-branch-on-value", frozenset({SinkKind.BRANCH}), "W", "0.1.0", fix_availability="sometimes")
_HELP: Final = "compute both ways and pick with `torch.where`"


def check(site: ValueSite) -> Iterator[Finding]:
    """A branch on a tensor's value that decides tensor work, outside of regions."""
    if not site.deps & DATA or site.regions or site.guarded or site.decides is not Decides.WORK or site.driver:
        return
    help_ = advice(site, _HELP)
    yield Finding(
        site.node,
        sentence(f"`{{}}` reads a tensor's value and decides {site.effect}", site.subject, help_),
        help_,
        site.certain,
        site.related,
        fix=branchless(site),
    )
