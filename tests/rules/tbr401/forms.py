"""The spellings of one fault: the recompute runs after the scope has been left."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from functools import partial

import torch
import torch.nn.functional as F
from torch import nn
from torch.nn import attention as attn
from torch.nn.attention import SDPBackend, sdpa_kernel
from torch.utils import checkpoint as cp
from torch.utils.checkpoint import checkpoint, checkpoint_sequential, noop_context_fn


def attend(x: torch.Tensor) -> torch.Tensor:
    return F.scaled_dot_product_attention(x, x, x)


class Layer(nn.Module):
    def __init__(self, dim: int = 16) -> None:
        super().__init__()
        self.query = nn.Linear(dim, dim)

    def forward(self, x):
        return x + attend(self.query(x))


class Stack(nn.Module):
    def __init__(self, depth: int = 2) -> None:
        super().__init__()
        self.layers = nn.ModuleList(Layer() for _ in range(depth))

    def forward(self, x):
        for layer in self.layers:
            x = checkpoint(layer, x, use_reentrant=False)
        return x


def plain(x: torch.Tensor) -> None:
    with sdpa_kernel(SDPBackend.MATH):  # error: [TBR401]
        out = checkpoint(attend, x, use_reentrant=False)
    out.sum().backward()


def module_aliases(x: torch.Tensor) -> None:
    with attn.sdpa_kernel([attn.SDPBackend.MATH]):  # error: [TBR401]
        loss = cp.checkpoint(attend, x, use_reentrant=False).sum()
    loss.backward()


def reentrant(layer: Layer, x: torch.Tensor) -> None:
    h = layer.query(x)
    with sdpa_kernel(SDPBackend.MATH):  # error: [TBR401]
        out = checkpoint(attend, h, use_reentrant=True)
    out.sum().backward()


def deprecated_spelling(x: torch.Tensor) -> None:
    with torch.backends.cuda.sdp_kernel(enable_flash=False, enable_mem_efficient=False):  # error: [TBR401]
        out = checkpoint(attend, x, use_reentrant=False)
    out.sum().backward()


def among_other_scopes(x: torch.Tensor) -> None:
    with torch.autocast("cpu", dtype=torch.bfloat16), sdpa_kernel(SDPBackend.MATH):  # error: [TBR401]
        out = checkpoint(attend, x, use_reentrant=False)
    out.sum().backward()


def by_exit_stack(x: torch.Tensor) -> None:
    with ExitStack() as stack:
        stack.enter_context(sdpa_kernel(SDPBackend.MATH))  # error: [TBR401]
        out = checkpoint(attend, x, use_reentrant=False)
    out.sum().backward()


@contextmanager
def math_in_forward() -> Iterator[None]:
    with sdpa_kernel(SDPBackend.MATH):  # error: [TBR401]
        yield


def by_own_manager(x: torch.Tensor) -> None:
    with math_in_forward():
        out = checkpoint(attend, x, use_reentrant=False)
    out.sum().backward()


@sdpa_kernel(SDPBackend.MATH)  # error: [TBR401]
def forward_with_math(x: torch.Tensor) -> torch.Tensor:
    return checkpoint(attend, x, use_reentrant=False)


def by_decorator(x: torch.Tensor) -> None:
    forward_with_math(x).sum().backward()


def through_the_model(model: Stack, x: torch.Tensor) -> None:
    with sdpa_kernel(SDPBackend.MATH):  # error: [TBR401]
        loss = model(x).square().mean()
    loss.backward()


def returned_loss(model: Stack, x: torch.Tensor) -> torch.Tensor:
    with sdpa_kernel(SDPBackend.MATH):  # error: [TBR401]
        return model(x).mean()


def uses_returned_loss(model: Stack, x: torch.Tensor) -> None:
    loss = returned_loss(model, x)
    loss.backward()


def finish(loss: torch.Tensor, optimizer: torch.optim.Optimizer) -> None:
    loss.backward()
    optimizer.step()


def backward_in_a_helper(model: Stack, x: torch.Tensor, optimizer: torch.optim.Optimizer) -> None:
    with sdpa_kernel(SDPBackend.MATH):  # error: [TBR401]
        loss = model(x).mean()
    finish(loss, optimizer)


def scaled_loss(model: Stack, x: torch.Tensor, scaler: torch.amp.GradScaler) -> None:
    with sdpa_kernel(SDPBackend.MATH):  # error: [TBR401]
        loss = model(x).mean()
    scaler.scale(loss).backward()


def by_autograd_grad(x: torch.Tensor) -> torch.Tensor:
    with sdpa_kernel(SDPBackend.MATH):  # error: [TBR401]
        out = checkpoint(attend, x, use_reentrant=False)
    (gradient,) = torch.autograd.grad(out.sum(), x)
    return gradient


def accumulated(batches: list[torch.Tensor]) -> None:
    total = torch.zeros(())
    with sdpa_kernel(SDPBackend.MATH):  # error: [TBR401]
        for x in batches:
            total = total + checkpoint(attend, x, use_reentrant=False).sum()
    total.backward()


def of_a_lambda(x: torch.Tensor) -> None:
    with sdpa_kernel(SDPBackend.MATH):  # error: [TBR401]
        out = checkpoint(lambda h: F.scaled_dot_product_attention(h, h, h), x, use_reentrant=False)
    out.sum().backward()


def of_a_chain(chain: nn.Sequential, x: torch.Tensor) -> None:
    with sdpa_kernel(SDPBackend.MATH):  # error: [TBR401]
        out = checkpoint_sequential(chain, 2, x, use_reentrant=False)
    out.sum().backward()


def with_the_default_context_fn(x: torch.Tensor) -> None:
    with sdpa_kernel(SDPBackend.MATH):  # error: [TBR401]
        out = checkpoint(attend, x, use_reentrant=False, context_fn=noop_context_fn)
    out.sum().backward()


class Trainer:
    def __init__(self, model: nn.ModuleList, optimizer: torch.optim.Optimizer) -> None:
        self.model = model
        self.optimizer = optimizer
        self._checkpoint = partial(checkpoint, use_reentrant=False)

    def _run(self, x):
        for layer in self.model:
            x = self._checkpoint(layer, x)
        return x

    def train_batch(self, x):
        self.optimizer.zero_grad()
        with sdpa_kernel(SDPBackend.MATH):  # error: [TBR401]
            loss = self._run(x).float().mean()
        loss.backward()
        self.optimizer.step()

    def train_with_closure(self, x):
        def closure():
            self.optimizer.zero_grad()
            with sdpa_kernel(SDPBackend.MATH):  # error: [TBR401]
                loss = self._run(x).float().mean()
            loss.backward()
            return loss

        self.optimizer.step(closure)


def manual_entry(x: torch.Tensor) -> None:
    stack = contextlib.ExitStack()
    stack.enter_context(sdpa_kernel(SDPBackend.MATH))  # error: [TBR401]
    out = checkpoint(attend, x, use_reentrant=False)
    stack.close()
    out.sum().backward()
