"""TBR509: a loss that leaves a reentrant checkpoint by a list of the module or of the caller."""

from __future__ import annotations

import torch
from torch import nn
from torch.utils.checkpoint import checkpoint

LOSSES: list[torch.Tensor] = []
SEEN: list[torch.Tensor] = []


class Router(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.gate = nn.Linear(4, 4)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        scores = self.gate(x).softmax(-1)
        LOSSES.append(scores.square().mean())
        SEEN.append(scores.detach())  # error: [TBR205]
        return x * scores


def by_global(stem: nn.Linear, router: Router, x: torch.Tensor) -> None:
    LOSSES.clear()
    y = checkpoint(router, stem(x), use_reentrant=True)  # error: [TBR509]
    (y.sum() + torch.stack(LOSSES).sum()).backward()


def only_seen(stem: nn.Linear, router: Router, x: torch.Tensor) -> float:
    checkpoint(router, stem(x), use_reentrant=False).sum().backward()  # ok: [TBR509] the other variant keeps the graph
    return float(sum(SEEN))


def by_closure(stem: nn.Linear, gate: nn.Linear, x: torch.Tensor) -> None:
    losses: list[torch.Tensor] = []

    def run(h: torch.Tensor) -> torch.Tensor:
        scores = gate(h)
        losses.append(scores.square().mean())
        return h * scores

    y = checkpoint(run, stem(x), use_reentrant=True)  # error: [TBR509]
    (y.sum() + sum(losses)).backward()


def only_printed(stem: nn.Linear, gate: nn.Linear, x: torch.Tensor) -> None:
    norms: list[torch.Tensor] = []

    def run(h: torch.Tensor) -> torch.Tensor:
        scores = gate(h)
        norms.append(scores.norm())
        return h * scores

    y = checkpoint(run, stem(x), use_reentrant=True)  # ok: [TBR509] nothing differentiates the list
    y.sum().backward()
    print(norms)


def own_list(stem: nn.Linear, gate: nn.Linear, x: torch.Tensor) -> None:
    def run(h: torch.Tensor) -> torch.Tensor:
        parts: list[torch.Tensor] = []
        parts.append(gate(h))
        return torch.cat(parts)

    parts = stem(x)
    y = checkpoint(run, parts, use_reentrant=True)  # ok: [TBR509] another variable of that name
    (y.sum() + parts.sum()).backward()


class Named(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.stem = nn.Linear(4, 4)
        self.body = nn.Linear(4, 4)
        self.parts: dict[str, torch.Tensor] = {}

    def inner(self, x: torch.Tensor) -> torch.Tensor:
        self.parts["gate"] = self.body(x).square().mean()
        return self.body(x)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return checkpoint(self.inner, self.stem(x), use_reentrant=True)  # error: [TBR509]


class Measured(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.stem = nn.Linear(4, 4)
        self.body = nn.Linear(4, 4)
        self.measure = torch.zeros(())

    def inner(self, x: torch.Tensor) -> torch.Tensor:
        self.measure = self.body(x).square().mean()
        return self.body(x)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return checkpoint(self.inner, self.stem(x), use_reentrant=True)  # ok: [TBR509] another class's is read


class Measure:
    def __init__(self) -> None:
        self.measure = torch.zeros((), requires_grad=True)


def step_by_name(net: Named, measured: Measured, other: Measure, x: torch.Tensor) -> None:
    (net(x).sum() + net.parts["gate"] + measured(x).sum() + other.measure).backward()


def step_by_variable(layer: nn.Linear, x: torch.Tensor) -> None:
    beside = None

    def region(h: torch.Tensor) -> torch.Tensor:
        nonlocal beside
        beside = layer(h).square().mean()
        return layer(h)

    out = checkpoint(region, layer(x), use_reentrant=True)  # error: [TBR509]
    (out.sum() + beside).backward()


def filled(h: torch.Tensor, losses: list[torch.Tensor]) -> torch.Tensor:
    losses.append(h.square().mean())
    return h.tanh()


def kept_off(h: torch.Tensor, losses: list[torch.Tensor]) -> torch.Tensor:
    losses.append(h.square().mean().detach())
    return h.tanh()


def handed_a_list(x: torch.Tensor) -> torch.Tensor:
    losses: list[torch.Tensor] = []
    x = checkpoint(filled, x, losses, use_reentrant=True)  # error: [TBR509] "`losses`"
    return x + sum(losses)


def handed_to_fill(x: torch.Tensor) -> list[torch.Tensor]:
    seen: list[torch.Tensor] = []
    kept: list[torch.Tensor] = []
    x = checkpoint(filled, x, seen, use_reentrant=True)  # ok: [TBR509] nothing is computed of it
    x = checkpoint(kept_off, x, kept, use_reentrant=True)  # ok: [TBR509] detached
    seen = [x.mean()]
    return [x + sum(kept), x + sum(seen)]


class Auxiliary(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.gate = nn.Linear(4, 4)

    def inner(self, h: torch.Tensor) -> torch.Tensor:
        scores = self.gate(h)
        self.aux_loss = scores.square().mean()
        self.peak = scores.max().item()
        return h * scores

    def forward(self, x: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        x = checkpoint(self.inner, x, use_reentrant=True)  # error: [TBR509] "`aux_loss`"
        return x * self.peak, self.aux_loss
