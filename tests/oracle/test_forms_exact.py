"""TBR602: ways to set deterministic mode and to compare: reported where it only warns and every bit counts."""

from __future__ import annotations

import textwrap

import pytest

from tests.oracle.agree import reported
from tests.oracle.support import loaded, require_torch

torch = require_torch()
pytestmark = [pytest.mark.oracle, pytest.mark.usefixtures("switched_back")]

PROGRAM = """
import functools

import numpy as np
import torch

OPTIONS = {{"warn_only": True}}


def turn(warn=False):
    torch.use_deterministic_algorithms(True, warn_only=warn)


def begin() -> None:
{mode}


def check(a: torch.Tensor, b: torch.Tensor) -> None:
{comparison}
"""
MODES = [
    "options = {'warn_only': True}\ntorch.use_deterministic_algorithms(True, **options)",
    "options = {'warn_only': False}\ntorch.use_deterministic_algorithms(True, **options)",
    "torch.use_deterministic_algorithms(**dict(mode=True, warn_only=True))",
    "torch.use_deterministic_algorithms(True, **{'warn_only': True})",
    "torch.use_deterministic_algorithms(True, **OPTIONS)",
    "functools.partial(torch.use_deterministic_algorithms, warn_only=True)(True)",
    "functools.partial(torch.use_deterministic_algorithms, warn_only=False)(True)",
    "on = torch.use_deterministic_algorithms\non(True, warn_only=True)",
    "on = torch.use_deterministic_algorithms\non(True)",
    "mode = 'warn'\ntorch.set_deterministic_debug_mode(mode)",
    "mode = 'error'\ntorch.set_deterministic_debug_mode(mode)",
    "torch.set_deterministic_debug_mode(debug_mode='warn')",
    "turn(warn=True)",
    "turn(warn=False)",
]
COMPARISONS = [
    "assert torch.equal(a, b)",
    "assert torch.equal(input=a, other=b)",
    "assert a.equal(b)",
    "assert torch.eq(a, b).all()",
    "assert torch.all(torch.eq(a, b))",
    "assert a.eq(b).all()",
    "assert not (a != b).any()",
    "assert not torch.ne(a, b).any()",
    "assert not torch.any(a != b)",
    "assert torch.count_nonzero(a != b) == 0",
    "assert (a - b).abs().max() == 0",
    "assert torch.abs(a - b).sum().item() == 0.0",
    "assert (a - b).abs().max() < 1e-3",
    "assert (a - b).abs().max() <= 1",
    "assert a.tolist() == b.tolist()",
    "assert a.numpy().tobytes() == b.numpy().tobytes()",
    "assert np.all(a.numpy() == b.numpy())",
    "assert np.equal(a.numpy(), b.numpy()).all()",
    "torch.testing.assert_close(a, b, **{'rtol': 0, 'atol': 0})",
    "torch.testing.assert_close(a, b, rtol=1e-3, atol=0)",
    "assert torch.allclose(a, b, 0, 0)",
    "assert torch.allclose(a, b)",
    "assert torch.isclose(a, b, rtol=0, atol=0).all()",
    "assert torch.isclose(a, b).all()",
    "assert (a == 0).all() or (a != 0).any()",
    "assert torch.eq(a, 0).all() or a.ne(0).any()",
    "assert a.shape == b.shape",
]


def program(mode: str, comparison: str) -> str:
    return PROGRAM.format(mode=textwrap.indent(mode, "    "), comparison=textwrap.indent(comparison, "    "))


@pytest.mark.parametrize("mode", MODES)
def test_modes(mode: str) -> None:
    source = program(mode, "assert torch.equal(a, b)")
    with loaded(source) as module:
        module.begin()
        warns = torch.get_deterministic_debug_mode() == 1
    assert bool(reported(source, "TBR602")) is warns


@pytest.mark.parametrize("comparison", COMPARISONS)
def test_comparisons(comparison: str) -> None:
    source = program("torch.use_deterministic_algorithms(True, warn_only=True)", comparison)
    one = torch.linspace(1.0, 2.0, 4)
    other = torch.cat([one[:3], torch.nextafter(one[3:], torch.tensor(9.0))])
    with loaded(source) as module:
        module.check(one, one.clone())
        try:
            module.check(one, other)
            exact = False
        except AssertionError:
            exact = True
    assert bool(reported(source, "TBR602")) is exact
