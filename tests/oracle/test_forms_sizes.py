"""TBR301, TBR302: what sizes cost a compiled function, in ordinary spellings: the graphs of twelve sizes."""

from __future__ import annotations

import pytest

from tests.oracle.agree import reported
from tests.oracle.support import graphs_compiled, indented, loaded, require_torch

torch = require_torch()
pytestmark = pytest.mark.oracle

HEAD = """
import functools
import itertools
import math

import torch
import torch.nn.functional as F
from torch import Tensor

a0 = torch.sin
b0 = torch.cos


def together(*xs: Tensor) -> Tensor:
    return torch.stack(xs)


@torch.compile(backend="eager")
def form(x: Tensor):
"""
EACH = [
    "while x.shape[0] > 12:\n    x = x[:-1]\nreturn x.sin()",
    "for i in range(len(x)):\n    x = x + i\nreturn x",
    "for i, r in enumerate(x):\n    x = x + i\nreturn x",
    "for r, s in zip(x, x):\n    x = x + r * s\nreturn x",
    "return torch.stack([r.sin() for r in x])",
    "return torch.stack(list(map(torch.sin, x)))",
    "return torch.stack([r.sin() for r in x.unbind(0)])",
    "return torch.stack([r.sin() for r in torch.unbind(x)])",
    "return torch.cat([c.sin() for c in x.split(2)])",
    "return torch.cat([c.sin() for c in torch.split(x, 2)])",
    "return functools.reduce(lambda a, b: a + b, x)",
    "return sum(x)",
    "return sum(r for r in x)",
    "return x.sin() * sum(range(x.shape[0]))",
    "return x.sin() * len(range(0, x.shape[0], 2))",
    'return x.sin() * bin(x.shape[0]).count("1")',
    "return x.sin() * len(str(x.shape[0]))",
    "return x.sin() * x.shape[0].bit_length()",
    'return x.sin() * len(f"{x.shape[0]}")',
    "return x.sin() * hash(x.shape[0])",
    "d = {x.shape[0]: 2.0}\nreturn x.sin() * d[x.shape[0]]",
    "d = {8: 2.0}\nreturn x.sin() * d.get(x.shape[0], 1.0)",
    "t = [1.0] * 30\nreturn x.sin() * t[x.shape[0]]",
    "t = [1.0] * x.shape[0]\nreturn x.sin() * len(t)",
    "xs = list(x)\nreturn xs[0] + xs[-1]",
    "it = iter(x)\nreturn next(it) + next(it)",
    "a, *rest = x\nreturn a + len(rest)",
    "a, *_ = x\nreturn a.sin()",
    "*_, b = x\nreturn b.sin()",
    "a, *rest, b = x\nreturn a + b",
    "a, *rest = x.unbind(0)\nreturn sum(rest, a)",
    "return torch.stack([*x]).sin()",
    "return torch.cat((*x,)).sin()",
    "return torch.stack([*x.unbind(0)]).sin()",
    "return together(*x).sin()",
    "return torch.block_diag(*x).sin()",
    "taps, other = x.chunk(2, -1)\nfor i in range(taps.size(0)):\n    x = x + i\nreturn x",
    "taps = torch.ones(3, 4) @ x.t()\nfor i in range(taps.shape[1]):\n    x = x + i\nreturn x",
    "taps = torch.ones(1, 4) + x\nfor i in range(taps.shape[0]):\n    x = x + i\nreturn x",
    "taps = torch.arange(x.shape[0])\nfor i in range(len(taps)):\n    x = x + i\nreturn x",
]
"""A graph for each size, up to the limit."""
OUTCOME = [
    "n = x.shape[0]\nreturn x.sin() if n > 12 else x.cos()",
    "n = len(x)\nreturn x.sin() if n == 12 else x.cos()",
    "n = x.size(0)\nreturn x.sin() if n % 4 == 0 else x.cos()",
    "b, d = x.shape\nreturn x.sin() if b > 12 else x.cos()",
    "shape = x.shape\nreturn x.sin() if shape[0] > 12 else x.cos()",
    "return x.sin() if x.numel() > 48 else x.cos()",
    "return x.sin() if x.shape[0] in (9, 12) else x.cos()",
    "return x.sin() if x.shape == (12, 4) else x.cos()",
    "return x.sin() if tuple(x.shape) == (12, 4) else x.cos()",
    "big = x.shape[0] > 12\nreturn x.sin() if big else x.cos()",
    "f = a0 if x.shape[0] > 12 else b0\nreturn f(x)",
    "match x.shape[0]:\n    case 12: return x.sin()\n    case _: return x.cos()",
    "match x.shape:\n    case (12, 4): return x.sin()\n    case _: return x.cos()",
    "ok = 9 < x.shape[0] < 12\nreturn x.sin() if ok else x.cos()",
    "return x.sin() * (9 < x.shape[0] < 12)",
    "return x.sin() * (not x.shape[0] > 12)",
    "return x.sin() if torch.Size([12, 4]) == x.shape else x.cos()",
    "return x.sin() if x.shape[:1] == (12,) else x.cos()",
    "return x.sin() if x.size() == torch.Size((12, 4)) else x.cos()",
    "return x.sin() if any(s > 12 for s in x.shape) else x.cos()",
    "return x.sin() if max(x.shape) > 12 else x.cos()",
    "return x.sin() if x.nelement() > 50 else x.cos()",
]
"""A graph more for each outcome."""
FREE = [
    "if x.dim() > 3:\n    text = f'{x.shape[0]} rows'\n    raise ValueError(text)\nreturn x.sin()",
    "return [a0, b0][int(x.shape[0] > 12)](x)",
    "return {True: a0, False: b0}[x.shape[0] > 12](x)",
    "return x.sin() * (x.shape[0] > 12)",
    "return torch.cat([c.sin() for c in x.chunk(2)])",
    "a, *rest = x.chunk(2)\nreturn (sum(rest) + a.sum()).sin()",
    "return torch.stack([*x.unbind(1)]).sin()",
    "b, *rest = x.shape\nreturn x.reshape(b, -1).sin()",
    "taps = torch.arange(5)\nfor i in range(taps.shape[0]):\n    x = x + i\nreturn x",
    "taps = torch.linspace(0, 1, 5).double() * 2\nfor tap in taps:\n    x = x * tap\nreturn x",
    "taps = torch.tensor([1.0, 2.0])\nfor i in range(len(taps)):\n    x = x * taps[i]\nreturn x",
    "return x.reshape(*x.shape).sin()",
    "return max(x.shape) * x",
    "return x.sin() * math.ceil(x.shape[0] / 4)",
    "return x.sin() * int(x.shape[0] ** 0.5)",
    "return torch.arange(x.shape[0])[:, None] * x",
    "return F.pad(x, (0, 0, 0, 20 - x.shape[0]))",
    "return x.view(-1, 2, 2).sum(0)",
    "if x.dim() == 2: return x.sin()\nreturn x.cos()",
    "return x.sin() if x.is_contiguous() else x.cos()",
]
"""Arithmetic, ranks, and look-ups by a test, of which no finding speaks."""


