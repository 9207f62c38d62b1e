"""TBR203: randomness that a recompute does not replay enters a checkpointed region."""

from __future__ import annotations

from collections.abc import Iterator

from flake8_tensorbranch.engine.lattice import RANDOM
from flake8_tensorbranch.engine.sink import SinkKind, ValueSite
from flake8_tensorbranch.rules import Finding, Rule

RULE = Rule("tbr-checkpoint-unreplayed-random", frozenset({SinkKind.BRANCH, SinkKind.LOOP, SinkKind.RANDOM}), "E", "0.1.0")


def check(site: ValueSite) -> Iterator[Finding]:
    """Python or NumPy randomness, clocks and explicit generators differ between the forward and its recompute."""
    member = site.regions.get("checkpointed")
    if member is None or not site.deps & RANDOM:
        return
    outcome = "wrong in silence" if member.entry.reentrant is True else "raises, or wrong in silence"
    what = "enters the result" if site.kind is SinkKind.RANDOM else f"decides {site.effect}"
    yield Finding(
        site.node,
        f"`{site.subject}` {what} in a checkpointed region, whose recompute draws anew ({outcome})",
        "draw it outside",
        site.certain,
        site.related,
    )
