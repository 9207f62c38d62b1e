"""TBR307: an operator in a compiled region gives a result whose size depends on values."""

from __future__ import annotations

from collections.abc import Iterator

from flake8_tensorbranch.engine.sink import SinkKind, TracedSite
from flake8_tensorbranch.rules import Finding, Rule, break_cost

RULE = Rule("tbr-compile-dynamic-shape-op", frozenset({SinkKind.SIZED_RESULT}), "I", "0.1.0", opt_in=True)


def check(site: TracedSite) -> Iterator[Finding]:
    """A graph break, unless `fullgraph` or `capture_dynamic_output_shape_ops` is on (facts A8, H)."""
    cost = break_cost(site)
    if not cost:
        return
    yield Finding(
        site.node,
        f"the size of `{site.subject}` depends on values in a compiled region: {cost}",
        "mask with `torch.where`",
        related=site.related,
    )
