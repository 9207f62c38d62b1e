"""Calls compiled functions of the file beside this one under several backends."""

import torch
from torch import Tensor
from torch.nn.attention import SDPBackend, sdpa_kernel

from .attention import always, attend, inner, without


@torch.compile
def here(q: Tensor) -> Tensor:
    return inner(q) * 2


def in_loop(q: Tensor) -> list[Tensor]:
    found = []
    for backend in (SDPBackend.MATH, SDPBackend.FLASH_ATTENTION):
        with sdpa_kernel(backend):  # error: [TBR309]
            found.append(attend(q))
    return found


def around_a_helper(q: Tensor) -> Tensor:
    with sdpa_kernel(SDPBackend.MATH):  # error: [TBR309]
        exact = here(q)
    return exact - here(q)


def one_backend(q: Tensor) -> Tensor:
    with sdpa_kernel(SDPBackend.MATH):  # ok: [TBR309] every call in view opens this one
        return always(q)


def no_attention(q: Tensor) -> Tensor:
    with sdpa_kernel(SDPBackend.MATH):  # ok: [TBR309] the other file's function has no attention in it
        exact = without(q)
    return exact - without(q)
