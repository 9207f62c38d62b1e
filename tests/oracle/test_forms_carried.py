"""TBR402: hooks on other modules than the region's, flags read at its very end: reported where gradients are others."""

from __future__ import annotations

import pytest

from tests.oracle.agree import HEAD, agree, functions, require_torch, trainers

require_torch()
pytestmark = pytest.mark.oracle

BUILD = """def __init__(self):
        super().__init__()
        self.one = nn.Linear(4, 4)
        self.two = nn.Linear(4, 4)
        self.chain = nn.Sequential(self.one, nn.Tanh())"""
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


class Apart(nn.Module):
    BUILD

    def forward(self, x):
        with hooked(self.two):
            return checkpoint(lambda h: self.one(h).tanh(), x, use_reentrant=False)


class Own(nn.Module):
    BUILD

    def forward(self, x):
        with hooked(self.one):
            return checkpoint(lambda h: self.one(h).tanh(), x, use_reentrant=False)


class Held(nn.Module):
    BUILD

    def forward(self, x):
        with hooked(self.one):
            return checkpoint(lambda h: self.chain(h).sin(), x, use_reentrant=False)


class Heir(Own):
    def forward(self, x):
        with hooked(self.two):
            return checkpoint(lambda h: self.one(h).tanh(), x, use_reentrant=False)


class Second(Own):
    def forward(self, x):
        with hooked(self.one):
            return checkpoint(lambda h: self.one(h).tanh(), x, use_reentrant=False)


class Tied(Own):
    def __init__(self):
        super().__init__()
        self.two = self.one

    def forward(self, x):
        with hooked(self.two):
            return checkpoint(lambda h: self.one(h).tanh(), x, use_reentrant=False)


class OtherApart(nn.Module):
    OTHER

    def forward(this, x):
        with hooked(this.two):
            return checkpoint(lambda h: this.one(h).tanh(), x, use_reentrant=False)


class OtherHeld(nn.Module):
    OTHER

    def forward(this, x):
        with hooked(this.one):
            return checkpoint(lambda h: this.chain(h).sin(), x, use_reentrant=False)


APART, OWN, HELD, HEIR, SECOND, TIED = Apart(), Own(), Held(), Heir(), Second(), Tied()
OTHERAPART, OTHERHELD = OtherApart(), OtherHeld()


def middle(h):
    h = A(h).tanh()
    return (h * 2 if Flag.on else h).exp()


def scale(h):
    return h * Flag.scale


def at_end(h):
    return scale(A(h).tanh())
""".replace("BUILD", BUILD).replace("OTHER\n", BUILD.replace("self", "this") + "\n")
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
CLASSES = ("Apart", "Own", "Held", "Heir", "Second", "Tied", "OtherApart", "OtherHeld")
FORMS |= {f"call_{name}": f"return {name.upper()}(x)" for name in CLASSES}
PROGRAM = PARTS + functions(FORMS) + trainers(FORMS)


def test_states_that_the_recompute_uses_are_reported() -> None:
    agree(PROGRAM, "TBR402", names=FORMS, elsewhere={f"call_{name}": name for name in CLASSES}, wrong=11, right=7)
