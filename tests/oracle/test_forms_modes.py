"""Grad mode by any spelling: a checkpoint whose graph nobody wants is silent, one that loses its gradients reported."""

from __future__ import annotations

import pytest

from tests.oracle.agree import HEAD, agree, require_torch

require_torch()
pytestmark = pytest.mark.oracle

FORMS = (
    HEAD
    + """
from torch import enable_grad as recording, no_grad as quiet

QUIET = torch.no_grad


def region(h: Tensor) -> Tensor:
    return A(h).tanh()


@contextlib.contextmanager
def quietly():
    with torch.no_grad():
        yield


@contextlib.contextmanager
def loudly():
    with torch.enable_grad():
        yield


def teacher(x: Tensor, width: int) -> Tensor:
    return checkpoint(region, x.detach(), use_reentrant=True)


def around(x: Tensor) -> Tensor:
    with torch.no_grad():
        target = checkpoint(region, x.detach(), use_reentrant=True)
    return target + x


def imported(x: Tensor) -> Tensor:
    with quiet():
        target = checkpoint(region, x.detach(), use_reentrant=True)
    return target + x


def kept(x: Tensor) -> Tensor:
    mode = torch.no_grad()
    with mode:
        target = checkpoint(region, x.detach(), use_reentrant=True)
    return target + x


def named(x: Tensor) -> Tensor:
    mode = torch.no_grad
    with mode():
        target = checkpoint(region, x.detach(), use_reentrant=True)
    return target + x


def named_in_the_module(x: Tensor) -> Tensor:
    with QUIET():
        target = checkpoint(region, x.detach(), use_reentrant=True)
    return target + x


def stacked(x: Tensor) -> Tensor:
    with contextlib.ExitStack() as stack:
        stack.enter_context(torch.no_grad())
        target = checkpoint(region, x.detach(), use_reentrant=True)
    return target + x


def own(x: Tensor) -> Tensor:
    with quietly():
        target = checkpoint(region, x.detach(), use_reentrant=True)
    return target + x


def by_statement(x: Tensor) -> Tensor:
    torch.set_grad_enabled(False)
    target = checkpoint(region, x.detach(), use_reentrant=True)
    torch.set_grad_enabled(True)
    return target + x


def by_statement_and_back(x: Tensor) -> Tensor:
    before = torch.is_grad_enabled()
    torch.set_grad_enabled(False)
    try:
        target = checkpoint(region, x.detach(), use_reentrant=True)
    finally:
        torch.set_grad_enabled(before)
    return target + x


def by_keyword(x: Tensor) -> Tensor:
    with torch.set_grad_enabled(mode=False):
        target = checkpoint(region, x.detach(), use_reentrant=True)
    return target + x


def wrapped(x: Tensor) -> Tensor:
    target = torch.no_grad()(lambda h: checkpoint(region, h.detach(), use_reentrant=True))
    return target(x) + x


def through_a_helper(x: Tensor) -> Tensor:
    with quiet():
        target = teacher(x, 4)
    return target + x


def lost(x: Tensor) -> Tensor:
    return checkpoint(region, x.detach(), use_reentrant=True) + x


def on_again(x: Tensor) -> Tensor:
    with quiet(), recording():
        target = checkpoint(region, x.detach(), use_reentrant=True)
    return target + x


def on_again_in_one_s_own(x: Tensor) -> Tensor:
    with quietly():
        with loudly():
            target = checkpoint(region, x.detach(), use_reentrant=True)
    return target + x


def set_on(x: Tensor) -> Tensor:
    with quiet():
        torch.set_grad_enabled(True)
        target = checkpoint(region, x.detach(), use_reentrant=True)
    return target + x


def over_before(x: Tensor) -> Tensor:
    torch.set_grad_enabled(False)
    torch.set_grad_enabled(True)
    return checkpoint(region, x.detach(), use_reentrant=True) + x


def left_before(x: Tensor) -> Tensor:
    with quietly():
        y = x * 2
    return checkpoint(region, y, use_reentrant=True) + x
"""
)


def test_checkpoints_are_told_by_the_mode_they_run_in() -> None:
    agree(FORMS, "TBR501")
