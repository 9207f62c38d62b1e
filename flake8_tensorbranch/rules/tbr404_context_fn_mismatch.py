"""TBR404: the contexts for forward and recompute differ."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import takewhile
from typing import Final

from flake8_tensorbranch.engine.sink import CheckpointSite, SinkKind
from flake8_tensorbranch.rules import Finding, Rule

RULE = Rule("tbr-context-fn-mismatch", frozenset({SinkKind.CHECKPOINT}), "E", "0.1.0")
_MOST: Final = 34  # characters of each scope, for a message of one line
_PATHS: Final = re.compile(r"\b(?:[A-Za-z_]\w*\.)+(?=[A-Za-z_])")


def check(site: CheckpointSite) -> Iterator[Finding]:
    """Report a `context_fn` whose two contexts do not make the same choice."""
    pair = site.facts.get("mismatch")
    if not isinstance(pair, tuple):
        return
    first, second = _shown(*(str(part) for part in pair))
    if first == "nothing":
        message = f"context_fn opens {second} for the recompute alone: a forward in no such scope differs"
    else:
        message = f"context_fn opens {first} for the forward but {second} for the recompute"
    certain = not site.facts.get("perhaps")
    yield Finding(site.node, message, "give both the same scope", certain, related=site.related)


def _shown(first: str, second: str) -> tuple[str, str]:
    """Both scopes, short enough for a line: without the paths of names, and from where they begin to differ."""
    if max(len(first), len(second)) <= _MOST:
        return first, second
    one, other = (_PATHS.sub("", text) for text in (first, second))
    if one == other:
        one, other = first, second
    if max(len(one), len(other)) > _MOST:
        alike = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(one, other, strict=False)))
        begin = max(one[:alike].rfind(mark) + 1 for mark in "([, ")
        one, other = (f"...{text[begin:].lstrip()}" if begin else text for text in (one, other))
    return _cut(one), _cut(other)


def _cut(text: str) -> str:
    return text if len(text) <= _MOST else text[: _MOST - 3].rstrip() + "..."
