"""States that bear on some operations only: a region in full view without these recomputes the same."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import torch
import torch.nn.functional as F
from elsewhere import helper
from torch import nn
from torch.distributed.tensor.experimental import context_parallel
from torch.nn.utils import parametrize
from torch.utils.checkpoint import checkpoint


def plain(x: torch.Tensor) -> torch.Tensor:
    return torch.sin(x) * 2


def attend(x: torch.Tensor) -> torch.Tensor:
    return F.scaled_dot_product_attention(x, x, x)


def makes(x: torch.Tensor) -> torch.Tensor:
    return x + torch.ones(3)


def makes_alike(x: torch.Tensor) -> torch.Tensor:
    return x + torch.ones(3, dtype=x.dtype, device=x.device) + torch.zeros_like(x) + x.new_zeros(3)


def builds(x: torch.Tensor) -> Any:
    return nn.Linear(3, 3)(x)


compiled = torch.compile(plain)


class Net(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.lstm = nn.LSTM(4, 4)
        self.linear = nn.Linear(4, 4)

    def recurrent(self, x):
        return self.lstm(x)[0]

    def straight(self, x):
        return self.linear(x)


def in_double(x: torch.Tensor) -> None:
    torch.set_default_dtype(torch.float64)  # ok: [TBR402] nothing in the region takes the default dtype
    a = checkpoint(plain, x, use_reentrant=False)
    b = checkpoint(makes_alike, x, use_reentrant=False)
    torch.set_default_dtype(torch.float32)
    (a + b).sum().backward()


def constant_in_double(x: torch.Tensor) -> None:
    torch.set_default_dtype(torch.float64)  # error: [TBR402]
    out = checkpoint(makes, x, use_reentrant=False)
    torch.set_default_dtype(torch.float32)
    out.sum().backward()


def layer_in_double(x: torch.Tensor) -> None:
    torch.set_default_dtype(torch.float64)  # error: [TBR402]
    out = checkpoint(builds, x, use_reentrant=False)
    torch.set_default_dtype(torch.float32)
    out.sum().backward()


def unseen_in_double(x: torch.Tensor) -> None:
    torch.set_default_dtype(torch.float64)  # error: [TBR402]
    out = checkpoint(helper, x, use_reentrant=False)
    torch.set_default_dtype(torch.float32)
    out.sum().backward()


def on_device(x: torch.Tensor) -> None:
    with torch.device("cuda"):  # ok: [TBR402] nothing is made in the region
        a = checkpoint(plain, x, use_reentrant=True)
    with torch.device("cuda"):  # ok: [TBR402] each is made where the input is
        b = checkpoint(makes_alike, x, use_reentrant=True)
    with torch.device("cuda"):  # error: [TBR402]
        c = checkpoint(makes, x, use_reentrant=True)
    (a + b + c).sum().backward()


def other_algorithm(net: Net, x: torch.Tensor) -> None:
    with torch.backends.mkldnn.flags(enabled=False):  # ok: [TBR402] a linear layer stays equal
        a = checkpoint(net.straight, x, use_reentrant=False)
    with torch.backends.mkldnn.flags(enabled=False):  # error: [TBR402]
        b = checkpoint(net.recurrent, x, use_reentrant=False)
    (a + b).sum().backward()


def filled(net: Net, x: torch.Tensor) -> None:
    with parametrize.cached():  # ok: [TBR402] the region reads no parameter
        a = checkpoint(plain, x, use_reentrant=False)
    with parametrize.cached():  # error: [TBR402]
        b = checkpoint(net.straight, x, use_reentrant=False)
    (a + b).sum().backward()


def forced(x: torch.Tensor) -> None:
    with torch.compiler.set_stance("force_eager"):  # ok: [TBR402] nothing compiled runs in the region
        a = checkpoint(plain, x, use_reentrant=False)
    with torch.compiler.set_stance("force_eager"):  # error: [TBR402]
        b = checkpoint(compiled, x, use_reentrant=False)
    (a + b).sum().backward()


def split(mesh: Any, x: torch.Tensor) -> None:
    with context_parallel(mesh):  # ok: [TBR402] no attention in the region
        a = checkpoint(plain, x, use_reentrant=False)
    with context_parallel(mesh):  # error: [TBR402]
        b = checkpoint(attend, x, use_reentrant=False)
    (a + b).sum().backward()


def flash_off(x: torch.Tensor) -> None:
    torch.backends.cuda.enable_flash_sdp(False)  # ok: [TBR402] no attention in the region
    out = checkpoint(plain, x, use_reentrant=False)
    torch.backends.cuda.enable_flash_sdp(True)
    out.sum().backward()


@contextmanager
def scaled(module: nn.Module) -> Iterator[None]:
    handle = module.register_forward_hook(lambda inner, args, out: out * 2)
    try:
        yield
    finally:
        handle.remove()


def hooked(net: Net, x: torch.Tensor) -> None:
    with scaled(net.linear):  # ok: [TBR402] the region calls no module that a hook could be on
        a = checkpoint(plain, x, use_reentrant=False)
    with scaled(net.linear):  # error: [TBR402]
        b = checkpoint(net.straight, x, use_reentrant=False)
    (a + b).sum().backward()
