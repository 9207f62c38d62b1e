"""TBR105: ways to guard an error by a tensor's value: which of them wait for it, and what each costs when compiled."""

from __future__ import annotations

import textwrap

import pytest

from tests.oracle.agree import reported
from tests.oracle.support import compiling, graphs_compiled, loaded, observe, require_torch

torch = require_torch()
pytestmark = pytest.mark.oracle

X = torch.linspace(-1.0, 1.0, 12).reshape(3, 4)

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
GUARDS = [
    "assert x.sum() < 100",
    'assert x.sum() < 100, "sum"',
    'assert x.sum() < 100, f"{x.sum()}"',
    "assert not x.isnan().any()",
    "if x.isnan().any():\n    raise ValueError",
    "if not x.isfinite().all():\n    raise FloatingPointError(f'{x}')",
    "if x.isnan().any():\n    LOG.error('nan')\n    raise ValueError",
    "if x.isnan().any():\n    warnings.warn('nan')",
    "if x.isnan().any():\n    fail(x)",
    "if not x.isnan().any():\n    x = x.cos()\nelse:\n    fail(x)",
    "if not x.isnan().any():\n    x = x.cos()\nelse:\n    raise ValueError",
    "fail(x) if x.isnan().any() else None",
    "x.isnan().any() and fail(x)",
    "while x.isnan().any():\n    raise ValueError",
    "match bool(x.isnan().any()):\n    case True:\n        raise ValueError",
    "match bool(x.isnan().any()):\n    case True:\n        fail(x)\n    case _:\n        pass",
    "torch._assert((x < 100).all(), 'large')",
    "torch._assert(condition=(x < 100).all(), message='large')",
    "for _ in range(2):\n    torch._assert((x < 100).all(), 'large')\n    x = x.cos()",
    "early(x)",
    "check((x < 100).all(), 'large')",
    "torch._assert_async((x < 100).all())",
    "torch._assert(x.shape[0] < 100, 'large')",
    "assert x.shape[0] == 3",
    "if x.dim() != 2:\n    raise ValueError",
    "if x.dtype != torch.float32:\n    fail(x)",
]

EAGER = [
    "torch._check(bool((x < 100).all()))",
    "torch._check(x.sum().item() < 100, lambda: 'large')",
    "torch._check_value(bool((x < 100).all()))",
    "torch._check_index(x.sum().item() < 100)",
    "torch._check_type(float(x.sum()) < 100)",
    "torch._check_tensor_all(x < 100)",
    "torch._assert(bool((x < 100).all()), 'large')",
    "torch._assert(x.sum().item() < 100, 'large')",
    "torch._check(x.shape[0] < 100)",
    "torch._check(x.dim() == 2 and x.shape[1] == 4)",
    "torch._check(bool(x.is_floating_point()))",
]
"""Guards whose number `fullgraph=True` captures, so that only eager code waits."""


def _source(body: str, decorator: str = "") -> str:
    helper = EARLY if "early(" in body else CHECK if body.startswith("check(") else ""
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
        module.form(X)
    return Reads.found


@pytest.mark.parametrize("body", GUARDS + EAGER)
def test_a_guard_that_waits_is_told_as_one(body: str) -> None:
    source = _source(body)
    assert bool(reported(source, "TBR105")) is _waits(source)
    assert not any(reported(source, code) for code in ("TBR101", "TBR102", "TBR103"))


def test_some_guards_wait_and_some_do_not() -> None:
    waits = [_waits(_source(body)) for body in GUARDS]
    assert 3 < sum(waits) < len(waits) - 3


@pytest.mark.parametrize("body", GUARDS)
def test_what_a_guard_costs_when_compiled(body: str) -> None:
    source = _source(body, '@torch.compile(backend="eager")\n')
    with loaded(source) as module:
        graphs = graphs_compiled(lambda: module.form(X))
    assert bool(reported(source, "TBR305")) is (graphs == 0)
    assert bool(reported(source, "TBR304")) is (graphs > 1)


@pytest.mark.parametrize("body", GUARDS)
def test_each_guard_is_an_error_where_it_is_refused(body: str) -> None:
    """Refused, or lost: the number that a `match` asks for is captured, and the error is not raised any more."""
    source = _source(body, '@torch.compile(backend="eager", fullgraph=True)\n')
    with loaded(_source(body)) as module:
        right = [observe(module.form, x).error is None for x in (X, X * torch.nan)]
    passes = []
    for x in (X, X * torch.nan):
        with compiling(source) as module:
            passes.append(observe(module.form, x).error is None)
    assert bool(reported(source, "TBR304")) is (passes != right), passes


ANSWERED = ["bool(t) is True", "bool(t) == 1", "1 == bool(t)", "bool(t) != 0"]
REFUSED = ["bool(t) == True", "bool(t) > 0", "int(t) == 1", "t == 1", "bool(t)"]


@pytest.mark.parametrize("asked", [*ANSWERED, *REFUSED])
def test_questions_that_a_tracer_answers_in_silence(asked: str) -> None:
    body = f"t = x.sum() > 0\nif {asked}:\n    return x.cos()"
    source = _source(body, '@torch.compile(backend="eager", fullgraph=True)\n')
    with loaded(_source(body)) as module:
        right = [module.form(x) for x in (X, -X)]
    given = []
    for x in (X, -X):
        with compiling(source) as module:
            given.append(observe(module.form, x))
    silent = all(one.error is None for one in given)
    assert silent is (asked in ANSWERED)
    assert not silent or not all(torch.equal(one.value, value) for one, value in zip(given, right, strict=True))
    [[message]] = reported(source, "TBR304").values()
    assert ("in silence" in message) is silent


@pytest.mark.parametrize(("error", "told"), [("NotImplementedError", False), ("ValueError", True)])
def test_a_method_that_others_override_is_no_error(error: str, told: bool) -> None:
    body = "if x.sum() > 0:\n    other(x)"
    other = f"def other(x: Tensor) -> None:\n    raise {error}\n\n\n"
    assert bool(reported(HEAD + other + _source(body)[len(HEAD) :], "TBR105")) is told
