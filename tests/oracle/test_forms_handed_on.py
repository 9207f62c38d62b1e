"""TBR505, TBR509, TBR405: closures handed on, tensors on `self`, lists bound by partials, contexts on one way."""

from __future__ import annotations

import pytest

from tests.oracle.agree import HEAD, agree, require_torch

require_torch()
pytestmark = pytest.mark.oracle

SHARED = (
    HEAD
    + """
class ClosureHelper:
    def run(self, fn, h: Tensor):
        return checkpoint(fn, h, use_reentrant=True)

    def __call__(self, x: Tensor):
        c = B(x)
        return self.run(lambda h: A(h) * c, x) + c


CLOSUREHELPER = ClosureHelper()


def closure_helper(x: Tensor):
    return CLOSUREHELPER(x)


class ClosureHelperOne:
    def run(self, fn, h: Tensor):
        return checkpoint(fn, h, use_reentrant=True)

    def __call__(self, x: Tensor):
        c = B(x)
        return self.run(lambda h: A(h) * c, x)


CLOSUREHELPERONE = ClosureHelperOne()


def closure_helper_one(x: Tensor):
    return CLOSUREHELPERONE(x)


class ClosureDef:
    def run(self, fn, h: Tensor):
        return checkpoint(fn, h, use_reentrant=True)

    def __call__(self, x: Tensor):
        c = B(x)

        def inner(h: Tensor):
            return A(h) * c
        return self.run(inner, x) + c


CLOSUREDEF = ClosureDef()


def closure_def(x: Tensor):
    return CLOSUREDEF(x)


class TwoHelpers:
    def run(self, fn, h: Tensor):
        return checkpoint(fn, h, use_reentrant=True)

    def __call__(self, x: Tensor):
        c = B(x)
        h = self.run(lambda h: A(h) * c, x)
        return self.run(lambda h: C(h) * c, h)


TWOHELPERS = TwoHelpers()


def two_helpers(x: Tensor):
    return TWOHELPERS(x)


def run_non(fn, h: Tensor):
    return checkpoint(fn, h, use_reentrant=False)


def closure_non(x: Tensor):
    c = B(x)
    return run_non(lambda h: A(h) * c, x) + c


class Kept(nn.Module):

    def __init__(self):
        super().__init__()
        self.body = nn.Linear(4, 4)
        self.cond = nn.Linear(4, 4)

    def inner(self, h: Tensor):
        return self.body(h) * self.c

    def forward(self, x: Tensor):
        self.c = self.cond(x)
        h = checkpoint(self.inner, x, use_reentrant=True)
        return checkpoint(self.inner, h, use_reentrant=True)


class Once(nn.Module):

    def __init__(self):
        super().__init__()
        self.body = nn.Linear(4, 4)
        self.cond = nn.Linear(4, 4)

    def inner(self, h: Tensor):
        return self.body(h) * self.c

    def forward(self, x: Tensor):
        self.c = self.cond(x)
        return checkpoint(self.inner, x, use_reentrant=True)


class OnceAdd(nn.Module):

    def __init__(self):
        super().__init__()
        self.body = nn.Linear(4, 4)
        self.cond = nn.Linear(4, 4)

    def inner(self, h: Tensor):
        return self.body(h) * self.c

    def forward(self, x: Tensor):
        self.c = self.cond(x)
        return checkpoint(self.inner, x, use_reentrant=True) + self.c


class Detached(nn.Module):

    def __init__(self):
        super().__init__()
        self.body = nn.Linear(4, 4)
        self.cond = nn.Linear(4, 4)

    def inner(self, h: Tensor):
        return self.body(h) * self.c

    def forward(self, x: Tensor):
        self.c = self.cond(x).detach()
        return checkpoint(self.inner, x, use_reentrant=True) + self.c


class Given(nn.Module):

    def __init__(self):
        super().__init__()
        self.body = nn.Linear(4, 4)
        self.cond = nn.Linear(4, 4)

    def inner(self, h: Tensor, c: Tensor):
        return self.body(h) * c

    def forward(self, x: Tensor):
        self.c = self.cond(x)
        return checkpoint(self.inner, x, self.c, use_reentrant=True) + self.c


KEPT, ONCE, ONCEADD, DETACHED, GIVEN = (Kept(), Once(), OnceAdd(), Detached(), Given())


def on_kept(x: Tensor):
    return KEPT(x)


def on_once(x: Tensor):
    return ONCE(x)


def on_onceadd(x: Tensor):
    return ONCEADD(x)


def on_detached(x: Tensor):
    return DETACHED(x)


def on_given(x: Tensor):
    return GIVEN(x)
"""
)

STORED = (
    HEAD
    + """
def inner(losses: list, h: Tensor) -> Tensor:
    y = A(h).tanh()
    losses.append(y.square().mean())
    return y


def by_lambda(x: Tensor) -> Tensor:
    losses = []
    y = checkpoint(lambda h: inner(losses, h), x, use_reentrant=True)
    return y + sum(losses)


def by_partial(x: Tensor) -> Tensor:
    losses = []
    y = checkpoint(functools.partial(inner, losses), x, use_reentrant=True)
    return y + sum(losses)


def by_named_partial(x: Tensor) -> Tensor:
    losses = []
    run = functools.partial(inner, losses)
    y = checkpoint(run, x, use_reentrant=True)
    return y + losses[0]


def by_partial_of_the_other_variant(x: Tensor) -> Tensor:
    losses = []
    y = checkpoint(functools.partial(inner, losses), x, use_reentrant=False)
    return y + sum(losses)


def by_partial_and_detached(x: Tensor) -> Tensor:
    losses = []
    y = checkpoint(functools.partial(inner, losses), x, use_reentrant=True)
    return y + losses[0].detach()


class Net(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.layer = nn.Linear(4, 4)

    def inner(self, losses: list, h: Tensor) -> Tensor:
        y = self.layer(h).tanh()
        losses.append(y.square().mean())
        return y

    def forward(self, x: Tensor) -> Tensor:
        losses = []
        y = checkpoint(functools.partial(self.inner, losses), x, use_reentrant=True)
        return y + sum(losses)


NET = Net()


def of_a_method(x: Tensor) -> Tensor:
    return NET(x)
"""
)

GIVEN = (
    HEAD
    + """
from torch.utils.checkpoint import noop_context_fn


def contexts():
    return contextlib.nullcontext(), contextlib.nullcontext()


def nothing(x: Tensor) -> Tensor:
    return checkpoint(A, x, use_reentrant=True, context_fn=noop_context_fn)


def own(x: Tensor) -> Tensor:
    return checkpoint(A, x, use_reentrant=True, context_fn=contexts)


def on_one_way(x: Tensor) -> Tensor:
    return checkpoint(A, x, use_reentrant=True, context_fn=contexts if x.dim() == 2 else noop_context_fn)


def own_or_nothing(x: Tensor) -> Tensor:
    return checkpoint(A, x, use_reentrant=True, context_fn=contexts or noop_context_fn)


def with_its_variant(x: Tensor) -> Tensor:
    selective = x.dim() == 2
    given = contexts if selective else noop_context_fn
    return checkpoint(A, x, use_reentrant=not selective, context_fn=given)
"""
)


@pytest.mark.parametrize(("forms", "code"), [(SHARED, "TBR505"), (STORED, "TBR509"), (GIVEN, "TBR405")])
def test_what_is_handed_on_is_followed(forms: str, code: str) -> None:
    agree(forms, code)
