"""TBR201 in regions that other libraries' checkpoints make, by the calls their documentation shows.

deepspeed.readthedocs.io/en/latest/activation-checkpointing.html; docs.nvidia.com/megatron-core, tensor_parallel.random;
fairscale.readthedocs.io/en/latest/api/nn/checkpoint/checkpoint_activations.html
"""

import random

import deepspeed
import fairscale.nn as fnn
from deepspeed import checkpointing
from deepspeed.checkpointing import checkpoint as ds_checkpoint
from deepspeed.runtime.activation_checkpointing import checkpointing as runtime
from fairscale.nn import checkpoint_wrapper
from fairscale.nn.checkpoint import checkpoint_wrapper as from_folder
from megatron.core import tensor_parallel
from megatron.core.tensor_parallel import checkpoint as mp_checkpoint
from torch import Tensor, nn


def one(x: Tensor) -> Tensor:
    return x.sin() if x.sum() > 0 else x.cos()  # error: [TBR201] "wrong gradients silently"


def two(x: Tensor) -> Tensor:
    return x.sin() if x.sum() > 0 else x.cos()  # error: [TBR201] "wrong gradients silently"


def three(x: Tensor) -> Tensor:
    return x.sin() if x.sum() > 0 else x.cos()  # error: [TBR201] "wrong gradients silently"


def four(x: Tensor) -> Tensor:
    return x.sin() if x.sum() > 0 else x.cos()  # error: [TBR201] "wrong gradients silently"


def with_hooks(x: Tensor) -> Tensor:
    return x.sin() if x.sum() > 0 else x.cos()  # error: [TBR201] "raises CheckpointError or is silent"


def run_deepspeed(mpu, x: Tensor) -> Tensor:
    deepspeed.checkpointing.configure(mpu, partition_activations=True, checkpoint_in_cpu=True)  # ok: [TBR201] set-up
    x = deepspeed.checkpointing.checkpoint(one, x)
    x = checkpointing.checkpoint(two, x)
    x = ds_checkpoint(three, x)
    x = runtime.checkpoint(four, x)
    return deepspeed.checkpointing.non_reentrant_checkpoint(with_hooks, x)


def five(x: Tensor) -> Tensor:
    return x.sin() if x.sum() > 0 else x.cos()  # error: [TBR201] "wrong gradients silently"


def six(x: Tensor) -> Tensor:
    return x.sin() if x.sum() > 0 else x.cos()  # error: [TBR201] "wrong gradients silently"


def drawn(x: Tensor) -> Tensor:
    return x.sin() if random.random() > 0.5 else x.cos()  # error: [TBR203]


def run_megatron(x: Tensor) -> Tensor:
    x = tensor_parallel.checkpoint(five, False, x)
    x = tensor_parallel.random.checkpoint(drawn, False, x)
    return mp_checkpoint(six, False, x)


class A(nn.Module):
    def forward(self, x: Tensor) -> Tensor:
        return x.sin() if x.sum() > 0 else x.cos()  # error: [TBR201] "wrong gradients silently"


class B(nn.Module):
    def forward(self, x: Tensor) -> Tensor:
        return x.sin() if x.sum() > 0 else x.cos()  # error: [TBR201] "wrong gradients silently"


class C(nn.Module):
    def forward(self, x: Tensor) -> Tensor:
        return x.sin() if x.sum() > 0 else x.cos()  # error: [TBR201] "wrong gradients silently"


class Tower(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.a = checkpoint_wrapper(A())
        self.b = from_folder(B(), offload_to_cpu=True)
        self.c = fnn.checkpoint_wrapper(C())

    def forward(self, x: Tensor) -> Tensor:
        return self.c(self.b(self.a(x)))


def outside(x: Tensor) -> Tensor:
    return x.sin() if x.sum() > 0 else x.cos()  # error: [TBR101]  # ok: [TBR201] no checkpoint runs it


def run_outside(x: Tensor) -> Tensor:
    deepspeed.checkpointing.reset()
    return outside(x)