def _found(body: str) -> tuple[int, bool, bool]:
    """How many graphs twelve sizes make, and whether a loop and a test on a size are reported."""
    source = HEAD + indented(body)

    with loaded(source) as module:

        def calls() -> None:
            for rows in range(8, 20):
                module.form(torch.ones(rows, 4))

        graphs = graphs_compiled(calls)
    return graphs, "form" in reported(source, "TBR302"), "form" in reported(source, "TBR301")


@pytest.mark.parametrize("body", EACH)
def test_a_graph_for_each_size(body: str) -> None:
    graphs, loop, _ = _found(body)
    assert graphs >= 8
    assert loop


@pytest.mark.parametrize("body", OUTCOME)
def test_a_graph_for_each_outcome(body: str) -> None:
    graphs, loop, test = _found(body)
    assert 3 <= graphs <= 5
    assert (loop, test) == (False, True)


@pytest.mark.parametrize("body", FREE)
def test_no_graph_for_a_size(body: str) -> None:
    graphs, loop, test = _found(body)
    assert graphs <= 3
    assert (loop, test) == (False, False)


CHECKED = """
import torch
from torch import Tensor


def expect(x: Tensor, raises: bool = True) -> bool:
    if x.shape[1] != 3:
        if raises:
            message = "a second dimension of 3"
            raise ValueError(message)
        return False
    return True


@torch.compile(backend="eager")
def form(x: Tensor) -> Tensor:
    expect(x)
    return x.sin()
"""


def test_a_check_that_raises_as_asked_costs_no_graph() -> None:
    with loaded(CHECKED) as module:
        graphs = graphs_compiled(lambda: [module.form(torch.ones(rows, 3)) for rows in range(2, 8)])
        unchecked = CHECKED.replace("    expect(x)\n", "")
    with loaded(unchecked) as module:
        assert graphs == graphs_compiled(lambda: [module.form(torch.ones(rows, 3)) for rows in range(2, 8)])
    assert not reported(CHECKED, "TBR301")
