"""Inputs that can carry a gradient, regions that need none, and inputs of which nothing is known."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from torch import nn
from torch.utils.checkpoint import checkpoint


class Model(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.frozen = nn.Embedding(16, 4).requires_grad_(False)
        self.trainable = nn.Embedding(16, 4)
        self.stem = nn.Linear(4, 4)
        self.body = nn.Linear(4, 4)
        self.prompt = nn.Parameter(torch.zeros(4))
        self.register_buffer("scale", torch.ones(1))

    def trainable_embedding(self, ids: torch.Tensor) -> torch.Tensor:
        return checkpoint(self.body, self.trainable(ids), use_reentrant=True)  # ok: [TBR501] a trainable producer

    def trainable_layer(self, ids: torch.Tensor) -> torch.Tensor:
        hidden = self.stem(self.frozen(ids))
        return checkpoint(self.body, hidden, use_reentrant=True)  # ok: [TBR501] a trainable layer in between

    def made_to_require_grad(self, ids: torch.Tensor) -> torch.Tensor:
        hidden = self.frozen(ids).requires_grad_()
        hidden = checkpoint(self.body, hidden, use_reentrant=True)  # ok: [TBR501] requires_grad_() on the input
        other = self.frozen(ids)
        other.requires_grad = True
        return hidden + checkpoint(self.body, other, use_reentrant=True)  # ok: [TBR501] set by assignment

    def add(self, hidden: torch.Tensor, prompt: torch.Tensor, scale: torch.Tensor, factor: float) -> torch.Tensor:
        return self.body(hidden + prompt) * scale * factor

    def parameter_among_them(self, ids: torch.Tensor) -> torch.Tensor:
        hidden = self.frozen(ids)
        return checkpoint(  # ok: [TBR501] one direct argument that requires grad is enough
            self.add, hidden, self.prompt, self.scale, 2.0, use_reentrant=True
        )

    def dummy(self, ids: torch.Tensor) -> torch.Tensor:
        switch = torch.ones(1, requires_grad=True)
        hidden = self.frozen(ids)
        return checkpoint(lambda h, _: self.body(h), hidden, switch, use_reentrant=True)  # ok: [TBR501] the known trick

    def not_reentrant(self, ids: torch.Tensor) -> torch.Tensor:
        return checkpoint(self.body, self.frozen(ids), use_reentrant=False)  # ok: [TBR501] has no such condition

    def without_grad(self, ids: torch.Tensor) -> torch.Tensor:
        with torch.no_grad():
            return checkpoint(self.body, self.frozen(ids), use_reentrant=True)  # ok: [TBR501] no gradient is wanted

    @torch.inference_mode()
    def inference(self, ids: torch.Tensor) -> torch.Tensor:
        return checkpoint(self.body, self.frozen(ids), use_reentrant=True)  # ok: [TBR501] no gradient is wanted


class Hooked(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.embed = nn.Embedding(16, 4).requires_grad_(False)
        self.embed.register_forward_hook(lambda module, args, output: output.requires_grad_(True))
        self.body = nn.Linear(4, 4)

    def forward(self, ids: torch.Tensor) -> torch.Tensor:
        return checkpoint(self.body, self.embed(ids), use_reentrant=True)  # ok: [TBR501] the hook makes it require grad


class FrozenBlock(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.embed = nn.Embedding(16, 4).requires_grad_(False)
        self.encoder = nn.Linear(4, 4).requires_grad_(False)
        self.head = nn.Linear(4, 2)

    def forward(self, ids: torch.Tensor) -> torch.Tensor:
        hidden = checkpoint(self.encoder, self.embed(ids), use_reentrant=True)  # ok: [TBR501] the region is frozen too
        return self.head(hidden)


def caller_decides(body: nn.Module, x: torch.Tensor) -> torch.Tensor:
    return checkpoint(body, x, use_reentrant=True)  # ok: [TBR501] a parameter may require grad


def flag_decides(model: Model, ids: torch.Tensor, reentrant: bool) -> torch.Tensor:
    return checkpoint(model.body, model.frozen(ids), use_reentrant=reentrant)  # ok: [TBR501] may be the other variant


def either_input(model: Model, ids: torch.Tensor, tune: bool) -> torch.Tensor:
    hidden = model.trainable(ids) if tune else model.frozen(ids)
    return checkpoint(model.body, hidden, use_reentrant=True)  # ok: [TBR501] trainable on one path


def unknown_producer(model: Model, produce: Callable[[], torch.Tensor]) -> torch.Tensor:
    return checkpoint(model.body, produce(), use_reentrant=True)  # ok: [TBR501] nothing is known of what it returns


def unknown_arguments(model: Model, *states: torch.Tensor) -> torch.Tensor:
    return checkpoint(model.body, *states, use_reentrant=True)  # ok: [TBR501] the caller's tensors


def from_a_store(store: dict[str, Any], model: Model) -> torch.Tensor:
    return checkpoint(model.body, store["hidden"], use_reentrant=True)  # ok: [TBR501] nothing is known of the store


def run(body: nn.Module, x: torch.Tensor) -> torch.Tensor:
    return checkpoint(body, x, use_reentrant=True)  # ok: [TBR501] one of its callers gives a tensor that requires grad


def callers(model: Model, ids: torch.Tensor) -> torch.Tensor:
    return run(model.body, model.trainable(ids))


def rounded(model: Model, x: torch.Tensor) -> torch.Tensor:
    return checkpoint(model.body, model.trainable(x).round(), use_reentrant=True)  # ok: [TBR501] requires grad, of zeros


def chosen(model: Model, x: torch.Tensor) -> torch.Tensor:
    ids = model.trainable(x).argmax(-1)
    return checkpoint(model.body, ids, use_reentrant=True)  # error: [TBR501]


def restored(model: Model, path: str) -> torch.Tensor:
    prompt = torch.load(path)
    return checkpoint(model.body, prompt, use_reentrant=True)  # ok: [TBR501] a parameter that was saved requires grad
