"""TBR311: a value or a size decides a branch in a function that is traced once."""

from __future__ import annotations

from collections.abc import Iterator

from flake8_tensorbranch.engine.lattice import DATA, RANDOM, SHAPE, UNBACKED
from flake8_tensorbranch.engine.sink import SinkKind, ValueSite
from flake8_tensorbranch.rules import Finding, Rule, branchless

RULE = Rule(
    "tbr-trace-bakes-branch",
    frozenset({SinkKind.BRANCH, SinkKind.LOOP, SinkKind.RAISE, SinkKind.SIZE_BRANCH, SinkKind.SIZE_LOOP}),
    "E",
    "0.1.0",
    fix_availability="sometimes",
)


def check(site: ValueSite) -> Iterator[Finding]:
    """`jit.trace` keeps the way that the example input took, `fx` and `make_fx` refuse to read a value (facts J)."""
    if site.speaks != "traced" or site.guarded or not site.deps & (DATA | SHAPE | UNBACKED | RANDOM):
        return
    row = site.regions["traced"].entry.row
    tracer = "torch.jit.trace" if row is None else row.qualname
    name = "torch.onnx.export" if tracer == "torch.onnx.export" else tracer.rsplit(".", 1)[-1]
    sized = site.kind in (SinkKind.SIZE_BRANCH, SinkKind.SIZE_LOOP)
    raises = site.kind is SinkKind.RAISE or site.effect.startswith("whether an")
    if not site.deps & (DATA | SHAPE | UNBACKED):
        outcome = f"`{name}` freezes it"
    elif tracer == "torch.fx.symbolic_trace" or (name == "make_fx" and not sized):
        outcome = f"`{name}` raises"
    elif raises:
        return  # the check is not in the trace, the result is
    else:
        outcome = f"`{name}` freezes it"
    yield Finding(
        site.node,
        f"the {'size' if sized else 'value'} `{site.subject}` decides {site.effect}, and {outcome}",
        "use `torch.where`" if name in ("symbolic_trace", "make_fx") else "script this function",
        site.certain,
        site.related,
        fix=branchless(site),
    )
