"""TBR106: decisions on sums: reported if, and only if, adding the same numbers in another order decides otherwise."""

from __future__ import annotations

import pytest

from tests.oracle.agree import reported
from tests.oracle.support import loaded, require_torch

torch = require_torch()
pytestmark = pytest.mark.oracle

HEAD = """
from functools import partial

import torch
from torch import Tensor

INDEX = torch.zeros(3, dtype=torch.long)
ZEROS = torch.zeros(2)
plus = torch.index_add


def added(v: Tensor) -> Tensor:
    return torch.zeros(2).index_add(0, INDEX, v)


def told(t: Tensor) -> bool:
    return bool(t.max() > 1)


class Sums:
    def __init__(self) -> None:
        self.total = torch.zeros(2)

    def add(self, v: Tensor) -> Tensor:
        return self.total.index_add(0, INDEX, v)


"""
SUMS = {
    "torch.zeros(2).index_add(0, INDEX, v)": True,
    "torch.index_add(ZEROS, 0, INDEX, v)": True,
    "ZEROS.clone().index_add_(0, INDEX, v)": True,
    "torch.zeros(2).scatter_add(0, INDEX, v)": True,
    "torch.scatter_add(ZEROS, 0, INDEX, v)": True,
    "torch.zeros(2).scatter_reduce(0, INDEX, v, 'sum')": True,
    "torch.zeros(2).scatter_reduce(0, INDEX, v, reduce='sum')": True,
    "torch.zeros(2).scatter_reduce(0, INDEX, v, 'amax')": False,
    "torch.zeros(2).index_put((INDEX,), v, accumulate=True)": True,
    "torch.zeros(2).put(INDEX, v, accumulate=True)": True,
    "torch.bincount(INDEX, weights=v)": True,
    "torch.bincount(INDEX, v)": True,
    "INDEX.bincount(v)": True,
    "torch.bincount(INDEX) * v.max()": False,
    "(v * 1e8).long().cumsum(0) / 1e8": False,
    "torch.zeros(2, dtype=torch.long).index_add(0, INDEX, (v * 1e8).long()) / 1e8": False,
    "torch.zeros(3).index_copy(0, torch.arange(3), v)": False,
    "torch.zeros(2).scatter_add(0, INDEX, torch.ones(3)) * 0.4": False,
    "torch.zeros(2).scatter_add(0, INDEX, torch.ones_like(v)) * 0.4": False,
    "torch.zeros(2).index_add(0, INDEX, torch.full((3,), 0.3))": False,
    "torch.zeros(2).index_add(0, INDEX, v.new_full((3,), 0.3).to(v.dtype))": False,
    "torch.zeros_like(v[:2]).index_add(0, INDEX, v)": True,
    "torch.ones(2).scatter_add(0, INDEX, torch.full_like(v, 0.1)) / 1.2": False,
    "torch.zeros(2).index_add(0, INDEX, (v > 0).float()) / 2": False,
    "torch.zeros(2).index_add(0, INDEX, (v > 0).to(v.dtype).view(-1)) / 2": False,
    "torch.zeros(2).index_add(0, INDEX, v.float().view(-1))": True,
    "(v > 0.5).float().cumsum(0)[-1:] / 2": False,
    "torch.ones_like(v).float().cumsum(0) / 2": False,
    "v.clamp(max=1.0)": False,
    "added(v)": True,
    "Sums().add(v)": True,
    "(lambda t: ZEROS.index_add(0, INDEX, t))(v)": True,
    "partial(torch.index_add, ZEROS, 0, INDEX)(v)": True,
    "added(v).detach() * 1.0": True,
    "plus(ZEROS, 0, INDEX, v)": True,
}
DECISIONS = [
    "    return total.sin() if total.max() > 1 else total.cos()\n",
    "    if told(total):\n        return total.sin()\n    return total.cos()\n",
    "    top = total.max().item()\n    return 'above' if top > 1 else 'below'\n",
]


@pytest.mark.parametrize("decision", DECISIONS)
@pytest.mark.parametrize("summed", SUMS)
def test_the_order_decides(summed: str, decision: str) -> None:
    source = f"{HEAD}def form(v: Tensor):\n    total = {summed}\n{decision}"
    big_first = torch.tensor([1.0, 5e-8, 5e-8])  # (1 + 5e-8) + 5e-8 is 1, (5e-8 + 5e-8) + 1 is more
    with loaded(source) as module:
        first, last = module.form(big_first), module.form(big_first.flip(0))
    follows = not torch.allclose(first.max(), last.max(), atol=1e-3) if torch.is_tensor(first) else first != last
    assert follows is SUMS[summed]
    assert ("form" in reported(source, "TBR106")) is follows


FLOATING = """
from torch import Tensor, zeros


def form(v: Tensor):
    index = (v * 0).long()
    if v.is_floating_point():
        total = v.sum() * zeros(2)
    else:
        total = zeros(2, dtype=v.dtype).index_add(0, index, v)
    return total.sin() if total.max() > 1 else total.cos()
"""


def test_the_side_of_whole_numbers_is_exact() -> None:
    numbers = torch.tensor([2**40, 1, -(2**40)])
    with loaded(FLOATING) as module:
        assert torch.equal(module.form(numbers), module.form(numbers.flip(0)))
    assert "form" not in reported(FLOATING, "TBR106")
    other = FLOATING.replace("v.is_floating_point()", "not v.is_floating_point()")
    assert "form" in reported(other, "TBR106")
