"""State that compiled code reads, written in many ways: TBR303."""

from __future__ import annotations

from typing import Final

from tests.rules.rewriting import DATA_HEAD

HEAD: Final = DATA_HEAD
PAIRS: Final[dict[str, dict[str, str]]] = {
    "TBR303": {
        "plain": """
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        {{self.n = 0||self.register_buffer("n", torch.zeros((), dtype=torch.long))}}

    def forward(self, x):
        self.n += 1  #!
        return x * self.n
net = torch.compile(Net(), backend="eager")
""",
        "assign": """
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        {{self.n = 0||self.register_buffer("n", torch.zeros((), dtype=torch.long))}}

    def forward(self, x):
        self.n = self.n + 1  #!
        return x * self.n
net = torch.compile(Net(), backend="eager")
""",
        "setattr": """
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        {{self.n = 0||self.register_buffer("n", torch.zeros((), dtype=torch.long))}}

    def forward(self, x):
        setattr(self, "n", self.n + 1)  #!
        return x * self.n
net = torch.compile(Net(), backend="eager")
""",
        "method": """
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        {{self.n = 0||self.register_buffer("n", torch.zeros((), dtype=torch.long))}}
    def bump(self):
        self.n += 1  #!

    def forward(self, x):
        self.bump()
        return x * self.n  #!
net = torch.compile(Net(), backend="eager")
""",
        "helper": """
def bump(m):
    m.n += 1  #!

class Net(nn.Module):
    def __init__(self):
        super().__init__()
        {{self.n = 0||self.register_buffer("n", torch.zeros((), dtype=torch.long))}}

    def forward(self, x):
        bump(self)
        return x * self.n  #!
net = torch.compile(Net(), backend="eager")
""",
        "alias": """
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        {{self.n = 0||self.register_buffer("n", torch.zeros((), dtype=torch.long))}}

    def forward(self, x):
        me = self
        me.n += 1  #!
        return x * me.n
net = torch.compile(Net(), backend="eager")
""",
        "deco": """
def fast(m):
    return torch.compile(m, backend="eager")

class Net(nn.Module):
    def __init__(self):
        super().__init__()
        {{self.n = 0||self.register_buffer("n", torch.zeros((), dtype=torch.long))}}

    def forward(self, x):
        self.n += 1  #!
        return x * self.n
net = fast(Net())
""",
        "model_compile": """
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        {{self.n = 0||self.register_buffer("n", torch.zeros((), dtype=torch.long))}}

    def forward(self, x):
        self.n += 1  #!
        return x * self.n
net = Net()
net.compile(backend="eager")
""",
        "wraps": """
def counted(f):
    @functools.wraps(f)
    def run(self, x):
        self.n += 1  #!
        return f(self, x)
    return run

class Net(nn.Module):
    def __init__(self):
        super().__init__()
        {{self.n = 0||self.register_buffer("n", torch.zeros((), dtype=torch.long))}}

    @counted
    def forward(self, x):
        return x * self.n
net = torch.compile(Net(), backend="eager")
""",
        "cm": """
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        {{self.n = 0||self.register_buffer("n", torch.zeros((), dtype=torch.long))}}
    @contextlib.contextmanager
    def counting(self):
        self.n += 1  #!
        yield

    def forward(self, x):
        with self.counting():
            return x * self.n  #!
net = torch.compile(Net(), backend="eager")
""",
        "stack": """
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        {{self.n = 0||self.register_buffer("n", torch.zeros((), dtype=torch.long))}}

    def forward(self, x):
        with contextlib.ExitStack() as stack:
            stack.enter_context(torch.no_grad())
            self.n += 1  #!
            return x * self.n
net = torch.compile(Net(), backend="eager")
""",
        "finally": """
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        {{self.n = 0||self.register_buffer("n", torch.zeros((), dtype=torch.long))}}

    def forward(self, x):
        try:
            return x * self.n  #!
        finally:
            self.n += 1
net = torch.compile(Net(), backend="eager")
""",
        "flag": """
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        {{self.n = 0||self.register_buffer("n", torch.zeros((), dtype=torch.long))}}

    def forward(self, x):
        if self.training:
            self.n += 1  #!
        return x * self.n
net = torch.compile(Net(), backend="eager")
""",
        "partial": """
def bump(m, by):
    m.n += by  #!
next_step = functools.partial(bump, by=1)

class Net(nn.Module):
    def __init__(self):
        super().__init__()
        {{self.n = 0||self.register_buffer("n", torch.zeros((), dtype=torch.long))}}

    def forward(self, x):
        next_step(self)
        return x * self.n  #!
net = torch.compile(Net(), backend="eager")
""",
        "lambda": """
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        {{self.n = 0||self.register_buffer("n", torch.zeros((), dtype=torch.long))}}

    def forward(self, x):
        get = lambda: self.n  #!
        self.n += 1  #!
        return x * get()
net = torch.compile(Net(), backend="eager")
""",
        "property": """
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        {{self.n = 0||self.register_buffer("n", torch.zeros((), dtype=torch.long))}}
    @property
    def scale(self):
        return self.n

    def forward(self, x):
        self.n += 1  #!
        return x * self.scale
net = torch.compile(Net(), backend="eager")
""",
        "class_attr": """
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        {{self.k = 1||self.register_buffer("n", torch.zeros((), dtype=torch.long))}}
    {{n = 0||k = 0}}

    def forward(self, x):
        self.n += 1  #!
        return x * self.n
net = torch.compile(Net(), backend="eager")
""",
        "base": """
class Base(nn.Module):
    def __init__(self):
        super().__init__()
        {{self.n = 0||self.register_buffer("n", torch.zeros(()))}}
    def tick(self):
        self.n += 1  #!
class Net(Base):
    def forward(self, x):
        self.tick()
        return x * self.n  #!
net = torch.compile(Net(), backend="eager")
""",
        "base_file": """
from base import Base
class Net(Base):
    def forward(self, x):
        self.tick()  #!
        return x * self.n
net = torch.compile(Net(), backend="eager")
# == base.py
import torch
from torch import nn
class Base(nn.Module):
    def __init__(self):
        super().__init__()
        {{self.n = 0||self.register_buffer("n", torch.zeros(()))}}
    def tick(self):
        self.n += 1
""",
        "override": """
class Base(nn.Module):
    def __init__(self):
        super().__init__()
        {{self.n = 0||self.register_buffer("n", torch.zeros(()))}}
    def tick(self):
        pass
    def forward(self, x):
        self.tick()
        return x * 2
class Net(Base):
    def tick(self):
        self.n += 1  #!
net = torch.compile(Net(), backend="eager")
""",
        "global": """
STEP = {{0||torch.zeros(())}}
@torch.compile(backend="eager")
def f(x):
    return x * STEP  #!
def train(data):
    global STEP
    for x in data:
        f(x)
        {{STEP += 1||STEP.add_(1)}}
""",
        "outside_loop": """
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        {{self.epoch = 0||self.register_buffer("epoch", torch.zeros(()))}}
    def forward(self, x):
        return x * self.epoch  #!
def train(data):
    net = Net()
    fast = torch.compile(net, backend="eager")
    for e in range(20):
        {{net.epoch = e||net.epoch.fill_(e)}}
        for x in data:
            fast(x)
""",
        "outside_method": """
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        {{self.epoch = 0||self.register_buffer("epoch", torch.zeros(()))}}
    def set_epoch(self, e):
        {{self.epoch = e||self.epoch.fill_(e)}}
    def forward(self, x):
        return x * self.epoch  #!
def train(data):
    net = Net()
    net.compile(backend="eager")
    for e in range(20):
        net.set_epoch(e)
        for x in data:
            net(x)
""",
        "int_arg": """
@torch.compile(backend="eager")
def f(x, k: int):
    for i in {{range(k)||range(4)}}:  #!
        x = x + i
    return x
def train(x):
    for k in range(20):
        x = f(x, k)
""",
        "int_arg_kw": """
def f(x, k):
    for i in {{range(k)||range(4)}}:  #!
        x = x + i
    return x
fast = torch.compile(f, backend="eager")
def train(x):
    for step in range(20):
        x = fast(x, k=step)
""",
        "dict": """
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        {{self.n = dict(a=0)||self.n = dict(a=torch.zeros(()))}}

    def forward(self, x):
        self.n["a"] += 1  #!
        return x * self.n["a"]
net = torch.compile(Net(), backend="eager")
""",
    },
}
"""Programs with `{{bad||good}}` in them."""
