"""TBR402: hooks on other modules than the region's, flags read at its very end: reported where gradients are others."""

from __future__ import annotations

import textwrap

import pytest

from tests.oracle.agree import HEAD, differs, reported, require_torch

require_torch()
pytestmark = pytest.mark.oracle

PARTS = (
    HEAD
    + """
from contextlib import contextmanager

CHAIN = nn.Sequential(A, nn.Tanh())


class Flag:
    on = False
    scale = 1.0


@contextmanager
def hooked(module):
    handle = module.register_forward_hook(lambda m, i, o: o * 2)
    try:
        yield
    finally:
        handle.remove()


@contextmanager
def flagged():
    Flag.on, Flag.scale = True, 2.0
    try:
        yield
    finally:
        Flag.on, Flag.scale = False, 1.0


class Two(nn.Module):
    def __init__(self):
        super().__init__()
        self.one = nn.Linear(4, 4)
        self.two = nn.Linear(4, 4)
        self.chain = nn.Sequential(self.one, nn.Tanh())

    def apart(self, x):
        with hooked(self.two):
            return checkpoint(lambda h: self.one(h).tanh(), x, use_reentrant=False)

    def own(self, x):
        with hooked(self.one):
            return checkpoint(lambda h: self.one(h).tanh(), x, use_reentrant=False)

    def held(self, x):
        with hooked(self.one):
            return checkpoint(lambda h: self.chain(h).sin(), x, use_reentrant=False)


class Other(nn.Module):
    def __init__(this):
        super().__init__()
        this.one = nn.Linear(4, 4)
        this.two = nn.Linear(4, 4)
        this.chain = nn.Sequential(this.one, nn.Tanh())

    def other_apart(this, x):
        with hooked(this.two):
            return checkpoint(lambda h: this.one(h).tanh(), x, use_reentrant=False)

    def other_held(this, x):
        with hooked(this.one):
            return checkpoint(lambda h: this.chain(h).sin(), x, use_reentrant=False)


TWO, OTHER = Two(), Other()


def middle(h):
    h = A(h).tanh()
    return (h * 2 if Flag.on else h).exp()


def scale(h):
    return h * Flag.scale


def at_end(h):
    return scale(A(h).tanh())
"""
)
REGIONS = {
    "hook_own": ("hooked(A)", "lambda h: A(h).tanh()"),
    "hook_other": ("hooked(B)", "lambda h: A(h).tanh()"),
    "hook_second": ("hooked(B)", "lambda h: B(A(h).tanh()).sin()"),
    "hook_chain": ("hooked(A)", "lambda h: CHAIN(h).sin()"),
    "hook_direct": ("hooked(C)", "A"),
    "flag_end": ("flagged()", "lambda h: A(h).tanh() * (2 if Flag.on else 1)"),
    "flag_scale": ("flagged()", "lambda h: A(h).tanh() * Flag.scale"),
    "flag_scale_first": ("flagged()", "lambda h: Flag.scale * A(h).tanh()"),
    "flag_helper": ("flagged()", "at_end"),
    "flag_middle": ("flagged()", "middle"),
    "flag_operation": ("flagged()", "lambda h: A(h).tanh() if Flag.on else A(h).sin()"),
    "flag_inside": ("flagged()", "lambda h: A(h * Flag.scale).tanh()"),
}
FORMS = {
    f"{name}{way}": f"with {scope}:\n    return checkpoint({region}, x, use_reentrant={way == '_reentrant'})"
    for name, (scope, region) in REGIONS.items()
    for way in ("", "_reentrant")
}
FORMS |= {f"two_{name}": f"return TWO.{name}(x)" for name in ("apart", "own", "held")}
FORMS |= {f"two_{name}": f"return OTHER.{name}(x)" for name in ("other_apart", "other_held")}
PROGRAM = PARTS + "".join(
    f"\n\ndef {name}(x: Tensor) -> Tensor:\n{textwrap.indent(body, '    ')}\n" for name, body in FORMS.items()
)
PROGRAM += "".join(
    f"\n\ndef train_{name}(x: Tensor) -> None:\n    {name}(x).square().sum().backward()\n" for name in FORMS
)


def test_states_that_the_recompute_uses_are_reported() -> None:
    wrong = {name for name in FORMS if not name.startswith("two_") and differs(PROGRAM, name)}
    said = reported(PROGRAM, "TBR402")
    assert 10 < len(wrong) < len(FORMS) - 6
    assert said.keys() - {"Two", "Other"} == wrong


def test_hooks_on_attributes_of_one_object() -> None:
    names = ("own", "held", "apart", "other_held", "other_apart")
    wrong = {name for name in names if differs(PROGRAM, f"two_{name}")}
    assert wrong == {"own", "held", "other_held"}
    said = reported(PROGRAM, "TBR402")
    assert {name: len(said[name]) for name in ("Two", "Other")} == {"Two": 2, "Other": 1}
