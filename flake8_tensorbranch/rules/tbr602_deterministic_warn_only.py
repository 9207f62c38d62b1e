"""TBR602: `warn_only=True` where results are compared exactly."""

from __future__ import annotations

from collections.abc import Iterator

from flake8_tensorbranch.engine.sink import SinkKind, SwitchSite
from flake8_tensorbranch.rules import Finding, Rule, repair

RULE = Rule("tbr-deterministic-warn-only", frozenset({SinkKind.SWITCH}), "W", "0.1.0", fix_availability="sometimes")


def check(site: SwitchSite) -> Iterator[Finding]:
    """Deterministic mode that only warns, in a module that compares results to the last bit."""
    if site.what == "warn-only":
        name = site.facts["option"]
        message = f"{name} keeps nondeterministic operators, and `{site.facts['compared']}` compares exactly"
        fix = repair(site, "warn-only", "Raise instead of warning")
        yield Finding(
            site.node, message, f"drop {name} or compare with a tolerance", site.certain, site.related, fix=fix
        )
