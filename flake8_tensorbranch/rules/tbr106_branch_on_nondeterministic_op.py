"""TBR106: a decision on a value that flows out of an operator on PyTorch's list of nondeterministic ones."""

from __future__ import annotations

from collections.abc import Iterator

from flake8_tensorbranch.engine.sink import SinkKind, UnrepeatableSite
from flake8_tensorbranch.rules import Finding, Rule

RULE = Rule("tbr-branch-on-nondeterministic-op", frozenset({SinkKind.UNREPEATABLE}), "W", "0.1.0")


def check(site: UnrepeatableSite) -> Iterator[Finding]:
    """A decision that may come out differently in two runs of the same program on CUDA."""
    message = f"`{site.subject}` flows out of `{site.operator}`, nondeterministic on CUDA, and decides {site.effect}"
    yield Finding(site.node, message, "use deterministic algorithms", site.certain, site.related)
