"""TBR407: `functional_call` on a module that checkpoints inside."""

from __future__ import annotations

import torch
from torch import nn
from torch.func import functional_call
from torch.nn.utils import stateless
from torch.utils.checkpoint import checkpoint

Parameters = dict[str, torch.Tensor]


class Net(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.body = nn.Linear(4, 4)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return checkpoint(self.body, x, use_reentrant=False)


class Outer(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.net = Net()

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.net(x).tanh()


class Plain(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.body = nn.Linear(4, 4)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.body(x)


def step(net: Net, parameters: Parameters, x: torch.Tensor) -> None:
    functional_call(net, parameters, (x,)).sum().backward()  # error: [TBR407]


def inner_loop(x: torch.Tensor, parameters: Parameters) -> tuple[torch.Tensor, ...]:
    net = Outer()
    loss = torch.func.functional_call(net, parameters, (x,)).square().mean()  # error: [TBR407]
    return torch.autograd.grad(loss, tuple(parameters.values()))


def loss_of(net: Outer, parameters: Parameters, x: torch.Tensor) -> torch.Tensor:
    return stateless.functional_call(net, parameters, (x,)).sum()  # error: [TBR407]


def train(net: Outer, parameters: Parameters, x: torch.Tensor) -> None:
    loss_of(net, parameters, x).backward()


# Rightly silent.


def around(net: Plain, parameters: Parameters, x: torch.Tensor) -> None:
    y = checkpoint(lambda h: functional_call(net, parameters, (h,)), x, use_reentrant=False)  # ok: [TBR407] around it
    y.sum().backward()


def plain(net: Plain, parameters: Parameters, x: torch.Tensor) -> None:
    functional_call(net, parameters, (x,)).sum().backward()  # ok: [TBR407] nothing is recomputed


def evaluation(net: Net, parameters: Parameters, x: torch.Tensor) -> torch.Tensor:
    with torch.no_grad():
        return functional_call(net, parameters, (x,))  # ok: [TBR407] no backward


def unknown(net: nn.Module, parameters: Parameters, x: torch.Tensor) -> None:
    functional_call(net, parameters, (x,)).sum().backward()  # ok: [TBR407] nothing tells that it checkpoints


def by_transform(net: Net, x: torch.Tensor) -> torch.Tensor:
    return torch.func.grad(lambda x: net(x).sum())(x)  # error: [TBR407]


def by_vjp(net: Net, x: torch.Tensor) -> tuple[torch.Tensor, ...]:
    out, pull = torch.func.vjp(net, x)  # error: [TBR407]
    return pull(torch.ones_like(out))


def forward_mode(net: Net, x: torch.Tensor) -> torch.Tensor:
    return torch.func.jacfwd(net)(x)  # ok: [TBR407] needs no saved tensors


def plain_transform(fc: nn.Linear, x: torch.Tensor) -> torch.Tensor:
    return torch.func.grad(lambda x: fc(x).sum())(x)  # ok: [TBR407] no checkpoint inside


def in_a_region(fc: nn.Linear, x: torch.Tensor) -> torch.Tensor:
    def region(y: torch.Tensor) -> torch.Tensor:
        return torch.func.grad(lambda z: fc(z).sum())(y) * y

    x = checkpoint(region, x, use_reentrant=True)  # ok: [TBR407] this variant has no hooks
    return checkpoint(region, x, use_reentrant=False)  # error: [TBR407] "the region calls `torch.func.grad`"


def forward_mode_in_a_region(fc: nn.Linear, x: torch.Tensor) -> torch.Tensor:
    return checkpoint(lambda y: torch.func.jacfwd(fc)(y), x, use_reentrant=False)  # ok: [TBR407] saves nothing


def by_parameters(net: Net, parameters: dict[str, torch.Tensor], x: torch.Tensor) -> dict[str, torch.Tensor]:
    return torch.func.grad(lambda given: functional_call(net, given, (x,)).sum())(parameters)  # error: [TBR407]


def decorated(net: Net, x: torch.Tensor) -> torch.Tensor:
    @torch.func.grad  # error: [TBR407]
    def loss(h: torch.Tensor) -> torch.Tensor:
        return net(h).sum()

    @torch.func.grad  # ok: [TBR407] no checkpoint inside
    def plain_loss(h: torch.Tensor) -> torch.Tensor:
        return h.sin().sum()

    y = checkpoint(plain_loss, x, use_reentrant=False)  # error: [TBR407] "the region calls `torch.func.grad`"
    return loss(x) + y


def left_off(fc: nn.Linear, x: torch.Tensor) -> torch.Tensor:
    def loss(h: torch.Tensor, saves: bool = False) -> torch.Tensor:
        h = checkpoint(fc, h, use_reentrant=False) if saves else fc(h)
        return h.sum()

    return torch.func.grad(loss)(x)  # ok: [TBR407] no call sets `saves`


def forward_mode(fc: nn.Linear, x: torch.Tensor) -> torch.Tensor:
    def saves(h: torch.Tensor) -> torch.Tensor:
        return checkpoint(fc, h, use_reentrant=False).sin()

    out, tangent = torch.func.jvp(saves, (x,), (x,))  # error: [TBR407] "recomputes without it"
    (out + tangent).sum().backward()
    return torch.func.jvp(saves, (x,), (x,))[1]  # ok: [TBR407] no backward follows
