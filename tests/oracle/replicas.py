"""Models under DDP that run or checkpoint a module more than once: what programs begin with, and what DDP says."""

from __future__ import annotations

from typing import Any

from tests.oracle.support import observe, require_torch

torch = require_torch()

HEAD = """
from functools import partial
import torch
from torch import nn
from torch.distributed.algorithms._checkpoint.checkpoint_wrapper import (
    CheckpointImpl,
    apply_activation_checkpointing,
    checkpoint_wrapper,
)
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.checkpoint import checkpoint

reentrantly = partial(checkpoint_wrapper, checkpoint_impl=CheckpointImpl.REENTRANT)


class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.l = nn.Linear(4, 4)

    def forward(self, x):
        return x + self.l(x)
"""


def ready_twice(build: Any, steps: int = 2) -> bool:
    """True when a step of the model raises what DDP says of a parameter that is ready twice."""

    def run() -> None:
        model = build()  # a DDP that is not kept loses its hooks before the backward
        for _ in range(steps):
            model(torch.linspace(-1.0, 1.0, 16).reshape(4, 4)).sum().backward()

    outcome = observe(run)
    assert outcome.error is None or outcome.first_line.startswith("Expected to mark a variable ready only once.")
    return outcome.error is not None
