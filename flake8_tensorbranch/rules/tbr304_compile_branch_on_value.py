"""TBR304: a tensor's value decides control flow in a compiled region."""

from __future__ import annotations

from collections.abc import Iterator

from flake8_tensorbranch.engine.lattice import DATA
from flake8_tensorbranch.engine.sink import SinkKind, ValueSite
from flake8_tensorbranch.rules import Finding, Rule, branchless, decided, instead

RULE = Rule(
    "tbr-compile-branch-on-value",
    frozenset({SinkKind.BRANCH, SinkKind.LOOP, SinkKind.RAISE}),
    "W",
    "0.1.0",
    fix_availability="sometimes",
)


def check(site: ValueSite) -> Iterator[Finding]:
    """A graph break; an error with `fullgraph=True`."""
    member = site.regions.get("compiled")
    if member is None or site.speaks != "compiled" or not site.deps & DATA or site.guarded or site.form == "assert":
        return
    fullgraph = member.entry.option("fullgraph") is True
    if site.frame_lost and not fullgraph:
        return
    outcome = "an error, or another case in silence," if site.form == "identity" else "an error"
    cost = f"{outcome} with `fullgraph=True`" if fullgraph else "a graph break"
    yield Finding(
        site.node,
        f"`{site.subject}` decides {decided(site)} in a compiled region: {cost}",
        instead(site),
        site.certain,
        site.related,
        fix=branchless(site),
    )
