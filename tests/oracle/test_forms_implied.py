"""TBR304, TBR305: decisions that no test is written for, and the cost that is said of each, held against compile."""

from __future__ import annotations

import pytest

from tests.oracle.agree import reported
from tests.oracle.support import Outcome, compiling, graphs_compiled, indented, loaded, observe, require_torch

torch = require_torch()
pytestmark = pytest.mark.oracle

HEAD = """
import contextlib
import functools
import itertools
import operator
from functools import reduce
from itertools import compress, dropwhile, filterfalse, takewhile
from operator import methodcaller

import torch
from torch import Tensor


def pick(t: Tensor) -> Tensor:
    return t.sum() > 0


def told(t: Tensor) -> bool:
    return bool(t.sum() > 0)


def wide(t: Tensor) -> bool:
    return t.shape[0] > 2


def sine(t: Tensor) -> Tensor:
    return t.sin()


def cosine(t: Tensor) -> Tensor:
    return t.cos()


"""
BODIES = [
    # chained comparisons
    "t = x.sum()\ninside = 0 < t < 1\nreturn x.sin() * inside",
    "return x.sin() * (x.min() < x.mean() < x.max())",
    "ok = x.sum() == 1 == 1\nreturn x.sin() * ok",
    "for i in range(3):\n    ok = 0 < x.sum() < 1\n    x = x * ok\nreturn x.sin()",
    "if 0 < x.sum() < 1 < x.max():\n    x = x.sin()\nreturn x.cos()",
    "t = x.sum()\ninside = 0 < t\nreturn x.sin() * inside",
    "t = x.sum()\ninside = (0 < t) & (t < 1)\nreturn x.sin() * inside",
    "return x.sin() * (0 < x.dim() < 4)",
    "return x.sin() * (1 < x.shape[0] < 4)",
    # searches
    "found = 1.0 in x\nreturn x.sin() * found",
    "found = 1.0 not in x\nreturn x.sin() * found",
    "return x.sin(), 1.0 in x",
    "return x.sin() * int(1.0 in x)",
    "return x * any(t in x for t in [1.0, 2.0])",
    "found = (x == 1.0).any()\nreturn x.sin() * found",
    "t = x.sum()\nreturn x.sin() * (t in [1, 2])",
    "return x.sin() * (x[0, 0] in (x[1, 0], x[2, 0]))",
    "return x.sin() * (2 in x.shape)",
    # `not`
    "ok = not (x.sum() > 0)\nreturn x.sin() * ok",
    "return x.sin(), not x.sum()",
    "return x.sin() * (not not x.sum())",
    "return x.sin(), bool(not x.sum())",
    "ok = x.dim() > 1 and not x.sum()\nreturn x.sin() * ok",
    "with torch.no_grad():\n    ok = not x.sum()\nreturn x.sin() * ok",
    "if (not x.sum()) is True:\n    x = x.sin()\nreturn x.cos()",
    "ok = not torch.equal(x, x)\nreturn x.sin() * ok",
    "ok = not bool(x.sum() > 0)\nreturn x.sin() * ok",
    "y = x if not x.sum() else x.cos()\nreturn y.sin()",
    "while not x.sum():\n    x = x + 1\nreturn x.sin()",
    "ok = torch.logical_not(x.sum() > 0)\nreturn x.sin() * ok",
    "ok = not x.requires_grad\nreturn x.sin() * ok",
    "ok = not (x.dim() > 3)\nreturn x.sin() * ok",
    # what lets elements through
    "kept = list(filter(lambda t: t.sum() > 0, [x, x.sin()]))\nreturn x.sin() * len(kept)",
    "kept = list(filter(pick, [x, x.sin()]))\nreturn x.sin() * len(kept)",
    "kept = list(filter(told, [x, x.sin()]))\nreturn x.sin() * len(kept)",
    "kept = list(filter(None, [x.sum(), x.sin().sum()]))\nreturn x.sin() * len(kept)",
    "kept = list(takewhile(pick, [x, x.sin()]))\nreturn x.sin() * len(kept)",
    "kept = list(itertools.dropwhile(pick, [x, x.sin()]))\nreturn x.sin() * len(kept)",
    "kept = list(filterfalse(pick, [x, x.sin()]))\nreturn x.sin() * len(kept)",
    "kept = [t for t in [x, x.sin()] if pick(t)]\nreturn x.sin() * len(kept)",
    "kept = list(filter(wide, [x, x.sin()]))\nreturn x.sin() * len(kept)",
    "kept = list(filter(None, [x.dim(), 0]))\nreturn x.sin() * len(kept)",
    "kept = list(filter(lambda t: t is not None, [x, None]))\nreturn kept[0].sin()",
    # functions that others call
    "return reduce(lambda a, b: a if a.sum() > b.sum() else b, [x, x.sin()]).sin()",
    "return functools.reduce(lambda a, b: a + b, [x, x.sin()]).sin()",
    "return sorted([x, x.sin()], key=lambda t: t.sum())[0] + 1",
    "return sum(map(lambda t: t.sin() if t.sum() > 0 else t, [x, x.cos()]))",
    "return sum(map(lambda t: t.sin() if t.dim() > 1 else t, [x, x.cos()]))",
    # a table of ways
    "return {True: sine, False: cosine}[bool(x.sum() > 0)](x)",
    "return [sine, cosine][int(x.sum() > 0)](x)",
    "return (sine, cosine)[x.sum() > 0](x)",
    "ways = {True: sine, False: cosine}\nreturn ways[bool(x.sum() > 0)](x)",
    "return [x.sin(), x.cos()][int(x.sum() > 0)]",
    "return {True: sine, False: cosine}[x.dim() > 1](x)",
    "return [sine, cosine][int(x.dim() > 1)](x)",
    "f = sine if x.sum() > 0 else cosine\nreturn f(x)",
    "f = sine if x.dim() > 1 else cosine\nreturn f(x)",
    # the flag asked by identity
    "flag = bool(x.sum() > 0)\nif flag is True:\n    x = x.sin()\nreturn x.cos()",
    "flag = (x.sum() > 100).item()\nreturn x.sin() if flag is not False else x.cos()",
    "flag = x.sum() > 0\nreturn x.sin() if flag is True else x.cos()",
    "flag = x.dim() > 1\nreturn x.sin() if flag is True else x.cos()",
]
COMPILE = '@torch.compile(backend="eager"'


