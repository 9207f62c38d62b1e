"""Rules: each file `tbrNNN_name.py` holds one, found by its name."""

from __future__ import annotations

import pkgutil
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from importlib import import_module
from typing import Any, Final, Literal

from flake8_tensorbranch.diagnostic import Applicability, Fix, Related
from flake8_tensorbranch.engine import lattice
from flake8_tensorbranch.engine.sink import (
    ENDS,
    FULL,
    LOOKED_UP,
    OFTEN,
    RESIZED,
    ROWS,
    SinkKind,
    SinkSite,
    TracedSite,
    ValueSite,
)

Level = Literal["E", "W", "I"]
FixAvailability = Literal["none", "sometimes", "always"]
LONGEST: Final = 159  # characters of a finding's one line
_SHORTEST: Final = 8
_ROUNDS: Final = {
    OFTEN: "use a fixed number of rounds",
    ENDS: "use a fixed number of rounds",
    FULL: "run every round",
    ROWS: "work on all rows at once",
}
"""What to do where the rounds of a loop are decided in a graph."""


@dataclass(frozen=True, slots=True)
class Finding:
    """What a rule says about a site. `message` and `help` together make the one line a user reads."""

    node: Any  # the tree's node; rules hand it on and do not look into it
    message: str
    help: str
    certain: bool = True
    related: tuple[Related, ...] = ()
    opt_in: bool = False
    fix: Fix | None = None


@dataclass(frozen=True, slots=True)
class Rule:
    """What a rule is: the sinks it looks at, its class, and since when it is stable.

    `level`: E wrong every time the code is reached, W wrong when something flips or a real cost, I information.
    `opt_in` rules run only when enabled; a rule whose findings are partly opt-in says so per finding.
    `fix_availability`: whether its findings carry a fix.
    """

    name: str
    sinks: frozenset[SinkKind]
    level: Level
    since: str
    opt_in: bool = False
    fix_availability: FixAvailability = "none"


@dataclass(frozen=True, slots=True)
class Loaded:
    """A rule with its code and its check."""

    code: str
    rule: Rule
    check: Callable[[Any], Iterator[Finding]]


def sentence(template: str, subject: str, help_: str) -> str:
    """A message: `template` with its `{}` replaced by the subject, cut so that the line with `help_` has room."""
    room = max(LONGEST - (len(template) - len("{}")) - len("; ") - len(help_), _SHORTEST)
    if len(subject) > room:
        subject = subject.removesuffix("...")[: room - len("...")].rstrip() + "..."
    return template.replace("{}", subject, 1)


def repair(site: SinkSite, name: str, message: str, applicability: Applicability = Applicability.UNSAFE) -> Fix | None:
    """The fix that makes the edits which the site holds under `name`; None where it holds none.

    Unsafe by default: most findings are about what a program computes, and their repair changes it.
    """
    edits = site.repairs.get(name)
    return Fix(message, applicability, edits) if edits else None


def nonreentrant(site: SinkSite) -> Fix | None:
    """The fix that takes the non-reentrant checkpoint, which computes other gradients where this one is wrong."""
    return repair(site, "nonreentrant", "Pass `use_reentrant=False`")


def branchless(site: SinkSite) -> Fix | None:
    """The fix of a branch on a value: do it always where that is the identity, else compute both ways and pick.

    For display only where an infinity in the way not taken would reach the gradient.
    """
    return (
        repair(site, "always", "Do it always: a factor of 1 changes nothing")
        or repair(site, "where", "Pick with `torch.where`")
        or repair(site, "traps", "Pick with `torch.where`", Applicability.DISPLAY)
    )


_APART: Final = {RESIZED: "keep the size and mask", LOOKED_UP: "make the key of what is known without a read"}


def advice(site: ValueSite, otherwise: str) -> str:
    """What to do about a decision outside of regions, by what decides: a draw, a capped factor, a selection, rows."""
    if site.deps & lattice.REPLAYED or site.draw == "alone":
        return "draw it on the host: `random.random()`"
    if "always" in site.repairs:
        return "do it always, by a factor capped at 1"
    if site.deps & lattice.UNBACKED and not site.value.kinds & (lattice.HOLDERS | lattice.TENSOR):
        return "weigh by the mask instead of selecting"
    if site.effect.startswith("whether"):
        return "do it always, under a mask"
    if site.effect == ROWS:
        return "work on all rows at once"
    return _APART.get(site.apart, otherwise)


_IN_TORCH: Final = {
    "not": "use `torch.logical_not`",
    "order": "stack them, then `torch.sort`",
    "search": "use `(t == x).any()`",
}
"""What to do where Python's operator has another one of torch's in its place."""


def instead(site: ValueSite, check: str = "use `torch._assert_async`") -> str:
    """What to do in place of a branch in a graph: pick, or where it only raises an error, check by an operation.

    `torch._assert_async` keeps one graph under `torch.compile`, loops included, and is exported (oracle suite).
    """
    if site.kind is SinkKind.RAISE:
        return check
    if site.form in _IN_TORCH:
        return _IN_TORCH[site.form]
    return _ROUNDS.get(site.effect) or _APART.get(site.apart, "use `torch.where`")


def decided(site: ValueSite) -> str:
    """What a decision in a graph decides, in words."""
    return "whether an error is raised" if site.kind is SinkKind.RAISE else site.effect


def break_cost(site: TracedSite, until: str = " before torch 2.10") -> str:
    """What it costs that a compiled region cannot keep an operation; empty where it can, by a switch of torch's or
    under `fullgraph` (facts A8, H). `until` says which torch that is an error of: "" for every one.
    """
    member = site.regions.get("compiled")
    if member is None or site.facts.get("captured"):
        return ""
    if member.entry.option("fullgraph") is True:
        return "" if site.facts.get("whole") else f"an error with `fullgraph=True`{until}"
    return "the function runs eagerly" if site.facts.get("lost") else "a graph break"


def other_variant(facts: Mapping[str, object]) -> str:
    """How a reentrant checkpoint's call takes the other variant: by an option, or where it has none by torch's own."""
    if facts.get("implementation"):
        return "take CheckpointImpl.NO_REENTRANT"
    return "take torch's checkpoint with use_reentrant=False" if facts.get("fixed") else "pass use_reentrant=False"


@lru_cache(maxsize=1)
def load() -> tuple[Loaded, ...]:
    """All rules by code. The code is the beginning of the file's name."""
    found = []
    for module in sorted(pkgutil.iter_modules(__path__), key=lambda m: m.name):
        if module.name.startswith("tbr"):
            loaded = import_module(f"{__name__}.{module.name}")
            found.append(Loaded(module.name[:6].upper(), loaded.RULE, loaded.check))
    return tuple(found)


@lru_cache(maxsize=1)
def by_sink() -> dict[SinkKind, tuple[Loaded, ...]]:
    """The rules that look at each kind of sink."""
    return {kind: tuple(r for r in load() if kind in r.rule.sinks) for kind in SinkKind}
