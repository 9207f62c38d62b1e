"""TBR403 to TBR406: what `context_fn` is given, by any spelling: reported where the first or second step raises."""

from __future__ import annotations

from types import ModuleType

import pytest

from tests.oracle.agree import HEAD, functions, reported, require_torch, step
from tests.oracle.support import loaded, observe

require_torch()
pytestmark = pytest.mark.oracle

CODES = ("TBR403", "TBR404", "TBR405", "TBR406")
PARTS = (
    HEAD
    + """
from contextlib import ExitStack, contextmanager, nullcontext
from functools import partial

from torch.nn.attention import SDPBackend, sdpa_kernel
from torch.utils.checkpoint import CheckpointPolicy
from torch.utils.checkpoint import create_selective_checkpoint_contexts as selective

MATH, FLASH = SDPBackend.MATH, SDPBackend.FLASH_ATTENTION
SCOPE = sdpa_kernel(MATH)
OPTIONS = {"use_reentrant": False}
RE = {"use_reentrant": True}
NON = False


def attend(h: Tensor) -> Tensor:
    q = A(h)[None, None]
    return F.scaled_dot_product_attention(q, q, q).square()


def policy(ctx, op, *args, **kwargs):
    return CheckpointPolicy.PREFER_RECOMPUTE


def fresh():
    return sdpa_kernel(MATH), sdpa_kernel(MATH)


def differ():
    return sdpa_kernel(MATH), sdpa_kernel(FLASH)


def only_recompute():
    return nullcontext(), sdpa_kernel(MATH)


def empty():
    return nullcontext(), nullcontext()


def one():
    return sdpa_kernel(MATH)


def three():
    return nullcontext(), nullcontext(), nullcontext()


def takes(a):
    return nullcontext(), nullcontext()


def takes_default(a=1):
    return nullcontext(), nullcontext()


def reused():
    return SCOPE, SCOPE


def same():
    scope = sdpa_kernel(MATH)
    return scope, scope


def chosen():
    return selective(policy)


class Contexts:
    def __call__(self):
        return sdpa_kernel(MATH), sdpa_kernel(MATH)

    def made(self):
        return sdpa_kernel(MATH), sdpa_kernel(MATH)

    def wrong(self):
        return sdpa_kernel(MATH), sdpa_kernel(FLASH)


MADE = Contexts()


@contextmanager
def slow():
    torch.backends.cuda.enable_flash_sdp(False)
    try:
        yield
    finally:
        torch.backends.cuda.enable_flash_sdp(True)


@contextmanager
def noted():
    yield


def run(h, **options):
    return checkpoint(attend, h, use_reentrant=False, **options)


def run_re(h, **options):
    return checkpoint(attend, h, use_reentrant=True, **options)
"""
)
FORMS = {
    "fresh_": "return checkpoint(attend, x, use_reentrant=False, context_fn=fresh)",
    "differ_": "return checkpoint(attend, x, use_reentrant=False, context_fn=differ)",
    "only_": "return checkpoint(attend, x, use_reentrant=False, context_fn=only_recompute)",
    "empty_": "return checkpoint(attend, x, use_reentrant=False, context_fn=empty)",
    "one_": "return checkpoint(attend, x, use_reentrant=False, context_fn=one)",
    "three_": "return checkpoint(attend, x, use_reentrant=False, context_fn=three)",
    "takes_": "return checkpoint(attend, x, use_reentrant=False, context_fn=takes)",
    "takes_default_": "return checkpoint(attend, x, use_reentrant=False, context_fn=takes_default)",
    "takes_partial": "return checkpoint(attend, x, use_reentrant=False, context_fn=partial(takes, 1))",
    "reused_": "return checkpoint(attend, x, use_reentrant=False, context_fn=reused)",
    "same_": "return checkpoint(attend, x, use_reentrant=False, context_fn=same)",
    "chosen_": "return checkpoint(attend, x, use_reentrant=False, context_fn=chosen)",
    "chosen_partial": "return checkpoint(attend, x, use_reentrant=False, context_fn=partial(selective, policy))",
    "chosen_lambda": "return checkpoint(attend, x, use_reentrant=False, context_fn=lambda: selective(policy))",
    "chosen_direct": "return checkpoint(attend, x, use_reentrant=False, context_fn=selective(policy))",
    "chosen_missing": "return checkpoint(attend, x, use_reentrant=False, context_fn=selective)",
    "obj": "return checkpoint(attend, x, use_reentrant=False, context_fn=MADE)",
    "method": "return checkpoint(attend, x, use_reentrant=False, context_fn=MADE.made)",
    "method_wrong": "return checkpoint(attend, x, use_reentrant=False, context_fn=MADE.wrong)",
    "cls": "return checkpoint(attend, x, use_reentrant=False, context_fn=Contexts())",
    "cls_itself": "return checkpoint(attend, x, use_reentrant=False, context_fn=Contexts)",
    "lam": (
        "return checkpoint(attend, x, use_reentrant=False, context_fn=lambda: (sdpa_kernel(MATH), sdpa_kernel(MATH)))"
    ),
    "lam_differ": (
        "return checkpoint(attend, x, use_reentrant=False, context_fn=lambda: (nullcontext(), sdpa_kernel(MATH)))"
    ),
    "lam_list": (
        "return checkpoint(attend, x, use_reentrant=False, context_fn=lambda: [sdpa_kernel(MATH), sdpa_kernel(MATH)])"
    ),
    "lam_arg": (
        "return checkpoint(attend, x, use_reentrant=False, context_fn=lambda a: (nullcontext(), nullcontext()))"
    ),
    "lam_none": "return checkpoint(attend, x, use_reentrant=False, context_fn=lambda: None)",
    "lam_comp": (
        "return checkpoint(attend, x, use_reentrant=False, "
        "context_fn=lambda: tuple(sdpa_kernel(MATH) for _ in range(2)))"
    ),
    "lam_mul": "return checkpoint(attend, x, use_reentrant=False, context_fn=lambda: (sdpa_kernel(MATH),) * 2)",
    "lam_own": "return checkpoint(attend, x, use_reentrant=False, context_fn=lambda: (slow(), slow()))",
    "lam_noted": "return checkpoint(attend, x, use_reentrant=False, context_fn=lambda: (noted(), noted()))",
    "lam_noted_null": (
        "return checkpoint(attend, x, use_reentrant=False, context_fn=lambda: (nullcontext(), noted()))"
    ),
    "tuple_": "return checkpoint(attend, x, use_reentrant=False, context_fn=(sdpa_kernel(MATH), sdpa_kernel(MATH)))",
    "call": "return checkpoint(attend, x, use_reentrant=False, context_fn=fresh())",
    "none": "return checkpoint(attend, x, use_reentrant=False, context_fn=None)",
    "var": "make = fresh\nreturn checkpoint(attend, x, use_reentrant=False, context_fn=make)",
    "local": (
        "def make():\n"
        "    return sdpa_kernel(MATH), sdpa_kernel(MATH)\n"
        "return checkpoint(attend, x, use_reentrant=False, context_fn=make)"
    ),
    "local_differ": (
        "def make():\n"
        "    first = nullcontext()\n"
        "    second = sdpa_kernel(MATH)\n"
        "    return first, second\n"
        "return checkpoint(attend, x, use_reentrant=False, context_fn=make)"
    ),
    "local_outer": (
        "scope = sdpa_kernel(MATH)\n"
        "def make():\n"
        "    return scope, scope\n"
        "return checkpoint(attend, x, use_reentrant=False, context_fn=make)"
    ),
    "outer_pair": "pair = fresh()\nreturn checkpoint(attend, x, use_reentrant=False, context_fn=lambda: pair)",
    "re": "return checkpoint(attend, x, use_reentrant=True, context_fn=fresh)",
    "re_none": "return checkpoint(attend, x, use_reentrant=True, context_fn=None)",
    "re_omit": "return checkpoint(attend, x, context_fn=fresh)",
    "re_var": "re = True\nreturn checkpoint(attend, x, use_reentrant=re, context_fn=fresh)",
    "non_var": "re = NON\nreturn checkpoint(attend, x, use_reentrant=re, context_fn=fresh)",
    "re_options": "return checkpoint(attend, x, context_fn=fresh, **RE)",
    "non_options": "return checkpoint(attend, x, context_fn=fresh, **OPTIONS)",
    "re_partial": "again = partial(checkpoint, use_reentrant=True)\nreturn again(attend, x, context_fn=fresh)",
    "non_partial": "again = partial(checkpoint, use_reentrant=False)\nreturn again(attend, x, context_fn=fresh)",
    "fn_partial": "again = partial(checkpoint, use_reentrant=False, context_fn=differ)\nreturn again(attend, x)",
    "re_helper": "return run_re(x, context_fn=fresh)",
    "non_helper": "return run(x, context_fn=fresh)",
    "helper_differ": "return run(x, context_fn=differ)",
    "debug_re": "return checkpoint(attend, x, use_reentrant=True, debug=True)",
    "debug_non": "return checkpoint(attend, x, use_reentrant=False, debug=False)",
    "debug_fn": "return checkpoint(attend, x, use_reentrant=False, context_fn=fresh, debug=True)",
    "debug_fn_false": "return checkpoint(attend, x, use_reentrant=False, context_fn=fresh, debug=False)",
    "debug_re_false": "return checkpoint(attend, x, use_reentrant=True, debug=False)",
    "determinism_re": "return checkpoint(attend, x, use_reentrant=True, determinism_check='none')",
    "determinism_default": "return checkpoint(attend, x, use_reentrant=True, determinism_check='default')",
    "determinism_non": "return checkpoint(attend, x, use_reentrant=False, determinism_check='none')",
    "determinism_unknown": "return checkpoint(attend, x, use_reentrant=False, determinism_check='strict')",
    "determinism_spelled": "return checkpoint(attend, x, use_reentrant=False, determinism_check='Default')",
    "determinism_nothing": "return checkpoint(attend, x, use_reentrant=False, determinism_check=None)",
    "determinism_flag": "return checkpoint(attend, x, use_reentrant=False, determinism_check=True)",
    "determinism_named": "check = 'all'\nreturn checkpoint(attend, x, use_reentrant=False, determinism_check=check)",
    "determinism_ignored": "return checkpoint(attend, x, use_reentrant=True, determinism_check='strict')",
    "determinism_partial": "again = partial(checkpoint, use_reentrant=False, determinism_check='strict')\n"
    "return again(attend, x)",
    "determinism_replaced": "again = partial(checkpoint, use_reentrant=False, determinism_check='strict')\n"
    "return again(attend, x, determinism_check='none')",
    "determinism_options": "return checkpoint(attend, x, determinism_check='strict', **OPTIONS)",
    "determinism_chosen": "check = 'none' if x.shape[0] == 3 else 'strict'\n"
    "return checkpoint(attend, x, use_reentrant=False, determinism_check=check)",
    "early_re": "return checkpoint(attend, x, use_reentrant=True, early_stop=False)",
    "cond": "return checkpoint(attend, x, use_reentrant=False, context_fn=differ if x.shape[0] == 3 else fresh)",
}
PROGRAM = PARTS + functions(FORMS)
ELSEWHERE = {"re_helper": "run_re", "helper_differ": "run"}
"""Forms whose checkpoint stands in a helper."""


def fails(name: str) -> bool:
    """True when the first step of a form, or the second, raises."""

    def two(module: ModuleType) -> None:
        for _ in range(2):
            step(module, name)

    with loaded(PROGRAM) as module:
        return observe(two, module).error is not None


def test_what_fails_is_reported() -> None:
    wrong = {ELSEWHERE.get(name, name) for name in FORMS if fails(name)}
    assert 20 < len(wrong) < len(FORMS) - 20
    assert {name for code in CODES for name in reported(PROGRAM, code)} == wrong
