"""Collectives under tests of the process's own rank."""

from __future__ import annotations

import os

import torch.distributed as dist
from torch import Tensor


def one_waits() -> None:
    if dist.get_rank() == 0:  # error: [TBR104] "`dist.get_rank() == 0` decides whether this rank runs `barrier`"
        dist.barrier()


def named(x: Tensor) -> None:
    rank = dist.get_rank()
    if rank == 0 and x.requires_grad:  # error: [TBR104]
        dist.all_reduce(x)


def leaves(x: Tensor) -> Tensor:
    if dist.get_rank() != 0:  # error: [TBR104]
        return x
    dist.all_reduce(x)
    return x


def rank() -> int:
    if not dist.is_initialized():
        return 0
    return dist.get_rank()


def is_main() -> bool:
    return rank() == 0


def synced(x: Tensor) -> None:
    dist.broadcast(x, 0)


def helped(x: Tensor) -> None:
    if is_main():  # error: [TBR104] "whether this rank runs `broadcast`"
        synced(x)


def by_environment(x: Tensor) -> None:
    if int(os.environ["LOCAL_RANK"]) == 0:  # error: [TBR104]
        dist.all_reduce(x)


# --- tempting, and rightly silent -----------------------------------------------------------------
def first_process_first(path: str) -> None:
    if dist.get_rank() != 0:  # ok: [TBR104] the other half of this barrier is below
        dist.barrier()
    print("prepared", path)
    if dist.get_rank() == 0:  # ok: [TBR104] the other half
        dist.barrier()


def both_sides(x: Tensor) -> None:
    if dist.get_rank() == 0:  # ok: [TBR104] each side makes the call
        x.fill_(1)
        dist.broadcast(x, 0)
    else:
        dist.broadcast(x, 0)


def logs(x: Tensor) -> None:
    dist.all_reduce(x)
    if dist.get_rank() == 0:  # ok: [TBR104] nothing of all ranks in it
        print(x)


def in_a_group(x: Tensor, group: dist.ProcessGroup) -> None:
    if dist.get_rank() < 4:  # ok: [TBR104] a group of some ranks
        dist.all_reduce(x, group=group)


def pairs(x: Tensor) -> None:
    if dist.get_rank() == 0:  # ok: [TBR104] from one to one
        dist.send(x, 1)
    else:
        dist.recv(x, 0)


def distributed_at_all(x: Tensor) -> None:
    local_rank = int(os.environ.get("LOCAL_RANK", -1))
    if local_rank != -1:  # ok: [TBR104] whether there are several ranks
        dist.all_reduce(x)


def handed(x: Tensor, rank: int) -> None:
    if rank == 0:  # ok: [TBR104] whose rank it is, is not known
        dist.all_reduce(x)
