"""The checkpointing helper that `across.py` calls or configures."""

from __future__ import annotations

import functools
from collections.abc import Callable

import torch
from torch.utils.checkpoint import checkpoint

Region = Callable[..., torch.Tensor]
reentrant = functools.partial(checkpoint, use_reentrant=True)
either_way = functools.partial(checkpoint, use_reentrant=False)
