"""TBR101, TBR102: choices that are written without an `if`: reported if, and only if, the graph follows a value."""

from __future__ import annotations

from typing import Any

import pytest

from tests.oracle.agree import reported
from tests.oracle.support import indented, loaded, nodes_behind, require_torch

torch = require_torch()
pytestmark = pytest.mark.oracle

HEAD = """
import functools
import itertools
import operator
from functools import reduce
from itertools import compress, dropwhile, filterfalse, takewhile

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


WAYS = {True: sine, False: cosine}
ORDERED = [sine, cosine]
NAMED = {"a": sine, "b": cosine, "sin": sine, "cos": cosine}


def form(x: Tensor) -> Tensor:
"""
BODIES = [
    # the flag asked by identity
    "flag = bool(x.sum() > 0)\nif flag is True:\n    return x.sin()\nreturn x.cos()",
    "flag = bool(x.sum() > 0)\nreturn x.sin() if flag is not False else x.cos()",
    "return x.sin() if told(x) is True else x.cos()",
    "return x.sin() if (x.sum() > 0).item() is True else x.cos()",
    "flag = x.sum() > 0\nreturn x.sin() if flag is True else x.cos()",
    "flag = x.dim() > 1\nreturn x.sin() if flag is True else x.cos()",
    "return x.sin() if wide(x) is True else x.cos()",
    # a function chosen by a value
    "f = sine if x.sum() > 0 else cosine\nreturn f(x)",
    "if x.sum() > 0:\n    f = sine\nelse:\n    f = cosine\nreturn f(x)",
    "return (sine if x.sum() > 0 else cosine)(x)",
    "return {True: sine, False: cosine}[bool(x.sum() > 0)](x)",
    "return {True: x.sin(), False: x.cos()}[bool(x.sum() > 0)]",
    "ways = {True: sine, False: cosine}\nreturn ways[bool(x.sum() > 0)](x)",
    "return [sine, cosine][int(x.sum() > 0)](x)",
    "return (sine, cosine)[x.sum() > 0](x)",
    "return [x.sin(), x.cos()][int(x.sum() > 0)]",
    "f = [sine, cosine][int(x.sum() > 0)]\nreturn f(x)",
    "f = sine if x.dim() > 1 else cosine\nreturn f(x)",
    "return [sine, cosine][int(x.dim() > 1)](x)",
    "return {True: sine, False: cosine}[x.dim() > 1](x)",
    "return {'a': sine, 'b': cosine}['a'](x)",
    "return torch.where(x.sum() > 0, x.sin(), x.cos())",
    "return x[int(x.sum() > 0)].sin()",
    # a key that has a name, in a table that has one
    "fs = {True: sine, False: cosine}\nk = bool(x.sum() > 0)\nreturn fs[k](x)",
    "fs = {True: sine, False: cosine}\nk = bool(x.sum() > 0)\nreturn fs.get(k)(x)",
    "fs = {True: sine, False: cosine}\nk = bool(x.sum() > 0)\nreturn fs.get(k, sine)(x)",
    "fs = {1: sine}\nk = int(x.sum() > 0)\nreturn fs.get(k, cosine)(x)",
    "fs = {1: sine}\nreturn fs.get(int(x.sum() > 0), cosine)(x)",
    "fs = [sine, cosine]\nk = int(x.sum() > 0)\nreturn fs[k](x)",
    "fs = [sine, cosine, sine]\nk = int(x.flatten().argmax()) % 2\nreturn fs[k](x)",
    "fs = [sine, cosine]\nk = x.sum() > 0\nreturn fs[k](x)",
    "fs = [sine, cosine]\nf = fs[int(x.sum() > 0)]\nreturn f(x)",
    "fs = {True: sine, False: cosine}\nf = fs.get(bool(x.sum() > 0))\nreturn f(x)",
    "fs = {True: sine, False: cosine}\nf = fs.pop(bool(x.sum() > 0))\nreturn f(x)",
    "fs = [sine, cosine]\nf = fs.pop(int(x.sum() > 0))\nreturn f(x)",
    "fs = {True: x.sin(), False: x.cos()}\nk = bool(x.sum() > 0)\nreturn fs[k]",
    "fs = {True: x.sin(), False: x.cos()}\nk = bool(x.sum() > 0)\nreturn fs.get(k)",
    "fs = [x.sin(), x.cos()]\nk = int(x.sum() > 0)\ny = fs[k]\nreturn y * 2",
    "fs = [x.sin(), x.cos()]\nk = int(x.sum() > 0)\ny = fs.pop(k)\nreturn y * 2",
    "fs = [x.sin(), x.cos()]\nreturn fs[int(x.sum() > 0)] * 2",
    "fs = [x.sin(), x.cos()]\nreturn fs.pop(int(x.sum() > 0)) * 2",
    "return WAYS[bool(x.sum() > 0)](x)",
    "k = bool(x.sum() > 0)\nreturn WAYS[k](x)",
    "k = int(x.sum() > 0)\nreturn ORDERED[k](x)",
    "return WAYS.get(told(x))(x)",
    "return NAMED['a' if told(x) else 'b'](x)",
    "name = 'sin' if x.sum() > 0 else 'cos'\nreturn getattr(torch, name)(x)",
    "name = 'sin' if x.sum() > 0 else 'cos'\nreturn NAMED[name](x)",
    "name = ['sin', 'cos'][int(x.sum() > 0)]\nreturn getattr(torch, name)(x)",
    "name = ['a', 'b'][int(x.sum() > 0)]\nreturn NAMED[name](x)",
    "name = {True: 'sin', False: 'cos'}[bool(x.sum() > 0)]\nreturn getattr(x, name)()",
    "a, b = (x.sin(), x.cos()) if x.sum() > 0 else (x.cos(), x.sin())\nreturn a",
    "fs = [x.sin(), x.cos()][int(x.sum() > 0):]\nreturn fs[0]",
    "k = int(x.sum() > 0)\nfs = [x.sin(), x.cos()][k:]\nreturn sum(fs, x)",
    "k = int(x.sum() > 0)\nfs = [x.sin(), x.cos()][:k]\nreturn sum(fs, x)",
    "k = int(x.sum() > 0)\nout = x\nfor f in [sine, cosine][:k]:\n    out = f(out)\nreturn out",
    "layers = torch.nn.ModuleList([torch.nn.Tanh(), torch.nn.ReLU()])\nreturn layers[int(x.sum() > 0)](x)",
    "layers = torch.nn.ModuleDict({'a': torch.nn.Tanh(), 'b': torch.nn.ReLU()})\n"
    "return layers['a' if x.sum() > 0 else 'b'](x)",
    "layers = torch.nn.ModuleList([torch.nn.Tanh(), torch.nn.ReLU()])\nk = int(x.sum() > 0)\nreturn layers[k](x)",
    "k = str(int(x.sum() > 0))\n"
    "layers = torch.nn.ModuleDict({'0': torch.nn.Tanh(), '1': torch.nn.ReLU()})\nreturn layers[k](x)",
    "match bool(x.sum() > 0):\n    case True:\n        f = sine\n    case _:\n        f = cosine\nreturn f(x)",
    "try:\n    f = {True: sine}[bool(x.sum() > 0)]\nexcept KeyError:\n    f = cosine\nreturn f(x)",
    "if bool(x.sum() > 0) in {True}:\n    return x.sin()\nreturn x.cos()",
    "if {True: 1, False: 0}[bool(x.sum() > 0)]:\n    return x.sin()\nreturn x.cos()",
    "if {True: 1}.get(bool(x.sum() > 0)):\n    return x.sin()\nreturn x.cos()",
    "flags = {True: 1, False: 0}\nk = bool(x.sum() > 0)\nif flags[k]:\n    return x.sin()\nreturn x.cos()",
    "flags = {True: 1, False: 0}\nk = bool(x.sum() > 0)\nreturn x * flags[k]",
    "scales = [0.5, 2.0]\nk = int(x.sum() > 0)\nreturn x * scales[k]",
    "scales = {True: 0.5}\nreturn x * scales.get(bool(x.sum() > 0), 2.0)",
    "fs = {}\nfs[True] = sine\nfs[False] = cosine\nk = bool(x.sum() > 0)\nreturn fs[k](x)",
    "fs = dict(zip([True, False], [sine, cosine]))\nk = bool(x.sum() > 0)\nreturn fs[k](x)",
    "fs = {k: v for k, v in zip([True, False], [sine, cosine])}\nreturn fs[bool(x.sum() > 0)](x)",
    "k = bool(x.sum() > 0)\nreturn (k and sine or cosine)(x)",
    "fs = {2: sine, 3: cosine}\nreturn fs[x.dim()](x)",
    "fs = {2: sine, 3: cosine}\nreturn fs.get(x.dim(), cosine)(x)",
    "fs = {'a': sine, 'b': cosine}\nk = 'a'\nreturn fs[k](x)",
    "return min([x.sin().sum(), x.cos().sum()])",
    "fs = [x.sin(), x.cos()]\nreturn fs.__getitem__(int(x.sum() > 0))",
    "rows = {0: x.sin(), 1: x.cos()}\nreturn sum([rows[k] for k in rows], x)",
    "rows = {0: x.sin(), 1: x.cos()}\ntotal = x\nfor k in rows:\n    total = total + rows[k]\nreturn total",
    # what lets elements through
    "return sum(filter(pick, [x, x.sin()]), x)",
    "return sum(filter(lambda t: t.sum() > 0, [x, x.sin()]), x)",
    "return sum(filter(told, [x, x.sin()]), x)",
    "return sum(takewhile(pick, [x, x.sin()]), x)",
    "return sum(itertools.dropwhile(pick, [x, x.sin()]), x)",
    "return sum(filterfalse(pick, [x, x.sin()]), x)",
    "return sum(compress([x, x.sin()], [x.sum() > 0, x.max() > 0]), x)",
    "return sum([t for t in [x, x.sin()] if pick(t)], x)",
    "total = x\nfor t in filter(pick, [x, x.sin()]):\n    total = total + t\nreturn total",
    "total = x\nfor t in takewhile(pick, [x, x.sin()]):\n    total = total + t\nreturn total",
    "return next(filter(pick, [x.sin(), x.tan()]), x) * 2",
    "return sum(filter(wide, [x, x.sin()]), x)",
    "return sum(filter(lambda t: t is not None, [x, None]), x)",
    "return sum(takewhile(wide, [x, x.sin()]), x)",
    "return sum(compress([x, x.sin()], [True, False]), x)",
    # a function asked again and again
    "left = [x.sum(), x.sum() * 0, x.sum() * 0]\ntotal = x\nfor _ in iter(lambda: bool(left.pop() > 0), True):\n"
    "    total = total.sin()\n    if not left:\n        break\nreturn total",
    "left = [1, 2, 3]\ntotal = x\nfor _ in iter(left.pop, 1):\n    total = total.sin()\nreturn total",
    # functions that others call
    "return reduce(lambda a, b: a if a.sum() > b.sum() else b, [x.sin(), x.cos() * 0])",
    "return functools.reduce(lambda a, b: a + b, [x, x.sin()])",
    "return sum(map(lambda t: t.sin() if t.sum() > 0 else t, [x, x.cos()]))",
    "return sum(map(lambda t: t.sin() if t.dim() > 1 else t, [x, x.cos()]))",
    # chains
    "ok = 0 < x.sum() < 1000 and x.dim() > 1\nreturn x.sin() if ok else x.cos()",
    "return x.sin() if 0 < x.sum() < 1000 else x.cos()",
    "return x.sin() if 0 < x.dim() < 3 else x.cos()",
]


def _graph(form: Any, x: Any) -> list[str]:
    return sorted(node.name() for node in nodes_behind(form(x.clone().requires_grad_())))


@pytest.mark.parametrize("body", BODIES)
def test_the_graph_follows_a_value(body: str) -> None:
    source = HEAD + indented(body)
    x = torch.linspace(-1.0, 2.0, 12).reshape(3, 4)
    with loaded(source) as module:
        follows = _graph(module.form, x) != _graph(module.form, -x)
    assert bool(reported(source, "TBR101") or reported(source, "TBR102")) is follows
