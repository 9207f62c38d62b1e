"""TBR101, TBR102: decisions by any spelling: reported where the graph that is recorded differs from input to input."""

from __future__ import annotations

from typing import Any

import pytest

from tests.oracle.agree import HEAD, forms, reported, require_torch
from tests.oracle.support import loaded, nodes_behind

torch = require_torch()
pytestmark = pytest.mark.oracle

FORMS = (
    HEAD
    + """
import operator
from torch import allclose as close, equal, is_nonzero
from functools import partial

any_ = torch.any


item = Tensor.item


big = partial(torch.ge, other=1.0) if False else lambda t: t.max() > 1.0


BOUND = 1.0


CONFIG = {"clip": True}


def plain(x: Tensor):
    if x.max() > 1.0:
        x = x / 2
    return x.sin()


def any_alias(x: Tensor):
    if any_(x > 1.0):
        x = x / 2
    return x.sin()


def tensor_item(x: Tensor):
    if item(x.max()) > 1.0:
        x = x / 2
    return x.sin()


def lam(x: Tensor):
    if big(x):
        x = x / 2
    return x.sin()


def from_import(x: Tensor):
    if not close(x, x * 0):
        x = x / 2
    return x.sin()


def equal_(x: Tensor):
    if equal(x, x * 0):
        x = x / 2
    return x.sin()


def nonzero_(x: Tensor):
    if is_nonzero(x.max().clamp(min=0)):
        x = x / 2
    return x.sin()


def part(x: Tensor):
    over = partial(torch.gt, x.max())
    if over(1.0):
        x = x / 2
    return x.sin()


def op_gt(x: Tensor):
    if operator.gt(x.max(), 1.0):
        x = x / 2
    return x.sin()


def op_truth(x: Tensor):
    if operator.truth(x.max() > 1):
        x = x / 2
    return x.sin()


def helper_bool(t: Tensor):
    return bool((t > 1.0).any())


def helper(x: Tensor):
    if helper_bool(x):
        x = x / 2
    return x.sin()


def flagged(x: Tensor):
    if CONFIG["clip"] and x.max() > 1.0:
        x = x / 2
    return x.sin()


def tried(x: Tensor):
    try:
        if x.max() > 1.0:
            x = x / 2
    finally:
        pass
    return x.sin()


def ctx(x: Tensor):
    with contextlib.nullcontext():
        if x.max() > 1.0:
            x = x / 2
    return x.sin()


class Clip(nn.Module):

    @property
    def on(self):
        return True

    @staticmethod
    def over(x: Tensor):
        return x.max() > 1.0

    def forward(self, x: Tensor):
        if self.on and self.over(x):
            x = x / 2
        return x.sin()


CLIP = Clip()


def method(x: Tensor):
    return CLIP(x)


def match_(x: Tensor):
    match bool(x.max() > 1.0):
        case True:
            return x.sin()
        case _:
            return x.cos()


def ternary(x: Tensor):
    return x.sin() if x.sum() > 0 else x.cos()


def early(x: Tensor):
    if x.max() < 1.0:
        return x
    return x.sin()


def comp(x: Tensor):
    rows = [r for r in x if r.max() > 1.0]
    return sum(rows, x.sum())


def sorted_(x: Tensor):
    rows = sorted(x, key=lambda r: float(r.max()))
    return rows[0].sin()


def maxed(x: Tensor):
    r = max(x, key=lambda r: r.sum().item())
    return r.sin()


def builtin_max(x: Tensor):
    r = max(x[0].sum(), x[1].sum())
    return r.sin()


def builtin_any(x: Tensor):
    if any((v > 1.0 for v in x.flatten().tolist())):
        x = x / 2
    return x.sin()


def tensor_in(x: Tensor):
    if 2.0 in x:
        x = x / 2
    return x.sin()


def elem_in_list(x: Tensor):
    if x.max().item() in (2.0, 3.0):
        x = x / 2
    return x.sin()


def chained(x: Tensor):
    if -0.5 < x.max() < 1.5:
        x = x / 2
    return x.sin()


def walrus(x: Tensor):
    if (m := x.max()) > 1.0:
        x = x / m
    return x.sin()


def shape_(x: Tensor):
    if x.shape[0] > 2:
        x = x / 2
    return x.sin()


def none_(x: Tensor):
    m = x.max() if x.dim() == 2 else None
    if m is not None:
        x = x / 2
    return x.sin()


def where_(x: Tensor):
    return torch.where(x.max() > 1.0, x / 2, x).sin()


def dtype_(x: Tensor):
    if x.dtype.is_floating_point and x.is_contiguous():
        x = x / 2
    return x.sin()


def numpy_(x: Tensor):
    a = x.detach().numpy()
    if a.max() > 1.0:
        x = x / 2
    return x.sin()


def numpy_any(x: Tensor):
    if (x.detach().cpu().numpy() > 1.0).any():
        x = x / 2
    return x.sin()


def unbind(x: Tensor):
    a, b, c = x.unbind(0)
    if (a > b).all():
        a = a / 2
    return a.sin()


def count(x: Tensor):
    n = torch.count_nonzero(x > 1.0)
    if n:
        x = x / 2
    return x.sin()


def nonzero_len(x: Tensor):
    idx = (x > 1.0).nonzero()
    if len(idx):
        x = x / 2
    return x.sin()


def nonzero_numel(x: Tensor):
    idx = torch.nonzero(x > 1.0, as_tuple=True)[0]
    if idx.numel() == 0:
        return x
    return x.sin()


def mask_len(x: Tensor):
    kept = x[x > 1.0]
    if kept.numel() > 0:
        x = x + kept.mean()
    return x.sin()


def unique_len(x: Tensor):
    if len(x.round().unique()) > 3:
        x = x / 2
    return x.sin()


def while_(x: Tensor):
    while x.max() > 1.0:
        x = x / 2
    return x.sin()


def for_range(x: Tensor):
    for _ in range(int(x.max().clamp(min=0).item())):
        x = x / 2
    return x.sin()


def for_tolist(x: Tensor):
    for v in (x > 1.0).sum(0).tolist():
        for _ in range(v):
            x = x / 2
    return x.sin()


def brk(x: Tensor):
    for _ in range(4):
        if x.max() < 1.0:
            break
        x = x / 2
    return x.sin()


def recursive(x: Tensor):
    return x.sin() if x.max() < 1.0 else recursive(x / 2)
"""
)
BASE = torch.linspace(-1.0, 2.0, 12).reshape(3, 4)
INPUTS = [BASE, -BASE, BASE * 0.1, BASE * 5, BASE.flip(0), BASE * 0, BASE + 3]


def recorded(module: Any, name: str, x: Any) -> tuple[str, ...]:
    """The operations behind what a form gives."""
    return tuple(sorted(node.name() for node in nodes_behind(getattr(module, name)(x.clone().requires_grad_()))))


@pytest.mark.filterwarnings("ignore:Converting a tensor with requires_grad")
def test_decisions_that_change_the_graph_are_reported() -> None:
    places = forms(FORMS)
    with loaded(FORMS) as module:
        wrong = {p for name, p in places.items() if len({recorded(module, name, x) for x in INPUTS}) > 1}
    assert 0 < len(wrong) < len(places)
    assert set(reported(FORMS, "TBR101")) | set(reported(FORMS, "TBR102")) == wrong
