"""TBR403: contexts that are built once and handed out by names, parts and helpers: reported if, and only if, the second
step fails.
"""

from __future__ import annotations

import ast
from types import ModuleType

import pytest

from tests.oracle.agree import reported, require_torch
from tests.oracle.support import loaded, observe

torch = require_torch()
pytestmark = pytest.mark.oracle

PAIRS = """
import contextlib

import torch
from torch import nn
from torch.nn.attention import SDPBackend, sdpa_kernel
from torch.utils.checkpoint import checkpoint, create_selective_checkpoint_contexts


@contextlib.contextmanager
def scope():
    yield


def pair():
    return scope(), scope()


def attend(x: torch.Tensor) -> torch.Tensor:
    return x.sin().cos()


def selective():
    return create_selective_checkpoint_contexts([torch.ops.aten.sin.default])


FIRST, SECOND = pair()
KEPT = pair()
ONE, TWO = scope(), scope()
S1, S2 = selective()
U, V = [scope() for _ in range(2)]
[P, Q] = pair()


def unpacked(x: torch.Tensor) -> torch.Tensor:
    return checkpoint(attend, x, use_reentrant=False, context_fn=lambda: (FIRST, SECOND))


def kept(x: torch.Tensor) -> torch.Tensor:
    return checkpoint(attend, x, use_reentrant=False, context_fn=lambda: KEPT)


def indexed(x: torch.Tensor) -> torch.Tensor:
    return checkpoint(attend, x, use_reentrant=False, context_fn=lambda: (KEPT[0], KEPT[1]))


def two(x: torch.Tensor) -> torch.Tensor:
    return checkpoint(attend, x, use_reentrant=False, context_fn=lambda: (ONE, TWO))


def selective(x: torch.Tensor) -> torch.Tensor:
    return checkpoint(attend, x, use_reentrant=False, context_fn=lambda: (S1, S2))


def comp(x: torch.Tensor) -> torch.Tensor:
    return checkpoint(attend, x, use_reentrant=False, context_fn=lambda: (U, V))


def by_list(x: torch.Tensor) -> torch.Tensor:
    return checkpoint(attend, x, use_reentrant=False, context_fn=lambda: (P, Q))


def star(x: torch.Tensor) -> torch.Tensor:
    return checkpoint(attend, x, use_reentrant=False, context_fn=lambda: (*KEPT,))


def tuplecall(x: torch.Tensor) -> torch.Tensor:
    return checkpoint(attend, x, use_reentrant=False, context_fn=lambda: tuple(KEPT))


def swapped(x: torch.Tensor) -> torch.Tensor:
    return checkpoint(attend, x, use_reentrant=False, context_fn=lambda: (SECOND, FIRST))


def fresh_unpacked(x: torch.Tensor) -> torch.Tensor:
    def contexts():
        a, b = pair()
        return a, b

    return checkpoint(attend, x, use_reentrant=False, context_fn=contexts)


def local(x: torch.Tensor) -> torch.Tensor:
    a, b = pair()
    return checkpoint(attend, x, use_reentrant=False, context_fn=lambda: (a, b))


def local_twice(x: torch.Tensor) -> torch.Tensor:
    a, b = pair()
    for _ in range(2):
        x = checkpoint(attend, x, use_reentrant=False, context_fn=lambda: (a, b))
    return x


def default(x: torch.Tensor) -> torch.Tensor:
    return checkpoint(attend, x, use_reentrant=False, context_fn=lambda a=FIRST, b=SECOND: (a, b))


def by_function(x: torch.Tensor) -> torch.Tensor:
    def contexts():
        return FIRST, SECOND

    return checkpoint(attend, x, use_reentrant=False, context_fn=contexts)


class Block(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.a, self.b = pair()

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return checkpoint(attend, x, use_reentrant=False, context_fn=lambda: (self.a, self.b))


BLOCK = Block()


def in_a_module(x: torch.Tensor) -> torch.Tensor:
    return BLOCK(x)


def reused_null(x: torch.Tensor) -> torch.Tensor:
    return checkpoint(attend, x, use_reentrant=False, context_fn=lambda: (N1, N2))


N1, N2 = contextlib.nullcontext(), contextlib.nullcontext()


def same_unpacked(x: torch.Tensor) -> torch.Tensor:
    a = b = scope()
    return checkpoint(attend, x, use_reentrant=False, context_fn=lambda: (a, b))


def one_of_pair(x: torch.Tensor) -> torch.Tensor:
    a, _ = pair()
    return checkpoint(attend, x, use_reentrant=False, context_fn=lambda: (a, a))
"""
HELPERS = {"scope", "pair", "attend", "selective"}
INSIDE = {"in_a_module": "Block"}
"""Where a form's checkpoint stands in a class."""
FORMS = {n.name for n in ast.parse(PAIRS).body if isinstance(n, ast.FunctionDef)} - HELPERS


def two_steps(module: ModuleType, name: str) -> None:
    for _ in range(2):
        getattr(module, name)(torch.ones(3, requires_grad=True)).sum().backward()


def fails(name: str) -> bool:
    with loaded(PAIRS) as module:
        return observe(two_steps, module, name).error is not None


def test_what_fails_in_the_second_step_is_reported() -> None:
    found = set(reported(PAIRS, "TBR403"))
    assert found == {INSIDE.get(name, name) for name in FORMS if fails(name)}
