"""Compiles a module that another file defines, in place and through a name."""

import torch

from .module import Sized, Steady

direct = torch.compile(Sized())  # error: [TBR301] # error: [TBR302]
steady = torch.compile(Steady())  # ok: [TBR301] nothing in it asks for a size


def run(x: torch.Tensor) -> torch.Tensor:
    model = Sized()
    model = torch.compile(model, backend="eager")  # error: [TBR301] # error: [TBR302]
    return model(x)
