"""TBR202: a predicate reads state that its checkpointed region changes."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from flake8_tensorbranch.engine.lattice import RANDOM
from flake8_tensorbranch.engine.sink import GRAD_MODE, Decides, SinkKind, ValueSite
from flake8_tensorbranch.rules import LONGEST, Finding, Rule, sentence

RULE = Rule("tbr-checkpoint-branch-on-mutated-state", frozenset({SinkKind.BRANCH, SinkKind.LOOP}), "E", "0.1.0")
_HELP: Final = "decide outside"
_OTHER: Final = "pass use_reentrant=False"


def check(site: ValueSite) -> Iterator[Finding]:
    """The recompute reads what the forward already changed: it takes the other branch."""
    member = site.regions.get("checkpointed")
    if member is None or not site.mutated or site.deps & RANDOM:
        return
    if site.mutated == GRAD_MODE:
        if site.decides is not Decides.WORK and site.effect != "what is returned":
            return  # counting in one of the two runs is what such tests are for
        ask = f"`{{}}` decides {site.effect}: the reentrant forward runs without grad, its recompute with"
        yield Finding(site.node, sentence(ask, site.subject, _OTHER), _OTHER, site.certain, site.related)
        return
    outcome = "wrong in silence" if member.entry.reentrant is True else "CheckpointError, or wrong in silence"
    decides = f"the checkpointed region changes `{{}}`, which decides {site.effect}: the recompute flips it"
    ends = f" ({outcome})"
    if len(decides) - len("{}") + len(site.mutated) + len(ends) + len(f"; {_HELP}") <= LONGEST:
        decides += ends
    yield Finding(
        site.node,
        sentence(decides, site.mutated, _HELP),
        _HELP,
        site.certain,
        site.related,
    )
