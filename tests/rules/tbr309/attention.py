"""Compiled functions that another file calls."""

import torch
import torch.nn.functional as F
from torch import Tensor


@torch.compile
def attend(q: Tensor) -> Tensor:
    return F.scaled_dot_product_attention(q, q, q).sin()


@torch.compile
def always(q: Tensor) -> Tensor:
    return F.scaled_dot_product_attention(q, q, q).cos()


@torch.compile
def without(q: Tensor) -> Tensor:
    return q.sin()


def inner(q: Tensor) -> Tensor:
    return F.scaled_dot_product_attention(q, q, q)
