"""TBR302: a size decides how often a loop runs in a compiled region."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from flake8_tensorbranch.engine.lattice import SHAPE, UNBACKED
from flake8_tensorbranch.engine.sink import SinkKind, ValueSite
from flake8_tensorbranch.rules import LONGEST, Finding, Rule, sentence

RULE = Rule("tbr-compile-loop-on-shape", frozenset({SinkKind.SIZE_LOOP}), "W", "0.1.0")
_FIXED: Final = {
    **{f: f"the {f} `{{}}` fixes the size" for f in ("look-up", "bits", "digits", "text", "hash", "repeated list")},
    "get": "the look-up `{}` fixes the size",
}
_HELP: Final = "use one batched operation"


def check(site: ValueSite) -> Iterator[Finding]:
    """Loops are unrolled: one graph per size, even when dynamic."""
    member = site.regions.get("compiled")
    if member is None or site.declared or site.guarded or not site.deps & (SHAPE | UNBACKED):
        return
    what = _FIXED.get(site.form, "the loop over `{}` is unrolled")
    end = "an error" if member.entry.option("fullgraph") is True else "eager"
    if site.comparison == "rounds":
        template = f"{what} when compiled: a graph per number of rounds, up to 8, then {end}"
    else:
        template = f"{what} when compiled: one graph per size, 8 of them, then {end}"
    also = ", also with `dynamic=True`" if member.entry.option("dynamic") is not False else ""
    if len(template) - len("{}") + len(site.subject) + len(also) + len(f"; {_HELP}") <= LONGEST:
        template += also
    yield Finding(
        site.node,
        sentence(template, site.subject, _HELP),
        _HELP,
        site.certain,
        site.related,
    )
