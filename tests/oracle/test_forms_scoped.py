"""TBR402: scopes by any spelling, of one"s own states and the default dtype, with the backward after them."""

from __future__ import annotations

import pytest

from tests.oracle.agree import HEAD, agree, forms, require_torch

require_torch()
pytestmark = pytest.mark.oracle

FORMS = (
    HEAD
    + """
ROUNDED = False


@contextlib.contextmanager
def rounded():
    global ROUNDED
    was, ROUNDED = ROUNDED, True
    try:
        yield
    finally:
        ROUNDED = was


class Scope:
    def __init__(self, on: bool) -> None:
        self.on = on

    def __enter__(self) -> None:
        global ROUNDED
        self.was, ROUNDED = ROUNDED, self.on

    def __exit__(self, *raised: object) -> None:
        global ROUNDED
        ROUNDED = self.was


KEPT = Scope(True)


@contextlib.contextmanager
def default(dtype: torch.dtype):
    was = torch.get_default_dtype()
    torch.set_default_dtype(dtype)
    try:
        yield
    finally:
        torch.set_default_dtype(was)


def body(h: Tensor) -> Tensor:
    y = A(h).tanh()
    y = y * 2 if ROUNDED else y
    return y.sin()


@rounded()
def whole(h: Tensor) -> Tensor:
    return body(h)


def run(h: Tensor, width: int = 4) -> Tensor:
    return checkpoint(body, h, use_reentrant=False)


def constant(h: Tensor) -> Tensor:
    return A(h).tanh() * torch.ones(4)


def alike(h: Tensor) -> Tensor:
    return A(h).tanh() * h.new_ones(4)


def around(x: Tensor) -> Tensor:
    with rounded():
        return checkpoint(body, x, use_reentrant=False)


def around_alias(x: Tensor) -> Tensor:
    scope = rounded()
    with scope:
        return checkpoint(body, x, use_reentrant=False)


def around_stack(x: Tensor) -> Tensor:
    with contextlib.ExitStack() as stack:
        stack.enter_context(rounded())
        return checkpoint(body, x, use_reentrant=False)


def around_manual(x: Tensor) -> Tensor:
    scope = rounded()
    scope.__enter__()
    y = checkpoint(body, x, use_reentrant=False)
    scope.__exit__(None, None, None)
    return y


def around_try(x: Tensor) -> Tensor:
    global ROUNDED
    ROUNDED = True
    try:
        return checkpoint(body, x, use_reentrant=False)
    finally:
        ROUNDED = False


def around_lambda(x: Tensor) -> Tensor:
    with rounded():
        return checkpoint(lambda h: body(h), x, use_reentrant=False)


def around_partial(x: Tensor) -> Tensor:
    run = functools.partial(checkpoint, body, use_reentrant=False)
    with rounded():
        return run(x)


def inside(x: Tensor) -> Tensor:

    def r(h):
        with rounded():
            return body(h)
    return checkpoint(r, x, use_reentrant=False)


@rounded()
def decorated(x: Tensor) -> Tensor:
    return checkpoint(body, x, use_reentrant=False)


def region_decorated(x: Tensor) -> Tensor:
    return checkpoint(whole, x, use_reentrant=False)


def helper(x: Tensor) -> Tensor:
    with rounded():
        return run(x)


def two(x: Tensor) -> Tensor:
    with rounded(), contextlib.nullcontext():
        return checkpoint(body, x, use_reentrant=False)


def cond(x: Tensor) -> Tensor:
    scope = rounded if x.shape[0] == 3 else contextlib.nullcontext
    with scope():
        return checkpoint(body, x, use_reentrant=False)


def cond2(x: Tensor) -> Tensor:
    with rounded() if x.shape[0] == 3 else contextlib.nullcontext():
        return checkpoint(body, x, use_reentrant=False)


def beside(x: Tensor) -> Tensor:
    with rounded():
        y = x * 2
    return checkpoint(body, y, use_reentrant=False)


def other_body(x: Tensor) -> Tensor:
    with rounded():
        return checkpoint(A, x, use_reentrant=False)


def dtype_ones(x: Tensor) -> Tensor:
    torch.set_default_dtype(torch.float64)
    y = checkpoint(constant, x, use_reentrant=False)
    torch.set_default_dtype(torch.float32)
    return y.float()


def dtype_try(x: Tensor) -> Tensor:
    was = torch.get_default_dtype()
    torch.set_default_dtype(torch.float64)
    try:
        y = checkpoint(constant, x, use_reentrant=False)
    finally:
        torch.set_default_dtype(was)
    return y.float()


def dtype_cm(x: Tensor) -> Tensor:
    with default(torch.float64):
        y = checkpoint(constant, x, use_reentrant=False)
    return y.float()


def dtype_none(x: Tensor) -> Tensor:
    with default(torch.float64):
        y = checkpoint(alike, x, use_reentrant=False)
    return y


def class_scope(x: Tensor) -> Tensor:
    with Scope(True):
        return checkpoint(body, x, use_reentrant=False)


def global_scope(x: Tensor) -> Tensor:
    with KEPT:
        return checkpoint(body, x, use_reentrant=False)


def reentrant(x: Tensor) -> Tensor:
    with rounded():
        return checkpoint(body, x, use_reentrant=True)


def through_context_fn(x: Tensor) -> Tensor:
    with rounded():
        return checkpoint(body, x, use_reentrant=False, context_fn=lambda: (contextlib.nullcontext(), rounded()))


def backward_inside(x: Tensor) -> Tensor:
    with rounded():
        y = checkpoint(body, x, use_reentrant=False)
        y.sum().backward()
    return x * 1


def no_checkpoint(x: Tensor) -> Tensor:
    with rounded():
        return body(x)


def late(x: Tensor) -> Tensor:
    with rounded():
        y = A(x)
    with contextlib.nullcontext():
        return checkpoint(body, y, use_reentrant=False)
"""
)
FORMS += "".join(f"\n\ndef train_{name}(x: Tensor) -> None:\n    {name}(x).sum().backward()\n" for name in forms(FORMS))


def test_scopes_that_end_before_backward_are_reported() -> None:
    agree(FORMS, "TBR402")
