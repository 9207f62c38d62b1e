"""TBR312: a mapped tensor's value is read under `torch.vmap`."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from flake8_tensorbranch.engine.lattice import DATA, UNBACKED
from flake8_tensorbranch.engine.sink import SinkKind, TracedSite, ValueSite
from flake8_tensorbranch.rules import Finding, Rule, branchless, decided, instead

RULE = Rule(
    "tbr-vmap-branch-on-value",
    frozenset(
        {
            SinkKind.BRANCH,
            SinkKind.LOOP,
            SinkKind.RAISE,
            SinkKind.SCALAR_READ,
            SinkKind.SIZED_RESULT,
            SinkKind.MAPPED_DRAW,
            SinkKind.MAPPED_WRITE,
        }
    ),
    "E",
    "0.1.0",
    fix_availability="sometimes",
)


_IN_PLACE: Final = (
    "what differs along the batch is written into `{}`, which does not: `torch.vmap` raises",
    "make it of a mapped tensor: `new_zeros`",
)
_OUT: Final = ("`torch.vmap` has no rule for `out={}`: RuntimeError", "use the result")


def check(site: ValueSite | TracedSite) -> Iterator[Finding]:
    """One Python branch, or number, cannot hold for every element of the batch: `vmap` raises (facts J)."""
    if isinstance(site, TracedSite):
        if "vmapped" not in site.regions:
            return
        if site.kind is SinkKind.SIZED_RESULT:
            yield Finding(
                site.node,
                f"the size of `{site.subject}` depends on values that `torch.vmap` maps over: RuntimeError",
                "mask with `torch.where`",
                related=site.related,
            )
        elif site.kind is SinkKind.MAPPED_DRAW:
            yield Finding(
                site.node,
                f"`{site.subject}` draws under `torch.vmap`, which was given no `randomness=`: RuntimeError",
                'pass "different" or "same"',
                related=site.related,
            )
        elif site.kind is SinkKind.MAPPED_WRITE:
            words, help_ = _OUT if site.facts.get("out") else _IN_PLACE
            yield Finding(site.node, words.format(site.subject), help_, related=site.related)
        else:
            yield Finding(
                site.node,
                f"`{site.subject}` makes a Python number of a value that `torch.vmap` maps over: RuntimeError",
                "keep it a tensor",
                related=site.related,
            )
        return
    if site.speaks != "vmapped" or not site.deps & DATA or site.guarded:
        return
    if site.kind is SinkKind.LOOP and site.form in ("for", "comprehension") and not site.value.deps & (DATA | UNBACKED):
        return  # `tolist()`: as many rounds as the tensor has elements
    yield Finding(
        site.node,
        f"`{site.subject}` differs along the batch and decides {decided(site)}: `torch.vmap` raises",
        instead(site, "check outside of it"),
        site.certain,
        site.related,
        fix=branchless(site),
    )
