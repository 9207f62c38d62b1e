"""TBR104: a value that differs between ranks decides whether, how often or with which shape a collective runs."""

from __future__ import annotations

from collections.abc import Iterator

from flake8_tensorbranch.engine.sink import CollectiveSite, SinkKind
from flake8_tensorbranch.rules import Finding, Rule

RULE = Rule("tbr-collective-on-value", frozenset({SinkKind.COLLECTIVE}), "E", "0.1.0")


def check(site: CollectiveSite) -> Iterator[Finding]:
    """A decision of one rank on something that all ranks must do together."""
    advice = "reduce the flag over all ranks first"
    if site.shape:
        message = f"`{site.subject}` has another size on every rank, `{site.label}` needs one: an abort or garbage"
        advice = "pad it to an agreed size"
    elif site.replica:
        message = f"`{site.subject}` differs between ranks and decides whether `{site.label}` runs: DDP's reducer fails"
        advice = "run it on every rank"
    elif site.rank:
        message = f"`{site.subject}` decides whether this rank runs `{site.label}`: the others hang"
        advice = "call it on every rank"
    else:
        how = "how often" if site.often else "whether"
        message = f"`{site.subject}` differs between ranks and decides {how} `{site.label}` runs: the others hang"
    yield Finding(site.node, message, advice, site.certain, site.related)
