"""TBR407: forward-mode transforms of what checkpoints inside: reported where a backward follows, and torch raises."""

from __future__ import annotations

import pytest

from tests.oracle.agree import reported, require_torch
from tests.oracle.support import loaded, observe

torch = require_torch()
pytestmark = pytest.mark.oracle

FORMS = """
import torch
from torch import Tensor, nn
from torch.func import jvp as forward_mode
from torch.utils.checkpoint import checkpoint

FC = nn.Linear(4, 4)


def curved(h: Tensor) -> Tensor:
    return h.sin().cos()


def of_curved(x: Tensor) -> Tensor:
    return checkpoint(curved, x, use_reentrant=False)


def of_a_layer(x: Tensor) -> Tensor:
    return checkpoint(FC, x, use_reentrant=False)


def of_both(x: Tensor) -> Tensor:
    out, tangent = torch.func.jvp(of_curved, (x,), (torch.ones_like(x),))
    (out.sum() + tangent.sum()).backward()
    return out


def of_the_tangent(x: Tensor) -> Tensor:
    tangent = forward_mode(of_curved, (x,), (torch.ones_like(x),))[1]
    tangent.sum().backward()
    return tangent


def of_a_layer_s_tangent(x: Tensor) -> Tensor:
    out, tangent = torch.func.jvp(of_a_layer, (x,), (torch.ones_like(x),))
    (out + tangent).square().sum().backward()
    return out


def of_a_jacobian(x: Tensor) -> Tensor:
    jacobian = torch.func.jacfwd(of_curved)(x)
    jacobian.sum().backward()
    return jacobian


def without_backward(x: Tensor) -> Tensor:
    return torch.func.jvp(of_curved, (x,), (torch.ones_like(x),))[1]


def jacobian_without_backward(x: Tensor) -> Tensor:
    return torch.func.jacfwd(of_curved)(x)


def without_checkpoint(x: Tensor) -> Tensor:
    out, tangent = torch.func.jvp(curved, (x,), (torch.ones_like(x),))
    (out.sum() + tangent.sum()).backward()
    return out
"""
NAMES = [
    *("of_both", "of_the_tangent", "of_a_layer_s_tangent", "of_a_jacobian"),
    *("without_backward", "jacobian_without_backward", "without_checkpoint"),
]


@pytest.mark.parametrize("name", NAMES)
def test_a_backward_of_what_forward_mode_gives_raises(name: str) -> None:
    with loaded(FORMS) as module:
        x = torch.linspace(-1.0, 1.0, 4).requires_grad_()
        outcome = observe(getattr(module, name), x)
    assert (outcome.kind == "CheckpointError") == (name in reported(FORMS, "TBR407"))
    assert (outcome.error is None) == (name in NAMES[4:])
