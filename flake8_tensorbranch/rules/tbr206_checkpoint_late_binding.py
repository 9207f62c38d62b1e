"""TBR206: a checkpointed closure reads a variable that is bound anew before its recompute."""

from __future__ import annotations

from collections.abc import Iterator

from flake8_tensorbranch.engine.sink import RegionSite, SinkKind
from flake8_tensorbranch.rules import Finding, Rule, repair

RULE = Rule(
    "tbr-checkpoint-late-binding", frozenset({SinkKind.LATE_BINDING}), "E", "0.1.0", fix_availability="sometimes"
)


def check(site: RegionSite) -> Iterator[Finding]:
    """A closure looks its variables up when it runs, and the recompute runs in backward."""
    fix = repair(site, "bound", f"Bind `{site.subject}` by a default")
    if site.form == "loop":
        said = f"the checkpointed function reads `{site.subject}` of the loop: every recompute runs with the last one"
        yield Finding(
            site.node,
            said,
            f"bind it: `{site.subject}={site.subject}`, or functools.partial",
            site.certain,
            site.related,
            fix=fix,
        )
    elif site.form == "attribute":
        said = (
            f"each round sets `{site.subject}`, which the checkpointed function reads: every recompute reads the last"
        )
        yield Finding(site.node, said, "pass it as an argument", site.certain, site.related)
    else:
        said = f"the checkpointed function reads `{site.subject}`, bound anew before backward: the recompute reads that"
        yield Finding(site.node, said, "pass it as an argument", site.certain, site.related, fix=fix)
