"""Draws that another file uses."""

import random

import torch


def heads(rate: float = 0.5) -> bool:
    return random.random() < rate


def torch_heads(rate: float = 0.5) -> torch.Tensor:
    return torch.rand(()) < rate
