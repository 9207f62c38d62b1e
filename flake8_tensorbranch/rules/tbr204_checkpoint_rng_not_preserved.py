"""TBR204: a checkpoint that does not restore the random state, around code that draws."""

from __future__ import annotations

from collections.abc import Iterator

from flake8_tensorbranch.engine.sink import RegionSite, SinkKind
from flake8_tensorbranch.rules import Finding, Rule, repair

RULE = Rule(
    "tbr-checkpoint-rng-not-preserved", frozenset({SinkKind.RNG_STATE}), "E", "0.1.0", fix_availability="sometimes"
)


def check(site: RegionSite) -> Iterator[Finding]:
    """Without the state of the forward, the recompute draws another mask."""
    yield Finding(
        site.node,
        f"`preserve_rng_state=False`, but `{site.subject}` draws in the region: gradients are those of another draw",
        "leave the option out",
        site.certain,
        site.related,
        fix=repair(site, "restored", "Leave `preserve_rng_state` at its default"),
    )
