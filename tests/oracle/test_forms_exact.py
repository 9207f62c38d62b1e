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
import hashlib
import unittest

import numpy as np
import torch
from torch import use_deterministic_algorithms as deterministic

ONLY = True
WARN = functools.partial(torch.use_deterministic_algorithms, True, warn_only=True)
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
    "deterministic(True, warn_only=True)",
    "WARN()",
    "on = functools.partial(torch.use_deterministic_algorithms, True)\non(warn_only=True)",
    "on = functools.partial(torch.use_deterministic_algorithms, True)\non(warn_only=False)",
    "on = functools.partial(torch.use_deterministic_algorithms, warn_only=True)\non(False)",
    "on = functools.partial(torch.use_deterministic_algorithms, warn_only=True)\non(True, warn_only=False)",
    "torch.use_deterministic_algorithms(True, warn_only=ONLY)",
    "torch.use_deterministic_algorithms(True, warn_only=not ONLY)",
    "on = lambda warn: torch.use_deterministic_algorithms(True, warn_only=warn)\non(True)",
    "on = lambda warn: torch.use_deterministic_algorithms(True, warn_only=warn)\non(False)",
    "getattr(torch, 'use_deterministic_algorithms')(True, warn_only=True)",
    "try:\n    torch.use_deterministic_algorithms(True)\nexcept RuntimeError:\n    WARN()",
    "if ONLY:\n    WARN()\nelse:\n    torch.use_deterministic_algorithms(True)",
    "functools.partial(torch.set_deterministic_debug_mode, 'warn')()",
    "torch.use_deterministic_algorithms(True, warn_only=True)\ntorch.set_deterministic_debug_mode(2)",
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
    "exact = functools.partial(torch.testing.assert_close, rtol=0, atol=0)\nexact(a, b)",
    "near = functools.partial(torch.testing.assert_close, rtol=1e-3, atol=1e-3)\nnear(a, b)",
    "same = torch.equal\nassert same(a, b)",
    "same = lambda one, other: torch.equal(one, other)\nassert same(a, b)",
    "unittest.TestCase().assertTrue(torch.equal(a, b))",
    "unittest.TestCase().assertEqual(a.tolist(), b.tolist())",
    "unittest.TestCase().assertAlmostEqual(a.sum().item(), b.sum().item(), places=2)",
    "one, other = (hashlib.sha256(t.numpy().tobytes()) for t in (a, b))\nassert one.name == other.name",
    "assert hashlib.md5(a.numpy().tobytes()).hexdigest() == hashlib.md5(b.numpy().tobytes()).hexdigest()",
    "np.testing.assert_allclose(a.numpy(), b.numpy(), rtol=0)",
    "np.testing.assert_allclose(a.numpy(), b.numpy(), rtol=1e-3)",
    "if (a != b).any():\n    raise AssertionError",
    "assert (a == b).sum() == a.numel()",
    "assert (a == b).float().mean() == 1.0",
    "assert (a - b).norm() == 0",
    "assert (a - b).norm() < 1e-3",
    "assert a.argmax() == b.argmax()",
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
