"""TBR306: a tensor's value becomes a Python number in a compiled region."""

from __future__ import annotations

from collections.abc import Iterator

from flake8_tensorbranch.engine.sink import SinkKind, TracedSite
from flake8_tensorbranch.rules import Finding, Rule, break_cost

RULE = Rule("tbr-compile-scalar-read", frozenset({SinkKind.SCALAR_READ}), "I", "0.1.0", opt_in=True)


def check(site: TracedSite) -> Iterator[Finding]:
    """A graph break, unless `fullgraph` or `capture_scalar_outputs` is on (facts A8, H)."""
    index = site.facts.get("index")
    cost = break_cost(site, until="") if index else break_cost(site)
    if not cost:
        return
    if index:
        words = f"`{site.subject}` selects by `{index}`, a tensor of rank 0, in a compiled region: {cost}"
        yield Finding(site.node, words, "use `index_select`", related=site.related)
        return
    text = bool(site.facts.get("text"))
    what = "text of a tensor" if text else "a Python number of a tensor"
    yield Finding(
        site.node,
        f"`{site.subject}` makes {what} in a compiled region: {cost}",
        "print it outside" if text else "keep it a tensor",
        related=site.related,
    )
