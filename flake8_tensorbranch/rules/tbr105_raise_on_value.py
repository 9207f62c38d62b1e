"""TBR105: a tensor's value only guards an error or a warning."""

from __future__ import annotations

from collections.abc import Iterator

from flake8_tensorbranch.engine.lattice import DATA
from flake8_tensorbranch.engine.sink import SinkKind, ValueSite
from flake8_tensorbranch.rules import Finding, Rule

RULE = Rule("tbr-raise-on-value", frozenset({SinkKind.RAISE}), "I", "0.1.0", opt_in=True)


def check(site: ValueSite) -> Iterator[Finding]:
    """Validation of a tensor's value: costs a wait for the device, and breaks a graph."""
    if not site.deps & DATA:
        return
    compiled = site.regions.get("compiled")
    if compiled is not None and site.form != "assert":
        return
    yield Finding(
        site.node,
        f"`{site.subject}` reads a tensor's value to guard {'an assertion' if site.form == 'assert' else 'an error'}: waits for the device",
        "use `torch._assert_async` or check outside of the hot path",
        site.certain,
        site.related,
    )
