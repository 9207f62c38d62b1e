"""TBR506: a checkpoint call that leaves the choice of its variant to torch."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import torch
import torch.utils.checkpoint
import torch.utils.checkpoint as tc
from torch import distributed as dist
from torch import nn
from torch.distributed.algorithms._checkpoint.checkpoint_wrapper import checkpoint_wrapper
from torch.utils import checkpoint as cp
from torch.utils.checkpoint import checkpoint as ckpt
from torch.utils.checkpoint import checkpoint_sequential

unsaid = functools.partial(ckpt, preserve_rng_state=False)
said = functools.partial(ckpt, use_reentrant=False)


def aliases(block: nn.Module, x: torch.Tensor) -> torch.Tensor:
    x = ckpt(block, x)  # error: [TBR506]
    x = cp.checkpoint(block, x)  # error: [TBR506]
    x = tc.checkpoint(block, x, preserve_rng_state=False)  # error: [TBR506]
    return torch.utils.checkpoint.checkpoint(block, x)  # error: [TBR506]


def chain(blocks: nn.Sequential, x: torch.Tensor) -> torch.Tensor:
    x = checkpoint_sequential(blocks, 2, x)  # error: [TBR506]
    return cp.checkpoint_sequential(blocks, segments=2, input=x)  # error: [TBR506]


def none_is_no_choice(block: nn.Module, x: torch.Tensor) -> torch.Tensor:
    return ckpt(block, x, use_reentrant=None)  # error: [TBR506]


def by_partial(block: nn.Module, x: torch.Tensor) -> torch.Tensor:
    return unsaid(block, x)  # error: [TBR506]


class Stage(nn.Module):
    def __init__(self, depth: int = 2) -> None:
        super().__init__()
        self.blocks = nn.ModuleList(nn.Linear(4, 4) for _ in range(depth))
        self.grad_checkpointing = True
        self._ckpt = ckpt

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        for block in self.blocks:
            if self.grad_checkpointing and not torch.jit.is_scripting():
                x = ckpt(block, x)  # error: [TBR506]
            else:
                x = block(x)
        return self._ckpt(lambda h: self.blocks[0](h), x)  # error: [TBR506]


def checkpointed(function: Callable[..., torch.Tensor]) -> Callable[..., torch.Tensor]:
    @functools.wraps(function)
    def wrapper(*args: torch.Tensor) -> torch.Tensor:
        return cp.checkpoint(function, *args)  # error: [TBR506]

    return wrapper


def forwarding(function: nn.Module, *args: Any, **kwargs: Any) -> torch.Tensor:
    return ckpt(function, *args, **kwargs)  # error: [TBR506]


def across_a_call(block: nn.Module, x: torch.Tensor) -> torch.Tensor:
    return forwarding(block, x)


# Rightly silent.


def explicit(block: nn.Module, blocks: nn.Sequential, x: torch.Tensor) -> torch.Tensor:
    x = ckpt(block, x, use_reentrant=False)  # ok: [TBR506] the recommended variant
    x = ckpt(block, x, use_reentrant=True)  # ok: [TBR506] a choice too
    x = said(block, x)  # ok: [TBR506] the partial says it
    return checkpoint_sequential(blocks, 2, x, use_reentrant=False)  # ok: [TBR506] said by keyword


def by_position(blocks: nn.Sequential, x: torch.Tensor) -> torch.Tensor:
    return checkpoint_sequential(blocks, 2, x, False)  # ok: [TBR506] the fourth parameter


def by_dictionary(block: nn.Module, x: torch.Tensor) -> torch.Tensor:
    options = {"use_reentrant": False, "preserve_rng_state": True}
    return ckpt(block, x, **options)  # ok: [TBR506] in the dictionary


def with_default(function: nn.Module, *args: Any, **kwargs: Any) -> torch.Tensor:
    kwargs.setdefault("use_reentrant", False)
    return ckpt(function, *args, **kwargs)  # ok: [TBR506] set where the caller did not


def unset_by_its_caller(block: nn.Module, x: torch.Tensor) -> torch.Tensor:
    return with_default(block, x)


def passed_through(function: nn.Module, *args: Any, **kwargs: Any) -> torch.Tensor:
    return ckpt(function, *args, **kwargs)  # ok: [TBR506] every caller says it


def says_it(block: nn.Module, x: torch.Tensor) -> torch.Tensor:
    return passed_through(block, x, use_reentrant=False)


def nothing_known(block: nn.Module, x: torch.Tensor, options: dict[str, Any]) -> torch.Tensor:
    return ckpt(block, x, **options)  # ok: [TBR506] it may be in there


def wrapped(block: nn.Module, x: torch.Tensor) -> torch.Tensor:
    return checkpoint_wrapper(block)(x)  # ok: [TBR506] this wrapper defaults to the non-reentrant variant


def checkpoint(model: nn.Module, path: str) -> None:
    torch.save(model.state_dict(), path)


def not_torch_s(model: nn.Module) -> None:
    checkpoint(model, "model.pt")  # ok: [TBR506] a function of this file that writes a file
    dist.checkpoint.save(model.state_dict(), checkpoint_id="model")  # ok: [TBR506] distributed checkpoints are files
