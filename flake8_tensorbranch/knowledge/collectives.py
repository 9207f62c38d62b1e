"""Names that tell code which several processes run together: collectives, wrappers that add them, and what agrees.

Rows of `torch.distributed` itself are in the tables (effect `collective`); here stand other libraries, and what the
tables cannot say.
"""

from __future__ import annotations

from typing import Final

from flake8_tensorbranch.knowledge.model import lookup

REPLICATING: Final = frozenset(
    {"DistributedDataParallel", "DistributedDataParallelCPU", "LegacyDistributedDataParallel"}
)
"""Classes whose wrapped module averages its gradients over the ranks during backward (ground truth M: DDP rows)."""

SHARDING: Final = frozenset({"FullyShardedDataParallel", "fully_shard", "ShardedDataParallel"})
"""What makes a module's own forward run collectives: torch/distributed/fsdp gathers the parameters of each forward."""

_BACKWARD_OWNERS: Final = ("accelerate.", "lightning.", "lightning_fabric.", "pytorch_lightning.", "deepspeed.")

METHODS: Final = {
    "accelerate.Accelerator": frozenset(
        {
            "gather",
            "gather_for_metrics",
            "reduce",
            "pad_across_processes",
            "wait_for_everyone",
            "backward",
            "save_state",
        }
    ),
    "accelerate.PartialState": frozenset({"wait_for_everyone"}),
    "lightning.fabric.Fabric": frozenset({"all_gather", "all_reduce", "barrier", "broadcast", "backward"}),
    "lightning.Fabric": frozenset({"all_gather", "all_reduce", "barrier", "broadcast", "backward"}),
    "lightning_fabric.Fabric": frozenset({"all_gather", "all_reduce", "barrier", "broadcast", "backward"}),
}
"""Methods of the libraries' entry objects that every process must call (their documentation of distributed use)."""

LIGHTNING_MODULES: Final = frozenset(
    {
        "lightning.LightningModule",
        "lightning.pytorch.LightningModule",
        "lightning.pytorch.core.LightningModule",
        "pytorch_lightning.LightningModule",
        "pytorch_lightning.core.LightningModule",
        "pytorch_lightning.core.lightning.LightningModule",
    }
)
LIGHTNING_METHODS: Final = frozenset({"all_gather", "manual_backward"})

_OTHER: Final = frozenset(
    {
        "horovod.torch.allreduce",
        "horovod.torch.allreduce_",
        "horovod.torch.allgather",
        "horovod.torch.broadcast",
        "horovod.torch.broadcast_",
        "horovod.torch.broadcast_object",
        "horovod.torch.broadcast_parameters",
        "horovod.torch.grouped_allreduce",
        "accelerate.utils.gather",
        "accelerate.utils.gather_object",
        "accelerate.utils.reduce",
        "accelerate.utils.broadcast",
        "accelerate.utils.broadcast_object_list",
        "accelerate.utils.wait_for_everyone",
    }
)
_AGREEING: Final = (
    "all_reduce",
    "allreduce",
    "all_gather",
    "allgather",
    "reduce_",
    "_reduce",
    "broadcast",
    "gather_",
    "sync_",
    "synchron",
    "_across_",
    "agree",
)
GATHERING: Final = frozenset({"gather", "reduce"})
"""Methods of accelerate's Accelerator, and of objects like it, whose result is the same on every rank."""

_GRAD_NORMS: Final = frozenset({"clip_grad_norm_", "get_total_norm", "clip_grad_norm"})


def collective(qualname: str) -> str:
    """The short name of the collective that calling `qualname` runs; empty when it runs none that is known."""
    if qualname in _OTHER:
        return qualname.rsplit(".", 1)[-1]
    name = qualname.replace("deepspeed.comm.", "torch.distributed.", 1)
    if not name.startswith("torch.distributed."):
        return ""
    row = lookup(name)
    return name.rsplit(".", 1)[-1] if row is not None and "collective" in row.effects else ""


def writes_first(qualname: str) -> bool:
    """True for a collective that makes its first argument the same on every rank, in place."""
    if qualname.startswith("horovod.torch.") and qualname.endswith("_"):
        return True
    row = lookup(qualname.replace("deepspeed.comm.", "torch.distributed.", 1))
    return row is not None and "collective" in row.effects and "inplace" in row.effects


def runs_backward(qualname: str) -> bool:
    """True for a class of a training library whose `backward(loss)` is that of all processes."""
    return qualname.startswith(_BACKWARD_OWNERS)


def says_agreed(name: str) -> bool:
    """True when a function that is not seen calls itself a reduction over the ranks (`reduce_dict`, `sync_flag`)."""
    low = name.lower()
    return any(part in low for part in _AGREEING) and "reduce_lr" not in low


def is_grad_norm(name: str) -> bool:
    """True for the norm of gradients: under data parallelism the same on every rank, as the gradients are."""
    return name in _GRAD_NORMS


EQUAL_SHAPES: Final = frozenset(
    {"all_gather", "all_reduce", "all_gather_into_tensor", "broadcast", "reduce", "reduce_scatter_tensor", "gather"}
)
"""Collectives that need one size on every rank (documentation of torch.distributed)."""

RANK_ZERO: Final = frozenset({"rank_zero_only"})
"""Decorators of Lightning that run a function on the first rank alone (lightning_utilities, pytorch_lightning)."""
