"""TBR206: names that the caller of a checkpointing function binds anew: reported where torch's gradients differ."""

from __future__ import annotations

import pytest

from tests.oracle.agree import HEAD, agree, differs, functions, reported, require_torch

require_torch()
pytestmark = pytest.mark.oracle

MAKES = {
    "lambda": "def go(v):\n    return checkpoint(lambda h: A(h * scale).tanh(), v, use_reentrant=False)\n",
    "named": (
        "def region(h):\n    return A(h * scale).tanh()\n"
        "def go(v):\n    return checkpoint(region, v, use_reentrant=False)\n"
    ),
    "inner": (
        "def go(v):\n    def region(h):\n        return A(h * scale).tanh()\n"
        "    return checkpoint(region, v, use_reentrant=False)\n"
    ),
    "default": (
        "def go(v):\n    return checkpoint(lambda h, scale=scale: A(h * scale).tanh(), v, use_reentrant=False)\n"
    ),
    "unread": "def go(v):\n    return checkpoint(lambda h: A(h).tanh(), v, use_reentrant=False)\n",
    "last": "def go(v):\n    return checkpoint(lambda h: A(h).tanh() * scale, v, use_reentrant=False)\n",
}
USES = {
    "later": "y = go(x)\nscale = 2.0\ny.sum().backward()\nreturn x * 1",
    "before": "scale = 2.0\ny = go(x)\ny.sum().backward()\nreturn x * 1",
    "after": "y = go(x)\ny.sum().backward()\nscale = 2.0\nreturn x * scale",
    "rounds": "total = 0\nfor scale in (1.0, 2.0):\n    total = total + go(x).sum()\ntotal.backward()\nreturn x * 1",
    "each_round": "for scale in (1.0, 2.0):\n    y = go(x)\n    y.sum().backward()\nreturn x * 1",
    "other": "y = go(x)\nother = 2.0\ny.sum().backward()\nreturn x * other",
}
FORMS = {f"{make}_{use}": f"scale = 1.0\n{MAKES[make]}{USES[use]}" for make in MAKES for use in USES}
PROGRAM = HEAD + functions(FORMS)
GLOBAL = (
    HEAD
    + """
scale = 1.0


def region(h):
    return A(h * scale).tanh()


def run(v):
    return checkpoint(region, v, use_reentrant=False)


def set_scale():
    global scale
    scale = 3.0


def form(x: Tensor) -> Tensor:
    global scale
    scale = 1.0
    y = run(x)
    FIRST
    SECOND
    return x * 1
"""
)


def test_names_bound_anew_after_the_function_returned_are_reported() -> None:
    agree(PROGRAM, "TBR206", names=FORMS, wrong=5, right=11)


@pytest.mark.parametrize("late", [True, False])
def test_globals_set_by_a_call_after_the_function_returned(late: bool) -> None:
    steps = ["y.sum().backward()", "set_scale()"]
    program = GLOBAL.replace("FIRST", steps[late]).replace("SECOND", steps[not late])
    assert ("run" in reported(program, "TBR206")) is differs(program, "form") is late
