"""TBR402: a state of torch, or one of the project, that the forward of a checkpoint saw and its recompute does not."""

from __future__ import annotations

import contextvars
import os
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, nullcontext
from typing import Any

import torch
from torch import nn
from torch.distributed.tensor.experimental import context_parallel
from torch.overrides import TorchFunctionMode
from torch.utils import checkpoint as cp
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils.checkpoint import checkpoint

scale: contextvars.ContextVar[float] = contextvars.ContextVar("scale", default=1.0)


class Settings:
    double = False
    seen = 0


@contextmanager
def doubled() -> Iterator[None]:
    Settings.double = True
    try:
        yield
    finally:
        Settings.double = False


@contextmanager
def scaled(value: float) -> Iterator[None]:
    token = scale.set(value)
    yield
    scale.reset(token)


@contextmanager
def low_default() -> Iterator[None]:
    torch.set_default_dtype(torch.float64)
    yield
    torch.set_default_dtype(torch.float32)


class Doubled:
    def __enter__(self) -> None:
        Settings.double = True

    def __exit__(self, *exc: object) -> None:
        Settings.double = False


class Counted:
    def __enter__(self) -> None:
        Settings.seen += 1

    def __exit__(self, *exc: object) -> None:
        Settings.seen -= 1


class NoNoise(TorchFunctionMode):
    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        if func is torch.rand_like:
            return torch.ones_like(*args)
        return func(*args, **(kwargs or {}))


class Watch(TorchDispatchMode):
    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        out = func(*args, **(kwargs or {}))
        print(func, types)
        return out


def region(x: torch.Tensor) -> torch.Tensor:
    y = x * torch.rand_like(x) * scale.get()
    return (y * 2 if Settings.double else y).sin()


def plain(x: torch.Tensor) -> torch.Tensor:
    return x.sin().cos()


def made_inside(x: torch.Tensor) -> torch.Tensor:
    return x * torch.full((3,), 0.5)


def by_flag(x: torch.Tensor) -> None:
    with doubled():  # error: [TBR402]
        y = checkpoint(region, x, use_reentrant=False)
    y.sum().backward()


def by_context_variable(x: torch.Tensor) -> None:
    with scaled(2.0):  # error: [TBR402]
        loss = cp.checkpoint(region, x, use_reentrant=True).sum()
    loss.backward()


def by_class(x: torch.Tensor) -> None:
    with Doubled():  # error: [TBR402]
        y = checkpoint(region, x, use_reentrant=False)
    y.sum().backward()


def by_exit_stack(x: torch.Tensor, fast: bool) -> None:
    with ExitStack() as stack:
        if fast:
            stack.enter_context(doubled())  # error: [TBR402]
        y = checkpoint(region, x, use_reentrant=False)
    y.sum().backward()


def by_mode(x: torch.Tensor) -> None:
    with NoNoise():  # error: [TBR402]
        y = checkpoint(region, x, use_reentrant=False)
    y.sum().backward()


def by_choice(x: torch.Tensor, fixed: bool) -> None:
    scope = NoNoise() if fixed else nullcontext()
    with scope:  # error: [TBR402]
        y = checkpoint(region, x, use_reentrant=False)
    y.sum().backward()


def by_default_dtype(x: torch.Tensor) -> None:
    with low_default():  # error: [TBR402]
        y = checkpoint(made_inside, x, use_reentrant=False)
    y.sum().backward()


def by_switch(x: torch.Tensor) -> None:
    torch.set_default_dtype(torch.float64)  # error: [TBR402]
    y = checkpoint(made_inside, x, use_reentrant=False)
    torch.set_default_dtype(torch.float32)
    y.sum().backward()


def by_attribute(x: torch.Tensor) -> None:
    Settings.double = True  # error: [TBR402]
    try:
        y = checkpoint(region, x, use_reentrant=False)
    finally:
        Settings.double = False
    y.sum().backward()


def in_ranks(layer: nn.Module, x: torch.Tensor, mesh: Any) -> None:
    with context_parallel(mesh, buffers=[x], buffer_seq_dims=[1]):  # error: [TBR402]
        y = checkpoint(layer, x, use_reentrant=False)
    y.sum().backward()


