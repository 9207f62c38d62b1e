"""TBR601: `cudnn.benchmark` is left on in a run that is to be deterministic."""

from __future__ import annotations

from collections.abc import Iterator

from flake8_tensorbranch.engine.sink import SinkKind, SwitchSite
from flake8_tensorbranch.rules import Finding, Rule, repair

RULE = Rule("tbr-deterministic-with-autotune", frozenset({SinkKind.SWITCH}), "W", "0.1.0", fix_availability="sometimes")


def check(site: SwitchSite) -> Iterator[Finding]:
    """A benchmark that picks kernels by timing them, beside a switch or a seeding that promises equal runs."""
    if site.what != "autotuned":
        return
    if site.facts["switch"] == "True":
        message = "`cudnn.benchmark` picks kernels by their timing in a run that is switched to deterministic"
    else:
        message = "`cudnn.benchmark` picks kernels by their timing in a run that is seeded to be reproducible"
    fix = repair(site, "autotuned", "Set it to `False`")
    yield Finding(site.node, message, "set it to False there", site.certain, site.related, fix=fix)
