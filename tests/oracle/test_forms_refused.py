"""TBR508, TBR512: what DDP and `save_for_backward` refuse of a checkpoint: reported if, and only if, they do."""

from __future__ import annotations

import pytest

from tests.oracle.agree import HEAD, forms, reported, require_torch
from tests.oracle.support import loaded, observe

torch = require_torch()
pytestmark = pytest.mark.oracle

PARALLEL = """
import torch
from torch import Tensor, nn
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.checkpoint import checkpoint


class Net(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.stem, self.body, self.other = nn.Linear(4, 4), nn.Linear(4, 4), nn.Linear(4, 4)

    def forward(self, x: Tensor) -> Tensor:
        h = self.stem(x)
        BODY


def step(x: Tensor) -> None:
    model = DDP(Net()OPTIONS)
    model(x).sum().backward()
"""
OPTIONS = ["", ", find_unused_parameters=True", ", static_graph=True", ", find_unused_parameters=False"]
BODIES = [
    "return checkpoint(self.body, h, use_reentrant=True)",
    "return checkpoint(self.body, h, use_reentrant=False)",
    "return checkpoint(self.body, checkpoint(self.body, h, use_reentrant=True), use_reentrant=True)",
    "return checkpoint(self.other, checkpoint(self.body, h, use_reentrant=True), use_reentrant=True)",
    "for _ in range(2):\n            h = checkpoint(self.body, h, use_reentrant=True)\n        return h",
    "for _ in range(2):\n            h = checkpoint(self.body, h, use_reentrant=False)\n        return h",
    "return checkpoint(lambda y: torch.sin(y), h, use_reentrant=True)",
]


@pytest.mark.usefixtures("group")
def test_what_marks_a_parameter_ready_twice_is_reported() -> None:
    for body in BODIES:
        for options in OPTIONS:
            source = PARALLEL.replace("BODY", body).replace("OPTIONS", options)
            with loaded(source) as module:
                outcome = observe(module.step, torch.ones(2, 4))
            assert bool(reported(source, "TBR508")) is (outcome.error is not None), (body, options)


SAVED = (
    HEAD
    + """
class Ck(torch.autograd.Function):
    @staticmethod
    def forward(ctx, run, *args):
        ctx.run = run
        ctx.save_for_backward(*args)
        with torch.no_grad():
            return run(*args)

    @staticmethod
    def backward(ctx, grad):
        args = [a.detach().requires_grad_() if isinstance(a, torch.Tensor) else a for a in ctx.saved_tensors]
        with torch.enable_grad():
            out = ctx.run(*args)
        torch.autograd.backward(out, grad)
        return (None, *(a.grad if isinstance(a, torch.Tensor) else None for a in args))


class Box:
    def __init__(self, v) -> None:
        self.v = v


def run(h, *rest):
    return torch.tanh(h)


def by_tensor(x: Tensor) -> Tensor:
    return Ck.apply(run, x)


def by_two(x: Tensor) -> Tensor:
    return Ck.apply(run, x, torch.ones(4))


def by_none(x: Tensor) -> Tensor:
    return Ck.apply(run, x, None)


def by_int(x: Tensor) -> Tensor:
    return Ck.apply(run, x, 3)


def by_float(x: Tensor) -> Tensor:
    s = 2.0
    return Ck.apply(run, x, s)


def by_str(x: Tensor) -> Tensor:
    return Ck.apply(run, x, "mean")


def by_tuple(x: Tensor) -> Tensor:
    return Ck.apply(run, x, (x, x))


def by_shape(x: Tensor) -> Tensor:
    return Ck.apply(run, x, x.shape[0])


def by_box(x: Tensor) -> Tensor:
    return Ck.apply(run, x, Box(1))


def by_param(x: Tensor) -> Tensor:
    return Ck.apply(run, x, A.weight)


def by_module(x: Tensor) -> Tensor:
    return Ck.apply(run, x, A)


def by_item(x: Tensor) -> Tensor:
    return Ck.apply(run, x, x.sum().item())


def by_mask(x: Tensor) -> Tensor:
    return Ck.apply(run, x, x > 0)


def by_function(x: Tensor) -> Tensor:
    return Ck.apply(run, x, run)
"""
)


def test_what_save_for_backward_refuses_is_reported() -> None:
    wrong = set()
    for name in forms(SAVED):
        with loaded(SAVED) as module:
            outcome = observe(getattr(module, name), torch.ones(4, requires_grad=True))
        if outcome.error is not None:
            assert outcome.first_line.startswith("save_for_backward can only save variables")
            wrong.add(name)
    assert set(reported(SAVED, "TBR512")) == wrong
