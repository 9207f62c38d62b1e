"""TBR203 where a method draws into a tensor."""

import torch
from torch import Tensor
from torch.utils.checkpoint import checkpoint

own = torch.Generator()


def masked(x: Tensor) -> Tensor:
    mask = torch.empty(4).bernoulli_(0.5, generator=own)
    return x * mask  # error: [TBR203]


def noisy(x: Tensor) -> Tensor:
    return x + torch.empty(4).normal_(generator=own)  # error: [TBR203]


def replayed(x: Tensor) -> Tensor:
    return x * torch.empty(4).bernoulli_(0.5)  # ok: [TBR203] the default generator is restored


def run(x: Tensor) -> Tensor:
    x = checkpoint(masked, x, use_reentrant=False)
    x = checkpoint(noisy, x, use_reentrant=False)
    return checkpoint(replayed, x, use_reentrant=False)
