"""Dynamic dimensions that code fixes, marked, called and exported in many ways: TBR308."""

from __future__ import annotations

from typing import Final

HEAD: Final = """
import contextlib
import functools
import torch
from torch import nn
"""
TEST: Final = "{{x.shape[0] == 8||x.dim() == 2}}"
MARKED: Final = """
from torch._dynamo import mark_dynamic
mark = torch._dynamo.mark_dynamic
marked = functools.partial(torch._dynamo.mark_dynamic, index=0)
given = lambda t: torch._dynamo.mark_dynamic(t, 0)
def dynamic_batch(t):
    torch._dynamo.mark_dynamic(t, 0)
@torch.compile(backend="eager")
def f(x):
    if TEST:  #!
        return x * 2
    return x
def main():
    x = torch.ones(8, 4)
    MARKS
    return f(x)
"""
MARKS: Final = {
    "plain": "torch._dynamo.mark_dynamic(x, 0)",
    "alias": "mark(x, 0)",
    "from": "mark_dynamic(x, 0)",
    "keywords": "torch._dynamo.mark_dynamic(t=x, index=0)",
    "helper": "dynamic_batch(x)",
    "partial": "marked(x)",
    "loop": "for d in (0, 1):\n        torch._dynamo.mark_dynamic(x, d)",
    "list": "torch._dynamo.mark_dynamic(x, [0, 1])",
    "lambda": "given(x)",
}
CALLED: Final = """
DECORATED
def f(x, scale=1.0):
    if TEST:  #!
        return x * 2
    return x
DEFINED
def main():
    x = torch.ones(8, 4)
    torch._dynamo.mark_dynamic(x, 0)
    return CALL
"""
CALLS: Final = {
    "partial": ("fast = functools.partial(f, scale=2.0)", "fast(x)"),
    "lambda": ("fast = lambda x: f(x)", "fast(x)"),
    "helper": ("def run(t):\n    return f(t)", "run(x)"),
    "method": ("class R:\n    def go(self, t):\n        return f(t)", "R().go(x)"),
    "compiled there": ("scale = 1.0", 'torch.compile(f, backend="eager")(x)'),
}
EXPORTED: Final = """
from torch.export import Dim
class Net(nn.Module):
    def forward(self, x):
        if TEST:  #!
            return x * 2
        return x
DEFINED
def main():
    ex = torch.ones(8, 4)
    return CALL
"""
SHAPES: Final = 'dynamic_shapes=({0: Dim("b")},)'
EXPORTS: Final = {
    "plain": ("", f"torch.export.export(Net(), (ex,), {SHAPES})"),
    "alias": ("ship = torch.export.export", f"ship(Net(), (ex,), {SHAPES})"),
    "from": ("from torch.export import export as ship", f"ship(Net(), (ex,), {SHAPES})"),
    "keywords": ("", 'torch.export.export(mod=Net(), args=(ex,), dynamic_shapes={"x": {0: Dim("b")}})'),
    "partial": (f"ship = functools.partial(torch.export.export, {SHAPES})", "ship(Net(), (ex,))"),
    "lambda": (f"ship = lambda m, a: torch.export.export(m, a, {SHAPES})", "ship(Net(), (ex,))"),
    "helper": (f"def ship(m, a):\n    return torch.export.export(m, a, {SHAPES})", "ship(Net(), (ex,))"),
    "shapes": ('SHAPES = ({0: Dim("b")},)', "torch.export.export(Net(), (ex,), dynamic_shapes=SHAPES)"),
    "dimension": ('batch = Dim("b")', "torch.export.export(Net(), (ex,), dynamic_shapes=({0: batch},))"),
    "dynamic": ("", "torch.export.export(Net(), (ex,), dynamic_shapes=({0: Dim.DYNAMIC},))"),
    "mapping": (f"OPTIONS = dict({SHAPES})", "torch.export.export(Net(), (ex,), **OPTIONS)"),
    "lists": ("", 'torch.export.export(Net(), (ex,), dynamic_shapes=[[Dim("b"), None]])'),
}
EXAMPLE: Final = """
from torch.export import Dim, export
BEFORE
def main(head: nn.Linear):
    return export(head, (SAMPLE,), dynamic_shapes=({0: Dim("b")},))  #!
FILES
"""
ONE: Final = "torch.zeros({{1||2}}, 4)"
EXAMPLES: Final = {
    "plain": ("", ONE, ""),
    "helper": (f"def sample():\n    return {ONE}", "sample()", ""),
    "constant": (f"SAMPLE = {ONE}", "SAMPLE", ""),
    "attribute": (f"class E:\n    sample = {ONE}", "E.sample", ""),
    "file": (
        "from samples import sample",
        "sample()",
        f"# == samples.py\nimport torch\ndef sample():\n    return {ONE}\n",
    ),
}
PAIRS: Final = {
    "TBR308": {
        **{f"mark {name}": MARKED.replace("MARKS", text).replace("TEST", TEST) for name, text in MARKS.items()},
        **{
            f"call {name}": CALLED.replace("DECORATED", "" if "compile(" in call else '@torch.compile(backend="eager")')
            .replace("DEFINED", defined)
            .replace("CALL", call)
            .replace("TEST", TEST)
            for name, (defined, call) in CALLS.items()
        },
        **{
            f"export {name}": EXPORTED.replace("DEFINED", defined).replace("CALL", call).replace("TEST", TEST)
            for name, (defined, call) in EXPORTS.items()
        },
        **{
            f"example {name}": EXAMPLE.replace("BEFORE", before).replace("SAMPLE,", f"{given},").replace("FILES", files)
            for name, (before, given, files) in EXAMPLES.items()
        },
    }
}
"""Programs with `{{bad||good}}` in them."""
