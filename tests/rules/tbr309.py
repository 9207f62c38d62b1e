"""TBR309: a compiled function is called under different attention backends."""

import torch
import torch.nn.functional as F
from torch import Tensor, nn
from torch.nn.attention import SDPBackend, sdpa_kernel


def inner(q: Tensor) -> Tensor:
    return F.scaled_dot_product_attention(q, q, q)


@torch.compile
def attend(q: Tensor) -> Tensor:
    return inner(q).sin()


def in_loop(q: Tensor) -> list[Tensor]:
    found = []
    for backend in (SDPBackend.MATH, SDPBackend.FLASH_ATTENTION):
        with sdpa_kernel(backend):  # error: [TBR309]
            found.append(attend(q))
    return found


class Attention(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.out = nn.Linear(8, 8)

    def forward(self, q: Tensor) -> Tensor:
        return self.out(inner(q))


def one_after_the_other(q: Tensor) -> Tensor:
    attention = torch.compile(Attention())
    with sdpa_kernel(SDPBackend.MATH):  # error: [TBR309]
        exact = attention(q)
    return exact - attention(q)


plain = torch.compile(F.scaled_dot_product_attention)


def two_scopes(q: Tensor) -> Tensor:
    with sdpa_kernel(SDPBackend.MATH):  # error: [TBR309]
        exact = plain(q, q, q)
    with torch.no_grad(), sdpa_kernel([SDPBackend.FLASH_ATTENTION]):  # error: [TBR309]
        return plain(q, q, q) - exact


# --- tempting, and rightly silent -----------------------------------------------------------------
@torch.compile
def always(q: Tensor) -> Tensor:
    return inner(q)


def same_backend(q: Tensor) -> Tensor:
    with sdpa_kernel(SDPBackend.MATH):  # ok: [TBR309] every call in view opens this one
        q = always(q)
    with sdpa_kernel(SDPBackend.MATH):  # ok: [TBR309] likewise
        return always(q)


@torch.compile
def inside(q: Tensor, exact: bool) -> Tensor:
    if exact:
        with sdpa_kernel(SDPBackend.MATH):  # ok: [TBR309] inside of the compiled function
            return inner(q)
    return inner(q)


def calls_inside(q: Tensor) -> Tensor:
    return inside(q, True) - inside(q, False)


@torch.compile
def no_attention(q: Tensor) -> Tensor:
    return q.sin()


def without_attention(q: Tensor) -> Tensor:
    with sdpa_kernel(SDPBackend.MATH):  # ok: [TBR309] no attention in it
        q = no_attention(q)
    return no_attention(q)


def eager(q: Tensor) -> list[Tensor]:
    found = []
    for backend in (SDPBackend.MATH, SDPBackend.FLASH_ATTENTION):
        with sdpa_kernel(backend):  # ok: [TBR309] not compiled
            found.append(inner(q))
    return found


@torch.compile
def thrown_away(q: Tensor) -> Tensor:
    return inner(q)


def reset_between(q: Tensor) -> list[Tensor]:
    found = []
    for backend in (SDPBackend.MATH, SDPBackend.FLASH_ATTENTION):
        torch.compiler.reset()
        with sdpa_kernel(backend):  # ok: [TBR309] compiled anew
            found.append(thrown_away(q))
    return found


@torch.compile(backend="eager")
def picked(q: Tensor) -> Tensor:
    return inner(q)


def each_time(q: Tensor) -> Tensor:
    with sdpa_kernel(SDPBackend.MATH):  # ok: [TBR309] this backend picks the kernel in every call
        exact = picked(q)
    return exact - picked(q)
