"""The scope that ended too soon, repaired in the three ways that hold.

Backward inside the scope keeps the choice of kernel alive until the recompute has run. A `context_fn` that builds two
fresh scopes enters one around the forward and one around the recompute, good for one backward. Choosing the kernel
inside the checkpointed function repeats the choice whenever the function runs, and is the sturdiest of the three.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager

import torch
import torch.nn.functional as F
from torch.nn.attention import SDPBackend, sdpa_kernel
from torch.utils.checkpoint import checkpoint


def attention(q: torch.Tensor, k: torch.Tensor, v: torch.Tensor) -> torch.Tensor:
    return F.scaled_dot_product_attention(q, k, v)


def heads() -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    """Query, key and value of two heads, the same at each call."""
    torch.manual_seed(0)
    q, k, v = (torch.randn(1, 2, 64, 32).bfloat16().requires_grad_() for _ in range(3))
    return q, k, v


def expected() -> torch.Tensor:
    """Gradient of the query under the math kernel, without a checkpoint."""
    q, k, v = heads()
    with sdpa_kernel(SDPBackend.MATH):
        attention(q, k, v).square().sum().backward()
    assert q.grad is not None
    return q.grad


def backward_inside() -> torch.Tensor:
    """The scope lasts until backward has recomputed."""
    q, k, v = heads()
    with sdpa_kernel(SDPBackend.MATH):
        out = checkpoint(attention, q, k, v, use_reentrant=False)
        out.square().sum().backward()
    assert q.grad is not None
    return q.grad


def math_both_times() -> tuple[AbstractContextManager[None], AbstractContextManager[None]]:
    """A fresh scope for the forward and a fresh one for the recompute."""
    return sdpa_kernel(SDPBackend.MATH), sdpa_kernel(SDPBackend.MATH)


def fresh_contexts() -> torch.Tensor:
    """The checkpoint enters the scopes itself."""
    q, k, v = heads()
    out = checkpoint(attention, q, k, v, use_reentrant=False, context_fn=math_both_times)
    out.square().sum().backward()
    assert q.grad is not None
    return q.grad


def math_attention(q: torch.Tensor, k: torch.Tensor, v: torch.Tensor) -> torch.Tensor:
    with sdpa_kernel(SDPBackend.MATH):
        return attention(q, k, v)


def scope_in_the_function() -> torch.Tensor:
    """The choice of kernel is part of what is recomputed."""
    q, k, v = heads()
    out = checkpoint(math_attention, q, k, v, use_reentrant=False)
    out.square().sum().backward()
    assert q.grad is not None
    return q.grad


REPAIRS: tuple[Callable[[], torch.Tensor], ...] = (backward_inside, fresh_contexts, scope_in_the_function)


def main() -> None:
    """Run the three repairs."""
    wanted = expected()
    for repair in REPAIRS:
        print(f"{repair.__name__}: gradient bit-equal to the step without a checkpoint:", torch.equal(repair(), wanted))


if __name__ == "__main__":
    main()
