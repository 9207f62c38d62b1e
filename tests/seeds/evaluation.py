# options: --tbr-enable=TBR103
"""Incident 1, the quiet version: a number in a report hangs on the last digit of a comparison."""

from __future__ import annotations

from collections.abc import Iterable

import torch
from torch import nn

Batches = Iterable[tuple[torch.Tensor, torch.Tensor]]


@torch.no_grad()
def scoring_threshold(model: nn.Module, batches: Batches) -> float:
    hits = total = 0
    for x, _ in batches:
        score = model(x).sigmoid().mean()
        if score > 0.5:  # error: [TBR103] "decides"
            hits += 1
        total += 1
    return hits / total


@torch.no_grad()
def early_exit(first: nn.Linear, second: nn.Linear, x: torch.Tensor) -> torch.Tensor:
    probabilities = first(x).softmax(-1)
    if probabilities.max() > 0.9:  # error: [TBR103] "decides"
        return probabilities
    return second(x).softmax(-1)


@torch.no_grad()
def filtered(model: nn.Linear, rows: torch.Tensor) -> list[torch.Tensor]:
    kept = []
    for row in rows:
        if model(row).norm() > 1.0:  # error: [TBR103] "decides"
            kept.append(row)
    return kept


@torch.no_grad()
def mean_score(model: nn.Module, batches: Batches) -> float:
    scores = [model(x).sigmoid().mean().item() for x, _ in batches]
    return sum(scores) / max(len(scores), 1)  # ok: [TBR103] values are averaged, none decides
