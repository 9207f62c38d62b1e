"""TBR105: ways to guard an error by a tensor's value: which of them wait for it, and what each costs when compiled."""

from __future__ import annotations

import textwrap

import pytest

from tests.oracle.agree import reported
from tests.oracle.support import graphs_compiled, loaded, observe, require_torch

torch = require_torch()
pytestmark = pytest.mark.oracle

HEAD = """
import logging
import warnings

import torch
from torch import Tensor

LOG = logging.getLogger()


def fail(x: Tensor) -> None:
    message = f"not finite: {x.shape}"
    raise ValueError(message)


"""
EARLY = """
def early(x: Tensor) -> None:
    if x.isnan().any():
        raise ValueError("nan")


"""
CHECK = """
def check(good: Tensor, message: str) -> None:
    if not good:
        raise ValueError(message)


"""
GUARDS = {
    "assert x.sum() < 100": (1, True),
    'assert x.sum() < 100, "sum"': (1, True),
    'assert x.sum() < 100, f"{x.sum()}"': (2, True),
    "assert not x.isnan().any()": (2, True),
    "if x.isnan().any():\n    raise ValueError": (2, True),
    "if not x.isfinite().all():\n    raise FloatingPointError(f'{x}')": (2, True),
    "if x.isnan().any():\n    LOG.error('nan')\n    raise ValueError": (2, True),
    "if x.isnan().any():\n    warnings.warn('nan')": (2, True),
    "if x.isnan().any():\n    fail(x)": (2, True),
    "if not x.isnan().any():\n    x = x.cos()\nelse:\n    fail(x)": (2, True),
    "if not x.isnan().any():\n    x = x.cos()\nelse:\n    raise ValueError": (2, True),
    "fail(x) if x.isnan().any() else None": (2, True),
    "x.isnan().any() and fail(x)": (2, True),
    "while x.isnan().any():\n    raise ValueError": (2, True),
    "match bool(x.isnan().any()):\n    case True:\n        raise ValueError": (2, True),
    "match bool(x.isnan().any()):\n    case True:\n        fail(x)\n    case _:\n        pass": (2, True),
    "torch._assert((x < 100).all(), 'large')": (2, True),
    "torch._assert(condition=(x < 100).all(), message='large')": (2, True),
    "for _ in range(2):\n    torch._assert((x < 100).all(), 'large')\n    x = x.cos()": (0, True),
    "early(x)": (2, True),
    "check((x < 100).all(), 'large')": (2, True),
    "torch._assert_async((x < 100).all())": (1, False),
    "torch._assert(x.shape[0] < 100, 'large')": (1, False),
    "assert x.shape[0] == 3": (1, False),
    "if x.dim() != 2:\n    raise ValueError": (1, False),
    "if x.dtype != torch.float32:\n    fail(x)": (1, False),
}
"""A guard -> whether it is kept in one graph (1), cuts it in two (2) or loses the frame (0), and whether it waits."""


def _source(body: str, decorator: str = "") -> str:
    helper = EARLY if "early(" in body else CHECK if "check(" in body else ""
    lines = textwrap.indent(f"x = x.tan()\n{body}\nreturn x.sin()\n", "    ")
    return f"{HEAD}{helper}{decorator}def form(x: Tensor) -> Tensor:\n{lines}"


def _waits(source: str) -> bool:
    from torch.utils._python_dispatch import TorchDispatchMode

    class Reads(TorchDispatchMode):  # type: ignore[misc]
        found = False

        def __torch_dispatch__(self, func, types, args=(), kwargs=None):  # type: ignore[no-untyped-def]
            Reads.found |= "local_scalar" in str(func)
            return func(*args, **(kwargs or {}))

    with loaded(source) as module, Reads():
        module.form(torch.linspace(-1.0, 1.0, 12).reshape(3, 4))
    return Reads.found


@pytest.mark.parametrize("body", GUARDS)
def test_a_guard_that_waits_is_told_as_one(body: str) -> None:
    source = _source(body)
    waits = _waits(source)
    assert waits is GUARDS[body][1]
    assert bool(reported(source, "TBR105")) is waits
    assert not any(reported(source, code) for code in ("TBR101", "TBR102", "TBR103"))


@pytest.mark.parametrize("body", GUARDS)
def test_what_a_guard_costs_when_compiled(body: str) -> None:
    source = _source(body, '@torch.compile(backend="eager")\n')
    with loaded(source) as module:
        graphs = graphs_compiled(lambda: module.form(torch.linspace(-1.0, 1.0, 12).reshape(3, 4)))
    kept = GUARDS[body][0]
    assert min(graphs, 2) == kept
    told = {code for code in ("TBR304", "TBR305") if reported(source, code)}
    assert told == ({"TBR304"} if kept == 2 else {"TBR305"} if kept == 0 else set())


@pytest.mark.parametrize("body", [body for body, (_, waits) in GUARDS.items() if waits])
def test_each_guard_is_an_error_where_it_is_refused(body: str) -> None:
    source = _source(body, '@torch.compile(backend="eager", fullgraph=True)\n')
    with loaded(source) as module:
        torch._dynamo.reset()
        outcome = observe(module.form, torch.linspace(-1.0, 1.0, 12).reshape(3, 4))
        torch._dynamo.reset()
    if "match" in body:  # refused or not as the value goes: a captured number is looked up among the cases
        return
    assert bool(reported(source, "TBR304")) is (outcome.error is not None)


def test_a_method_that_others_override_is_no_error() -> None:
    body = "if x.sum() > 0:\n    other(x)"
    other = "def other(x: Tensor) -> None:\n    raise NotImplementedError\n\n\n"
    assert not reported(HEAD + other + _source(body)[len(HEAD) :], "TBR105")
