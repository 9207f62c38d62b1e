"""Branches on values that traces never come to, as helpers and flags of another file tell; and some that they do."""

from __future__ import annotations

import torch
from torch import Tensor

from . import asking
from .asking import can_read, half_guarded, in_graph, may_skip, nobody_masked, unguarded


def by_helper(x: Tensor) -> Tensor:
    if not in_graph(x) and x.sum() > 0:  # ok: [TBR101] the helper asks for a tracer
        x = x.sin()
    if can_read() and x.sum() > 0:  # ok: [TBR101] the helper answers by an early return
        x = x.cos()
    tracing = torch.jit.is_tracing() or asking.in_compiler()
    if not tracing:
        if x.max() > 1:  # ok: [TBR101] the flag keeps the answer
            x = x.tanh()
    return x


def early(x: Tensor) -> Tensor:
    if asking.in_graph():
        return x.sin()
    if x.sum() > 0:  # ok: [TBR101] a trace has left
        x = x.cos()
    return x


def rounds(x: Tensor) -> Tensor:
    for scale in (0.5, 2.0):
        if in_graph():
            break
        if x.max() > 1:  # ok: [TBR101] a trace has left the loop
            x = x * scale
    return x


def asked_inside(x: Tensor, mask: Tensor | None) -> Tensor:
    if nobody_masked(mask):  # ok: [TBR101] the helper leaves before it reads
        x = x.sin()
    if may_skip(mask, x.shape[1]):  # ok: [TBR101] the helper asks before it reads
        x = x.cos()
    skip = nobody_masked(mask)
    if skip:  # ok: [TBR101] its answer, kept in a name
        x = x.tanh()
    return x


def read_in_traces(x: Tensor, mask: Tensor) -> Tensor:
    if half_guarded(mask):  # error: [TBR101]
        x = x.sin()
    if unguarded(mask):  # error: [TBR101]
        x = x.cos()
    return x


def skipped(x: Tensor, mask: Tensor) -> Tensor:
    return x.sin() if nobody_masked(mask) else x.cos()  # ok: [TBR304] the compiler never comes to the value


compiled = torch.compile(skipped, backend="eager")
