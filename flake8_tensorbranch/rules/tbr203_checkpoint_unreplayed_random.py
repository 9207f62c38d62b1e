"""TBR203: randomness that a recompute does not replay enters a checkpointed region."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from flake8_tensorbranch.engine.lattice import RANDOM
from flake8_tensorbranch.engine.sink import RegionSite, SinkKind, ValueSite
from flake8_tensorbranch.rules import Finding, Rule, sentence

RULE = Rule(
    "tbr-checkpoint-unreplayed-random", frozenset({SinkKind.BRANCH, SinkKind.LOOP, SinkKind.RANDOM}), "E", "0.1.0"
)
_HELP: Final = "draw it outside"
_WEIGHED: Final = "use torch's default generator"


def check(site: ValueSite | RegionSite) -> Iterator[Finding]:
    """Python or NumPy randomness, clocks and explicit generators differ between the forward and its recompute."""
    if isinstance(site, RegionSite):
        reentrant, what = site.reentrant, "reseeds torch" if site.form == "reseeds" else "enters the result"
        help_ = _WEIGHED if site.form == "weighed" else _HELP
    else:
        member = site.regions.get("checkpointed")
        if member is None or not site.deps & RANDOM:
            return
        reentrant, what = member.entry.reentrant, f"decides {site.effect}"
        replayed = member.entry.option("preserve_rng_state", True) is True
        help_ = _WEIGHED if site.draw == "weighed" and replayed else _HELP
    outcome = "wrong in silence" if reentrant is True else "raises, or wrong in silence"
    template = f"`{{}}` {what} in a checkpointed region, whose recompute draws anew ({outcome})"
    yield Finding(
        site.node,
        sentence(template, site.subject, help_),
        help_,
        site.certain,
        site.related,
    )
