"""Names and wrappers by which another file checkpoints."""

import functools
from collections.abc import Callable
from typing import Any

import torch.utils.checkpoint
from torch.utils.checkpoint import checkpoint as plain

said = functools.partial(torch.utils.checkpoint.checkpoint, use_reentrant=False)
unsaid = functools.partial(torch.utils.checkpoint.checkpoint, preserve_rng_state=False)
OPTIONS = {"use_reentrant": False}


def chosen(function: Callable[..., Any], *args: Any, use_reentrant: bool = False) -> Any:
    return plain(function, *args, use_reentrant=use_reentrant)  # ok: [TBR506] a default that callers may change


def unchosen(function: Callable[..., Any], *args: Any) -> Any:
    return plain(function, *args)  # error: [TBR506]
