"""TBR101: a tensor's value decides which operations the graph records."""

import operator
from typing import Optional

import numpy as np
import torch
import torch as th
import torch.nn.functional as F
from torch import Tensor, isnan, nn


# --- direct ---------------------------------------------------------------------------------------
class NormCap(nn.Module):
    def __init__(self, cap: float = 1.0) -> None:
        super().__init__()
        self.cap = cap
        self.register_buffer("ceiling", torch.tensor(10.0))

    def forward(self, x: Tensor) -> Tensor:
        with torch.no_grad():
            scale = (self.cap / x.norm(dim=-1, keepdim=True)).clamp(max=1.0)
        if (scale < 1.0).any():  # error: [TBR101]
            x = x * scale
        if x.norm() > 0:  # error: [TBR101]
            x = x / x.norm()
        if bool((x > 3).all()):  # error: [TBR101]
            x = x - 3
        if torch.any(x > self.cap):  # error: [TBR101]
            x = x.clamp(max=self.cap)
        if self.ceiling > 5:  # error: [TBR101]
            x = x.clamp(max=5)
        return x


def ternary_and_elif(x: th.Tensor, use_gate: bool) -> th.Tensor:
    gated = x.sigmoid() if th.mean(x) > 0 else x.tanh()  # error: [TBR101]
    if use_gate:
        gated = gated * x
    elif not th.isfinite(gated).all():  # error: [TBR101]
        gated = th.nan_to_num(gated)
    return gated


def early_return(x: Tensor, mask: Tensor) -> Tensor:
    if not mask.any():  # error: [TBR101]
        return x
    return x.masked_fill(mask, 0.0) * 2


def short_circuit(states: Tensor) -> Tensor:
    if isnan(states).any() or torch.isinf(states).any():  # error: [TBR101]
        limit = torch.finfo(states.dtype).max - 1000
        states = torch.clamp(states, min=-limit, max=limit)
    return states


def routed(x: Tensor, choice: Tensor) -> Tensor:
    match int(choice):  # error: [TBR101]
        case 0:
            return x.sin()
        case _:
            return x.cos()


def guarded(x: Tensor, kind: str) -> Tensor:
    match kind:
        case "cap" if x.norm() > 1:  # error: [TBR101]
            return x / x.norm()
        case "flat" if x.dim() > 2:
            return x.flatten()
        case name if name.startswith("neg"):
            return -x
    return x


def by_form(x: Optional[Tensor], y: Tensor) -> Tensor:
    match x:  # ok: [TBR101] an attribute is compared
        case None:
            return y
        case Tensor(ndim=2):
            return y * 2
    return y.sin()


def filtered(parts: list[Tensor], experts: list[nn.Linear]) -> Tensor:
    done = [expert(part) for part, expert in zip(parts, experts) if part.abs().sum() > 0]  # error: [TBR101]
    return torch.cat(done)


# --- a scalar read on one line, branched on at another --------------------------------------------
def read_first(x: Tensor) -> Tensor:
    peak = x.abs().max().item()
    if peak > 100.0:  # error: [TBR101]
        x = x / peak
    lengths = (x > 0).sum(-1).tolist()
    if max(lengths) > 3:  # error: [TBR101]
        x = x[:, :3] * 2
    return x


def through_numpy(x: Tensor) -> Tensor:
    host = x.detach().cpu().numpy()
    if np.abs(host).max() > 1.0:  # error: [TBR101]
        return x.tanh()
    return x


def compared(x: Tensor, previous: Tensor) -> Tensor:
    if torch.equal(x, previous):  # error: [TBR101]
        return x
    if torch.allclose(x, previous, atol=1e-3):  # error: [TBR101]
        return (x + previous) / 2
    return x * 2


def selected_rows(x: Tensor, mask: Tensor, head: nn.Linear) -> Tensor:
    rows = mask.nonzero().squeeze(-1)
    if rows.shape[0] == 0:  # error: [TBR101]
        return x
    picked = x[mask > 0]
    if picked.numel() > 4:  # error: [TBR101]
        picked = picked[:4]
    return x.index_add(0, rows[:4], head(picked))


# --- through a helper, an attribute ---------------------------------------------------------------
def has_overflow(h: Tensor) -> Tensor:
    return torch.isinf(h).any()


