"""TBR503: reentrant checkpoints of another file, differentiated in this one: reported where torch raises."""

from __future__ import annotations

import importlib
from pathlib import Path

import pytest

from tests.oracle.agree import diagnostics
from tests.oracle.support import importable, indented, observe, require_torch

torch = require_torch()
pytestmark = pytest.mark.oracle

LAYERS = """
from torch import nn
from torch.distributed.algorithms._checkpoint.checkpoint_wrapper import CheckpointImpl, checkpoint_wrapper
from torch.utils.checkpoint import checkpoint


def run(block, x):
    return checkpoint(block, x, use_reentrant=True)


def named(block, x):
    y = checkpoint(block, x, use_reentrant=True)
    return y


def other_variant(block, x):
    return checkpoint(block, x, use_reentrant=False)


def aside(block, x):
    checkpoint(block, x, use_reentrant=True)
    return block(x)


wrapped = checkpoint_wrapper(nn.Linear(3, 3), checkpoint_impl=CheckpointImpl.REENTRANT)


def implemented(x):
    return wrapped(x)


class Layer(nn.Module):
    def __init__(self):
        super().__init__()
        self.block = nn.Linear(3, 3)

    def forward(self, x):
        return checkpoint(self.block, x, use_reentrant=True)
"""
HEAD = """
import torch
from torch import nn

from tbr_layers import Layer, aside, implemented, named, other_variant, run

block = nn.Linear(3, 3)


def form(x: torch.Tensor):
"""
BODIES = {
    "y = run(block, x)\nreturn torch.autograd.grad(y.sum(), x)": True,
    "y = named(block, x)\nreturn torch.autograd.grad(y.sum(), x)": True,
    "y = run(block, x)\ny.sum().backward(inputs=[x])": True,
    "y = implemented(x)\nreturn torch.autograd.grad(y.sum(), x)": True,
    "net = Layer()\ny = net(x)\nreturn torch.autograd.grad(y.sum(), x)": True,
    "return torch.autograd.grad(run(block, x * 2).square().sum(), x)": True,
    "y = other_variant(block, x)\nreturn torch.autograd.grad(y.sum(), x)": False,
    "y = aside(block, x)\nreturn torch.autograd.grad(y.sum(), x)": False,
    "y = run(block, x)\ny.sum().backward()": False,
    "y = run(block, x)\nreturn torch.autograd.grad(y.square().sum(), y)": False,
    "y = run(block, x).detach()\nreturn torch.autograd.grad(block(y).sum(), block.weight)": False,
    "with torch.no_grad():\n    y = run(block, x)\nreturn torch.autograd.grad((y * x).sum(), x)": False,
}


@pytest.mark.parametrize("body", BODIES)
def test_told_where_torch_raises(body: str, tmp_path: Path) -> None:
    text = HEAD + indented(body)
    with importable(tmp_path, {"tbr_layers.py": LAYERS, "tbr_use.py": text}):
        outcome = observe(importlib.import_module("tbr_use").form, torch.ones(2, 3, requires_grad=True))
    assert (outcome.error is not None) == BODIES[body]
    told = [item for item in diagnostics(text, str(tmp_path / "tbr_use.py")) if item.code == "TBR503"]
    assert bool(told) == BODIES[body]
    assert all(("CheckpointImpl" in item.help) == ("implemented" in body) for item in told)
