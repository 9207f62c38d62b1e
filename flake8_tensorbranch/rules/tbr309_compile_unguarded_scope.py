"""TBR309: a compiled function is called under different attention backends."""

from __future__ import annotations

from collections.abc import Iterator

from flake8_tensorbranch.engine.sink import SinkKind, TracedSite
from flake8_tensorbranch.rules import Finding, Rule

RULE = Rule("tbr-compile-unguarded-scope", frozenset({SinkKind.UNGUARDED}), "W", "0.1.0")


def check(site: TracedSite) -> Iterator[Finding]:
    """No guard asks for the backend: the kernel of the first call serves all later ones (facts B5)."""
    subject = site.subject if len(site.subject) <= 30 else site.subject[:27] + "..."
    yield Finding(
        site.node,
        f"compiled `{subject}` keeps the attention backend of its first call, whatever scope is open later",
        "open the scope inside of it",
        related=site.related,
    )
