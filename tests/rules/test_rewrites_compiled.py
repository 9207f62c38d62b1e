"""Rules about compiled, exported, traced and mapped code hold however it comes to be so, and are silent on repairs."""

from __future__ import annotations

from pathlib import Path
from typing import Final

import pytest

from tests.rules import ways_of_entering, ways_of_inheriting, ways_of_wrapping
from tests.rules.rewriting import MARK, filled, marked, reported, wrapped

HEAD: Final = """
import contextlib
import functools
import logging
import operator
import os
import torch
import torch.nn.functional as F
from torch import Tensor, nn

"""
WAYS: Final = {**ways_of_entering.WAYS, **ways_of_wrapping.WAYS, **ways_of_inheriting.WAYS}
CAP: Final = """
score = x.abs().amax()
if score > 4.0:  #!
    x = x / score
return x
"""
CAPPED: Final = """
score = x.abs().amax()
return torch.where(score > 4.0, x / score, x)
"""
CORES: Final = {
    "TBR301": {
        "pad": (
            """
pad = -x.shape[-1] % 8
if pad:  #!
    x = F.pad(x, (0, pad))
return x * 2
""",
            "return F.pad(x, (0, -x.shape[-1] % 8)) * 2",
        ),
        "long": (
            """
y = x * 2
return y.sin() if y.size(0) > 128 else y.cos()  #!
""",
            """
n = x.size(0)
return (x * 2).sin() / n
""",
        ),
    },
    "TBR302": {
        "range": (
            """
y = x.new_zeros(())
for i in range(x.shape[0]):  #!
    y = y + x[i].sum()
return y
""",
            "return (x.sum(-1) * torch.arange(x.shape[0])).sum()",
        ),
        "rows": (
            """
out = []
for row in x:  #!
    out.append(row.softmax(-1))
return torch.stack(out)
""",
            "return x.softmax(-1)",
        ),
    },
    "TBR304": {
        "cap": (
            CAP,
            CAPPED,
        ),
        "nan": (
            "return x.sin() if torch.isnan(x).any() else x.cos()  #!",
            """
if x.dim() == 3:
    return x.sin()
return x.cos()
""",
        ),
    },
    "TBR305": {
        "for": (
            """
for _ in range(3):
    if x.norm() > 1:  #!
        x = x / 2
return x
""",
            """
for _ in range(3):
    x = torch.where(x.norm() > 1, x / 2, x)
return x
""",
        ),
        "try": (
            """
try:
    if x.max() > 10:  #!
        x = x.clamp(max=10)
except RuntimeError:
    return x
return x * 2
""",
            "return x.clamp(max=10) * 2",
        ),
    },
    "TBR306": {
        "item": (
            """
peak = x.max().item()  #!
return x / peak
""",
            "return x / x.max()",
        ),
        "float": (
            """
scale = float(x.std())  #!
return x * scale
""",
            "return x * x.std()",
        ),
    },
    "TBR307": {
        "mask": (
            """
keep = x > 0
return x[keep].mean()  #!
""",
            """
keep = x > 0
return torch.where(keep, x, 0.0).sum() / keep.sum()
""",
        ),
        "nonzero": (
            """
hits = torch.nonzero(x)  #!
return hits + 1
""",
            "return (x != 0).float() + 1",
        ),
    },
    "TBR310": {
        "cap": (
            CAP,
            CAPPED,
        ),
        "while": (
            """
while x.norm() > 1:  #!
    x = x / 2
return x
""",
            """
if x.shape[0] == 3:
    return x / 2
return x
""",
        ),
    },
    "TBR311": {
        "cap": (
            CAP,
            CAPPED,
        ),
        "size": (
            """
if x.shape[0] % 2:  #!
    x = F.pad(x, (0, 0, 0, 1))
return x.sin()
""",
            """
if x.dim() == 2:
    x = x + 1
return x.sin()
""",
        ),
    },
    "TBR312": {
        "cap": (
            CAP,
            CAPPED,
        ),
        "item": (
            "return x * x.max().item()  #!",
            """
if x.shape[-1] > 3:
    return x + 1
return x.sin()
""",
        ),
    },
}
"""What goes wrong under each rule's tracer, and its repair, as bodies of a function of `x`."""

COMPILE: Final = (
    "torch.compile",
    'backend="eager", dynamic=None',
    '({}, backend="eager")',
    '(model={}, backend="eager")',
)
ENTRIES: Final = {
    "TBR310": ("torch.export.export", "", "({}, (torch.ones(4, 4),))", "(args=(torch.ones(4, 4),), mod={})"),
    "TBR311": ("torch.jit.trace", "", "({}, torch.ones(4, 4))", "(func={}, example_inputs=(torch.ones(4, 4),))"),
    "TBR312": ("torch.vmap", "", "({})", "(in_dims=0, func={})"),
    "symbolic": ("torch.fx.symbolic_trace", "", "({})", "(root={})"),
}
"""The entry, the options it takes as a decorator, how it is called, and how with keywords."""

_OPTIONS: Final = "no such options"
_FUNCTION: Final = "takes modules"
UNTOLD: Final = {
    **{("TBR310", way): _FUNCTION for way in ("partial_fn", "partial_fn_kw", "call_dunder", "classm")},
    **{("TBR310", way): "no forward is given back" for way in ("forward_swap", "cm_swap", "try_finally")},
    **{("TBR310", way): "gives no function back" for way in ("own_deco_flag", "deco_else_identity", "reexport_entry")},
}
"""The cells in which a way makes no sense for a rule, each with the reason."""


def program(code: str, way: str, body: str) -> str:
    entry, options, call, named = ENTRIES.get(code, COMPILE)
    text = filled(WAYS[way], BODY=body)
    text = wrapped(text, "KWBEGIN", entry + named)
    text = wrapped(text, "BEGIN", entry + call)
    text = wrapped(text, "CALL", "{}({last}" + call.removeprefix("({}") if code in ENTRIES else "{}({last})")
    module, _, leaf = entry.rpartition(".")
    text = text.replace("MOD", module).replace("LEAF", leaf).replace("ENTRY", entry).replace("OPTS", options)
    return HEAD + (text.replace(MARK, "") if "#@" in text else text)


def cells() -> list[tuple[str, str]]:
    """The rules, and symbolic tracing, each with the ways that make sense for it."""
    found = []
    for code in (*CORES, "symbolic"):
        for way, text in WAYS.items():
            takes = code not in ENTRIES or not any(w in text for w in ("OPTS", "@ENTRY", "torch_compile", "pt.compile"))
            if takes and (code, way) not in UNTOLD and "net.compile()" not in text * (code in ENTRIES):
                found.append((code, way))
    return found


@pytest.mark.parametrize(("code", "way"), cells())
def test_a_region_is_found_by_any_way(code: str, way: str, tmp_path: Path) -> None:
    rule = "TBR311" if code == "symbolic" else code
    for name, (bad, _) in CORES[rule].items():
        if code != "symbolic" or name == "cap":
            text = program(code, way, bad)
            assert marked(text)
            assert reported(tmp_path, text, rule) == marked(text), text


@pytest.mark.parametrize(("code", "way"), cells())
def test_repairs_are_silent_by_any_way(code: str, way: str, tmp_path: Path) -> None:
    rule = "TBR311" if code == "symbolic" else code
    for name, (_, good) in CORES[rule].items():
        if code != "symbolic" or name == "cap":
            text = program(code, way, good)
            assert not reported(tmp_path, text, rule), text
