"""Regions in compiled code that change state or hold `torch.cond`, written in many ways: TBR314."""

from __future__ import annotations

from typing import Final

HEAD: Final = """
import contextlib
import functools
import os
import torch
from torch import nn
from torch.utils.checkpoint import checkpoint
"""
BLOCK: Final = """
BEFORE
class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.last = None
    def forward(self, x):
        y = x.sin()
        {{self.last = y||last = y}}  #!
        return y.cos()
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.block = Block()
        INIT
    MEMBERS
    def forward(self, x):
        return CHECKPOINTED
net = COMPILED
FILES
"""
PLAIN: Final = "checkpoint(self.block, x, use_reentrant=False)"
FULL: Final = 'torch.compile(Net(), fullgraph=True, backend="aot_eager")'
WAYS: Final[dict[str, dict[str, str]]] = {
    "plain": {},
    "alias": {"CHECKPOINTED": "ck(self.block, x, use_reentrant=False)", "BEFORE": "ck = checkpoint"},
    "import as": {
        "CHECKPOINTED": "ckpt.checkpoint(self.block, x, use_reentrant=False)",
        "BEFORE": "import torch.utils.checkpoint as ckpt",
    },
    "partial": {
        "CHECKPOINTED": "ck(self.block, x)",
        "BEFORE": "ck = functools.partial(checkpoint, use_reentrant=False)",
    },
    "lambda": {"CHECKPOINTED": "checkpoint(lambda h: self.block(h), x, use_reentrant=False)"},
    "helper": {
        "CHECKPOINTED": "run(self.block, x)",
        "BEFORE": "def run(f, *a):\n    return checkpoint(f, *a, use_reentrant=False)",
    },
    "method": {
        "CHECKPOINTED": "self.run(self.block, x)",
        "MEMBERS": "def run(self, f, *a):\n        return checkpoint(f, *a, use_reentrant=False)",
    },
    "self.fn": {"CHECKPOINTED": "self.ck(self.block, x, use_reentrant=False)", "INIT": "self.ck = checkpoint"},
    "class attribute": {
        "CHECKPOINTED": "self.ck(self.block, x, use_reentrant=False)",
        "MEMBERS": "ck = staticmethod(checkpoint)",
    },
    "flag": {"CHECKPOINTED": f"{PLAIN} if self.k and self.training else self.block(x)"},
    "keywords": {"CHECKPOINTED": "checkpoint(self.block, use_reentrant=False, x=x)"},
    "mapping": {"CHECKPOINTED": 'checkpoint(self.block, x, **{"use_reentrant": False})'},
    "in place": {"COMPILED": 'Net()\nnet.compile(fullgraph=True, backend="aot_eager")'},
    "compile partial": {
        "BEFORE": "fast = functools.partial(torch.compile, fullgraph=True)",
        "COMPILED": "fast(Net())",
    },
    "compile options": {
        "BEFORE": 'OPTIONS = {"fullgraph": True, "backend": "aot_eager"}',
        "COMPILED": "torch.compile(Net(), **OPTIONS)",
    },
    "compile helper": {
        "BEFORE": "def fast(m):\n    return torch.compile(m, fullgraph=True)",
        "COMPILED": "fast(Net())",
    },
    "compile import": {"BEFORE": "from torch import compile as tc", "COMPILED": "tc(Net(), fullgraph=True)"},
    "compile lambda": {"BEFORE": "fast = lambda m: torch.compile(m, fullgraph=True)", "COMPILED": "fast(Net())"},
    "compile flag": {"COMPILED": 'torch.compile(Net(), fullgraph=True) if os.environ.get("FAST") else Net()'},
    "compile file": {
        "BEFORE": "from fast import compiled",
        "COMPILED": "compiled(Net())",
        "FILES": "# == fast.py\nimport torch\ndef compiled(m):\n    return torch.compile(m, fullgraph=True)\n",
    },
    "checkpoint file": {
        "BEFORE": "from ck import run",
        "CHECKPOINTED": "run(self.block, x)",
        "FILES": "# == ck/__init__.py\nfrom .impl import run\n# == ck/impl.py\n"
        "from torch.utils.checkpoint import checkpoint\n"
        "def run(f, *a):\n    return checkpoint(f, *a, use_reentrant=False)\n",
    },
}
DECORATOR: Final = """
def ck(f):
    @functools.wraps(f)
    def run(self, x):
        return checkpoint(f, self, x, use_reentrant=False)
    return run
class Net(nn.Module):
    @ck
    def block(self, x):
        y = x.sin()
        {{self.last = y||last = y}}  #!
        return y.cos()
    def forward(self, x):
        return self.block(x)
net = torch.compile(Net(), fullgraph=True)
"""
OVERRIDE: Final = """
class Base(nn.Module):
    def block(self, x):
        return x
    def forward(self, x):
        return checkpoint(self.block, x, use_reentrant=False)
class Net(Base):
    def block(self, x):
        y = x.sin()
        {{self.last = y||last = y}}  #!
        return y.cos()
net = torch.compile(Net(), fullgraph=True)
"""
COND: Final = """
BEFORE
def block(x):
    return {{CHOSEN||torch.where(x.sum() > 0, x.sin(), x.cos())}}  #!
@torch.compile(backend="aot_eager")
def f(x):
    return checkpoint(block, x, use_reentrant=False)
"""
CONDS: Final = {
    "cond": ("", "torch.cond(x.sum() > 0, torch.sin, torch.cos, (x,))"),
    "cond import": ("from torch import cond", "cond(x.sum() > 0, torch.sin, torch.cos, (x,))"),
    "cond alias": ("choose = torch.cond", "choose(x.sum() > 0, torch.sin, torch.cos, (x,))"),
    "cond partial": (
        "choose = functools.partial(torch.cond, true_fn=torch.sin, false_fn=torch.cos)",
        "choose(x.sum() > 0, operands=(x,))",
    ),
}


def block(**parts: str) -> str:
    defaults = {"CHECKPOINTED": PLAIN, "COMPILED": FULL, "BEFORE": "", "INIT": "self.k = 1", "MEMBERS": "", "FILES": ""}
    text = BLOCK
    for name, part in (defaults | parts).items():
        text = text.replace(name, part)
    return text


PAIRS: Final = {
    "TBR314": {
        **{way: block(**parts) for way, parts in WAYS.items()},
        "decorator": DECORATOR,
        "override": OVERRIDE,
        **{way: COND.replace("BEFORE", before).replace("CHOSEN", chosen) for way, (before, chosen) in CONDS.items()},
    }
}
"""Programs with `{{bad||good}}` in them."""
