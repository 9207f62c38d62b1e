"""TBR402: a scope that the recompute needs ends before backward."""

from __future__ import annotations

from collections.abc import Iterator

from flake8_tensorbranch.engine.sink import ScopeSite, SinkKind
from flake8_tensorbranch.rules import Finding, Rule

RULE = Rule("tbr-scope-ends-before-backward", frozenset({SinkKind.SCOPE}), "W", "0.1.0")


def check(site: ScopeSite) -> Iterator[Finding]:
    """Report scopes of any state that checkpoint does not restore, but the choice of an attention kernel."""
    form = site.facts.get("form")
    if form == "dtype":
        message = "the recompute enters autocast with torch's default dtype, not the forward's"
        yield Finding(site.node, message, "keep get_autocast_dtype() in forward and pass it here", related=site.related)
    elif form == "cache":
        message = "the parametrization cache around a checkpoint is filled or gone when the recompute runs"
        yield Finding(site.node, message, "open it inside the function", related=site.related)
    elif form == "mode":
        message = (
            f"torch takes {site.state} off while backward runs, and {site.facts['callee']} in it recomputes without"
        )
        yield Finding(site.node, message, "enter it in the function", bool(site.facts["certain"]), related=site.related)
    elif form == "state":
        message = f"scope ends before backward, so {site.facts['callee']} in it recomputes without {site.state}"
        advice, certain = "run backward inside or enter it in the function", bool(site.facts["certain"])
        yield Finding(site.node, message, advice, certain, related=site.related)
