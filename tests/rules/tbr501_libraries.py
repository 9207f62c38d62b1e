"""TBR501 with the reentrant checkpoints of other libraries, which have no `use_reentrant` to pass."""

import deepspeed
import torch
from fairscale.nn import checkpoint_wrapper
from megatron.core import tensor_parallel
from torch import nn


class Net(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.body = nn.Linear(4, 4)
        self.wrapped = checkpoint_wrapper(nn.Linear(4, 4))

    def forward(self, ids: torch.LongTensor) -> torch.Tensor:
        x = torch.randn(2, 4)
        y = deepspeed.checkpointing.checkpoint(self.body, x)  # error: [TBR501] "with a reentrant checkpoint the region"
        y = y + tensor_parallel.checkpoint(self.body, False, x)  # error: [TBR501]
        y = y + tensor_parallel.checkpoint(self.body, False, x.requires_grad_())  # ok: [TBR501] it requires grad
        y = y + deepspeed.checkpointing.non_reentrant_checkpoint(self.body, x)  # ok: [TBR501] hooks, not autograd.Function
        return y + self.wrapped(x)  # ok: [TBR501] fairscale passes a tensor of its own that requires grad


def step(net: Net, ids: torch.LongTensor) -> None:
    net(ids).sum().backward()
