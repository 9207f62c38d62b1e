"""Functions under the decorators of another file, and of Lightning."""

import torch.distributed as dist
from lightning.pytorch.utilities import rank_zero_only
from torch import Tensor

from .ranks import announced, main_only


@main_only  # error: [TBR104] "`main_only` decides whether this rank runs `barrier`"
def saved(total: Tensor) -> None:
    dist.barrier()


@main_only  # ok: [TBR104] nothing that the other ranks wait in
def printed(total: Tensor) -> None:
    print(total)


@announced  # ok: [TBR104] every rank calls the function
def reduced(total: Tensor) -> None:
    dist.all_reduce(total)


@rank_zero_only  # error: [TBR104] "`broadcast`"
def sent(total: Tensor) -> None:
    dist.broadcast(total, 0)
