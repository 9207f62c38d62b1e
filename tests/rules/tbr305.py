"""TBR305: a value branch where a graph break costs the whole compiled frame."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator

import torch
from torch import Tensor, nn


def too_big(x: Tensor) -> bool:
    return bool(x.max() > 5)  # ok: [TBR305] a read, the branch is the caller's


@torch.compile
def looped(x: Tensor) -> Tensor:
    for _ in range(3):
        if x.norm() > 1:  # error: [TBR305]
            x = x / 2
        if too_big(x):  # error: [TBR305]
            break
    rounds = 0
    while rounds < 3:
        x = x.sin() if x.sum() > 0 else x.cos()  # error: [TBR305]
        rounds += 1
    return x


@torch.compile
def guarded(x: Tensor) -> Tensor:
    try:
        if x.isnan().any():  # error: [TBR305] "use `torch._assert_async`"
            raise ValueError("nan")
    except ValueError:
        x = torch.nan_to_num(x)
    with contextlib.suppress(RuntimeError):
        if x.sum() > 0:  # error: [TBR305]
            x = x.sin()
    if any(row.sum() > 0 for row in x.unbind(0)):  # error: [TBR305]
        x = x + 1
    if 3.0 in x:  # error: [TBR305]
        x = x + 2
    return x


class Stack(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.layers = nn.ModuleList([nn.Linear(4, 4) for _ in range(3)])

    def forward(self, x: Tensor) -> Tensor:
        for layer in self.layers:
            if torch.rand([]) < 0.1:  # error: [TBR305]
                continue
            x = self.applied(layer(x))
        return x

    def applied(self, x: Tensor) -> Tensor:
        if x.sum() > 0:  # ok: [TBR305] its own frame is cut, not lost  # error: [TBR304]
            x = x.sin()
        return x


stack = torch.compile(Stack())


# --- tempting, and rightly silent -----------------------------------------------------------------
@torch.compile
def cut(x: Tensor) -> Tensor:
    while x.norm() > 1:  # ok: [TBR305] the test of the loop itself  # error: [TBR304]
        x = x / 2
    for _ in range(3):
        x = torch.where(x.sum() > 0, x.sin(), x)  # ok: [TBR305] no Python branch
    else:
        if x.sum() > 0:  # ok: [TBR305] after the loop  # error: [TBR304]
            x = x.cos()
    with torch.no_grad():
        if x.sum() > 0:  # ok: [TBR305] compile resumes in `no_grad`  # error: [TBR304]
            x = x.cos()
    kept = [row for row in x.unbind(0) if row.sum() > 0]  # ok: [TBR305] a list, not a generator  # error: [TBR304]
    return torch.stack(kept)


@torch.compile(fullgraph=True)
def whole(x: Tensor) -> Tensor:
    for _ in range(3):
        if x.sum() > 0:  # ok: [TBR305] an error with `fullgraph=True`  # error: [TBR304]
            x = x.sin()
    return x


@torch.compile
def asserted(x: Tensor) -> Tensor:
    for _ in range(3):
        assert x.sum() > 0  # ok: [TBR305] traced
        if not torch.compiler.is_compiling() and x.max() > 3:  # ok: [TBR305] never traced
            x = x / 2
        x = x.sin()
    return x


class Timed:
    def __enter__(self) -> Timed:
        return self

    def __exit__(self, *_: object) -> None:
        return None


@contextlib.contextmanager
def quiet() -> Iterator[None]:
    yield


@torch.compile
def under_own_class(x: Tensor) -> Tensor:
    with Timed():
        if x.sum() > 0:  # error: [TBR305]
            x = x.sin()
    return x


@torch.compile
def under_generator(x: Tensor) -> Tensor:
    with torch.no_grad(), quiet():
        if x.sum() > 0:  # error: [TBR305]
            x = x.sin()
    return x


@torch.compile
def under_stack(x: Tensor) -> Tensor:
    with contextlib.ExitStack() as stack:
        stack.enter_context(torch.no_grad())
        if x.sum() > 0:  # error: [TBR305]
            x = x.sin()
    return x


@torch.compile
def under_device(x: Tensor) -> Tensor:
    with torch.device("cpu"):
        if x.sum() > 0:  # error: [TBR305]
            x = x.sin()
    return x


@torch.compile
def handed(x: Tensor, timed: Timed) -> Tensor:
    with timed:
        if x.sum() > 0:  # error: [TBR305]
            x = x.sin()
    return x


@torch.compile
def under_torch(x: Tensor) -> Tensor:
    with torch.no_grad(), torch.autocast("cpu"), torch.profiler.record_function("step"), contextlib.nullcontext():
        if x.sum() > 0:  # ok: [TBR305] the compiler enters these again itself  # error: [TBR304]
            x = x.sin()
    with quiet():
        x = x.cos()
    if x.sum() > 0:  # ok: [TBR305] after the context  # error: [TBR304]
        x = x.sin()
    return x
