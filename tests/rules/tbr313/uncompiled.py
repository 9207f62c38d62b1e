"""TBR313 in a file that compiles nothing with the call in it."""

import torch
from torch import Tensor, nn
from torch.nn.attention import flex_attention as fa
from torch.nn.attention.flex_attention import flex_attention
from torch.utils.checkpoint import checkpoint

compiled_flex = torch.compile(flex_attention)


def direct(q: Tensor) -> Tensor:
    return flex_attention(q, q, q)  # error: [TBR313] "uncompiled"


class Block(nn.Module):
    def attend(self, q: Tensor) -> Tensor:
        return fa.flex_attention(q, q, q, enable_gqa=True)  # error: [TBR313]

    def forward(self, q: Tensor) -> Tensor:
        return q + checkpoint(self.attend, q, use_reentrant=False)


@torch.compiler.disable
def disabled(q: Tensor) -> Tensor:
    return flex_attention(q, q, q)  # error: [TBR313]


def under_a_name(q: Tensor) -> Tensor:
    return compiled_flex(q, q, q)  # ok: [TBR313] compiled under a name


def helper(q: Tensor) -> Tensor:
    return flex_attention(q, q, q)  # ok: [TBR313] only compiled code calls it


@torch.compile
def compiled(q: Tensor) -> Tensor:
    return helper(q) + disabled(q)


def either(q: Tensor) -> Tensor:
    if torch.compiler.is_compiling():
        return flex_attention(q, q, q)  # ok: [TBR313] only while compiling
    return nn.functional.scaled_dot_product_attention(q, q, q)


def other_flex(q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    return q


def named_alike(q: Tensor) -> Tensor:
    return other_flex(q, q, q)  # ok: [TBR313] another function
