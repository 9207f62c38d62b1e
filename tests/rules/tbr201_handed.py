"""TBR201: whole numbers that a checkpointed region is handed read the same in the recompute; what it computes may not."""

import torch
from torch import Tensor, nn
from torch.utils.checkpoint import checkpoint
from transformers.modeling_layers import GradientCheckpointingLayer


def is_packed(position_ids: Tensor | None, batch: int) -> Tensor | bool:
    if position_ids is None or batch != 1:
        return False
    steps = torch.arange(position_ids.shape[1]) + position_ids.min()
    return (steps - position_ids).abs().sum().bool()


def attend(x: Tensor, **kwargs: Tensor) -> Tensor:
    return masked(x, **kwargs)


def masked(x: Tensor, position_ids: Tensor | None = None) -> Tensor:
    if is_packed(position_ids, x.shape[0]):  # ok: [TBR201] arithmetic of positions  # error: [TBR101]
        x = x.cumsum(1)
    return x


class Layer(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.proj = nn.Linear(4, 4)
        self.register_buffer("limit_ids", torch.arange(4))

    def forward(self, x: Tensor, position_ids: Tensor, index: Tensor, flags: torch.BoolTensor, bias: Tensor) -> Tensor:
        x = attend(x, position_ids=position_ids)
        if index.max() > 3:  # ok: [TBR201] the region is handed the same index  # error: [TBR101]
            x = x.sin()
        if flags.any():  # ok: [TBR201] booleans, by annotation  # error: [TBR101]
            x = x.cos()
        rows = index[index > 0]
        if rows.numel() == 0:  # ok: [TBR201] a selection of what was handed  # error: [TBR101]
            x = x.neg()
        if bias.sum() > 0:  # error: [TBR201]
            x = x.exp()
        if (index / 3).sum() > 1:  # error: [TBR201]
            x = x.tanh()
        if self.limit_ids.max() > 3:  # error: [TBR201]
            x = x.tanh()
        best = self.proj(x).argmax(-1)
        if best.max() > 2:  # error: [TBR201]
            x = x.sqrt()
        return x


def declared(x: Tensor, tokens: torch.LongTensor | None, kept: "Tensor", scale: torch.FloatTensor | None) -> Tensor:
    if tokens is not None and tokens.max() > 3:  # ok: [TBR201] an optional tensor of whole numbers  # error: [TBR101]
        x = x.sin()
    if kept.max() > 3:  # error: [TBR201]
        x = x.cos()
    if scale is not None and scale.max() > 3:  # error: [TBR201]
        x = x.tanh()
    return x


def rebound(x: Tensor, index: Tensor) -> Tensor:
    index = x.argmax(-1) + index
    if index.max() > 3:  # error: [TBR201]
        x = x.sin()
    return x


def helper(x: Tensor, index: Tensor) -> Tensor:
    if index.max() > 3:  # error: [TBR201]
        x = x.cos()
    return x


def two_ways(x: Tensor, index: Tensor) -> Tensor:
    return helper(helper(x, index), x.argmax(-1))


def run(layer: Layer, x: Tensor, index: Tensor, flags: torch.BoolTensor) -> Tensor:
    x = checkpoint(layer, x, index, index, flags, x, use_reentrant=False)
    x = checkpoint(rebound, x, index, use_reentrant=False)
    x = checkpoint(declared, x, index, x, x, use_reentrant=False)
    return checkpoint(two_ways, x, index, use_reentrant=False)


# --- a flag that was read before the region, handed on to modules inside of it ------------------------
class Inner(nn.Module):
    def forward(self, x: Tensor, every=None, size: int = 0) -> Tensor:
        if every:  # ok: [TBR201] read before the region
            x = x.sin()
        if size > 3:  # ok: [TBR201] so was the number
            x = x.tanh()
        return x.cos() if x.sum() > size else x  # error: [TBR201]


class Flagged(GradientCheckpointingLayer):
    def __init__(self) -> None:
        super().__init__()
        self.inner = Inner()

    def forward(self, x: Tensor, every=None, size: int = 0) -> Tensor:
        return self.inner(x, every=every, size=size)


class Encoder(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.layers = nn.ModuleList(Flagged() for _ in range(2))

    def forward(self, x: Tensor, mask: Tensor) -> Tensor:
        every = (mask < 0).flatten().any().item()
        for layer in self.layers:
            x = layer(x, every=every, size=int(mask.max()))
        return x
