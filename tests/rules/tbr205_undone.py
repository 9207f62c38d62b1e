"""TBR205 where an exit stack takes changes back, and where functions keep state."""

import contextlib

import torch
from torch import Tensor
from torch.utils.checkpoint import checkpoint


class Depth:
    at = 0


DEPTH = Depth()
LEVELS: list[int] = []


def leave() -> None:
    DEPTH.at -= 1


def balanced(x: Tensor) -> Tensor:
    with contextlib.ExitStack() as stack:
        DEPTH.at += 1  # ok: [TBR205] the stack takes it back
        stack.callback(leave)
        LEVELS.append(1)  # ok: [TBR205] likewise
        stack.callback(LEVELS.pop)
        return torch.sin(x.tanh() * DEPTH.at * len(LEVELS))


def unbalanced(x: Tensor) -> Tensor:
    with contextlib.ExitStack() as stack:
        LEVELS.append(1)  # error: [TBR205]
        stack.callback(print, "left")
        return torch.sin(x.tanh() * len(LEVELS))


def counted(x: Tensor) -> Tensor:
    counted.calls += 1  # error: [TBR205]
    return torch.sin(x.tanh() * counted.calls)


counted.calls = 0


def asked(x: Tensor) -> Tensor:
    DEPTH.at = getattr(DEPTH, "at", 0) + 1  # error: [TBR205]
    return torch.sin(x.tanh() * DEPTH.at)


def run(x: Tensor) -> Tensor:
    x = checkpoint(balanced, x, use_reentrant=False)
    x = checkpoint(unbalanced, x, use_reentrant=False)
    x = checkpoint(counted, x, use_reentrant=False)
    return checkpoint(asked, x, use_reentrant=False)
