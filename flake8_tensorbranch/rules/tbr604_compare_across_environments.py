"""TBR604: a result is held to what another run or machine left behind."""

from __future__ import annotations

from collections.abc import Iterator

from flake8_tensorbranch.engine.sink import SinkKind, SwitchSite
from flake8_tensorbranch.rules import Finding, Rule

RULE = Rule("tbr-compare-across-environments", frozenset({SinkKind.SWITCH}), "W", "0.1.0")


def check(site: SwitchSite) -> Iterator[Finding]:
    """An exact comparison of a compiled result with a stored one, or of an unseeded draw with written numbers."""
    if site.what != "compared":
        return
    if site.facts["drawn"]:
        message = f"`{site.facts['said']}` draws without a seed, and the result is held to written numbers"
        yield Finding(site.node, message, "pass a seeded generator", site.certain, site.related)
        return
    message = f"`{site.facts['said']}` compares a result of {site.facts['how']} kernels with one stored by another run"
    yield Finding(site.node, message, "compare with a tolerance or within one run", site.certain, site.related)
