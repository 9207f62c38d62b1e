"""TBR501: the input without grad reaches the checkpoint through switches, wrappers and loops of layers."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import torch
from torch import nn
from torch.distributed.algorithms._checkpoint.checkpoint_wrapper import CheckpointImpl, checkpoint_wrapper
from torch.utils.checkpoint import checkpoint


class Encoder(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.embed = nn.Embedding(10, 4)
        self.layers = nn.ModuleList(nn.Linear(4, 4) for _ in range(3))
        self.run: Callable[..., torch.Tensor] | None = None
        for p in self.embed.parameters():
            p.requires_grad_(False)

    def enable(self, options: dict[str, bool] | None = None) -> None:
        if options is None:
            options = {"use_reentrant": True}
        self.run = partial(checkpoint, **options)

    def forward(self, ids: torch.Tensor) -> torch.Tensor:
        h = self.embed(ids)
        for layer in self.layers:
            if self.run is not None and self.training:
                h = self.run(layer, h)  # error: [TBR501]
            else:
                h = layer(h)
        return h


def train_encoder(ids: torch.Tensor) -> None:
    encoder = Encoder()
    encoder.enable()
    encoder(ids).sum().backward()


class FromSecond(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.embed = nn.Embedding(10, 4).requires_grad_(False)
        self.layers = nn.ModuleList(nn.Linear(4, 4) for _ in range(3))

    def forward(self, ids: torch.Tensor) -> torch.Tensor:
        h = self.embed(ids)
        for i, layer in enumerate(self.layers):
            if i > 0:
                h = checkpoint(layer, h, use_reentrant=True)  # ok: [TBR501] the first layer is not checkpointed
            else:
                h = layer(h)
        return h


def train_from_second(ids: torch.Tensor) -> None:
    FromSecond()(ids).sum().backward()


class Adapted(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.embed = nn.Embedding(10, 4)
        self.lora_down = nn.Linear(4, 4)

    def forward(self, ids: torch.Tensor) -> torch.Tensor:
        return checkpoint(self.lora_down, self.embed(ids), use_reentrant=True)  # error: [TBR501]


class Embedded(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.lora_embed = nn.Embedding(10, 4)
        self.lora_down = nn.Linear(4, 4)

    def forward(self, ids: torch.Tensor) -> torch.Tensor:
        return checkpoint(self.lora_down, self.lora_embed(ids), use_reentrant=True)  # ok: [TBR501] spared by its name


def mark_adapters(model: nn.Module) -> None:
    for name, p in model.named_parameters():
        p.requires_grad = "lora_" in name


def train_adapters(ids: torch.Tensor) -> None:
    adapted, embedded = Adapted(), Embedded()
    mark_adapters(adapted)
    mark_adapters(embedded)
    (adapted(ids) + embedded(ids)).sum().backward()


def saving(function: Any, *args: torch.Tensor) -> torch.Tensor:
    return checkpoint(function, *args, use_reentrant=True)  # error: [TBR501]


class Pixels(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.conv = nn.Conv2d(3, 4, 3)

    def forward(self, images: torch.Tensor) -> torch.Tensor:
        return saving(self.conv, images)


def train_pixels(net: Pixels, loader: list[torch.Tensor]) -> None:
    for images in loader:
        net(images).sum().backward()


class Wrapped(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.first = checkpoint_wrapper(nn.Linear(3, 3), checkpoint_impl=CheckpointImpl.REENTRANT)
        self.plain = checkpoint_wrapper(nn.Linear(3, 3))
        self.head = nn.Linear(3, 1)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        x = self.plain(x) + self.first(x)  # error: [TBR501]
        return self.head(x)


def train_wrapped(loader: list[torch.Tensor]) -> None:
    net = Wrapped()
    for x in loader:
        net(x).sum().backward()


class Held(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.stem = nn.Linear(3, 3)
        self.leaf = nn.Linear(3, 3)

    def joined(self, parts: list[torch.Tensor]) -> torch.Tensor:
        return self.leaf(torch.cat(parts, 1))

    def inside(self, parts: list[torch.Tensor]) -> torch.Tensor:
        return checkpoint(self.leaf, torch.cat(parts, 1), use_reentrant=True)  # ok: [TBR501] a tensor made of the list

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        parts = [self.stem(x), self.stem(x * 2)]
        return self.inside([self.stem(x)]) + checkpoint(self.joined, parts, use_reentrant=True)  # error: [TBR501]


def train_held(net: Held, x: torch.Tensor) -> None:
    net(x).sum().backward()


class Customised(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.embed = nn.Embedding(10, 4)
        self.embed.weight.requires_grad = False
        self.layers = nn.ModuleList(nn.Linear(4, 4) for _ in range(2))

    def forward(self, ids: torch.Tensor) -> torch.Tensor:
        h = self.embed(ids)
        for layer in self.layers:
            if self.training:

                def custom(module: Any) -> Any:
                    def run(*inputs: torch.Tensor) -> Any:
                        return module(*inputs)

                    return run

                h = checkpoint(custom(layer), h, use_reentrant=True)  # error: [TBR501]
            else:
                h = layer(h)
        return h


def train_customised(net: Customised, ids: torch.Tensor) -> None:
    net(ids).sum().backward()


class Kept(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.embed = nn.Embedding(10, 4).requires_grad_(False)
        self.layers = nn.ModuleList(nn.Linear(4, 4) for _ in range(3))
        self.options: dict[str, Any] = {"use_reentrant": True}
        self.others: dict[str, Any] = {"use_reentrant": False}

    def forward(self, ids: torch.Tensor) -> torch.Tensor:
        h = self.embed(ids)
        for layer in self.layers:
            h = checkpoint(layer, h, **self.options)  # error: [TBR501]
        return h

    def encode(self, ids: torch.Tensor) -> torch.Tensor:
        h = self.embed(ids)
        for layer in self.layers:
            h = checkpoint(layer, h, **self.others)  # ok: [TBR501] not reentrant
        return h


def train_kept(ids: torch.Tensor) -> None:
    (Kept()(ids) + Kept().encode(ids)).sum().backward()
