"""TBR505: tensors that regions of the reentrant checkpoint close over and share, by any spelling, on torch."""

from __future__ import annotations

import pytest

from tests.oracle.agree import HEAD, agree, functions, require_torch, trainers

require_torch()
pytestmark = pytest.mark.oracle

PARTS = (
    HEAD
    + """
from functools import partial
"""
)
SHARED = {
    "two": (
        "y = B(x)\n"
        "a = checkpoint(lambda h: A(h) * y, x, use_reentrant=True)\n"
        "b = checkpoint(lambda h: C(h) * y, x, use_reentrant=True)\n"
        "return a + b"
    ),
    "two_non": (
        "y = B(x)\n"
        "a = checkpoint(lambda h: A(h) * y, x, use_reentrant=False)\n"
        "b = checkpoint(lambda h: C(h) * y, x, use_reentrant=False)\n"
        "return a + b"
    ),
    "one": "y = B(x)\nreturn checkpoint(lambda h: A(h) * y, x, use_reentrant=True)",
    "outside": "y = B(x)\na = checkpoint(lambda h: A(h) * y, x, use_reentrant=True)\nreturn a + y.sin()",
    "outside_sum": "y = B(x)\na = checkpoint(lambda h: A(h) * y, x, use_reentrant=True)\nreturn a + y",
    "leaf": (
        "a = checkpoint(lambda h: A(h) * B.weight.sum(), x, use_reentrant=True)\n"
        "b = checkpoint(lambda h: C(h) * B.weight.sum(), x, use_reentrant=True)\n"
        "return a + b"
    ),
    "handed": (
        "y = B(x)\n"
        "a = checkpoint(lambda h, k: A(h) * k, x, y, use_reentrant=True)\n"
        "b = checkpoint(lambda h, k: C(h) * k, x, y, use_reentrant=True)\n"
        "return a + b"
    ),
    "detached": (
        "y = B(x).detach()\n"
        "a = checkpoint(lambda h: A(h) * y, x, use_reentrant=True)\n"
        "b = checkpoint(lambda h: C(h) * y, x, use_reentrant=True)\n"
        "return a + b"
    ),
    "nested_def": (
        "y = B(x)\n"
        "def first(h):\n"
        "    return A(h) * y\n"
        "def second(h):\n"
        "    return C(h) * y\n"
        "return checkpoint(first, x, use_reentrant=True) + checkpoint(second, x, use_reentrant=True)"
    ),
    "same_def": (
        "y = B(x)\n"
        "def first(h):\n"
        "    return A(h) * y\n"
        "return checkpoint(first, x, use_reentrant=True) + checkpoint(first, x, use_reentrant=True)"
    ),
    "part": (
        "y = B(x)\n"
        "def f(k, h):\n"
        "    return A(h) * k\n"
        "a = checkpoint(partial(f, y), x, use_reentrant=True)\n"
        "b = checkpoint(partial(f, y), x, use_reentrant=True)\n"
        "return a + b"
    ),
    "default": (
        "y = B(x)\n"
        "a = checkpoint(lambda h, k=y: A(h) * k, x, use_reentrant=True)\n"
        "b = checkpoint(lambda h, k=y: C(h) * k, x, use_reentrant=True)\n"
        "return a + b"
    ),
    "loop": (
        "y = B(x)\n"
        "h = x\n"
        "for layer in (A, C):\n"
        "    h = checkpoint(lambda t, layer=layer: layer(t) * y, h, use_reentrant=True)\n"
        "return h"
    ),
    "comp": (
        "y = B(x)\n"
        "return sum([checkpoint(lambda t, layer=layer: layer(t) * y, x, use_reentrant=True) for layer in (A, C)])"
    ),
    "helper": (
        "y = B(x)\n"
        "again = lambda layer: checkpoint(lambda h: layer(h) * y, x, use_reentrant=True)\n"
        "return again(A) + again(C)"
    ),
    "ckpt_partial": (
        "y = B(x)\n"
        "again = partial(checkpoint, use_reentrant=True)\n"
        "return again(lambda h: A(h) * y, x) + again(lambda h: C(h) * y, x)"
    ),
    "shape_only": (
        "y = B(x)\n"
        "a = checkpoint(lambda h: A(h) * y.shape[0], x, use_reentrant=True)\n"
        "b = checkpoint(lambda h: C(h) * y.shape[0], x, use_reentrant=True)\n"
        "return a + b"
    ),
    "item": (
        "y = B(x)\n"
        "s = y.sum().item()\n"
        "a = checkpoint(lambda h: A(h) * s, x, use_reentrant=True)\n"
        "b = checkpoint(lambda h: C(h) * s, x, use_reentrant=True)\n"
        "return a + b"
    ),
    "renamed": (
        "y = B(x)\n"
        "k = y\n"
        "a = checkpoint(lambda h: A(h) * y, x, use_reentrant=True)\n"
        "b = checkpoint(lambda h: C(h) * k, x, use_reentrant=True)\n"
        "return a + b"
    ),
    "tupled": (
        "y, z = B(x), C(x)\n"
        "a = checkpoint(lambda h: A(h) * y, x, use_reentrant=True)\n"
        "b = checkpoint(lambda h: A(h) * y + z, x, use_reentrant=True)\n"
        "return a + b"
    ),
    "mixed": (
        "y = B(x)\n"
        "a = checkpoint(lambda h: A(h) * y, x, use_reentrant=True)\n"
        "b = checkpoint(lambda h: C(h) * y, x, use_reentrant=False)\n"
        "return a + b"
    ),
    "clone_": (
        "y = B(x)\n"
        "a = checkpoint(lambda h: A(h) * y.clone(), x, use_reentrant=True)\n"
        "b = checkpoint(lambda h: C(h) * y.clone(), x, use_reentrant=True)\n"
        "return a + b"
    ),
}
PROGRAM = PARTS + functions(SHARED) + trainers(SHARED)


def test_shared_tensors_are_reported() -> None:
    agree(PROGRAM, "TBR505", names=SHARED, wrong=6, right=6)
