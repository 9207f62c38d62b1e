"""TBR606: a deterministic run shuffles with the global generator."""

from __future__ import annotations

from collections.abc import Iterator

from flake8_tensorbranch.diagnostic import Applicability
from flake8_tensorbranch.engine.sink import SinkKind, SwitchSite
from flake8_tensorbranch.rules import Finding, Rule, repair

RULE = Rule(
    "tbr-unseeded-shuffle", frozenset({SinkKind.SWITCH}), "I", "0.1.0", opt_in=True, fix_availability="sometimes"
)


def check(site: SwitchSite) -> Iterator[Finding]:
    """An order drawn without `generator=`: any earlier draw changes it."""
    if site.what == "shuffled":
        message = f"`{site.facts['by']}` draws from the global generator: any earlier draw changes the order"
        fix = repair(site, "shuffled", "Pass a seeded `generator=`", Applicability.DISPLAY)
        yield Finding(site.node, message, "pass a seeded `generator=`", site.certain, site.related, fix=fix)
