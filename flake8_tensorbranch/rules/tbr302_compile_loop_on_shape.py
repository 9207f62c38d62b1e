"""TBR302: a size decides how often a loop runs in a compiled region."""

from __future__ import annotations

from collections.abc import Iterator

from flake8_tensorbranch.engine.lattice import SHAPE, UNBACKED
from flake8_tensorbranch.engine.sink import SinkKind, ValueSite
from flake8_tensorbranch.rules import Finding, Rule

RULE = Rule("tbr-compile-loop-on-shape", frozenset({SinkKind.SIZE_LOOP}), "W", "0.1.0")


def check(site: ValueSite) -> Iterator[Finding]:
    """Loops are unrolled: one graph per size, even when dynamic."""
    member = site.regions.get("compiled")
    if member is None or site.declared or not site.deps & (SHAPE | UNBACKED):
        return
    yield Finding(
        site.node,
        f"the loop over `{site.subject}` is unrolled in a compiled region: one graph per size, 8 of them, then eager, also with `dynamic=True`",
        "use one batched operation",
        site.certain,
        site.related,
    )
