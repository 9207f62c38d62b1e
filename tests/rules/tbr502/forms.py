"""Keyword arguments that a reentrant checkpoint refuses, and those that it does not."""

from __future__ import annotations

import functools
from typing import Any

import torch
import torch.utils.checkpoint as tc
from torch import nn
from torch.utils import checkpoint as cp
from torch.utils.checkpoint import checkpoint as ckpt

reentrant_ckpt = functools.partial(ckpt, use_reentrant=True)
OPTIONS = {"use_reentrant": True, "preserve_rng_state": False}


class Block(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.fc = nn.Linear(4, 4)

    def forward(self, x: torch.Tensor, scale: float = 1.0, mask: torch.Tensor | None = None) -> torch.Tensor:
        out = self.fc(x) * scale
        return out if mask is None else out * mask


def spelled_out(block: Block, x: torch.Tensor) -> torch.Tensor:
    return ckpt(block, x, use_reentrant=True, scale=0.5)  # error: [TBR502]


def left_out(block: Block, x: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
    return cp.checkpoint(block, x, mask=mask)  # error: [TBR502]  # error: [TBR506]


def beside_its_own(block: Block, x: torch.Tensor) -> torch.Tensor:
    return tc.checkpoint(block, x, use_reentrant=True, preserve_rng_state=False, scale=0.5)  # error: [TBR502]


def by_partial(block: Block, x: torch.Tensor) -> torch.Tensor:
    return reentrant_ckpt(block, x, scale=0.5)  # error: [TBR502]


def by_options(block: Block, x: torch.Tensor) -> torch.Tensor:
    return ckpt(block, x, scale=0.5, **OPTIONS)  # error: [TBR502]


def by_dictionary(block: Block, x: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
    extra = {"mask": mask}
    return ckpt(block, x, use_reentrant=True, **extra)  # error: [TBR502]


class Stack(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.blocks = nn.ModuleList(Block() for _ in range(2))
        self._checkpoint = functools.partial(tc.checkpoint, use_reentrant=True)

    def forward(self, x: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
        for block in self.blocks:
            x = self._checkpoint(block, x, mask=mask)  # error: [TBR502]
        return x


class Wrapper(nn.Module):
    def __init__(self, inner: nn.Module) -> None:
        super().__init__()
        self.inner = inner

    def forward(self, *args: Any, **kwargs: Any) -> torch.Tensor:
        return ckpt(self.inner, *args, use_reentrant=True, **kwargs)  # error: [TBR502]


def across_a_call(x: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
    wrapped = Wrapper(Block())
    return wrapped(x, mask=mask)


# Rightly silent.


def not_reentrant(block: Block, x: torch.Tensor) -> torch.Tensor:
    return ckpt(block, x, use_reentrant=False, scale=0.5)  # ok: [TBR502] this variant passes them on


def its_own_arguments(block: Block, x: torch.Tensor) -> torch.Tensor:
    x = ckpt(block, x, use_reentrant=True, preserve_rng_state=False)  # ok: [TBR502] the checkpoint's own
    x = ckpt(block, x, use_reentrant=True, determinism_check="none")  # ok: [TBR502] the checkpoint's own
    x = ckpt(block, x, **OPTIONS)  # ok: [TBR502] the checkpoint's own
    return ckpt(block, x, use_reentrant=True, early_stop=False)  # ok: [TBR502] the checkpoint's own


def bound_before(block: Block, x: torch.Tensor) -> torch.Tensor:
    x = ckpt(functools.partial(block, scale=0.5), x, use_reentrant=True)  # ok: [TBR502] bound to the function
    x = ckpt(lambda h: block(h, scale=0.5), x, use_reentrant=True)  # ok: [TBR502] given inside of the function
    return ckpt(block, x, 0.5, use_reentrant=True)  # ok: [TBR502] given by position


class PositionalWrapper(nn.Module):
    def __init__(self, inner: nn.Module) -> None:
        super().__init__()
        self.inner = inner

    def forward(self, *args: Any, **kwargs: Any) -> torch.Tensor:
        return ckpt(self.inner, *args, use_reentrant=True, **kwargs)  # ok: [TBR502] its caller gives none


def across_a_call_rightly(x: torch.Tensor) -> torch.Tensor:
    wrapped = PositionalWrapper(Block())
    return wrapped(x, 0.5)


def nothing_known(block: Block, x: torch.Tensor, extra: dict[str, Any], reentrant: bool) -> torch.Tensor:
    x = ckpt(block, x, use_reentrant=True, **extra)  # ok: [TBR502] it may be empty
    return ckpt(block, x, use_reentrant=reentrant, scale=0.5)  # ok: [TBR502] may be the other variant


def checkpoint(function: nn.Module, x: torch.Tensor, use_reentrant: bool, **kwargs: Any) -> torch.Tensor:
    print(use_reentrant)
    return function(x, **kwargs)


def another_checkpoint(block: Block, x: torch.Tensor) -> torch.Tensor:
    return checkpoint(block, x, use_reentrant=True, scale=0.5)  # ok: [TBR502] a function of this file


def saved(function: Any) -> Any:
    @functools.wraps(function)
    def wrapper(*args: Any, **kwargs: Any) -> Any:
        return ckpt(function, *args, use_reentrant=True, **kwargs)  # error: [TBR502]

    return wrapper


def saved_as(reentrant: bool) -> Any:
    def decorate(function: Any) -> Any:
        def wrapper(*args: Any, **kwargs: Any) -> Any:
            return ckpt(function, *args, use_reentrant=False, **kwargs)  # ok: [TBR502] not reentrant

        return wrapper

    return decorate


@saved
def decorated(x: torch.Tensor, mask: torch.Tensor | None = None) -> torch.Tensor:
    return x if mask is None else x * mask


@saved_as(reentrant=False)
def decorated_rightly(x: torch.Tensor, mask: torch.Tensor | None = None) -> torch.Tensor:
    return x if mask is None else x * mask


def calls_decorated(x: torch.Tensor, mask: torch.Tensor) -> None:
    (decorated(x, mask=mask) + decorated_rightly(x, mask=mask)).sum().backward()
