"""TBR606: a deterministic run shuffles with the global generator."""

from __future__ import annotations

from collections.abc import Iterator

from flake8_tensorbranch.engine.sink import SinkKind, SwitchSite
from flake8_tensorbranch.rules import Finding, Rule

RULE = Rule("tbr-unseeded-shuffle", frozenset({SinkKind.SWITCH}), "I", "0.1.0", opt_in=True)


def check(site: SwitchSite) -> Iterator[Finding]:
    """`shuffle=True` without `generator=`: any earlier draw changes the order."""
    if site.what == "shuffled":
        message = "`shuffle=True` draws from the global generator: any earlier draw changes the order"
        yield Finding(site.node, message, "pass a seeded `generator=`", site.certain, site.related)
