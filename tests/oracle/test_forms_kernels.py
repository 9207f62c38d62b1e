"""TBR401: scopes of an attention kernel by any spelling, the backward after them: reported where torch goes wrong."""

from __future__ import annotations

import pytest

from tests.oracle.agree import HEAD, agree, functions, require_torch, trainers

require_torch()
pytestmark = [pytest.mark.oracle, pytest.mark.filterwarnings("ignore:.torch.backends.cuda.sdp_kernel:FutureWarning")]

PARTS = (
    HEAD
    + """
from contextlib import ExitStack, contextmanager, nullcontext
from functools import partial

import torch.nn.attention as attention
from torch.nn.attention import SDPBackend, sdpa_kernel
from torch.nn.attention import sdpa_kernel as kernels

MATH = partial(sdpa_kernel, SDPBackend.MATH)
CHOICES = {"math": SDPBackend.MATH, "flash": SDPBackend.FLASH_ATTENTION}
SCOPES = {"math": lambda: sdpa_kernel(SDPBackend.MATH), "none": nullcontext}
STRICT = True


def heads(h: Tensor) -> Tensor:
    return A(h)[None, None]


def attend(h: Tensor) -> Tensor:
    q = heads(h)
    return F.scaled_dot_product_attention(q, q, q).square()


def pinned(h: Tensor) -> Tensor:
    with sdpa_kernel(SDPBackend.MATH):
        return attend(h)


def dense(h: Tensor) -> Tensor:
    return A(h).tanh()


@sdpa_kernel(SDPBackend.MATH)
def decorated_attend(h: Tensor) -> Tensor:
    return attend(h)


@contextmanager
def slow():
    with sdpa_kernel(SDPBackend.MATH):
        yield


@contextmanager
def toggled():
    torch.backends.cuda.enable_flash_sdp(False)
    try:
        yield
    finally:
        torch.backends.cuda.enable_flash_sdp(True)


class Slow:
    def __enter__(self):
        self.scope = sdpa_kernel(SDPBackend.MATH)
        self.scope.__enter__()

    def __exit__(self, *a):
        self.scope.__exit__(*a)


def run(h: Tensor) -> Tensor:
    return checkpoint(attend, h, use_reentrant=False)


def in_scope(function, h):
    with sdpa_kernel(SDPBackend.MATH):
        return function(h)


def slowly(function):
    @functools.wraps(function)
    def inner(*args):
        with sdpa_kernel(SDPBackend.MATH):
            return function(*args)
    return inner


class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(4, 4)

    def attend(self, h):
        q = self.layer(h)[None, None]
        return F.scaled_dot_product_attention(q, q, q).square()

    def forward(self, h):
        with sdpa_kernel(SDPBackend.MATH):
            return checkpoint(self.attend, h, use_reentrant=False)


class Inside(Block):
    def forward(self, h):
        return checkpoint(self.pinned, h, use_reentrant=False)

    def pinned(self, h):
        with sdpa_kernel(SDPBackend.MATH):
            return self.attend(h)


BLOCK, INSIDE = Block(), Inside()

@sdpa_kernel(SDPBackend.MATH)
def deco(x: Tensor) -> Tensor:
    return checkpoint(attend, x, use_reentrant=False)


@slow()
def deco_own(x: Tensor) -> Tensor:
    return checkpoint(attend, x, use_reentrant=False)


@slowly
def deco_wrapper(x: Tensor) -> Tensor:
    return checkpoint(attend, x, use_reentrant=False)
"""
)
FORMS = {
    "with_": "with sdpa_kernel(SDPBackend.MATH):\n    return checkpoint(attend, x, use_reentrant=False)",
    "with_list": "with sdpa_kernel([SDPBackend.MATH]):\n    return checkpoint(attend, x, use_reentrant=False)",
    "alias": "with kernels(SDPBackend.MATH):\n    return checkpoint(attend, x, use_reentrant=False)",
    "module": (
        "with attention.sdpa_kernel(attention.SDPBackend.MATH):\n    return checkpoint(attend, x, use_reentrant=False)"
    ),
    "part": "with MATH():\n    return checkpoint(attend, x, use_reentrant=False)",
    "var": "scope = sdpa_kernel(SDPBackend.MATH)\nwith scope:\n    return checkpoint(attend, x, use_reentrant=False)",
    "backend_var": (
        "backend = SDPBackend.MATH\nwith sdpa_kernel(backend):\n    return checkpoint(attend, x, use_reentrant=False)"
    ),
    "backend_dict": "with sdpa_kernel(CHOICES['math']):\n    return checkpoint(attend, x, use_reentrant=False)",
    "scope_dict": "with SCOPES['math']():\n    return checkpoint(attend, x, use_reentrant=False)",
    "scope_dict_none": "with SCOPES['none']():\n    return checkpoint(attend, x, use_reentrant=False)",
    "lam": (
        "scope = lambda: sdpa_kernel(SDPBackend.MATH)\n"
        "with scope():\n"
        "    return checkpoint(attend, x, use_reentrant=False)"
    ),
    "ternary": (
        "with sdpa_kernel(SDPBackend.MATH) if STRICT else nullcontext():\n"
        "    return checkpoint(attend, x, use_reentrant=False)"
    ),
    "nullcontext_": "with nullcontext():\n    return checkpoint(attend, x, use_reentrant=False)",
    "stack": (
        "with ExitStack() as stack:\n"
        "    stack.enter_context(sdpa_kernel(SDPBackend.MATH))\n"
        "    return checkpoint(attend, x, use_reentrant=False)"
    ),
    "stack_after": (
        "with ExitStack() as stack:\n"
        "    stack.enter_context(sdpa_kernel(SDPBackend.MATH))\n"
        "    y = dense(x)\n"
        "return checkpoint(attend, y, use_reentrant=False)"
    ),
    "own_cm": "with slow():\n    return checkpoint(attend, x, use_reentrant=False)",
    "own_class": "with Slow():\n    return checkpoint(attend, x, use_reentrant=False)",
    "own_toggle": "with toggled():\n    return checkpoint(attend, x, use_reentrant=False)",
    "manual": (
        "scope = sdpa_kernel(SDPBackend.MATH)\n"
        "scope.__enter__()\n"
        "y = checkpoint(attend, x, use_reentrant=False)\n"
        "scope.__exit__(None, None, None)\n"
        "return y"
    ),
    "toggle_try": (
        "torch.backends.cuda.enable_flash_sdp(False)\n"
        "try:\n"
        "    return checkpoint(attend, x, use_reentrant=False)\n"
        "finally:\n"
        "    torch.backends.cuda.enable_flash_sdp(True)"
    ),
    "toggle_line": (
        "torch.backends.cuda.enable_flash_sdp(False)\n"
        "y = checkpoint(attend, x, use_reentrant=False)\n"
        "torch.backends.cuda.enable_flash_sdp(True)\n"
        "return y"
    ),
    "toggle_same": (
        "torch.backends.cuda.enable_flash_sdp(True)\ny = checkpoint(attend, x, use_reentrant=False)\nreturn y"
    ),
    "sdp_kernel_old": (
        "with torch.backends.cuda.sdp_kernel(enable_flash=False, enable_math=True, enable_mem_efficient=False):\n"
        "    return checkpoint(attend, x, use_reentrant=False)"
    ),
    "helper": "with sdpa_kernel(SDPBackend.MATH):\n    return run(x)",
    "in_scope_": "return in_scope(run, x)",
    "in_scope_lambda": "return in_scope(lambda h: checkpoint(attend, h, use_reentrant=False), x)",
    "region_lambda": (
        "with sdpa_kernel(SDPBackend.MATH):\n    return checkpoint(lambda h: attend(h), x, use_reentrant=False)"
    ),
    "region_partial": (
        "with sdpa_kernel(SDPBackend.MATH):\n    return checkpoint(partial(attend), x, use_reentrant=False)"
    ),
    "ckpt_partial": (
        "again = partial(checkpoint, use_reentrant=False)\n"
        "with sdpa_kernel(SDPBackend.MATH):\n"
        "    return again(attend, x)"
    ),
    "inside": "return checkpoint(pinned, x, use_reentrant=False)",
    "inside_deco": "return checkpoint(decorated_attend, x, use_reentrant=False)",
    "dense_": "with sdpa_kernel(SDPBackend.MATH):\n    return checkpoint(dense, x, use_reentrant=False)",
    "plain_inside": (
        "y = checkpoint(dense, x, use_reentrant=False)\nwith sdpa_kernel(SDPBackend.MATH):\n    return attend(y)"
    ),
    "fresh_fn": (
        "with sdpa_kernel(SDPBackend.MATH):\n"
        "    return checkpoint(attend, x, use_reentrant=False, "
        "context_fn=lambda: (nullcontext(), sdpa_kernel(SDPBackend.MATH)))"
    ),
    "reentrant": "with sdpa_kernel(SDPBackend.MATH):\n    return checkpoint(attend, x, use_reentrant=True)",
    "method_in": "return BLOCK(x)",
    "method_out": "return INSIDE(x)",
    "two_scopes": (
        "with torch.enable_grad(), sdpa_kernel(SDPBackend.MATH):\n    return checkpoint(attend, x, use_reentrant=False)"
    ),
    "nested": (
        "with nullcontext():\n"
        "    with sdpa_kernel(SDPBackend.MATH):\n"
        "        return checkpoint(attend, x, use_reentrant=False)"
    ),
    "loop": (
        "for _ in range(2):\n"
        "    with sdpa_kernel(SDPBackend.MATH):\n"
        "        x = checkpoint(attend, x, use_reentrant=False)[0, 0]\n"
        "return x"
    ),
    "if_": (
        "if STRICT:\n"
        "    with sdpa_kernel(SDPBackend.MATH):\n"
        "        return checkpoint(attend, x, use_reentrant=False)\n"
        "return checkpoint(attend, x, use_reentrant=False)"
    ),
    "assigned": (
        "with sdpa_kernel(SDPBackend.MATH):\n    y = checkpoint(attend, x, use_reentrant=False)\nreturn y + 1"
    ),
    "functional": "def f(h):\n    return run(h)\nwith sdpa_kernel(SDPBackend.MATH):\n    return f(x)",
    "mha": (
        "m = nn.MultiheadAttention(4, 2, batch_first=True)\n"
        "with sdpa_kernel(SDPBackend.MATH):\n"
        "    return checkpoint(lambda h: m(h, h, h, need_weights=False)[0], x[None], use_reentrant=False)"
    ),
}
NAMES = [*FORMS, "deco", "deco_own", "deco_wrapper"]
PROGRAM = PARTS + functions(FORMS) + trainers(NAMES)
ELSEWHERE = {
    "method_in": "Block",
    "in_scope_": "in_scope",
    "in_scope_lambda": "in_scope",
    "deco_wrapper": "slowly",
    "own_cm": "slow",
    "deco_own": "slow",
}
"""Forms whose scope stands in a class or function that they use."""


def test_scopes_that_end_before_the_backward_are_reported() -> None:
    # Switches of torch are TBR402's.
    agree(PROGRAM, "TBR401", "TBR402", names=NAMES, elsewhere=ELSEWHERE, wrong=26, right=9)
