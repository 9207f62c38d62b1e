"""TBR303: Python state that a compiled function is specialised on changes from call to call."""

from __future__ import annotations

from collections.abc import Iterator

from flake8_tensorbranch.diagnostic import Applicability
from flake8_tensorbranch.engine.sink import SinkKind, TracedSite
from flake8_tensorbranch.rules import Finding, Rule, repair

RULE = Rule(
    "tbr-compile-changing-state", frozenset({SinkKind.COMPILED_STATE}), "W", "0.1.0", fix_availability="sometimes"
)
_WORDS = {
    "int": ("the int `{}` changes between calls", "keep it in a tensor buffer"),
    "str": ("the string `{}` changes between calls", "keep it out of the compiled function"),
    "length": ("the length of `{}` changes between calls", "keep it out of the compiled function"),
    "instance": ("`{}` differs between the compiled instances", "decide in `__init__`, or compile the whole"),
    "iterator": ("`{}` gives another number in each call", "count in a tensor buffer"),
    "argument": ("the int `{}` that counts or indexes here changes between calls", "pass a tensor"),
}


def check(site: TracedSite) -> Iterator[Finding]:
    """One graph per value, 8 of them (`recompile_limit`), then the function runs eagerly (facts I)."""
    words, help_ = _WORDS[str(site.facts["what"])]
    entry = site.regions["compiled"].entry
    end = "an error" if entry.option("fullgraph") is True else "eager"
    subject = site.subject if len(site.subject) <= 30 else site.subject[:27] + "..."
    yield Finding(
        site.node,
        f"{words.format(subject)}: a graph per value, up to 8, then {end}",
        help_,
        related=site.related,
        fix=repair(site, "buffer", "Register a buffer, and compute with the tensor", Applicability.DISPLAY),
    )
