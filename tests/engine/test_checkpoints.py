"""The backward of an output, the options of a call and what can require grad: questions asked of the engine itself."""

from __future__ import annotations

from textwrap import dedent

import pytest
from astroid import nodes

from flake8_tensorbranch.engine.checkpointing.backward import Backward
from flake8_tensorbranch.engine.checkpointing.gradflow import MAY, NO
from flake8_tensorbranch.engine.checkpointing.gradients import Gradients
from flake8_tensorbranch.engine.checkpointing.recomputes import Recomputes
from flake8_tensorbranch.engine.inference.program import Program
from flake8_tensorbranch.engine.inference.summary import Analysis
from flake8_tensorbranch.engine.lookup.options import OMITTED, UNSEEN
from flake8_tensorbranch.engine.lookup.origins import Expr, Origins, line
from flake8_tensorbranch.engine.regions.region import Regions
from flake8_tensorbranch.project import Project
from flake8_tensorbranch.settings import Settings

HEAD = """\
import functools
import torch
from torch import nn
from torch.utils.checkpoint import checkpoint
"""


def recomputes_of(text: str) -> Recomputes:
    analysis = Analysis(Project())
    index = analysis.project.index("module_under_test.py", HEAD + dedent(text), None)
    program = Program(analysis, index)
    program.solve()
    return Recomputes(Origins(program), Regions(program, Settings()))


def backward_lines(body: str) -> list[tuple[int, bool]]:
    """The lines (after the head) of the first call's backwards, and whether its own function leads to them."""
    recomputes = recomputes_of(body)
    first = next(recomputes.all())
    events = Backward(recomputes.origins).of(first.call)
    return sorted((line(event.call.node) - HEAD.count("\n"), event.node is not None) for event in events)


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("def f(b, x):\n    y = checkpoint(b, x)\n    y.sum().backward()\n", [(3, True)]),
        ("def f(b, x):\n    y = checkpoint(b, x)\n    y = x\n    y.sum().backward()\n", []),
        ("def f(b, x):\n    y = checkpoint(b, x).detach()\n    y.sum().backward()\n", []),
        (
            "def f(b, x):\n    if x:\n        return\n    y = checkpoint(b, x)\n    torch.autograd.grad(y, x)\n",
            [(5, True)],
        ),
        ("def f(b, x):\n    return checkpoint(b, x)\ndef g(b, x):\n    f(b, x).backward()\n", [(4, False)]),
        ("def f(b, x):\n    g(checkpoint(b, x))\ndef g(y):\n    y.backward()\n", [(4, True)]),
        ("def f(b, x):\n    g(checkpoint(b, x), x)\ndef g(y, z):\n    z.backward()\n", []),
        (
            "def f(b, x, s):\n    out = []\n    out.append(checkpoint(b, x))\n    s.scale(sum(out)).backward()\n",
            [(4, True)],
        ),
        ("@torch.no_grad()\ndef f(b, x):\n    checkpoint(b, x).backward()\n", []),
        ("def f(b, x):\n    y, (z, w) = x, (checkpoint(b, x), x)\n    z.backward()\n    w.backward()\n", [(3, True)]),
        (
            "class T:\n  def f(self, b, x):\n    self.y = checkpoint(b, x)\n  def g(self):\n    self.y.backward()\n",
            [(5, False)],
        ),
    ],
)
def test_backward_of_an_output(body: str, expected: list[tuple[int, bool]]) -> None:
    assert backward_lines(body) == expected


