"""State that a checkpointed region of another file moves and reads."""

from __future__ import annotations

from collections.abc import Callable

import torch
from torch import Tensor, nn

CALLS = 0


class Schedule:
    def __init__(self) -> None:
        self.calls = 0
        self.warmup = 10

    def advance(self) -> None:
        self.calls += 1

    def due(self) -> bool:
        return self.calls % 2 == 1

    def long(self) -> bool:
        return self.warmup > 5


class Alternating(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.fc = nn.Linear(4, 4)
        self.calls = 0

    def forward(self, x: Tensor) -> Tensor:
        self.calls += 1
        h = self.fc(x)
        if self.calls % 2 == 1:
            h = h.tanh()
        return h.sin()


class Steady(nn.Module):
    def __init__(self, depth: int = 2) -> None:
        super().__init__()
        self.fc = nn.Linear(4, 4)
        self.depth = depth

    def forward(self, x: Tensor) -> Tensor:
        h = self.fc(x)
        return h.tanh() if self.depth > 1 else h


def count() -> int:
    global CALLS
    CALLS += 1
    return CALLS


LOADED: str | None = None
ROUTINES: dict[str, Callable[[Tensor], Tensor]] = {}
TURN: str | None = None
apply: Callable[[Tensor], Tensor] | None = None


def loaded(kind: str | None) -> Callable[[Tensor], Tensor]:
    """Looks up the routines of a kind once, and keeps them until another kind is asked for."""
    global LOADED, apply
    if kind is None and LOADED is None:
        raise ValueError("of which kind?")
    if kind is not None and LOADED != kind:
        apply, other = routine(kind)
        LOADED = kind
        ROUTINES[kind] = other
    assert apply is not None
    return apply


def routine(kind: str) -> tuple[Callable[[Tensor], Tensor], Callable[[Tensor], Tensor]]:
    return (torch.tanh, torch.sin) if kind == "tanh" else (torch.sin, torch.tanh)


def turned(x: Tensor, kind: str) -> Tensor:
    """Does something else whenever another kind is asked for."""
    global TURN
    if TURN != kind:
        x = x.tanh()
        TURN = kind
    return x
