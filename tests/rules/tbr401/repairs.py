"""Scopes around or inside of checkpointed calls that hold in the recompute too, and scopes that do not matter to it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager, nullcontext

import torch
import torch.nn.functional as F
from torch import nn
from torch.nn.attention import SDPBackend, sdpa_kernel
from torch.utils.checkpoint import checkpoint


def attend(x: torch.Tensor) -> torch.Tensor:
    return F.scaled_dot_product_attention(x, x, x)


def backward_inside(x: torch.Tensor) -> None:
    with sdpa_kernel(SDPBackend.MATH):  # ok: [TBR401] backward recomputes in the scope
        out = checkpoint(attend, x, use_reentrant=False)
        out.sum().backward()


def backward_inside_exit_stack(x: torch.Tensor, flag: bool) -> None:
    with ExitStack() as stack:
        if flag:
            stack.enter_context(sdpa_kernel(SDPBackend.MATH))  # ok: [TBR401] the stack is left after backward
        out = checkpoint(attend, x, use_reentrant=False)
        out.sum().backward()


@contextmanager
def math_for_the_step() -> Iterator[None]:
    with sdpa_kernel(SDPBackend.MATH):  # ok: [TBR401] its only user calls backward inside
        yield


def backward_inside_own_manager(x: torch.Tensor) -> None:
    with math_for_the_step():
        checkpoint(attend, x, use_reentrant=False).sum().backward()


@sdpa_kernel(SDPBackend.MATH)  # ok: [TBR401] the whole step, backward included, is decorated
def decorated_step(x: torch.Tensor) -> None:
    out = checkpoint(attend, x, use_reentrant=False)
    out.sum().backward()


def fresh_contexts(x: torch.Tensor) -> None:
    out = checkpoint(  # ok: [TBR401] the checkpoint enters a scope of its own for each pass
        attend,
        x,
        use_reentrant=False,
        context_fn=lambda: (sdpa_kernel(SDPBackend.MATH), sdpa_kernel(SDPBackend.MATH)),
    )
    out.sum().backward()


def recompute_in_math() -> tuple[AbstractContextManager[None], AbstractContextManager[None]]:
    return nullcontext(), sdpa_kernel(SDPBackend.MATH)


def outer_scope_and_context_fn(x: torch.Tensor) -> None:
    with sdpa_kernel(SDPBackend.MATH):  # ok: [TBR401] context_fn opens the same scope for the recompute
        out = checkpoint(attend, x, use_reentrant=False, context_fn=recompute_in_math)
    out.sum().backward()


def math_attend(x: torch.Tensor) -> torch.Tensor:
    with sdpa_kernel(SDPBackend.MATH):  # ok: [TBR401] entered whenever the function runs, the recompute included
        return attend(x)


@sdpa_kernel(SDPBackend.MATH)  # ok: [TBR401] the checkpointed function is decorated itself
def decorated_attend(x: torch.Tensor) -> torch.Tensor:
    return attend(x)


def scope_inside_the_function(x: torch.Tensor) -> None:
    out = checkpoint(math_attend, x, use_reentrant=False) + checkpoint(decorated_attend, x, use_reentrant=False)
    out.sum().backward()


def train_batch(model: nn.Module, x: torch.Tensor) -> None:
    loss = checkpoint(model, x, use_reentrant=False).mean()
    loss.backward()


def step_in_a_helper(model: nn.Module, x: torch.Tensor) -> None:
    with sdpa_kernel(SDPBackend.MATH):  # ok: [TBR401] the helper called here runs forward and backward
        train_batch(model, x)


def without_checkpoint(x: torch.Tensor) -> None:
    with sdpa_kernel(SDPBackend.MATH):  # ok: [TBR401] nothing is recomputed
        out = attend(x)
    out.sum().backward()


def checkpoint_beside_the_scope(x: torch.Tensor) -> None:
    with sdpa_kernel(SDPBackend.MATH):  # ok: [TBR401] the checkpointed call comes after it
        target = attend(x.detach())
    out = checkpoint(attend, x, use_reentrant=False)
    (out - target).square().sum().backward()


def another_loss(x: torch.Tensor, y: torch.Tensor) -> None:
    other = attend(y).sum()
    with sdpa_kernel(SDPBackend.MATH):  # ok: [TBR401] what is differentiated below was not computed in the scope
        preview = checkpoint(attend, x, use_reentrant=False).detach()
    print(preview.shape)
    other.backward()


def evaluation(x: torch.Tensor) -> torch.Tensor:
    with torch.no_grad(), sdpa_kernel(SDPBackend.MATH):  # ok: [TBR401] no backward under no_grad
        return checkpoint(attend, x, use_reentrant=False)


@torch.inference_mode()
def inference(x: torch.Tensor) -> torch.Tensor:
    with sdpa_kernel(SDPBackend.MATH):  # ok: [TBR401] no backward in inference mode
        return checkpoint(attend, x, use_reentrant=False)


def evaluate(x: torch.Tensor) -> float:
    return evaluation(x).sum().item() + inference(x).sum().item()


def autocast(x: torch.Tensor) -> None:
    with torch.autocast("cpu", dtype=torch.bfloat16):  # ok: [TBR401] checkpoint restores autocast itself
        out = checkpoint(attend, x, use_reentrant=False)
    out.float().sum().backward()


def switched_for_the_process(x: torch.Tensor) -> None:
    torch.backends.cuda.enable_flash_sdp(False)  # ok: [TBR401] still off in the recompute
    out = checkpoint(attend, x, use_reentrant=False)
    out.sum().backward()


def unknown_scope(scope: Callable[[], AbstractContextManager[None]], x: torch.Tensor) -> None:
    with scope():  # ok: [TBR401] nothing tells what the caller's scope does
        out = checkpoint(attend, x, use_reentrant=False)
    out.sum().backward()


def compiled_together(x: torch.Tensor) -> None:
    @torch.compile
    def run(h: torch.Tensor) -> torch.Tensor:
        with sdpa_kernel(SDPBackend.MATH):  # ok: [TBR401] the compiled graph holds forward and recompute
            return checkpoint(attend, h, use_reentrant=False)

    run(x).sum().backward()
