# options: --tbr-torch=2.9
"""TBR314 on torch 2.9: `torch.cond` in a compiled checkpoint runs; a local `context_fn` does not."""

import functools

import torch
from torch import Tensor
from torch.utils.checkpoint import checkpoint, create_selective_checkpoint_contexts


def conditional(x: Tensor) -> Tensor:
    return torch.cond(x.sum() > 0, lambda v: v.sin(), lambda v: v.cos(), (x,))  # ok: [TBR314] no error in 2.9


@torch.compile
def outer(x: Tensor, policy) -> Tensor:
    y = checkpoint(conditional, x, use_reentrant=False)

    def contexts():
        return create_selective_checkpoint_contexts(policy)

    return checkpoint(torch.sin, y, use_reentrant=False, context_fn=contexts)  # error: [TBR314]


inner = torch.compile(torch.sin)
selective = functools.partial(create_selective_checkpoint_contexts, [torch.ops.aten.sin.default])


def around(x: Tensor) -> Tensor:
    return checkpoint(inner, x, use_reentrant=False, context_fn=selective)  # ok: [TBR314] the policy sees into it
