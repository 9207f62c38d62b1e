"""TBR301: a comparison on a size decides a branch in a compiled region."""

import torch
import torch as th
import torch.nn.functional as F
from torch import Tensor, nn


# --- direct, through a name, other spellings of a size --------------------------------------------
@torch.compile(backend="eager")
def pad_to_8(x: Tensor) -> Tensor:
    pad = -x.shape[1] % 8
    if pad > 0:  # error: [TBR301]
        x = F.pad(x, (0, pad))
    return x.sin()


@th.compile(dynamic=True, backend="eager")
def spellings(x: th.Tensor) -> th.Tensor:
    if x.size(-1) > 128:  # error: [TBR301]
        x = x.sin()
    if x.numel() > 64:  # error: [TBR301]
        x = x.cos()
    if len(x) == 4:  # error: [TBR301]
        x = x.tanh()
    if len(x) == 1:  # ok: [TBR301] size 1 has a graph of its own in any case
        x = x.tanh()
    rows, columns = x.shape
    tall = rows > columns
    return x.t() if tall else x.neg()  # error: [TBR301]


def by_case(x: Tensor) -> Tensor:
    match x.shape[1]:  # error: [TBR301]
        case 4:
            return x.sin()
        case _:
            return x.cos()


compiled_case = torch.compile(by_case, backend="eager")


# --- reached through calls and modules ------------------------------------------------------------
def is_long(x: Tensor) -> bool:
    return x.shape[1] > 512


class Stage(nn.Module):
    def __init__(self, window: int = 4) -> None:
        super().__init__()
        self.window = window
        self.proj = nn.Linear(6, 6)

    def forward(self, x):
        _, height, width, _ = x.shape
        pad_b = (self.window - height % self.window) % self.window
        pad_r = (self.window - width % self.window) % self.window
        if pad_b > 0 or pad_r > 0:  # error: [TBR301]
            x = F.pad(x, (0, 0, 0, pad_r, 0, pad_b))
        return self.proj(x)


class Backbone(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.stage = Stage()

    def forward(self, x: Tensor) -> Tensor:
        x = self.stage(x)
        if is_long(x):  # error: [TBR301]
            x = x[:, ::2]
        return x.mean((1, 2))


def make_backbone() -> nn.Module:
    return torch.compile(Backbone(), backend="eager")


class InPlace(nn.Module):
    def forward(self, q: Tensor) -> Tensor:
        decoding = q.size(1) == 1
        if not decoding:  # ok: [TBR301] size 1, asked for by a name
            q = q.cumsum(1)
        prefill = q.size(1) > 16
        if prefill:  # error: [TBR301]
            q = q.cumprod(1)
        return q.sin()


def compiled_in_place() -> nn.Module:
    model = InPlace()
    model.compile(backend="eager")
    return model


@torch.compile
def expanded(x: Tensor, positions: Tensor) -> Tensor:
    batch = x.shape[0]
    if batch != positions.shape[0]:  # ok: [TBR301] what is expanded has size 1, which has a graph of its own
        positions = positions.expand(batch, -1)
    if batch != positions.shape[1]:  # error: [TBR301]
        positions = positions.repeat(batch, 1)
    return x + positions


# --- size 1 has a graph of its own, by whatever name it goes -----------------------------------------
def lengths(x: Tensor, memory: Tensor | None) -> tuple[bool, int | None, int]:
    if memory is None:
        return True, None, x.shape[1]
    return False, memory.shape[1], x.shape[1]


class Decoder(nn.Module):
    def keep_last(self, x: Tensor, length: int, window: int) -> Tensor:
        if length == 1:  # ok: [TBR301] every call hands a size as it is
            x = x.neg()
        if window == 1:  # error: [TBR301]
            x = x.abs()
        return x

    def forward(self, x: Tensor, memory: Tensor | None = None) -> Tensor:
        batch, length = x.shape[:2]
        self.length = length
        _, keys, queries = lengths(x, memory)
        if batch == 1:  # ok: [TBR301] unpacked
            x = x.sin()
        if 1 != length:  # ok: [TBR301] the number on the left
            x = x.cos()
        if self.length > 1:  # ok: [TBR301] kept on the module
            x = x.tanh()
        if length >= 2 and batch <= 1:  # ok: [TBR301] the same question
            x = x.exp()
        if keys == 1 or queries == 1:  # ok: [TBR301] through a helper's tuple
            x = x.sigmoid()
        if length < 1 or batch >= 1:  # ok: [TBR301] no size that changes is zero
            x = x.neg()
        if length and not x.shape[0] and x.numel() and len(x):  # ok: [TBR301] nor is it false
            x = x.neg()
        half = length // 2
        if half:  # error: [TBR301]
            x = x.relu()
        if half == 1:  # error: [TBR301]
            x = x.log1p()
        if length - 1 == 1:  # error: [TBR301]
            x = x.log()
        if length == 2:  # error: [TBR301]
            x = x.sqrt()
        if length > 2:  # error: [TBR301]
            x = x.square()
        for part in (length, batch * 2):
            if part == 1:  # error: [TBR301]
                x = x.abs()
        return self.keep_last(x, length, length // 4)


decoder = torch.compile(Decoder(), backend="eager")


# --- tempting, and rightly silent -----------------------------------------------------------------
class Attend(nn.Module):
    def __init__(self, head_dim: int = 64) -> None:
        super().__init__()
        self.use_flash = head_dim > 128
        self.weight = nn.Parameter(torch.ones(head_dim, head_dim))
        self.max_len = 4096

    def forward(self, x: Tensor, mask: Tensor | None = None) -> Tensor:
        if self.use_flash:  # ok: [TBR301] decided once, in `__init__`
            x = x.sin()
        if x.dim() == 2:  # ok: [TBR301] the rank
            x = x.unsqueeze(0)
        if x.ndim > 3 or mask is not None:  # ok: [TBR301] rank and `is None`
            x = x.flatten(1, 2)
        if len(x.shape) == 4:  # ok: [TBR301] the rank again
            x = x.flatten(1, 2)
        if self.weight.shape[0] > 32:  # ok: [TBR301] the size of a parameter never changes
            x = x @ self.weight
        if x.shape[1] > self.max_len:  # ok: [TBR301] a test that only raises adds no graph
            raise ValueError("too long")
        assert x.shape[-1] < 10_000  # ok: [TBR301] likewise
        positions = torch.arange(x.shape[1])  # ok: [TBR301] arithmetic on sizes
        return x.reshape(x.shape[0], -1) * (positions.sum() / x.shape[1])


attend = torch.compile(Attend(), backend="eager")


@torch.compile(backend="eager")
def outside_of_traces(x: Tensor) -> Tensor:
    if not torch.compiler.is_compiling() and x.shape[0] > 4:  # ok: [TBR301] never traced
        x = x[:4]
    return x.sin()


@torch.compile(backend="eager")
def padded_always(x: Tensor) -> Tensor:
    return F.pad(x, (0, -x.shape[1] % 8)).sin()  # ok: [TBR301] no branch


@torch.compile(backend="eager")
def listed(parts: list[Tensor], wide: bool) -> Tensor:
    if wide:  # ok: [TBR301] a bool argument
        return torch.stack(parts).sin()
    return torch.stack(parts).cos()


def bucketed(x: Tensor) -> Tensor:
    if x.shape[1] > 128:  # ok: [TBR301] in the eager caller of a compiled function
        return compiled_case(x[:, :128])
    return compiled_case(x)


def eager(x: Tensor) -> Tensor:
    return x[:, ::2] if is_long(x) else x  # ok: [TBR301] the same helper, in code that nobody compiles
