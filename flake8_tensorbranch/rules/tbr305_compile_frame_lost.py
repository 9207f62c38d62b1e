"""TBR305: a value branch where a graph break costs the whole compiled frame."""

from __future__ import annotations

from collections.abc import Iterator

from flake8_tensorbranch.engine.lattice import DATA
from flake8_tensorbranch.engine.sink import SinkKind, ValueSite
from flake8_tensorbranch.rules import Finding, Rule, branchless, decided, instead

RULE = Rule(
    "tbr-compile-frame-lost",
    frozenset({SinkKind.BRANCH, SinkKind.LOOP, SinkKind.RAISE}),
    "W",
    "0.1.0",
    fix_availability="sometimes",
)


def check(site: ValueSite) -> Iterator[Finding]:
    """In a loop, `try`, `suppress` or generator the compiler cannot resume: 0 graphs (facts B6)."""
    member = site.regions.get("compiled")
    if member is None or site.speaks != "compiled" or not site.deps & DATA or site.guarded or site.form == "assert":
        return
    if not site.frame_lost or member.entry.option("fullgraph") is True:
        return
    yield Finding(
        site.node,
        f"`{site.subject}` decides {decided(site)} where compile cannot resume: the function runs eagerly",
        instead(site),
        site.certain,
        site.related,
        fix=branchless(site),
    )
