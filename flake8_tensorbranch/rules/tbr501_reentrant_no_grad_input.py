"""TBR501: no direct argument of a reentrant checkpoint can require grad."""

from __future__ import annotations

from collections.abc import Iterator

from flake8_tensorbranch.engine.sink import CheckpointSite, SinkKind
from flake8_tensorbranch.rules import Finding, Rule, nonreentrant, other_variant

RULE = Rule("tbr-reentrant-no-grad-input", frozenset({SinkKind.CHECKPOINT}), "E", "0.1.0", fix_availability="sometimes")


def check(site: CheckpointSite) -> Iterator[Finding]:
    """Report regions whose parameters silently get no gradient."""
    if site.facts.get("no_grad_input"):
        variants = site.facts["variants"]
        how = (
            "use_reentrant=True" if isinstance(variants, set) and True in variants else "use_reentrant left out (True)"
        )
        if site.facts.get("fixed"):
            how = "a reentrant checkpoint"
        message = f"no direct tensor argument can require grad: with {how} the region gets no gradient"
        yield Finding(site.node, message, other_variant(site.facts), related=site.related, fix=nonreentrant(site))
