"""The scope that ended too soon: an attention kernel is chosen around the forward of a checkpointed call only.

The trainer asks for the math kernel with `sdpa_kernel` and leaves the scope before backward, which is where the
checkpoint recomputes. The recompute then runs under torch's own choice, flash on CPU, and saves tensors of other
shapes than the forward did. The non-reentrant checkpoint raises for it; the reentrant one hands out the gradient of
the other kernel without a word.
"""

from __future__ import annotations

import torch
import torch.nn.functional as F
from torch.nn.attention import SDPBackend, sdpa_kernel
from torch.utils.checkpoint import CheckpointError, checkpoint


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


def step() -> torch.Tensor:
    """One step with the non-reentrant checkpoint: raises CheckpointError in backward."""
    q, k, v = heads()
    with sdpa_kernel(SDPBackend.MATH):
        out = checkpoint(attention, q, k, v, use_reentrant=False)
    out.square().sum().backward()
    assert q.grad is not None
    return q.grad


def reentrant_step() -> torch.Tensor:
    """One step with the reentrant checkpoint: returns the flash kernel's gradient of a math kernel's output."""
    q, k, v = heads()
    with sdpa_kernel(SDPBackend.MATH):
        out = checkpoint(attention, q, k, v, use_reentrant=True)
    out.square().sum().backward()
    assert q.grad is not None
    return q.grad


def main() -> None:
    """Run both steps."""
    try:
        step()
    except CheckpointError as error:
        print("non-reentrant:", str(error).splitlines()[0])
    wanted = expected()
    difference = ((reentrant_step() - wanted).abs().max() / wanted.abs().max()).item()
    print(f"reentrant: no error; relative difference of the gradient {difference:.0e} in bfloat16")


if __name__ == "__main__":
    main()
