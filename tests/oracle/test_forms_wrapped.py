"""TBR508: modules wrapped from outside of their class, then given to DDP: reported if, and only if, DDP raises."""

from __future__ import annotations

import ast

import pytest

from tests.oracle.agree import reported
from tests.oracle.replicas import ready_twice
from tests.oracle.support import loaded, require_torch

torch = require_torch()
pytestmark = pytest.mark.oracle

PROGRAM = """
from functools import partial
import torch
from torch import nn
from torch.distributed.algorithms._checkpoint.checkpoint_wrapper import (
    CheckpointImpl,
    apply_activation_checkpointing,
    checkpoint_wrapper,
)
from torch.distributed.algorithms._checkpoint.checkpoint_wrapper import CheckpointImpl as Impl
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.checkpoint import checkpoint


class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.l = nn.Linear(4, 4)

    def forward(self, x):
        return x + self.l(x)


class M(nn.Module):
    def __init__(self):
        super().__init__()
        self.stem = nn.Linear(4, 4)
        self.blocks = nn.ModuleList([Block() for _ in range(2)])

    def forward(self, x):
        x = self.stem(x)
        for b in self.blocks:
            x = b(x)
        return x

class Twice(M):
    def forward(self, x):
        x = self.stem(x)
        for b in self.blocks:
            x = b(x)
        for b in self.blocks:
            x = b(x)
        return x

class One(nn.Module):
    def __init__(self):
        super().__init__()
        self.stem = nn.Linear(4, 4)
        self.body = Block()

    def forward(self, x):
        return self.body(self.stem(x))


def item():
    m = M()
    for i, b in enumerate(m.blocks):
        m.blocks[i] = checkpoint_wrapper(b, checkpoint_impl=CheckpointImpl.REENTRANT)
    return DDP(m, find_unused_parameters=True)

def item_named():
    m = M()
    for i, b in enumerate(m.blocks):
        m.blocks[i] = checkpoint_wrapper(b, checkpoint_impl=CheckpointImpl.REENTRANT)
    return DDP(module=m, find_unused_parameters=True)

def item_named_non():
    m = M()
    for i, b in enumerate(m.blocks):
        m.blocks[i] = checkpoint_wrapper(b)
    return DDP(find_unused_parameters=True, module=m)

def item_non():
    m = M()
    for i, b in enumerate(m.blocks):
        m.blocks[i] = checkpoint_wrapper(b)
    return DDP(m, find_unused_parameters=True)

def item_not_searched():
    m = M()
    for i, b in enumerate(m.blocks):
        m.blocks[i] = checkpoint_wrapper(b, checkpoint_impl=CheckpointImpl.REENTRANT)
    return DDP(m)

def item_static():
    m = M()
    for i, b in enumerate(m.blocks):
        m.blocks[i] = checkpoint_wrapper(b, checkpoint_impl=CheckpointImpl.REENTRANT)
    return DDP(m, find_unused_parameters=True, static_graph=True)

def item_set_static():
    m = M()
    for i, b in enumerate(m.blocks):
        m.blocks[i] = checkpoint_wrapper(b, checkpoint_impl=CheckpointImpl.REENTRANT)
    d = DDP(m, find_unused_parameters=True, static_graph=False)
    return d



def twice_non():
    m = Twice()
    for i, b in enumerate(m.blocks):
        m.blocks[i] = checkpoint_wrapper(b, checkpoint_impl=CheckpointImpl.NO_REENTRANT)
    return DDP(m)

def attribute():
    m = One()
    m.body = checkpoint_wrapper(m.body, checkpoint_impl=CheckpointImpl.REENTRANT)
    return DDP(m, find_unused_parameters=True)

def attribute_non():
    m = One()
    m.body = checkpoint_wrapper(m.body, checkpoint_impl=CheckpointImpl.NO_REENTRANT)
    return DDP(m, find_unused_parameters=True)

def applied():
    m = M()
    apply_activation_checkpointing(
        m,
        checkpoint_wrapper_fn=partial(checkpoint_wrapper, checkpoint_impl=CheckpointImpl.REENTRANT),
        check_fn=lambda s: isinstance(s, Block),
    )
    return DDP(m, find_unused_parameters=True)

def applied_lambda():
    m = M()
    apply_activation_checkpointing(
        m,
        checkpoint_wrapper_fn=lambda s: checkpoint_wrapper(s, checkpoint_impl=CheckpointImpl.REENTRANT),
        check_fn=lambda s: isinstance(s, Block),
    )
    return DDP(m, find_unused_parameters=True)

def _wrap(s): return checkpoint_wrapper(s, checkpoint_impl=CheckpointImpl.REENTRANT)
def applied_function():
    m = M()
    apply_activation_checkpointing(m, checkpoint_wrapper_fn=_wrap, check_fn=lambda s: isinstance(s, Block))
    return DDP(m, find_unused_parameters=True)

def applied_non():
    m = M()
    apply_activation_checkpointing(
        m,
        checkpoint_wrapper_fn=partial(checkpoint_wrapper, checkpoint_impl=CheckpointImpl.NO_REENTRANT),
        check_fn=lambda s: isinstance(s, Block),
    )
    return DDP(m, find_unused_parameters=True)

def applied_default():
    m = M()
    apply_activation_checkpointing(m, check_fn=lambda s: isinstance(s, Block))
    return DDP(m, find_unused_parameters=True)

def applied_static():
    m = M()
    apply_activation_checkpointing(
        m,
        checkpoint_wrapper_fn=partial(checkpoint_wrapper, checkpoint_impl=CheckpointImpl.REENTRANT),
        check_fn=lambda s: isinstance(s, Block),
    )
    return DDP(m, find_unused_parameters=True, static_graph=True)

def applied_not_searched():
    m = M()
    apply_activation_checkpointing(
        m,
        checkpoint_wrapper_fn=partial(checkpoint_wrapper, checkpoint_impl=CheckpointImpl.REENTRANT),
        check_fn=lambda s: isinstance(s, Block),
    )
    return DDP(m)



def listed():
    m = M()
    m.blocks = nn.ModuleList([checkpoint_wrapper(b, checkpoint_impl=CheckpointImpl.REENTRANT) for b in m.blocks])
    return DDP(m, find_unused_parameters=True)

def whole():
    m = nn.Sequential(nn.Linear(4, 4), checkpoint_wrapper(M(), checkpoint_impl=CheckpointImpl.REENTRANT))
    return DDP(m, find_unused_parameters=True)

def whole_bare():
    m = checkpoint_wrapper(nn.Linear(4, 4), checkpoint_impl=CheckpointImpl.REENTRANT)
    return DDP(nn.Sequential(nn.Linear(4, 4), m), find_unused_parameters=True)

class Inside(nn.Module):
    def __init__(self):
        super().__init__()
        self.stem = nn.Linear(4, 4)
        self.body = checkpoint_wrapper(Block(), checkpoint_impl=CheckpointImpl.REENTRANT)
    def forward(self, x):
        return self.body(self.stem(x))
def inside(): return DDP(Inside(), find_unused_parameters=True)
def inside_static(): return DDP(Inside(), find_unused_parameters=True, static_graph=True)

def setattr_():
    m = One()
    setattr(m, "body", checkpoint_wrapper(m.body, checkpoint_impl=CheckpointImpl.REENTRANT))
    return DDP(m, find_unused_parameters=True)

def forward_():
    m = One()
    own = m.body.forward
    m.body.forward = lambda x: checkpoint(own, x, use_reentrant=True)
    return DDP(m, find_unused_parameters=True)

def forward_non():
    m = One()
    own = m.body.forward
    m.body.forward = lambda x: checkpoint(own, x, use_reentrant=False)
    return DDP(m, find_unused_parameters=True)

def forward_partial():
    m = One()
    m.body.forward = partial(checkpoint, m.body.forward, use_reentrant=True)
    return DDP(m, find_unused_parameters=True)


def _reentrantly(m):
    for i, b in enumerate(m.blocks):
        m.blocks[i] = checkpoint_wrapper(b, checkpoint_impl=Impl.REENTRANT)
    return m


def _built():
    m = One()
    m.body = checkpoint_wrapper(m.body, checkpoint_impl=Impl.NO_REENTRANT)
    return m


def by_helper():
    return DDP(_reentrantly(M()), find_unused_parameters=True)


def by_helper_before():
    m = M()
    _reentrantly(m)
    return DDP(m, find_unused_parameters=True)


def built_non():
    return DDP(_built(), find_unused_parameters=True)


def another():
    m, other = One(), One()
    other.body = checkpoint_wrapper(other.body, checkpoint_impl=CheckpointImpl.REENTRANT)
    return DDP(m, find_unused_parameters=True)


def bare():
    m = nn.Sequential(nn.Linear(4, 4), checkpoint_wrapper(nn.Tanh(), checkpoint_impl=CheckpointImpl.REENTRANT))
    return DDP(m, find_unused_parameters=True)
"""
BUILDERS = [n.name for n in ast.parse(PROGRAM).body if isinstance(n, ast.FunctionDef) and not n.name.startswith("_")]
WRAPPED_IN = {"inside": "Inside", "by_helper": "_reentrantly", "by_helper_before": "_reentrantly"}
"""Where the wrapping stands, if not in the function that gives the model to DDP."""


@pytest.mark.usefixtures("group")
def test_wrapping_that_ddp_refuses_is_reported() -> None:
    with loaded(PROGRAM) as module:
        wrong = {name for name in BUILDERS if ready_twice(getattr(module, name))}
    assert 0 < len(wrong) < len(BUILDERS)
    assert set(reported(PROGRAM, "TBR508")) == {WRAPPED_IN.get(name, name) for name in wrong}
