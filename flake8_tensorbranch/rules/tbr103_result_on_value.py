"""TBR103: a tensor's value decides a result, not recorded work."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from flake8_tensorbranch.engine.lattice import DATA
from flake8_tensorbranch.engine.sink import Decides, SinkKind, ValueSite
from flake8_tensorbranch.rules import Finding, Rule, sentence

RULE = Rule("tbr-result-on-value", frozenset({SinkKind.BRANCH, SinkKind.SETTLED}), "I", "0.1.0", opt_in=True)
_HELP: Final = "fix the threshold's dtype and device, or record the value"

_SETTLED: Final = "`{}`, read from a tensor in a constructor, decides %s: compile guards on it, a trace freezes it"
_KNOWN: Final = "pass it in"


def check(site: ValueSite) -> Iterator[Finding]:
    """A branch on a tensor's value that decides a result, and one on what its object was made with."""
    if site.kind is SinkKind.SETTLED:
        yield from _settled(site)
        return
    if not site.deps & DATA or site.decides is Decides.NOTHING or not site.eager:
        return
    if site.decides is Decides.WORK and not site.driver and not site.guarded:
        return
    yield Finding(
        site.node,
        sentence(f"`{{}}` reads a tensor's value and decides {site.effect}", site.subject, _HELP),
        _HELP,
        site.certain,
        site.related,
    )


def _settled(site: ValueSite) -> Iterator[Finding]:
    """By now it is a plain number: compiled code is guarded on it, traces and exports hold the side that was taken."""
    if site.decides is not Decides.NOTHING and not site.guarded:
        message = sentence(_SETTLED % site.effect, site.subject, _KNOWN)
        yield Finding(site.node, message, _KNOWN, site.certain, site.related)
