"""TBR310: a tensor's value decides control flow in an exported function."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from flake8_tensorbranch.engine.lattice import DATA, RANDOM, UNBACKED
from flake8_tensorbranch.engine.sink import SinkKind, TracedSite, ValueSite
from flake8_tensorbranch.rules import Finding, Rule, branchless, decided, instead, sentence

RULE = Rule(
    "tbr-export-branch-on-value",
    frozenset({SinkKind.BRANCH, SinkKind.LOOP, SinkKind.RAISE, SinkKind.SCALAR_READ}),
    "E",
    "0.1.0",
    fix_availability="sometimes",
)

_HELP: Final = "draw it outside and pass it in"
_NUMBER: Final = "keep it a tensor, or take `.item()` alone"


def check(site: ValueSite | TracedSite) -> Iterator[Finding]:
    """`torch.export` has no branch for it and stops (facts J); a constant-message assert passes with `strict=True`."""
    if isinstance(site, TracedSite):
        yield from _converted(site)
        return
    if site.speaks != "exported" or not site.deps & (DATA | RANDOM) or site.guarded or site.checked:
        return
    entry = site.regions["exported"].entry
    strict = entry.option("strict")
    if not site.deps & DATA:
        if strict in (None, False) and site.kind is not SinkKind.RAISE and entry.row is not None:
            keeps = f"`{{}}` decides {site.effect}: the exported program keeps what the export itself drew"
            yield Finding(site.node, sentence(keeps, site.subject, _HELP), _HELP, site.certain, site.related)
        return
    onnx = entry.row is not None and entry.row.qualname.startswith("torch.onnx.")
    if site.form == "assert" and (strict not in (None, False) or onnx):
        return  # recorded by strict export, which `torch.onnx` tries as well
    if site.kind is SinkKind.LOOP and site.form in ("for", "comprehension") and not site.value.deps & (DATA | UNBACKED):
        return  # `tolist()`: as many rounds as the tensor has elements, which the tracer knows
    silent = site.form == "identity" and strict is True
    exporter = "onnx" if onnx else "export"
    outcome = "fails, or keeps another case in silence" if silent else "fails"
    yield Finding(
        site.node,
        f"`{site.subject}`, a tensor's value, decides {decided(site)}: `torch.{exporter}` {outcome}",
        instead(site, "check outside of it" if onnx else "use `torch._assert_async`"),
        site.certain,
        site.related,
        fix=branchless(site),
    )


def _converted(site: TracedSite) -> Iterator[Finding]:
    """`int(t)` and its like ask for the number itself; `t.item()` alone stays a symbol (observed, torch 2.13)."""
    member = site.regions.get("exported")
    if member is None or member.entry.row is None or member.entry.row.qualname.startswith("torch.onnx."):
        return  # `torch.onnx` tries a strict export as well
    if member.entry.option("strict") in (None, False):
        words = f"`{site.subject}` asks for the number behind a tensor: `torch.export` fails"
        yield Finding(site.node, words, _NUMBER, related=site.related)