def _source(body: str, options: str = "") -> str:
    return f"{HEAD}{COMPILE}{options})\ndef form(x: Tensor):\n    x = x.tan()\n{indented(body)}"


def _whole(body: str) -> Outcome:
    """What one call does, an error among it where the result is not that of the plain function."""
    x = torch.linspace(-1.0, 2.0, 12).reshape(3, 4)
    with compiling(_source(body, ", fullgraph=True")) as module:
        outcome = observe(module.form, x)
        if outcome.error is None and repr(outcome.value) != repr(module.form._torchdynamo_orig_callable(x)):
            outcome.error = AssertionError("another result")
    return outcome


@pytest.mark.parametrize("body", BODIES)
def test_what_breaks_a_graph(body: str) -> None:
    source = _source(body)
    with loaded(source) as module:
        graphs = graphs_compiled(lambda: module.form(torch.linspace(-1.0, 2.0, 12).reshape(3, 4)))
    breaks = bool(reported(source, "TBR304") or reported(source, "TBR306"))
    assert bool(reported(source, "TBR305")) is (graphs == 0)
    assert (breaks or graphs == 0) is (graphs != 1 or _whole(body).error is not None)


CAPTURED = ["return x.sin() * int(1.0 in x)", "return x * any(t in x for t in [1.0, 2.0])"]
"""Searches that are captured, but for what is asked of their outcome: refused, and not reported."""


@pytest.mark.parametrize("body", [body for body in BODIES if body not in CAPTURED])
def test_what_fullgraph_refuses(body: str) -> None:
    source = _source(body, ", fullgraph=True")
    assert bool(reported(source, "TBR304")) is (_whole(body).error is not None)
    assert not reported(source, "TBR305")
