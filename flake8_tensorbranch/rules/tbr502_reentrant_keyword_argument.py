"""TBR502: keyword arguments for the function of a reentrant checkpoint."""

from __future__ import annotations

from collections.abc import Iterator

from flake8_tensorbranch.engine.sink import CheckpointSite, SinkKind
from flake8_tensorbranch.rules import Finding, Rule, nonreentrant, repair

RULE = Rule(
    "tbr-reentrant-keyword-argument", frozenset({SinkKind.CHECKPOINT}), "E", "0.1.0", fix_availability="sometimes"
)


def check(site: CheckpointSite) -> Iterator[Finding]:
    """Report keywords that the reentrant checkpoint does not pass on."""
    unknown = site.facts.get("unknown")
    if isinstance(unknown, tuple) and unknown:
        message = f"checkpoint_sequential takes no `{unknown[0]}`, in neither variant: ValueError"
        yield Finding(site.node, message, "leave it out", related=site.related)
    keywords = site.facts.get("keywords")
    if isinstance(keywords, tuple) and keywords:
        variants = site.facts["variants"]
        how = (
            "use_reentrant=True" if isinstance(variants, set) and True in variants else "use_reentrant left out (True)"
        )
        shown = ", ".join(f"`{name}`" for name in keywords[:2]) + (", ..." if len(keywords) > 2 else "")
        message = f"keyword arguments for the function ({shown}) with {how} raise ValueError"
        fix = repair(site, "bound", "Bind the keywords by `functools.partial`") or nonreentrant(site)
        yield Finding(site.node, message, "pass use_reentrant=False", related=site.related, fix=fix)
