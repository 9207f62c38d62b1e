"""TBR604: results held to written numbers: reported where another state of torch's generator changes the verdict."""

from __future__ import annotations

import textwrap

import pytest

from tests.oracle.agree import reported, require_torch
from tests.oracle.support import loaded

torch = require_torch()
pytestmark = pytest.mark.oracle

HEAD = """
import functools
import math
import random
from functools import partial

import numpy as np
import pytest
import torch
import torch.nn.functional as F
from torch import Tensor, nn, randn
from torch.testing import assert_close

def total(x: Tensor) -> float:
    return x.abs().sum().item()


def noise(size, generator=None):
    return torch.randn(size, generator=generator)
"""
VALUES = {
    "randn": ("", "torch.randn(4).sum().item()"),
    "from": ("", "randn(4).sum().item()"),
    "alias": ("make = torch.randn", "make(4).sum().item()"),
    "part": ("make = partial(torch.randn, 4)", "make().sum().item()"),
    "part_gen": ("make = partial(torch.randn, 4, generator=torch.Generator().manual_seed(0))", "make().sum().item()"),
    "lam": ("make = lambda: torch.randn(4)", "make().sum().item()"),
    "helper": ("", "total(torch.randn(4))"),
    "helper_noise": ("", "total(noise(4))"),
    "helper_noise_gen": ("", "total(noise(4, torch.Generator().manual_seed(0)))"),
    "ones": ("", "total(torch.ones(4)) * 0.7213"),
    "rand_like": ("", "torch.rand_like(torch.ones(4)).sum().item()"),
    "dropout": ("", "F.dropout(torch.ones(64), 0.5, True).mean().item()"),
    "dropout_off": ("", "F.dropout(torch.ones(64) * 0.3713, 0.5, False).mean().item()"),
    "normal_": ("", "torch.empty(4).normal_().sum().item()"),
    "uniform_gen": ("", "torch.empty(4).uniform_(generator=torch.Generator().manual_seed(1)).sum().item()"),
    "perm": ("", "torch.randperm(9)[:3].float().std().item() + 0.1234"),
    "gen": ("", "torch.randn(4, generator=torch.Generator().manual_seed(0)).sum().item()"),
    "gen_var": ("g = torch.Generator()\ng.manual_seed(1)", "torch.randn(4, generator=g).sum().item()"),
    "init_const": ("w = torch.empty(3, 3)\nnn.init.constant_(w, 0.1234)", "w.sum().item()"),
    "shape": ("", "float(torch.randn(4).shape[0]) * 0.3713"),
    "loop": ("out = 0.0\nfor _ in range(3):\n    out += torch.randn(4).sum().item()", "out"),
    "distribution": ("", "torch.distributions.Normal(0.0, 1.0).sample((4,)).sum().item()"),
    "multinomial": ("", "torch.multinomial(torch.ones(9), 3).float().std().item() + 0.3713"),
    "listcomp": ("", "sum([torch.randn(2).sum().item() for _ in range(3)])"),
}
"""What comes before a value, and the value."""

CHECKS = {
    "abs": "assert abs({v} - {n}) < 1e-4",
    "eq": "assert round({v}, 3) == {r}",
    "isclose": "assert math.isclose({v}, {n}, rel_tol=1e-3)",
    "approx": "assert {v} == pytest.approx({n}, rel=1e-3)",
    "raise": "if abs({v} - {n}) > 1e-4:\n    raise AssertionError('changed')",
    "assert_close": "assert_close({v}, {n}, rtol=1e-3, atol=1e-4)",
    "allclose": "assert torch.allclose(torch.tensor({v}), torch.tensor({n}), rtol=1e-3)",
    "np": "np.testing.assert_allclose({v}, {n}, rtol=1e-3)",
    "want": "want = {n}\nassert abs({v} - want) < 1e-4",
    "local": "got = {v}\nassert abs(got - {n}) < 1e-4",
    "bound": "assert abs({v}) < 1000.0",
    "between": "assert {n} - 1e-4 < {v} < {n} + 1e-4",
    "msg": "assert abs({v} - {n}) < 1e-4, 'changed'",
    "list": "assert [{v}] == pytest.approx([{n}], rel=1e-3)",
    "ok": "ok = abs({v} - {n}) < 1e-4\nassert ok",
}
FORMS = [(value, "abs") for value in VALUES] + [(value, check) for value in ("randn", "gen") for check in CHECKS]


def program(value: str, check: str) -> str:
    """A module that holds a value to the number that came out of the first run."""
    before, measured = VALUES[value]
    body = textwrap.indent(f"{before}\nreturn {measured}", "    ")
    with loaded(f"{HEAD}\n\ndef measured():\n{body}\n") as module:
        torch.manual_seed(0)
        number = module.measured()
    said = CHECKS[check].format(v=measured, n=round(number, 4), r=round(number, 3))
    return f"{HEAD}\n\ndef check() -> None:\n{textwrap.indent(f'{before}{chr(10)}{said}', '    ')}\n"


def holds(source: str, seed: int) -> bool:
    """The verdict of a run that begins from a seed."""
    with loaded(source) as module:
        torch.manual_seed(seed)
        try:
            module.check()
        except AssertionError:
            return False
        return True


@pytest.mark.parametrize(("value", "check"), FORMS)
def test_verdicts_that_hang_on_the_generator_are_reported(value: str, check: str) -> None:
    source = program(value, check)
    verdicts = {holds(source, seed) for seed in range(8)}
    assert bool(reported(source, "TBR604")) is (len(verdicts) > 1)
