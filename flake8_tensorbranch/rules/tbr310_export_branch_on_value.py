"""TBR310: a tensor's value decides control flow in an exported function."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from flake8_tensorbranch.engine.lattice import DATA, RANDOM, UNBACKED
from flake8_tensorbranch.engine.sink import SinkKind, ValueSite
from flake8_tensorbranch.rules import Finding, Rule, branchless, decided, instead, sentence

RULE = Rule(
    "tbr-export-branch-on-value",
    frozenset({SinkKind.BRANCH, SinkKind.LOOP, SinkKind.RAISE}),
    "E",
    "0.1.0",
    fix_availability="sometimes",
)

_HELP: Final = "draw it outside and pass it in"


def check(site: ValueSite) -> Iterator[Finding]:
    """`torch.export` has no branch for it and stops (facts J); a constant-message assert passes with `strict=True`."""
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
    yield Finding(
        site.node,
        f"`{site.subject}`, a tensor's value, decides {decided(site)}: `torch.{'onnx' if onnx else 'export'}` fails",
        instead(site, "check outside of it" if onnx else "use `torch._assert_async`"),
        site.certain,
        site.related,
        fix=branchless(site),
    )
