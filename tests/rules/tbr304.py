"""TBR304: a tensor's value decides control flow in a compiled region."""

from functools import partial

import torch
import torch as th
from torch import Tensor, isnan, nn


# --- decorated, called, with arguments ------------------------------------------------------------
@torch.compile
def signed(x: Tensor) -> Tensor:
    if x.sum() > 0:  # error: [TBR304]
        return x.sin()
    return x.cos()


@th.compile(fullgraph=True, backend="eager")
def ternary(x: th.Tensor) -> th.Tensor:
    return x.sin() if th.any(x > 1) else x  # error: [TBR304]


@partial(torch.compile, backend="eager", dynamic=True)
def by_partial(x: Tensor) -> Tensor:
    while x.norm() > 1:  # error: [TBR304]
        x = x / 2
    return x


def read_first(x: Tensor, count: Tensor) -> Tensor:
    peak = x.max().item()
    if peak > 10:  # error: [TBR304]
        x = x / 10
    for _ in range(int(count)):  # error: [TBR304]
        x = x.sin()
    if isnan(x).any():  # error: [TBR304] "a graph break; use `torch._assert_async`"
        raise ValueError("nan")
    return x


compiled_read = torch.compile(read_first, backend="eager")


def make_step(limit: float):
    def step(x: Tensor) -> Tensor:
        if x.mean() > limit:  # error: [TBR304]
            x = x - limit
        return x

    return torch.compile(step, backend="eager")


# --- reached through calls and modules ------------------------------------------------------------
def too_big(x: Tensor) -> bool:
    return bool(x.abs().max() > 5)


class Inner(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.register_buffer("seen", torch.zeros((), dtype=torch.long))

    def forward(self, x):
        h = x.float()
        if too_big(h):  # error: [TBR304]
            h = h.tanh()
        if self.seen > 3:  # error: [TBR304]
            h = h * 2
        return h


class DropStack(nn.Module):
    def __init__(self, depth: int = 3) -> None:
        super().__init__()
        self.inner = Inner()
        self.layers = nn.ModuleList([nn.Linear(8, 8) for _ in range(depth)])

    def forward(self, x):
        x = self.inner(x)
        for layer in self.layers:
            dice = torch.rand([])
            if self.training and dice < 0.3:  # error: [TBR305]
                continue
            x = x + layer(x).tanh()
        return x


def compiled_stack() -> nn.Module:
    stack = DropStack()
    stack.compile(backend="eager")
    return stack


class OwnForward(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.encode = torch.compile(self._encode, backend="eager")

    def _encode(self, x: Tensor) -> Tensor:
        if not x.any():  # error: [TBR304]
            return x.exp()
        return x.log1p()

    def forward(self, x: Tensor) -> Tensor:
        return self.encode(x)


@torch.compile(backend="eager")
def asserted(x: Tensor) -> Tensor:
    assert x.max() < 100, f"too large: {x.shape}"  # error: [TBR304]
    return x.sin()


# --- tempting, and rightly silent -----------------------------------------------------------------
class Calm(nn.Module):
    def __init__(self, gate: bool = True) -> None:
        super().__init__()
        self.gate = gate
        self.last = None

    def wants_gate(self) -> bool:
        return self.gate and not self.training

    def forward(self, x: Tensor, mask: Tensor | None = None) -> Tensor:
        if mask is not None:  # ok: [TBR304] metadata
            x = x.masked_fill(mask, 0.0)
        if self.wants_gate():  # ok: [TBR304] Python state, across a call
            x = x.sigmoid()
        if x.dtype == torch.float16 or x.requires_grad:  # ok: [TBR304] metadata
            x = x * 1.0
        assert x.sum() > -1e9, "negative"  # ok: [TBR304] an assert with a constant message is traced
        torch._assert_async((x > -1e9).all())  # ok: [TBR304] no branch
        self.last = x.detach()  # ok: [TBR304] stored, decides nothing
        return torch.where(x.sum() > 0, x.sin(), x.cos())  # ok: [TBR304] no Python branch


calm = torch.compile(Calm(), fullgraph=True, backend="eager")


@torch.compile(backend="eager")
def kept_out(x: Tensor) -> Tensor:
    if not torch.compiler.is_compiling() and x.sum() > 0:  # ok: [TBR304] never traced
        x = x.cos()
    return x.sin()


class Store:
    is_compilable = False
    rows = 4


@torch.compile(backend="eager")
def kept_out_by_name(x: Tensor, store: Store, ready: bool) -> Tensor:
    if ready or (not store.is_compilable and x.all()):  # ok: [TBR304] asked where the store stays out of graphs
        return x
    if store.rows > 2 and x.all():  # error: [TBR304]
        x = x.cos()
    return x.sin()


@torch.compile(fullgraph=True, backend="eager")
def higher_order(x: Tensor) -> Tensor:
    return torch.cond(x.sum() > 0, torch.sin, torch.cos, (x,))  # ok: [TBR304] both sides are in the graph


def caller(x: Tensor) -> Tensor:
    y = signed(x)
    if y.max() > 0.5:  # error: [TBR101]
        y = y * 2
    return y


@torch.compiler.disable
def disabled(x: Tensor) -> Tensor:
    if x.max() > 0.5:  # error: [TBR101]
        x = x * 2
    return x


@torch.compile(backend="eager")
def calls_disabled(x: Tensor) -> Tensor:
    return disabled(x).sin()  # ok: [TBR304] `disable` keeps the callee out of the region


def compile(function):
    return function


@compile
def another_compile(x: Tensor) -> Tensor:
    if x.sum() > 0:  # error: [TBR101]
        x = x.sin()
    return x


@torch.compile
def bare(x):  # type: ignore[no-untyped-def]
    return x if x.norm() > 1 else -x  # error: [TBR304]


@torch.compile(backend="eager")
def matched(x: Tensor) -> Tensor:
    match bool(x.sum() > 0):  # error: [TBR304]
        case True:
            return x.sin()
        case _:
            return x.cos()


@torch.compile(backend="eager")
def identical(x: Tensor) -> Tensor:
    match x.sum() > 0:  # ok: [TBR304] no tensor is `True`
        case True:
            return x.sin()
        case None:
            return x.tan()
        case _:
            return x.cos()


@torch.compile(backend="eager", fullgraph=True)
def matched_whole(x: Tensor) -> Tensor:
    match bool(x.sum() > 0):  # error: [TBR304] "an error, or another case in silence, with `fullgraph=True`"
        case True:
            return x.sin()
        case _:
            return x.cos()