def test_recursion_ends() -> None:
    assert backward_lines("def f(b, x):\n    return f(b, checkpoint(b, x))\n") == []


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("def f(b, x):\n    checkpoint(b, x)\n", {None}),
        ("def f(b, x):\n    checkpoint(b, x, use_reentrant=False)\n", {False}),
        ("def f(b, x, flag):\n    checkpoint(b, x, use_reentrant=flag)\n", set()),
        ("def f(b, x, flag=True):\n    checkpoint(b, x, use_reentrant=flag)\n", {True}),
        ("def f(b, x, **kw):\n    checkpoint(b, x, **kw)\n", set()),
        (
            "def f(b, x, **kw):\n  checkpoint(b, x, **kw)\ndef g(b, x):\n  f(b, x)\n  f(b, x, use_reentrant=True)\n",
            {None, True},
        ),
        ("run = functools.partial(checkpoint, **{'use_reentrant': False})\ndef f(b, x):\n    run(b, x)\n", {False}),
        (
            "def f(b, x, new):\n    kw = {'use_reentrant': False} if new else {}\n    checkpoint(b, x, **kw)\n",
            {False, None},
        ),
    ],
)
def test_variants(body: str, expected: set[bool | None]) -> None:
    recomputes = recomputes_of(body)
    first = next(recomputes.all())
    assert first.row is not None
    assert recomputes.options.reentrant(first.call, first.row) == expected


def test_options_that_are_not_in_view() -> None:
    recomputes = recomputes_of("def f(b, x, kw):\n    checkpoint(b, x, **kw)\n    checkpoint(b, x)\n")
    lines = {line(made.call.node): made for made in recomputes.all()}
    unseen, omitted = (recomputes.options.given(lines[n].call, "debug") for n in sorted(lines))
    assert unseen == [UNSEEN]
    assert omitted == [OMITTED]


NET = """\
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.frozen = nn.Embedding(4, 4).requires_grad_(False)
        self.trained = nn.Linear(4, 4)
        self.weight = nn.Parameter(torch.ones(4))
        self.register_buffer("scale", torch.ones(4))
    def forward(self, x):
        return {expression}
"""


@pytest.mark.parametrize(
    ("expression", "bits"),
    [
        ("self.frozen(x)", NO),
        ("self.trained(x)", MAY),
        ("self.trained(x).detach()", NO),
        ("self.trained(x).argmax(-1)", NO),
        ("self.frozen(x) * self.scale + 1.0", NO),
        ("self.frozen(x) * self.weight", MAY),
        ("self.frozen(x).requires_grad_()", MAY),
        ("torch.cat([self.frozen(x), self.frozen(x)], 0)", NO),
        ("torch.cat([self.frozen(x), self.trained(x)], 0)", MAY),
        ("torch.randn(3)", NO),
        ("torch.randn(3, requires_grad=True)", MAY),
        ("nn.functional.dropout(self.frozen(x), 0.1, self.training)", NO),
        ("x", MAY),
    ],
)
def test_what_can_require_grad(expression: str, bits: int) -> None:
    recomputes = recomputes_of(NET.format(expression=expression))
    gradients = Gradients(recomputes.origins, recomputes)
    forward = next(f for f in recomputes.origins.program.index.functions if f.name == "forward")
    assert gradients.run(forward, {}).result == bits


def test_what_can_require_grad_is_told_apart_in_nested_targets() -> None:
    body = "(a, (b, c)) = (x, (self.frozen(x), self.trained(x)))\n        return b"
    recomputes = recomputes_of(NET.format(expression="0").replace("return 0", body))
    forward = next(f for f in recomputes.origins.program.index.functions if f.name == "forward")
    assert Gradients(recomputes.origins, recomputes).run(forward, {}).result == NO


def test_origins_go_through_parameters_and_defaults() -> None:
    recomputes = recomputes_of("def f(a=1, b=2):\n    return a + b\ndef g():\n    return f(3)\n")
    origins = recomputes.origins
    f = next(f for f in origins.program.index.functions if f.name == "f")
    total = f.returns_nodes[0].value
    assert isinstance(total, nodes.BinOp)
    sides = [[o.node.value for o in origins.of(Expr(f.module, f, side))] for side in (total.left, total.right)]
    assert sides == [[3], [2]]
