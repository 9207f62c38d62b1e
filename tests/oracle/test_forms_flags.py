"""TBR507: flags by position under any spelling: reported where the function cannot take them, and torch raises."""

from __future__ import annotations

import pytest

from tests.oracle.agree import HEAD, forms, raised, reported, require_torch

require_torch()
pytestmark = pytest.mark.oracle

FORMS = (
    HEAD
    + """
def one(h: Tensor):
    return A(h).tanh()


class AttrFlag(nn.Module):

    def __init__(self):
        super().__init__()
        self.re = False
        self.l = nn.Linear(4, 4)

    def forward(self, x: Tensor):
        return checkpoint(self.l, x, self.re, use_reentrant=False)


class ArgFlag(nn.Module):

    def __init__(self, re=True):
        super().__init__()
        self.re = re
        self.l = nn.Linear(4, 4)

    def forward(self, x: Tensor):
        return checkpoint(self.l, x, self.re, use_reentrant=False)


ATTRFLAG, ARGFLAG = (AttrFlag(), ArgFlag())


def attr_flag(x: Tensor):
    return ATTRFLAG(x)


def arg_flag(x: Tensor):
    return ARGFLAG(x)


def two(h: Tensor, flag):
    return A(h).tanh() if flag else A(h)


CONF = {"re": False}


def by_dict(x: Tensor):
    return checkpoint(one, x, CONF["re"], use_reentrant=False)


REENTRANT = False


def by_global(x: Tensor):
    return checkpoint(one, x, REENTRANT, use_reentrant=False)


def by_not(x: Tensor):
    return checkpoint(one, x, not REENTRANT, use_reentrant=False)


def by_cmp(x: Tensor):
    return checkpoint(one, x, x.shape[0] > 2, use_reentrant=False)


def star_list(x: Tensor):
    args = [x, False]
    return checkpoint(one, *args, use_reentrant=False)


class Behind:
    def run(self, function, *args):
        return checkpoint(function, *args, False, use_reentrant=False)

    def __call__(self, x: Tensor):
        return self.run(one, x)


class BehindRightly:
    def run(self, function, *args):
        return checkpoint(function, *args, False, use_reentrant=False)

    def __call__(self, x: Tensor):
        return self.run(two, x)


BEHIND, BEHINDRIGHTLY = Behind(), BehindRightly()


def behind_a_star(x: Tensor):
    return BEHIND(x)


def behind_a_star_rightly(x: Tensor):
    return BEHINDRIGHTLY(x)


def without_a_flag(x: Tensor):
    return checkpoint(one, x, use_reentrant=not REENTRANT)
"""
)


def test_flags_that_no_function_takes_are_reported() -> None:
    places = forms(FORMS)
    wrong = {place for name, place in places.items() if raised(FORMS, name).error is not None}
    assert 0 < len(wrong) < len(places)
    assert set(reported(FORMS, "TBR507")) == wrong
