"""TBR308: a dimension declared dynamic is fixed by an example size, a test, a loop or a view."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from flake8_tensorbranch.engine.sink import SinkKind, TracedSite, ValueSite
from flake8_tensorbranch.rules import Finding, Rule

RULE = Rule(
    "tbr-compile-dynamic-conflict",
    frozenset({SinkKind.DIMENSION, SinkKind.SIZE_BRANCH, SinkKind.SIZE_LOOP}),
    "E",
    "0.1.0",
)


_REPAIRS: Final = {
    "layer": "declare another dimension",
    "pieces": "compute one of the sizes",
    "range": "declare what it allows by `min` and `max`",
    "names": "index the rows you need",
    "sum": "cut it, and declare its size as `max`",
    "view": "leave one size to -1",
}


def check(site: ValueSite | TracedSite) -> Iterator[Finding]:
    """The tracer specialises what was declared dynamic, and refuses: `Constraints violated` (facts I, J)."""
    if isinstance(site, TracedSite):
        if site.facts["how"] == "example":
            at, size = site.facts["dim"], site.facts["size"]
            words = f"dimension {at} of `{site.subject}` is declared dynamic but has size {size}"
            yield Finding(site.node, f"{words}: export fails", "use an example size of 2 or more", related=site.related)
        else:
            does = "allows not every size of" if site.facts["how"] == "range" else "fixes"
            words = f"`{site.subject}` {does} a dimension that is declared dynamic: constraint violation"
            yield Finding(site.node, words, _REPAIRS[str(site.facts["how"])], related=site.related)
        return
    if not site.declared or site.guarded:
        return
    what = "the loop over" if site.kind is SinkKind.SIZE_LOOP else "the test"
    if site.form in ("look-up", "get"):
        what = "the look-up"
    yield Finding(
        site.node,
        f"{what} `{site.subject}` fixes a dimension that is declared dynamic: constraint violation",
        "drop it, or declare what it allows",
        site.certain,
        site.related,
    )
