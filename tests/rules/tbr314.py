"""TBR314: a checkpoint and a compiled region that do not go together."""

import functools
from contextlib import nullcontext

import torch
import torch.utils.checkpoint as ckpt
from torch import Tensor, nn
from torch.distributed.algorithms._checkpoint.checkpoint_wrapper import checkpoint_wrapper
from torch.nn.attention import SDPBackend, sdpa_kernel
from torch.utils.checkpoint import CheckpointPolicy, checkpoint, create_selective_checkpoint_contexts

TOTAL = 0


def policy(ctx, op, *args, **kwargs):
    return CheckpointPolicy.MUST_SAVE if op is torch.ops.aten.mm.default else CheckpointPolicy.PREFER_RECOMPUTE


selective = functools.partial(create_selective_checkpoint_contexts, policy)


# --- state, `torch.cond` --------------------------------------------------------------------------
class Region(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.order = None
        self.seen = []
        self.table = {}
        self.flag = True
        self.register_buffer("steps", torch.zeros(()))

    def forward(self, x: Tensor) -> Tensor:
        self.order = x.argsort()  # error: [TBR314] "`self.order`"
        self.keep(x)
        self.flag = True  # ok: [TBR314] the constant that is there already
        self.steps.add_(1)  # ok: [TBR314] in place, a tensor
        pairs = []
        pairs.append(x)  # ok: [TBR314] a list of this call
        return x[self.order] + pairs[0]

    def keep(self, x: Tensor) -> None:
        global TOTAL
        self.seen.append(x)  # error: [TBR314]
        self.table["last"] = x  # error: [TBR314]
        TOTAL += 1  # error: [TBR314] "`TOTAL`"


class Whole(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.region = Region()

    def forward(self, x: Tensor) -> Tensor:
        return x + checkpoint(self.region, x, use_reentrant=False)


whole = Whole()
whole.compile(fullgraph=True)


class Lenient(nn.Module):
    def inner(self, x: Tensor) -> Tensor:
        self.order = x.argsort()  # ok: [TBR314] without `fullgraph` the region runs eagerly
        return x.sin()

    def forward(self, x: Tensor) -> Tensor:
        x = ckpt.checkpoint(self.branch, x, use_reentrant=False)
        return checkpoint(self.inner, x, use_reentrant=False)

    def branch(self, x: Tensor) -> Tensor:
        return torch.cond(x.sum() > 0, torch.sin, torch.cos, (x,))  # error: [TBR314] "`torch.cond`"


lenient = torch.compile(Lenient())


class Wrapped(nn.Module):
    def forward(self, x: Tensor) -> Tensor:
        self.last = x.mean()  # error: [TBR314]
        return x.sin()


class Outer(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.inner = checkpoint_wrapper(Wrapped())

    def forward(self, x: Tensor) -> Tensor:
        return self.inner(x) + 1


outer = torch.compile(Outer(), fullgraph=True)


# --- context_fn -----------------------------------------------------------------------------------
def attention_contexts():
    return sdpa_kernel(SDPBackend.MATH), sdpa_kernel(SDPBackend.MATH)


def selective_contexts():
    return create_selective_checkpoint_contexts(policy)


def block(x: Tensor) -> Tensor:
    return (x @ x).sin()


class Contexts(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.make = lambda: create_selective_checkpoint_contexts(policy)

    def contexts(self):
        return create_selective_checkpoint_contexts(policy)

    def forward(self, x: Tensor) -> Tensor:
        def local():
            return create_selective_checkpoint_contexts(policy)

        x = checkpoint(block, x, use_reentrant=False, context_fn=local)  # error: [TBR314] "inside of the compiled"
        x = checkpoint(block, x, use_reentrant=False, context_fn=self.contexts)  # error: [TBR314] "bound method"
        x = checkpoint(block, x, use_reentrant=False, context_fn=attention_contexts)  # error: [TBR314] "dispatch modes"
        x = checkpoint(block, x, use_reentrant=False, context_fn=selective)  # ok: [TBR314] a partial
        x = checkpoint(block, x, use_reentrant=False, context_fn=selective_contexts)  # ok: [TBR314] of the module
        return checkpoint(block, x, use_reentrant=False, context_fn=self.make)  # ok: [TBR314] made in `__init__`


contexts = torch.compile(Contexts())


def eager_contexts(x: Tensor) -> Tensor:
    # ok: [TBR314] not compiled
    return checkpoint(block, x, use_reentrant=False, context_fn=lambda: (nullcontext(), nullcontext()))


# --- compiled code inside of a checkpoint ---------------------------------------------------------
def compiled_copy(module: nn.Module, options: dict) -> nn.Module:
    return torch.compile(module, **options)


class Norm(nn.Module):
    def forward(self, x: Tensor) -> Tensor:
        return x / x.norm()


class Inside(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.block = torch.compile(block)
        self.norm = compiled_copy(Norm(), {"mode": "max-autotune"})

    def chunk(self, x: Tensor) -> Tensor:
        return self.norm(x)

    def forward(self, x: Tensor) -> Tensor:
        x = checkpoint(self.block, x, use_reentrant=False, context_fn=selective)  # error: [TBR314] "policy"
        x = checkpoint(self.chunk, x, use_reentrant=False)  # error: [TBR314] "autotuning"
        x = checkpoint(self.block, x, use_reentrant=False)  # ok: [TBR314] compiled code in a checkpoint is fine
        return checkpoint(torch.sin, x, use_reentrant=False, context_fn=selective)  # ok: [TBR314] not compiled


class Plain(nn.Module):
    def forward(self, x: Tensor) -> Tensor:
        return (x @ x).sin()


def both() -> nn.Module:
    inner = checkpoint_wrapper(Plain(), context_fn=selective)  # ok: [TBR314] compiled from outside
    return torch.compile(inner)
