"""TBR313: `flex_attention` runs outside of a compiled region."""

from __future__ import annotations

from collections.abc import Iterator

from flake8_tensorbranch.engine.sink import SinkKind, TracedSite
from flake8_tensorbranch.rules import Finding, Rule

RULE = Rule("tbr-uncompiled-flex-attention", frozenset({SinkKind.FLEX}), "W", "0.1.0")


def check(site: TracedSite) -> Iterator[Finding]:
    """The unfused implementation keeps the full score matrix (facts K)."""
    switch = str(site.facts["switch"])[:30]
    when = f" (`{switch}` is False by default)" if switch else ""
    yield Finding(
        site.node,
        f"uncompiled `flex_attention`{when} materialises the full score matrix",
        "call it in a compiled function",
        related=site.related,
    )
