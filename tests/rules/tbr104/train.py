"""Decisions of one rank around the collectives of the file beside this one."""

import math

import torch.distributed as dist
from torch import Tensor

from . import comms
from .comms import averaged, broken, doubled


def left_early(loss: Tensor, total: Tensor) -> Tensor | None:
    if broken(loss):  # error: [TBR104] "`all_reduce`"
        return None
    return averaged(total)


def sometimes(x: Tensor, total: Tensor) -> Tensor:
    if x.sum() > 0:  # error: [TBR104] "`all_reduce`"
        total = comms.averaged(total)
    return total


def left_together(loss: Tensor, total: Tensor) -> Tensor | None:
    # ok: [TBR104] the other file reduces the flag, all ranks decide alike
    if comms.broken_anywhere(loss):  # error: [TBR101]
        return None
    return averaged(total)


def no_collective(x: Tensor, total: Tensor) -> Tensor:
    if x.sum() > 0:  # ok: [TBR104] the other file's function talks to no rank  # error: [TBR101]
        total = doubled(total)
    return total


def watched(loss: Tensor, group: dist.ProcessGroup | None, parallel: bool) -> float:
    if parallel:
        mean, most = comms.total(loss, group), comms.total(loss.abs(), group)
    else:
        mean = most = float(loss.item())  # one rank, or all with the same data
    # ok: [TBR104] agreed wherever there are several ranks
    if not math.isfinite(mean):
        return most
    dist.barrier()
    return mean


def unwatched(loss: Tensor, group: dist.ProcessGroup | None) -> float:
    mean, most = float(loss.item()), comms.total(loss.abs(), group)
    if not math.isfinite(mean):  # error: [TBR104] "`barrier`"
        return most
    dist.barrier()
    return mean
