"""TBR405: `context_fn` or `debug` for a reentrant checkpoint, which refuses them."""

from __future__ import annotations

from collections.abc import Iterator

from flake8_tensorbranch.engine.sink import CheckpointSite, SinkKind
from flake8_tensorbranch.rules import Finding, Rule, nonreentrant

RULE = Rule("tbr-context-fn-reentrant", frozenset({SinkKind.CHECKPOINT}), "E", "0.1.0", fix_availability="sometimes")


def check(site: CheckpointSite) -> Iterator[Finding]:
    """Report options that raise with this variant."""
    refused = site.facts.get("refused")
    if isinstance(refused, tuple) and refused:
        variants = site.facts["variants"]
        how = (
            "use_reentrant=True" if isinstance(variants, set) and True in variants else "use_reentrant left out (True)"
        )
        names = " and ".join(f"`{name}`" for name in refused)
        unset = site.facts.get("unset") and "context_fn" in refused  # what the other variant does not take either
        yield Finding(
            site.node,
            f"{names} with {how} raises ValueError",
            f"leave {'it' if len(refused) == 1 else 'both'} out" if unset else "pass use_reentrant=False",
            related=site.related,
            fix=None if unset else nonreentrant(site),
        )
