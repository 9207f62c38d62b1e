"""Steps in the scopes of the file beside this one."""

from __future__ import annotations

import torch
from torch.utils.checkpoint import checkpoint

from .scopes import Net, Switches, doubled, logged, region


def by_scope(x: torch.Tensor) -> None:
    with doubled():  # error: [TBR402]
        y = checkpoint(region, x, use_reentrant=False)
    y.sum().backward()


def by_switch(x: torch.Tensor) -> None:
    Switches.double = True  # error: [TBR402]
    y = checkpoint(region, x, use_reentrant=False)
    Switches.double = False
    y.sum().backward()


def by_model(net: Net, x: torch.Tensor) -> None:
    with doubled():  # error: [TBR402]
        y = net(x)
    y.sum().backward()


def unread(x: torch.Tensor) -> None:
    with logged():  # ok: [TBR402] the region of the other file does not read this switch
        y = checkpoint(region, x, use_reentrant=False)
    y.sum().backward()


def inside(net: Net, x: torch.Tensor) -> None:
    with doubled():  # ok: [TBR402] backward runs in the scope
        net(x).sum().backward()
