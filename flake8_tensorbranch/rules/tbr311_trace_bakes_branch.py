"""TBR311: a value or a size decides a branch in a function that is traced once, or becomes a number there."""

from __future__ import annotations

from collections.abc import Iterator

from flake8_tensorbranch.engine.lattice import DATA, RANDOM, SHAPE, UNBACKED
from flake8_tensorbranch.engine.sink import SinkKind, TracedSite, ValueSite
from flake8_tensorbranch.rules import Finding, Rule, branchless

RULE = Rule(
    "tbr-trace-bakes-branch",
    frozenset(
        {
            *(SinkKind.BRANCH, SinkKind.LOOP, SinkKind.RAISE, SinkKind.SIZE_BRANCH, SinkKind.SIZE_LOOP),
            SinkKind.SCALAR_READ,
        }
    ),
    "E",
    "0.1.0",
    fix_availability="sometimes",
)


def check(site: ValueSite | TracedSite) -> Iterator[Finding]:
    """`jit.trace` keeps the way that the example input took, `fx` and `make_fx` refuse to read a value (facts J)."""
    if isinstance(site, TracedSite):
        yield from _number(site)
        return
    if site.speaks != "traced" or site.guarded or not site.deps & (DATA | SHAPE | UNBACKED | RANDOM):
        return
    tracer, name = _tracer(site)
    sized = site.kind in (SinkKind.SIZE_BRANCH, SinkKind.SIZE_LOOP)
    proxied = sized and tracer == "torch.fx.symbolic_trace"
    if proxied and site.proxied == "recorded":
        return
    raises = site.kind is SinkKind.RAISE or site.effect.startswith("whether an")
    if not site.deps & (DATA | SHAPE | UNBACKED):
        outcome = f"`{name}` freezes it"
    elif proxied and site.proxied == "itself":
        outcome = f"`{name}` has a proxy's there, not the number's"
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


def _tracer(site: ValueSite | TracedSite) -> tuple[str, str]:
    """The qualified name of the tracer, and what a message calls it."""
    row = site.regions["traced"].entry.row
    tracer = "torch.jit.trace" if row is None else row.qualname
    return tracer, "torch.onnx.export" if tracer == "torch.onnx.export" else tracer.rsplit(".", 1)[-1]


def _number(site: TracedSite) -> Iterator[Finding]:
    """A Python number made of a tensor is a constant of the trace; a proxy refuses to become one."""
    if "traced" not in site.regions:
        return
    _, name = _tracer(site)
    if site.facts.get("asked"):
        message = f"`{site.subject}` decides a branch, and `{name}`, which has no tensor to ask, raises"
        yield Finding(site.node, message, "decide it outside, or put it under `torch.fx.wrap`", related=site.related)
        return
    outcome = "raises" if name in ("symbolic_trace", "make_fx") else "freezes it"
    if site.facts.get("sized"):
        message = f"`{site.subject}` needs the numbers of a size, and `{name}` has none: it raises"
        help_ = "compute with the sizes, or put it under `torch.fx.wrap`"
        yield Finding(site.node, message, help_, related=site.related)
        return
    made = "NumPy array" if site.facts.get("array") else "Python number"
    message = f"`{site.subject}` makes a {made} of a tensor, and `{name}` {outcome}"
    yield Finding(site.node, message, "keep it a tensor", related=site.related)
