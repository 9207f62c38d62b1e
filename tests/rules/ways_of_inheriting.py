"""Ways in which a module comes to be compiled through others: bases, subclasses, builders, parents, files."""

from __future__ import annotations

from typing import Final

WAYS: Final = {
    "submodule": """
class Block(nn.Module):
    def forward(self, x: Tensor) -> Tensor:
        BODY

class Net(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.block = Block()
    def forward(self, x: Tensor) -> Tensor:
        return self.block(x)

net = BEGIN(Net())
""",
    "self_attr_block": """
class Block(nn.Module):
    def forward(self, x: Tensor) -> Tensor:
        BODY

class Net(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.block = BEGIN(Block())
    def forward(self, x: Tensor) -> Tensor:
        return self.block(x)
""",
    "subclass_override": """
class Base(nn.Module):
    def mix(self, x: Tensor) -> Tensor:
        return x
    def forward(self, x: Tensor) -> Tensor:
        return self.mix(x).sum(0)

class Net(Base):
    def mix(self, x: Tensor) -> Tensor:
        BODY

net = BEGIN(Net())
""",
    "subclass_inherit": """
class Base(nn.Module):
    def forward(self, x: Tensor) -> Tensor:
        BODY

class Net(Base):
    pass

net = BEGIN(Net())
""",
    "base_begins": """
class Fast(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.run = BEGIN(self._run)
    def _run(self, x: Tensor) -> Tensor:
        raise NotImplementedError
    def forward(self, x: Tensor) -> Tensor:
        return self.run(x)

class Net(Fast):
    def _run(self, x: Tensor) -> Tensor:
        BODY
""",
    "super_call": """
class Base(nn.Module):
    def forward(self, x: Tensor) -> Tensor:
        BODY

class Net(Base):
    def forward(self, x: Tensor) -> Tensor:
        return super().forward(x) + 1

net = BEGIN(Net())
""",
    "main_builder": """
class Net(nn.Module):
    def forward(self, x: Tensor) -> Tensor:
        BODY

def build_model(kind: str) -> nn.Module:
    if kind == "small":
        return Net()
    return nn.Identity()

def main() -> None:
    model = build_model("small")
    model = BEGIN(model)
    model(torch.ones(4, 4))
""",
    "class_param": """
class Net(nn.Module):
    def forward(self, x: Tensor) -> Tensor:
        BODY

class Runner:
    def __init__(self, model: Net) -> None:
        self.model = BEGIN(model)
""",
    "runner_arg": """
class Net(nn.Module):
    def forward(self, x: Tensor) -> Tensor:
        BODY

class Runner:
    def __init__(self, model) -> None:
        self.model = BEGIN(model)

runner = Runner(Net())
""",
    "type_self": """
class Net(nn.Module):
    @classmethod
    def mix(cls, x: Tensor) -> Tensor:
        BODY
    def forward(self, x: Tensor) -> Tensor:
        return type(self).mix(x)

net = BEGIN(Net())
""",
    "reexport_body": """
from layers import Mixer
class Net(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.mixer = Mixer()
    def forward(self, x: Tensor) -> Tensor:
        return self.mixer(x)  #@

net = BEGIN(Net())
# == layers/__init__.py
from .mixer import Mixer
# == layers/mixer.py
import torch
from torch import Tensor, nn
import torch.nn.functional as F
class Mixer(nn.Module):
    def forward(self, x: Tensor) -> Tensor:
        BODY
""",
    "base_other_file": """
from bases import Compiled
class Net(Compiled):
    def compute(self, x: Tensor) -> Tensor:
        BODY
# == bases.py
import torch
from torch import nn
class Compiled(nn.Module):
    def __init__(self):
        super().__init__()
        self.fast = BEGIN(self.compute)
    def compute(self, x):
        raise NotImplementedError
    def forward(self, x):
        return self.fast(x)
""",
}
