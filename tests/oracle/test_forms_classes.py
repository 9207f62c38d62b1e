"""TBR303: state of classes and globals by their names: reported if, and only if, it costs a graph per value."""

from __future__ import annotations

import pytest

from tests.oracle.agree import reported
from tests.oracle.support import graphs_compiled, loaded, require_torch

torch = require_torch()
pytestmark = pytest.mark.oracle

FORMS = """
import torch
from torch import Tensor, nn

STEPS = 0
ROUNDS = 0
FIXED = 0


class Own(nn.Module):
    count = 0

    def forward(self, x):
        Own.count += 1
        return x * Own.count


class ByType(nn.Module):
    count = 0

    def forward(self, x):
        type(self).count += 1
        return x * self.count


class ByClass(nn.Module):
    count = 0

    def forward(self, x):
        self.__class__.count += 1
        return x * self.count


class ByMethod(nn.Module):
    count = 0

    @classmethod
    def bump(cls):
        cls.count += 1

    def forward(self, x):
        self.bump()
        return x * self.count


class Constant(nn.Module):
    count = 3

    def forward(self, x):
        return x * type(self).count * Constant.count


class Settings:
    step = 0
    rate = 0.0
    set_anew = 0


own = torch.compile(Own(), backend="eager")
bytype = torch.compile(ByType(), backend="eager")
byclass = torch.compile(ByClass(), backend="eager")
bymethod = torch.compile(ByMethod(), backend="eager")
constant = torch.compile(Constant(), backend="eager")


@torch.compile(backend="eager")
def settings(x: Tensor):
    Settings.step += 1
    return x * Settings.step


@torch.compile(backend="eager")
def rate(x: Tensor):
    Settings.rate += 0.5
    return x * Settings.rate


@torch.compile(backend="eager")
def anew(x: Tensor):
    Settings.set_anew = 3
    return x * Settings.set_anew


@torch.compile(backend="eager")
def by_name(x: Tensor):
    globals()["STEPS"] += 1
    return x * STEPS


@torch.compile(backend="eager")
def by_name_twice(x: Tensor):
    globals()["ROUNDS"] = globals()["ROUNDS"] + 1
    return x * ROUNDS


@torch.compile(backend="eager")
def fixed(x: Tensor):
    return x * globals()["FIXED"]
"""
CLASSES = {name.lower(): name for name in ("Own", "ByType", "ByClass", "ByMethod", "Constant")}
NAMES = [*CLASSES, "settings", "rate", "anew", "by_name", "by_name_twice", "fixed"]


def test_state_by_names_that_costs_a_graph_per_value() -> None:
    found = set(reported(FORMS, "TBR303"))
    costly = set()
    with loaded(FORMS) as module:
        for name in NAMES:
            call = getattr(module, name)
            if graphs_compiled(lambda call=call: [call(torch.ones(4)) for _ in range(12)]) >= 8:
                costly.add(CLASSES.get(name, name))
    assert 0 < len(costly) < len(NAMES)
    assert found == costly
