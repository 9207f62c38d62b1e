"""TBR205: state that an exit stack puts back, and that functions keep: reported if, and only if, it counts twice."""

from __future__ import annotations

import pytest

from tests.oracle.agree import HEAD, agree
from tests.oracle.support import require_torch

torch = require_torch()
pytestmark = pytest.mark.oracle

FORMS = (
    HEAD
    + """


class Cn:
    n = 0
C1 = Cn()
LIST = []


def back(): C1.n -= 1


def plain_(x: Tensor):
    def region(h):
        STATE["a"] = STATE.get("a", 0) + 1
        return torch.sin(torch.tanh(A(h)) * STATE["a"])
    return checkpoint(region, x, use_reentrant=False)


def exit_cb(x: Tensor):
    def undo(): STATE["b"] -= 1
    STATE.setdefault("b", 1)
    def region(h):
        with contextlib.ExitStack() as stack:
            STATE["b"] += 1
            stack.callback(undo)
            return torch.sin(torch.tanh(A(h)) * STATE["b"])
    return checkpoint(region, x, use_reentrant=False)


def exit_cb_obj(x: Tensor):
    def region(h):
        with contextlib.ExitStack() as stack:
            C1.n += 1
            stack.callback(back)
            return torch.sin(torch.tanh(A(h)) * C1.n)
    return checkpoint(region, x, use_reentrant=False)


def exit_cb_setattr(x: Tensor):
    def region(h):
        with contextlib.ExitStack() as stack:
            stack.callback(setattr, C1, "n", C1.n)
            C1.n += 1
            return torch.sin(torch.tanh(A(h)) * C1.n)
    return checkpoint(region, x, use_reentrant=False)


def exit_cb_lambda(x: Tensor):
    def region(h):
        old = C1.n
        with contextlib.ExitStack() as stack:
            stack.callback(lambda: setattr(C1, "n", old))
            C1.n += 1
            return torch.sin(torch.tanh(A(h)) * C1.n)
    return checkpoint(region, x, use_reentrant=False)


def exit_cb_pop(x: Tensor):
    def region(h):
        with contextlib.ExitStack() as stack:
            LIST.append(1)
            stack.callback(LIST.pop)
            return torch.sin(torch.tanh(A(h)) * len(LIST))
    return checkpoint(region, x, use_reentrant=False)


def exit_cb_none(x: Tensor):
    def nothing(): pass
    def region(h):
        with contextlib.ExitStack() as stack:
            STATE["q"] = STATE.get("q", 0) + 1
            stack.callback(nothing)
            return torch.sin(torch.tanh(A(h)) * STATE["q"])
    return checkpoint(region, x, use_reentrant=False)


class Undo:
    def __enter__(self): C1.n += 1
    def __exit__(self, *a): C1.n -= 1


def own_cm(x: Tensor):
    def region(h):
        with Undo():
            return torch.sin(torch.tanh(A(h)) * C1.n)
    return checkpoint(region, x, use_reentrant=False)


@contextlib.contextmanager
def undo_cm():
    C1.n += 1
    try: yield
    finally: C1.n -= 1


def own_cm2(x: Tensor):
    def region(h):
        with undo_cm():
            return torch.sin(torch.tanh(A(h)) * C1.n)
    return checkpoint(region, x, use_reentrant=False)


def exit_enter(x: Tensor):
    def region(h):
        with contextlib.ExitStack() as stack:
            stack.enter_context(undo_cm())
            return torch.sin(torch.tanh(A(h)) * C1.n)
    return checkpoint(region, x, use_reentrant=False)


def fin(x: Tensor):
    def region(h):
        C1.n += 1
        try: return torch.sin(torch.tanh(A(h)) * C1.n)
        finally: C1.n -= 1
    return checkpoint(region, x, use_reentrant=False)


def fn_attr(x: Tensor):
    def region(h):
        fn_attr.calls = getattr(fn_attr, "calls", 0) + 1
        return torch.sin(torch.tanh(A(h)) * fn_attr.calls)
    return checkpoint(region, x, use_reentrant=False)


def fn_attr3(x: Tensor):
    def region(h):
        region.calls += 1
        return torch.sin(torch.tanh(A(h)) * region.calls)
    region.calls = 0
    return checkpoint(region, x, use_reentrant=False)


def obj_getattr(x: Tensor):
    def region(h):
        C1.n = getattr(C1, "n", 0) + 1
        return torch.sin(torch.tanh(A(h)) * C1.n)
    return checkpoint(region, x, use_reentrant=False)


def fn_attr4(x: Tensor):
    def region(h):
        fn_attr4.calls += 1
        return torch.sin(torch.tanh(A(h)) * fn_attr4.calls)
    return checkpoint(region, x, use_reentrant=False)
fn_attr4.calls = 0


def cls_attr(x: Tensor):
    def region(h):
        Cn.n += 1
        return torch.sin(torch.tanh(A(h)) * Cn.n)
    return checkpoint(region, x, use_reentrant=False)
"""
)


def test_state_that_counts_twice_is_reported() -> None:
    agree(FORMS, "TBR205")
