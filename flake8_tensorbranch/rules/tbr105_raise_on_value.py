"""TBR105: a tensor's value only guards an error or a warning."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from flake8_tensorbranch.engine.lattice import DATA
from flake8_tensorbranch.engine.sink import SinkKind, ValueSite
from flake8_tensorbranch.rules import LONGEST, Finding, Rule, sentence

RULE = Rule("tbr-raise-on-value", frozenset({SinkKind.RAISE}), "I", "0.1.0", opt_in=True)
_HELP: Final = "use `torch._assert_async` or check outside of the hot path"
_BRIEF: Final = "use `torch._assert_async`"


def check(site: ValueSite) -> Iterator[Finding]:
    """Validation of a tensor's value: costs a wait for the device, and breaks a graph."""
    if not site.deps & DATA:
        return
    compiled = "compiled" in site.regions
    if compiled and site.form != "assert" and not site.guarded:
        return  # for a raise, the code of the region speaks; one that is kept out of traces waits all the same
    guarded = "an assertion" if site.form.startswith("assert") else "an error"
    # A compiled assert is traced (facts H); run eagerly it waits like any other.
    cost = "waits for the device unless compiled" if compiled and site.form == "assert" else "waits for the device"
    template = f"`{{}}` reads a tensor's value to guard {guarded}: {cost}"
    help_ = _HELP if len(template) - len("{}") + len(site.subject) + len(f"; {_HELP}") <= LONGEST else _BRIEF
    yield Finding(
        site.node,
        sentence(template, site.subject, help_),
        help_,
        site.certain,
        site.related,
    )
