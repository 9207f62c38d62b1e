"""TBR509: a loss that leaves a reentrant checkpoint by an attribute."""

from __future__ import annotations

import functools

import torch
from torch import nn
from torch.utils.checkpoint import checkpoint


class Router(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.gate = nn.Linear(4, 2)
        self.expert = nn.Linear(4, 4)
        self.aux = torch.zeros(())
        self.last = torch.zeros(())

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        scores = self.gate(x).softmax(-1)
        self.aux = scores.mean(0).square().sum()
        self.last = scores.detach()
        return self.expert(x) * scores[:, :1]


class Gathering(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.gate = nn.Linear(4, 2)
        self.losses: list[torch.Tensor] = []

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        scores = self.gate(x)
        self.losses = [scores.logsumexp(-1).mean(), scores.square().mean()]
        return x * scores[:, :1]


class Returning(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.gate = nn.Linear(4, 2)
        self.seen = torch.zeros(())

    def forward(self, x: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        scores = self.gate(x)
        self.seen = scores.mean()
        return x * scores[:, :1], scores.logsumexp(-1).mean()


def stored(stem: nn.Linear, router: Router, x: torch.Tensor) -> None:
    y = checkpoint(router, stem(x), use_reentrant=True)  # error: [TBR509]
    loss = y.square().mean() + 0.1 * router.aux
    loss.backward()


def gathered(stem: nn.Linear, router: Gathering, x: torch.Tensor) -> None:
    y = checkpoint(router, stem(x), use_reentrant=True)  # error: [TBR509]
    (y.square().mean() + sum(router.losses)).backward()


def through_a_helper(stem: nn.Linear, router: Router, x: torch.Tensor) -> torch.Tensor:
    y = checkpoint(router, stem(x), use_reentrant=True)  # error: [TBR509]
    return total(y, router)


def total(y: torch.Tensor, router: Router) -> torch.Tensor:
    return y.mean() + router.aux


def train(stem: nn.Linear, router: Router, x: torch.Tensor) -> None:
    through_a_helper(stem, router, x).backward()


# Rightly silent.


def not_reentrant(stem: nn.Linear, router: Router, x: torch.Tensor) -> None:
    y = checkpoint(router, stem(x), use_reentrant=False)  # ok: [TBR509] the stored loss has its graph
    (y.mean() + router.aux).backward()


def returned(stem: nn.Linear, router: Returning, x: torch.Tensor) -> None:
    y, aux = checkpoint(router, stem(x), use_reentrant=True)  # ok: [TBR509] the loss is returned
    (y.mean() + aux).backward()
    print(router.seen)


def logged(stem: nn.Linear, router: Router, x: torch.Tensor) -> None:
    y = checkpoint(router, stem(x), use_reentrant=False)
    (y.mean() + router.last.mean()).backward()


class Keeping(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.gate = nn.Linear(4, 4)
        self.shown = torch.zeros(())

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        h = self.gate(x)
        self.shown = h.mean()
        return h


def shown(stem: nn.Linear, layer: Keeping, x: torch.Tensor) -> None:
    checkpoint(layer, stem(x), use_reentrant=True).mean().backward()  # ok: [TBR509] what is stored is only printed
    print(layer.shown)


def fills(losses: list[torch.Tensor], h: torch.Tensor) -> torch.Tensor:
    losses.append(h.square().mean())
    return h.sin()


def by_partial(stem: nn.Linear, x: torch.Tensor) -> torch.Tensor:
    losses: list[torch.Tensor] = []
    y = checkpoint(functools.partial(fills, losses), stem(x), use_reentrant=True)  # error: [TBR509] "losses"
    return y.mean() + sum(losses)


def by_partial_and_shown(stem: nn.Linear, x: torch.Tensor) -> torch.Tensor:
    losses: list[torch.Tensor] = []
    y = checkpoint(functools.partial(fills, losses), stem(x), use_reentrant=True)  # ok: [TBR509] only printed
    print(len(losses))
    return y.mean()