class Recompute(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, function: Any, x: torch.Tensor) -> torch.Tensor:
        ctx.function = function
        ctx.save_for_backward(x)
        with torch.no_grad():
            return function(x)

    @staticmethod
    def backward(ctx: Any, grad: torch.Tensor) -> tuple[None, torch.Tensor | None]:
        x = ctx.saved_tensors[0].detach().requires_grad_()
        with torch.enable_grad(), torch.autocast("cpu", enabled=True):  # error: [TBR402]
            y = ctx.function(x)
        torch.autograd.backward(y, grad)
        return None, x.grad


def home_made(x: torch.Tensor) -> None:
    with doubled():  # error: [TBR402]
        y = Recompute.apply(region, x)
    y.sum().backward()


# Rightly silent.


def inside(x: torch.Tensor) -> None:
    with doubled():  # ok: [TBR402] backward runs in the scope
        checkpoint(region, x, use_reentrant=False).sum().backward()


def unread(x: torch.Tensor) -> None:
    with doubled(), Counted():  # ok: [TBR402] the region reads neither
        y = checkpoint(plain, x, use_reentrant=False)
    y.sum().backward()


def counted(x: torch.Tensor) -> None:
    with Counted():  # ok: [TBR402] the region does not read the counter
        y = checkpoint(region, x, use_reentrant=False)
    y.sum().backward()


def observed(x: torch.Tensor) -> None:
    with Watch():  # ok: [TBR402] the mode changes nothing
        y = checkpoint(region, x, use_reentrant=False)
    y.sum().backward()


def entered_again(x: torch.Tensor) -> None:
    with NoNoise():  # ok: [TBR402] context_fn enters it for the recompute
        y = checkpoint(region, x, use_reentrant=False, context_fn=lambda: (nullcontext(), NoNoise()))
    y.sum().backward()


def restored(x: torch.Tensor) -> None:
    with torch.autocast("cpu", dtype=torch.bfloat16), torch.device("cpu"):  # ok: [TBR402] checkpoint restores both
        y = checkpoint(made_inside, x, use_reentrant=False)
    y.float().sum().backward()


def watched(x: torch.Tensor) -> None:
    with torch.autograd.detect_anomaly(), torch.profiler.profile():  # ok: [TBR402] observers
        y = checkpoint(plain, x, use_reentrant=False)
    y.sum().backward()


def for_good(x: torch.Tensor) -> None:
    torch.set_default_dtype(torch.float64)  # ok: [TBR402] still set in the recompute
    y = checkpoint(made_inside, x, use_reentrant=False)
    y.sum().backward()


def set_back_after_backward(x: torch.Tensor) -> None:
    torch.set_default_dtype(torch.float64)  # ok: [TBR402] set back after backward
    checkpoint(made_inside, x, use_reentrant=False).sum().backward()
    torch.set_default_dtype(torch.float32)


def without_checkpoint(x: torch.Tensor) -> None:
    with doubled():  # ok: [TBR402] nothing is recomputed
        y = region(x)
    y.sum().backward()


def evaluation(x: torch.Tensor) -> torch.Tensor:
    with torch.no_grad(), doubled():  # ok: [TBR402] no backward
        return checkpoint(region, x, use_reentrant=False)


def by_token(x: torch.Tensor) -> None:
    token = scale.set(2.0)  # error: [TBR402]
    y = checkpoint(region, x, use_reentrant=False)
    scale.reset(token)
    y.sum().backward()


def inside_token(x: torch.Tensor) -> None:
    token = scale.set(2.0)  # ok: [TBR402] backward runs inside
    try:
        checkpoint(region, x, use_reentrant=False).sum().backward()
    finally:
        scale.reset(token)


def fast_or_not(x: torch.Tensor) -> torch.Tensor:
    return x.sin() if os.environ.get("FAST") == "1" else x.sin().cos()


def by_environment(x: torch.Tensor) -> None:
    os.environ["FAST"] = "1"  # error: [TBR402]
    y = checkpoint(fast_or_not, x, use_reentrant=False)
    del os.environ["FAST"]
    y.sum().backward()


def other_variable(x: torch.Tensor) -> None:
    os.environ["SLOW"] = "1"  # ok: [TBR402] nobody in the region asks for it
    y = checkpoint(fast_or_not, x, use_reentrant=False)
    os.environ["SLOW"] = "0"
    y.sum().backward()


loud = False


def louder(x: torch.Tensor) -> torch.Tensor:
    return x.exp() if loud else x.sin()


def by_global(x: torch.Tensor) -> None:
    global loud
    before = loud
    loud = True  # error: [TBR402]
    y = checkpoint(louder, x, use_reentrant=False)
    loud = before
    y.sum().backward()