def is_hot(h: Tensor, limit: float) -> bool:
    return h.abs().max().item() > limit


class Residual(nn.Module):
    def __init__(self, width: int = 8) -> None:
        super().__init__()
        self.up = nn.Linear(width, width)
        self.level = None

    def measure(self, h):
        self.level = h.detach().abs().mean()

    def too_loud(self) -> bool:
        return bool(self.level > 2.0)

    def forward(self, x):
        h = self.up(x)
        if h.dtype == torch.float16 and has_overflow(h):  # error: [TBR101]
            h = h.clamp(-6e4, 6e4)
        if is_hot(h, 4.0):  # error: [TBR101]
            h = h / 4
        self.measure(h)
        if self.level > 1.0:  # error: [TBR101]
            h = h * 0.5
        if self.too_loud():  # error: [TBR101]
            h = h * 0.5
        return h


# --- tempting, and rightly silent -----------------------------------------------------------------
class Attend(nn.Module):
    def __init__(self, cap: float = 0.0, flags: tuple[bool, ...] = (True, False)) -> None:
        super().__init__()
        self.cap = cap
        self.flags = list(flags)
        self.proj = nn.Linear(8, 8)
        self.cap_fired = False
        self.peak = 0.0

    def wants_cap(self) -> bool:
        return self.cap > 0

    def forward(self, x: Tensor, mask: Optional[Tensor] = None, cache: Optional[dict] = None) -> Tensor:
        if mask is not None:  # ok: [TBR101] `is None` is metadata
            x = x.masked_fill(mask, 0.0)
        if self.training and self.cap > 0:  # ok: [TBR101] Python state only
            x = x * self.cap
        if self.wants_cap():  # ok: [TBR101] a helper that reads no tensor
            x = x.clamp(max=self.cap)
        if any(self.flags):  # ok: [TBR101] Python's any over Python bools
            x = self.proj(x)
        if cache:  # ok: [TBR101] truthiness of a dict
            x = x + cache["keys"]
        if x.dtype == torch.float16 or x.is_cuda or x.requires_grad:  # ok: [TBR101] metadata
            x = x * 1.0
        if x.dim() == 3 and x.is_floating_point():  # ok: [TBR101] rank and kind are metadata
            x = x.flatten(1)
        if x.shape[0] > 4:  # ok: [TBR101] a size, in code that nobody compiles
            x = x[:4]
        self.cap_fired = bool((x > 1).any().item())  # ok: [TBR101] stored, decides nothing
        self.peak = x.max().item()  # ok: [TBR101] stored, decides nothing
        return x


def only_logged(x: Tensor) -> Tensor:
    if torch.isnan(x).any():  # ok: [TBR101] decides what is printed and no more
        print("nan in the input")
    return x * 2


def decided_by_tensor_ops(x: Tensor) -> Tensor:
    return torch.where(x > 0, x, x.exp() - 1)  # ok: [TBR101] no Python branch


def kept_out_of_traces(mask: Optional[Tensor]) -> Optional[Tensor]:
    if torch.jit.is_tracing() or torch.compiler.is_compiling():
        return mask
    if mask is not None and bool(mask.all()):  # ok: [TBR101] kept out of traced code on purpose
        return mask.logical_not()
    return mask


def numpy_only(values: np.ndarray, x: Tensor) -> Tensor:
    if values.max() > 1.0:  # ok: [TBR101] this array never was a tensor
        x = x / 2
    return x


class Basket:
    def item(self) -> float:
        return 3.0


def another_item(basket: Basket, x: Tensor) -> Tensor:
    if basket.item() > 2.0:  # ok: [TBR101] `.item()` of something else
        x = F.relu(x)
    return x


@torch.jit.script
def scripted(x: torch.Tensor) -> torch.Tensor:
    if x.sum() > 0:  # ok: [TBR101] compiled with its control flow
        return x
    return -x


def by_function(x: torch.Tensor) -> torch.Tensor:
    if operator.gt(x.max(), 1.0):  # error: [TBR101]
        x = x / 2
    if operator.gt(x.dim(), 1):  # ok: [TBR101] a number of dimensions
        x = x * 2
    return x.sin()
