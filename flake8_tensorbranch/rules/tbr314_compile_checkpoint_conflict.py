"""TBR314: a checkpoint and a compiled region that do not go together."""

from __future__ import annotations

from collections.abc import Iterator

from flake8_tensorbranch.engine.sink import SinkKind, TracedSite
from flake8_tensorbranch.rules import Finding, Rule

RULE = Rule("tbr-compile-checkpoint-conflict", frozenset({SinkKind.COMPILED_CHECKPOINT}), "E", "0.1.0")
_WORDS = {
    "cond": ("`torch.cond` in a checkpointed region of a compiled function: NotImplementedError", "use `torch.where`"),
    "write": ("`{}` changes in a checkpoint that is compiled with `fullgraph=True`: unsafe side effect", "return it"),
    "local": (
        "the compiler cannot call a `context_fn` that is defined inside of the compiled function",
        "define it in the module",
    ),
    "bound": ("the compiler cannot call a `context_fn` that is a bound method", "use a function of the module"),
    "modes": (
        "in a compiled function `context_fn` must give two dispatch modes: AssertionError",
        "enter the context inside of the function",
    ),
    "selective": (
        "the selective policy does not see the operations inside of the compiled function",
        "compile the function that calls this checkpoint",
    ),
    "strict": ("a checkpoint in what `torch.export` traces with `strict=True`: RuntimeError", "leave `strict` out"),
    "tuned": (
        "the region runs code compiled with autotuning: its recompute may choose other kernels and padded shapes",
        "compile from outside",
    ),
}


def check(site: TracedSite) -> Iterator[Finding]:
    """One of the combinations that facts K shows failing."""
    words, repair = _WORDS[str(site.facts["how"])]
    subject = site.subject if len(site.subject) <= 40 else site.subject[:37] + "..."
    yield Finding(site.node, words.format(subject), repair, related=site.related)
