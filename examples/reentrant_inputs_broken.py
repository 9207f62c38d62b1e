"""The draft model that did not learn: a reentrant checkpoint whose only tensor comes from a frozen embedding.

A draft-model trainer reads the hidden state from a frozen target and switches its layer to `use_reentrant=True` to
save memory. The reentrant checkpoint records the layer's parameters only when one of its tensor arguments requires
grad, and none does. Torch warns once; the head keeps training, the loss stays finite, and the layer silently gets no
gradient.
"""

from __future__ import annotations

import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.checkpoint import checkpoint

VOCABULARY, WIDTH = 12, 8


class Draft(nn.Module):
    """A draft layer and head over a frozen target's embedding."""

    def __init__(self) -> None:
        super().__init__()
        self.target_embedding = nn.Embedding(VOCABULARY, WIDTH).requires_grad_(False)
        self.layer = nn.Linear(WIDTH, WIDTH)
        self.head = nn.Linear(WIDTH, VOCABULARY)

    def forward(self, ids: torch.Tensor) -> torch.Tensor:
        hidden = self.target_embedding(ids)
        hidden = checkpoint(self.layer, hidden, use_reentrant=True)
        logits: torch.Tensor = self.head(hidden)
        return logits


def step() -> Draft:
    """Run one training step and return the model with its gradients."""
    torch.manual_seed(0)
    model = Draft()
    ids = torch.randint(VOCABULARY, (16,))
    loss = F.cross_entropy(model(ids), ids)
    loss.backward()
    return model


def main() -> None:
    """Print which parameters of the draft got a gradient."""
    for name, parameter in step().named_parameters():
        missing = parameter.requires_grad and parameter.grad is None
        print(f"{name}: requires_grad={parameter.requires_grad}, gradient missing: {missing}")


if __name__ == "__main__":
    main()
