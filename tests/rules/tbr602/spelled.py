"""Options in a dictionary, switches under another name, and comparisons element by element."""

import functools

import torch

OPTIONS = {"warn_only": True}


def prepare() -> None:
    torch.use_deterministic_algorithms(True, **OPTIONS)  # error: [TBR602]
    switch = torch.use_deterministic_algorithms
    switch(True, warn_only=True)  # error: [TBR602]
    functools.partial(torch.use_deterministic_algorithms, warn_only=True)(True)  # error: [TBR602]


def prepare_for_errors(strict: bool) -> None:
    torch.use_deterministic_algorithms(True, **{"warn_only": False})  # ok: [TBR602] an error, not a warning
    functools.partial(torch.use_deterministic_algorithms, warn_only=True)(False)  # ok: [TBR602] switched off
    torch.set_deterministic_debug_mode("error" if strict else "default")  # ok: [TBR602] no warning


def repeatable(x: torch.Tensor, y: torch.Tensor) -> None:
    assert torch.eq(x, y).all()
