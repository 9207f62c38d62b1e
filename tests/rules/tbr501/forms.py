"""The ways in which a region's inputs come to carry no gradient."""

from __future__ import annotations

from functools import partial

import torch
from torch import nn
from torch.nn import functional as F
from torch.utils import checkpoint as cp
from torch.utils.checkpoint import checkpoint, checkpoint_sequential
from torch.utils.data import DataLoader, TensorDataset


class FrozenEmbedding(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.embed = nn.Embedding(16, 4).requires_grad_(False)
        self.layers = nn.ModuleList(nn.Linear(4, 4) for _ in range(2))
        self.head = nn.Linear(4, 16)

    def forward(self, ids: torch.Tensor) -> torch.Tensor:
        hidden = self.embed(ids)
        first = checkpoint(self.layers[0], hidden, use_reentrant=True)  # error: [TBR501]
        return self.head(first)


class LeftOut(FrozenEmbedding):
    def forward(self, ids: torch.Tensor) -> torch.Tensor:
        hidden = self.embed(ids) * 2.0
        hidden = cp.checkpoint(self.layers[0], hidden)  # error: [TBR501]  # error: [TBR506]
        return self.head(hidden)


class FrozenByLoop(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.stem = nn.Linear(4, 4)
        self.body = nn.Linear(4, 4)
        self.head = nn.Linear(4, 2)
        for parameter in self.stem.parameters():
            parameter.requires_grad = False

    def forward(self, ids: torch.LongTensor) -> torch.Tensor:
        rows = F.one_hot(ids, 4).float()
        body = checkpoint(self.body, self.stem(rows), use_reentrant=True)  # error: [TBR501]
        return self.head(body)


class Pretrained(nn.Module):
    def __init__(self, weights: torch.Tensor) -> None:
        super().__init__()
        self.embed = nn.Embedding.from_pretrained(weights)
        self.body = nn.Linear(4, 4)
        self.head = nn.Linear(4, 2)
        self.run = partial(checkpoint, use_reentrant=True)

    def forward(self, ids: torch.Tensor) -> torch.Tensor:
        return self.head(self.run(self.body, self.embed(ids)))  # error: [TBR501]


class IntegerIds(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.embed = nn.Embedding(16, 4)
        self.body = nn.Linear(4, 4)
        self.head = nn.Linear(4, 2)

    def inner(self, ids: torch.Tensor) -> torch.Tensor:
        return self.body(self.embed(ids))

    def forward(self, logits: torch.Tensor) -> torch.Tensor:
        ids = logits.argmax(-1)
        return self.head(checkpoint(self.inner, ids, use_reentrant=True))  # error: [TBR501]


class NestedInput(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.stem = nn.Linear(4, 4)
        self.body = nn.Linear(4, 4)

    def inner(self, state: dict[str, torch.Tensor]) -> torch.Tensor:
        return self.body(state["hidden"])

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        hidden = self.stem(x)
        return hidden + checkpoint(self.inner, {"hidden": hidden}, use_reentrant=True)  # error: [TBR501]


class ClosedOverOnly(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.stem = nn.Linear(4, 4)
        self.body = nn.Linear(4, 4)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        hidden = self.stem(x)
        scaled = checkpoint(lambda scale: self.body(hidden) * scale, 2.0, use_reentrant=True)  # error: [TBR501]
        return hidden + scaled


def cut_off(stem: nn.Linear, body: nn.Linear, x: torch.Tensor) -> torch.Tensor:
    hidden = stem(x)
    return hidden + checkpoint(body, hidden.detach(), use_reentrant=True)  # error: [TBR501]


def produced_without_grad(stem: nn.Linear, body: nn.Linear, head: nn.Linear, x: torch.Tensor) -> torch.Tensor:
    with torch.no_grad():
        hidden = stem(x)
    hidden = checkpoint(body, hidden, use_reentrant=True)  # error: [TBR501]
    return head(hidden)


def raw_noise(chain: nn.Sequential) -> torch.Tensor:
    x = torch.randn(2, 4)
    return checkpoint_sequential(chain, 2, x, use_reentrant=True)  # error: [TBR501]


def raw_batches(body: nn.Linear, head: nn.Linear) -> None:
    loader = DataLoader(TensorDataset(torch.randn(8, 4), torch.randn(8, 2)), batch_size=4)
    for x, y in loader:
        hidden = checkpoint(body, x, use_reentrant=True)  # error: [TBR501]
        F.mse_loss(head(hidden), y).backward()


def run(body: nn.Linear, x: torch.Tensor) -> torch.Tensor:
    return checkpoint(body, x, use_reentrant=True)  # error: [TBR501]


def across_a_call(body: nn.Linear, head: nn.Linear) -> None:
    head(run(body, torch.ones(2, 4))).sum().backward()
