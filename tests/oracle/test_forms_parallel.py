"""TBR508: ways to run a layer once or twice a step under DDP: reported if, and only if, DDP raises."""

from __future__ import annotations

import re
import textwrap

import pytest

from tests.oracle.agree import reported
from tests.oracle.support import loaded, observe, require_torch

torch = require_torch()
pytestmark = pytest.mark.oracle

PROGRAM = """
import functools

import torch
from torch import Tensor, nn
from torch.nn.parallel import DistributedDataParallel
from torch.utils.checkpoint import checkpoint


class Base(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.stem = nn.Linear(4, 4)
        self.body = nn.Linear(4, 4)
        self.other = nn.Linear(4, 4)
        self.act = nn.Tanh()
        self.layers = nn.ModuleList([nn.Linear(4, 4), nn.Linear(4, 4)])


class Net(Base):
    def forward(self, x: Tensor) -> Tensor:
{forward}
{methods}


def step(x: Tensor) -> None:
    model = DistributedDataParallel(Net(){options})
    for parameter in model.module.layers.parameters() if not {layers} else ():
        parameter.requires_grad_(False)
    model(x).sum().backward()
"""
FORMS = {
    "once": """
h = self.other(self.stem(x))
return checkpoint(self.body, h, use_reentrant=True)
""",
    "called_and_checkpointed": """
h = self.other(self.body(self.stem(x)))
return checkpoint(self.body, h, use_reentrant=True)
""",
    "checkpointed_and_called": """
h = checkpoint(self.body, self.other(self.stem(x)), use_reentrant=True)
return self.body(h)
""",
    "called_nonre": """
h = self.other(self.body(self.stem(x)))
return checkpoint(self.body, h, use_reentrant=False)
""",
    "called_no_grad": """
h = self.other(self.stem(x))
with torch.no_grad():
    t = self.body(h)
return checkpoint(self.body, h, use_reentrant=True) + t
""",
    "twice": """
h = self.other(self.stem(x))
h = checkpoint(self.body, h, use_reentrant=True)
return checkpoint(self.body, h, use_reentrant=True)
""",
    "different": """
h = checkpoint(self.other, self.stem(x), use_reentrant=True)
return checkpoint(self.body, h, use_reentrant=True)
""",
    "shared_inside": """
h = checkpoint(self.mid, self.other(self.stem(x)), use_reentrant=True)
return self.body(h)
def mid(self, h):
    return self.body(h).tanh()
""",
    "shared_lambda": """
h = self.other(self.stem(x))
return self.body(checkpoint(lambda h: self.body(h).tanh(), h, use_reentrant=True))
""",
    "weight_used": """
h = self.other(self.stem(x))
return checkpoint(self.body, h, use_reentrant=True) @ self.body.weight
""",
    "either": """
h = self.other(self.stem(x))
if h.shape[0] > 99:
    return self.body(h)
return checkpoint(self.body, h, use_reentrant=True)
""",
    "either_flag": """
h = self.other(self.stem(x))
if self.training:
    h = checkpoint(self.body, h, use_reentrant=True)
else:
    h = self.body(h)
return h
""",
    "comp_detached": """
h = self.other(self.stem(x))
t = self.body(h).detach()
return checkpoint(self.body, h, use_reentrant=True) + t
""",
    "two_lambdas": """
h = self.other(self.stem(x))
h = checkpoint(lambda h: self.body(h), h, use_reentrant=True)
return checkpoint(lambda h: self.body(h).tanh(), h, use_reentrant=True)
""",
    "loop_lambda": """
h = self.other(self.stem(x))
for _ in range(2):
    h = checkpoint(lambda h: self.body(h), h, use_reentrant=True)
return h
""",
    "loop_method": """
h = self.other(self.stem(x))
for _ in range(2):
    h = self.run(h)
return h
def run(self, h):
    return checkpoint(self.body, h, use_reentrant=True)
""",
    "alias": """
body = self.body
h = self.other(body(self.stem(x)))
return checkpoint(body, h, use_reentrant=True)
""",
    "helper": """
h = self.run(self.other(self.stem(x)))
return self.body(h)
def run(self, h):
    return checkpoint(self.body, h, use_reentrant=True)
""",
    "in_two_methods": """
h = self.run(self.other(self.stem(x)))
return self.again(h)
def run(self, h):
    return checkpoint(self.body, h, use_reentrant=True)
def again(self, h):
    return self.body(h).tanh()
""",
    "comprehension": """
h = self.other(self.stem(x))
return sum([checkpoint(self.body, h, use_reentrant=True) for _ in range(2)])
""",
    "layers": """
h = self.other(self.body(self.stem(x)))
for layer in self.layers:
    h = checkpoint(lambda h, layer=layer: layer(h), h, use_reentrant=True)
return h
""",
    "layers_by_method": """
h = self.other(self.body(self.stem(x)))
for layer in self.layers:
    h = self.run(layer, h)
return h
def run(self, layer, h):
    return checkpoint(layer, h, use_reentrant=True)
""",
    "layers_and_one": """
h = self.other(self.stem(x))
for layer in self.layers:
    h = checkpoint(lambda h, layer=layer: layer(self.body(h)), h, use_reentrant=True)
return h
""",
    "metadata": """
h = self.other(self.stem(x)).to(self.body.weight.dtype)
return checkpoint(self.body, h, use_reentrant=True)
""",
    "without_parameters": """
h = self.body(self.other(self.stem(x)))
h = self.act(h)
for layer in self.layers:
    h = layer(h)
return checkpoint(self.act, h, use_reentrant=True)
""",
}


def program(form: str, options: str) -> str:
    forward, *methods = re.split(r"\n(?=def )", FORMS[form].strip())
    below = "\n".join(textwrap.indent(m, "    ") for m in methods).replace("h)", "h: Tensor)", 1)
    forward = textwrap.indent(forward, " " * 8)
    return PROGRAM.format(forward=forward, methods=below, options=options, layers="layers" in forward)


def agrees(source: str) -> None:
    with loaded(source) as module:
        outcome = observe(module.step, torch.linspace(-1.0, 1.0, 8).reshape(2, 4))
    assert outcome.error is None or outcome.first_line.startswith("Expected to mark a variable ready only once.")
    assert bool(reported(source, "TBR508")) is (outcome.error is not None)


@pytest.mark.usefixtures("group")
@pytest.mark.parametrize("form", FORMS)
def test_layers_that_run_twice(form: str) -> None:
    agrees(program(form, ""))


@pytest.mark.usefixtures("group")
@pytest.mark.parametrize("form", ["once", "called_and_checkpointed"])
@pytest.mark.parametrize("option", ["find_unused_parameters", "static_graph"])
def test_options_of_the_module(form: str, option: str) -> None:
    agrees(program(form, f", {option}=True"))
