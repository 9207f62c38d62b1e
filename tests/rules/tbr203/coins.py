"""Draws that another file uses."""

import random

import torch


def heads(rate: float = 0.5) -> bool:
    return random.random() < rate


def torch_heads(rate: float = 0.5) -> torch.Tensor:
    return torch.rand(()) < rate


def kept(x: torch.Tensor, rate: float = 0.5) -> torch.Tensor:
    if random.random() < rate:  # note: "decided here"
        x = x / rate
    return x
