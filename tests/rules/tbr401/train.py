"""The scope is here, the checkpointed call in the model's file."""

from __future__ import annotations

import torch
from torch.nn.attention import SDPBackend, sdpa_kernel

from .stack import Plain, SelfScoped, Stack


def train_step(model: Stack, x: torch.Tensor) -> None:
    with sdpa_kernel(SDPBackend.MATH):  # error: [TBR401]
        loss = model(x).square().mean()
    loss.backward()


def train(batches: list[torch.Tensor]) -> None:
    model = Stack()
    optimizer = torch.optim.SGD(model.parameters())
    for x in batches:
        with sdpa_kernel(SDPBackend.MATH):  # error: [TBR401]
            loss = model(x).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()


def train_in_the_scope(model: Stack, x: torch.Tensor) -> None:
    with sdpa_kernel(SDPBackend.MATH):  # ok: [TBR401] backward is inside
        model(x).square().mean().backward()


def train_self_scoped(x: torch.Tensor) -> None:
    loss = SelfScoped()(x).mean()  # ok: [TBR401] the model opens the scope inside of its region
    loss.backward()


def train_plain(x: torch.Tensor) -> None:
    with sdpa_kernel(SDPBackend.MATH):  # ok: [TBR401] this model checkpoints nothing
        loss = Plain()(x).mean()
    loss.backward()
