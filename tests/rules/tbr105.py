# options: --tbr-enable=TBR102,TBR103,TBR105
"""TBR105: a tensor's value only guards a raise, an assert or a warning."""

import warnings
from typing import Any

import torch
import torch as th
from torch import Tensor, isfinite, nn
from torch.utils.checkpoint import checkpoint


# --- if and raise, assert, warn -------------------------------------------------------------------
def log_probability(p: Tensor) -> Tensor:
    if (p <= 0).any():  # error: [TBR105]
        raise ValueError("probabilities must be positive")
    return p.log()


def normalised(p: th.Tensor) -> th.Tensor:
    assert th.allclose(p.sum(-1), th.ones(()))  # error: [TBR105]
    assert p.min() >= 0, f"negative: {p.min()}"  # error: [TBR105]
    return p.sqrt()


def noisy(x: Tensor) -> Tensor:
    if not isfinite(x).all():  # error: [TBR105]
        warnings.warn("the input is not finite", stacklevel=2)
    return x * 2


# --- the reading is elsewhere ---------------------------------------------------------------------
def check_range(index: Tensor, size: int) -> None:
    highest = index.max().item()
    if highest >= size:  # error: [TBR105]
        raise IndexError(f"index {highest} is out of range")


def is_positive(x: Tensor) -> bool:
    return bool((x > 0).all())


class Embed(nn.Module):
    def __init__(self, size: int = 10, validate: bool = True) -> None:
        super().__init__()
        self.table = nn.Embedding(size, 4)
        self.validate = validate
        self.register_buffer("offset", torch.zeros(()))

    def forward(self, ids: Tensor) -> Tensor:
        check_range(ids, self.table.num_embeddings)
        if self.validate:  # ok: [TBR105] a Python flag around the check
            if not is_positive(ids):  # error: [TBR105]
                raise ValueError("ids must be positive")
        if self.offset < 0:  # error: [TBR105]
            raise ValueError("negative offset")
        return self.table(ids)


def in_a_loop(parts: list[Tensor]) -> Tensor:
    for part in parts:
        if torch.isnan(part).any():  # error: [TBR105]
            raise FloatingPointError("nan")
    return torch.stack(parts)


def checked_square(x: Tensor) -> Tensor:
    assert x.abs().max() < 100  # error: [TBR105]
    return x * x


def run(x: Tensor) -> Tensor:
    return checkpoint(checked_square, x, use_reentrant=False)


# --- not only a guard -----------------------------------------------------------------------------
def repaired_or_raised(x: Tensor, strict: bool) -> Tensor:
    if torch.isnan(x).any():  # error: [TBR101]
        if strict:
            raise ValueError("nan")
        x = torch.nan_to_num(x)
    return x


# --- tempting, and rightly silent -----------------------------------------------------------------
def metadata(x: Tensor, y: Tensor, mode: str) -> Tensor:
    assert isinstance(x, Tensor)  # ok: [TBR105] a type
    assert x.ndim == 2 and x.is_floating_point()  # ok: [TBR105] rank and kind
    assert x.shape == y.shape, f"{x.shape} != {y.shape}"  # ok: [TBR105] shapes
    if x.device != y.device:  # ok: [TBR105] devices
        raise ValueError("x and y are on different devices")
    if mode not in ("sum", "mean"):  # ok: [TBR105] a string
        raise ValueError(mode)
    return x + y


def length_of(parts: list[Any]) -> int:
    return len(parts)


def across_a_call(parts: list[Tensor]) -> Tensor:
    if length_of(parts) == 0:  # ok: [TBR105] a helper that returns a Python length
        raise ValueError("nothing to stack")
    return torch.stack(parts)


def on_the_device(p: Tensor) -> Tensor:
    torch._assert_async((p > 0).all(), "probabilities must be positive")  # ok: [TBR105] nothing is read on the host
    return p.log()


@torch.compile(backend="eager")
def traced_assert(p: Tensor) -> Tensor:
    assert (p > 0).all(), "probabilities must be positive"  # error: [TBR105]
    return p.log()


@torch.compile(backend="eager")
def kept_out_of_traces(p: Tensor) -> Tensor:
    if not torch.compiler.is_compiling():
        if not isfinite(p).all():  # error: [TBR105]
            raise ValueError("not finite")
    return p.log()
