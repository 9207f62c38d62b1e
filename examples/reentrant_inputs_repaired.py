"""The draft model that did not learn, repaired: three ways to let the gradient in.

The non-reentrant checkpoint has no condition on its inputs, and is the one to prefer. Where the reentrant one must
stay, the frozen embedding's output can be made to require grad before it goes in. A frozen head weight and a plain
number among the arguments do no harm, as long as the hidden state comes from a trainable layer.
"""

from __future__ import annotations

import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.checkpoint import checkpoint

VOCABULARY, WIDTH = 12, 8


class Draft(nn.Module):
    """A draft layer and head over a frozen target's embedding and head."""

    def __init__(self) -> None:
        super().__init__()
        self.target_embedding = nn.Embedding(VOCABULARY, WIDTH).requires_grad_(False)
        self.target_head = nn.Parameter(torch.randn(VOCABULARY, WIDTH), requires_grad=False)
        self.layer = nn.Linear(WIDTH, WIDTH)
        self.head = nn.Linear(WIDTH, VOCABULARY)


class NonReentrant(Draft):
    """The checkpoint that asks nothing of its inputs."""

    def forward(self, ids: torch.Tensor) -> torch.Tensor:
        hidden = self.target_embedding(ids)
        hidden = checkpoint(self.layer, hidden, use_reentrant=False)
        logits: torch.Tensor = self.head(hidden)
        return logits


class GradInput(Draft):
    """The frozen output is made to require grad."""

    def forward(self, ids: torch.Tensor) -> torch.Tensor:
        hidden = self.target_embedding(ids).requires_grad_()
        hidden = checkpoint(self.layer, hidden, use_reentrant=True)
        logits: torch.Tensor = self.head(hidden)
        return logits


def score(hidden: torch.Tensor, weight: torch.Tensor, temperature: float) -> torch.Tensor:
    return F.linear(hidden, weight) / temperature


class TrainableProducer(Draft):
    """The hidden state comes from the trainable layer; weight and temperature are frozen company."""

    def forward(self, ids: torch.Tensor) -> torch.Tensor:
        hidden = self.layer(self.target_embedding(ids))
        target_logits: torch.Tensor = checkpoint(score, hidden, self.target_head, 2.0, use_reentrant=True)
        logits: torch.Tensor = self.head(hidden)
        return logits + target_logits


REPAIRS: tuple[type[Draft], ...] = (NonReentrant, GradInput, TrainableProducer)


def step(kind: type[Draft]) -> Draft:
    """Run one training step and return the model with its gradients."""
    torch.manual_seed(0)
    model = kind()
    ids = torch.randint(VOCABULARY, (16,))
    loss = F.cross_entropy(model(ids), ids)
    loss.backward()
    return model


def main() -> None:
    """Print, for each repair, which parameters got a gradient."""
    for kind in REPAIRS:
        for name, parameter in step(kind).named_parameters():
            missing = parameter.requires_grad and parameter.grad is None
            print(f"{kind.__name__}.{name}: requires_grad={parameter.requires_grad}, gradient missing: {missing}")


if __name__ == "__main__":
    main()
