"""TBR208: layers, attributes and items that come and go between a checkpointed forward and its backward: reported if,
and only if, gradients change.
"""

from __future__ import annotations

from typing import Any

import pytest

from tests.oracle.agree import HEAD, gradients, reported, require_torch, spoils

require_torch()
pytestmark = [pytest.mark.oracle, pytest.mark.filterwarnings("ignore:.*is deprecated:FutureWarning")]

STRUCTURE = (
    HEAD
    + """
from torch.nn.utils import parametrizations, parametrize, prune, remove_weight_norm, spectral_norm, weight_norm
from torch.nn.utils.parametrizations import orthogonal
from torch.nn.utils.prune import l1_unstructured


class Double(nn.Module):
    def forward(self, w: Tensor) -> Tensor:
        return 2 * w


class Block(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.fc = nn.Linear(4, 4)
        self.gate = nn.Tanh()
        self.extra = None
        self.tail = 1.0

    def forward(self, x: Tensor) -> Tensor:
        x = self.gate(self.fc(x))
        if self.extra is not None:
            x = torch.sin(x * self.extra)
        return torch.sin(x) * self.tail


class Net(nn.Module):
    gain = 3.0

    def __init__(self) -> None:
        super().__init__()
        self.body = nn.Sequential(nn.Linear(4, 4), nn.Tanh(), nn.Linear(4, 4))
        self.layers = nn.ModuleList([nn.Linear(4, 4), nn.Linear(4, 4)])
        self.table = nn.ModuleDict({"a": nn.Linear(4, 4)})
        self.block = Block()
        self.own = nn.Parameter(torch.full((4,), 0.5))
        self.factors = [1.0, 2.0]
        self.cfg = {"gain": 2.0}
        self.gain = 2.0
        self.unused = 1.0
        self.spare = nn.ModuleList([nn.Linear(4, 4)])
        self.active = True
        prune.l1_unstructured(self.layers[0], "weight", 0.5)
        parametrizations.weight_norm(self.layers[1])
        weight_norm(self.table["a"])

    FORWARD

    def disable(self) -> None:
        self.active = False

    def enable(self) -> None:
        self.active = True

    def grow(self) -> None:
        self.layers.append(nn.Linear(4, 4))

    def swap(self) -> None:
        self.block.gate = nn.Sigmoid()


NET = Net()
OTHER = Net()


def form(x: Tensor) -> Tensor:
    loss = NET(x).square().sum()
    CHANGE
    loss.backward()
    return loss
"""
)
WHOLE = """def run(self, x: Tensor) -> Tensor:
        x = self.block(x) * self.gain
        for layer in self.layers:
            x = torch.sin(layer(x))
        for layer in self.table.values():
            x = torch.tanh(layer(x))
        for factor in self.factors:
            x = torch.sin(x * factor)
        if self.active:
            x = torch.tanh(x)
        return torch.sin(self.body(x) * self.own * self.cfg.get("gain", 1.0))

    def forward(self, x: Tensor) -> Tensor:
        return checkpoint(self.run, x, use_reentrant=False)"""
PARTS = """def forward(self, x: Tensor) -> Tensor:
        x = torch.sin(checkpoint(self.body, x, use_reentrant=False)) + 0.1
        for layer in self.layers:
            x = checkpoint(layer, x, use_reentrant=False) * 1.5
        x = checkpoint(functools.partial(self.block), x, use_reentrant=False)
        x = checkpoint(self.table["a"], x, use_reentrant=False)
        return checkpoint(lambda h: torch.sin(self.layers[0](h)) * self.factors[0], x, use_reentrant=False)"""
CHANGES = [
    "del NET.gain",
    "delattr(NET, 'gain')",
    "del NET.unused",
    "NET.__delattr__('gain')",
    "del NET.cfg['gain']",
    "del NET.layers[1]",
    "del NET.layers[0]",
    "del NET.factors[0]",
    "del NET.body[2]",
    "del NET.spare[0]",
    "del NET.own",
    "del OTHER.gain",
    "NET.body.append(nn.Tanh())",
    "NET.body.insert(0, nn.Linear(4, 4))",
    "NET.body.extend([nn.Tanh(), nn.Tanh()])",
    "NET.layers.append(nn.Linear(4, 4))",
    "NET.layers.insert(0, nn.Linear(4, 4))",
    "NET.layers.pop(0)",
    "NET.body.pop(0)",
    "NET.spare.append(nn.Linear(4, 4))",
    "OTHER.layers.append(nn.Linear(4, 4))",
    "NET.table.update({'b': nn.Linear(4, 4)})",
    "NET.table.pop('a')",
    "NET.table.clear()",
    "NET.factors.append(3.0)",
    "NET.factors.pop()",
    "NET.factors.clear()",
    "NET.factors.reverse()",
    "NET.factors.copy().append(2.0)",
    "NET.cfg.update(gain=4.0)",
    "NET.cfg.update(other=4.0)",
    "NET.cfg.pop('gain')",
    "NET.cfg.pop('other', None)",
    "NET.cfg.setdefault('gain', 5.0)",
    "NET.cfg['other'] = 3.0",
    "layers = NET.layers\n    layers.append(nn.Linear(4, 4))",
    "add = NET.layers.append\n    add(nn.Linear(4, 4))",
    "parametrize.register_parametrization(NET.body[0], 'weight', Double())",
    "torch.nn.utils.parametrize.register_parametrization(NET.block.fc, 'weight', Double())",
    "parametrize.register_parametrization(NET.spare[0], 'weight', Double())",
    "parametrize.remove_parametrizations(NET.layers[1], 'weight')",
    "orthogonal(NET.body[0])",
    "parametrizations.spectral_norm(NET.body[0])",
    "weight_norm(NET.body[0])",
    "spectral_norm(NET.block.fc)",
    "remove_weight_norm(NET.table['a'])",
    "remove_weight_norm(OTHER.table['a'])",
    "prune.l1_unstructured(NET.body[0], 'weight', 0.5)",
    "l1_unstructured(NET.body[0], name='weight', amount=0.5)",
    "prune.global_unstructured([(NET.body[0], 'weight')], pruning_method=prune.L1Unstructured, amount=0.5)",
    "prune.remove(NET.layers[0], 'weight')",
    "prune.is_pruned(NET)",
    "prune.l1_unstructured(OTHER.body[0], 'weight', 0.5)",
    "layer = NET.body[0]\n    prune.l1_unstructured(layer, 'weight', 0.5)",
    "for m in NET.modules():\n        if isinstance(m, nn.Linear):\n            prune.identity(m, 'bias')",
    "for m in NET.body:\n        if isinstance(m, nn.Linear):\n            weight_norm(m)",
    "NET.disable()",
    "NET.enable()",
    "NET.active = True",
    "NET.active = False",
    "OTHER.disable()",
    "NET.grow()",
    "NET.swap()",
    "OTHER.swap()",
    "NET.block.extra = 3.0",
    "NET.block.tail = 3.0",
    "NET.block.forward = lambda x: x",
    "NET.set_submodule('block.gate', nn.Sigmoid())",
    "NET.block.fc.weight = nn.Parameter(torch.zeros(4, 4))",
    "nn.init.zeros_(NET.spare[0].weight)",
    'sd = NET.state_dict(); sd["own"].zero_()',
    'sd = NET.state_dict()\n    sd["own"].zero_()',
    'sd = NET.state_dict()\n    sd["own"] = torch.zeros(4)',
    'NET.state_dict()["own"].zero_()',
    "for v in NET.state_dict().values():\n        v.zero_()",
    "for k, v in NET.state_dict().items():\n        v.zero_()",
    "for v in NET.state_dict().values():\n        v.clone().zero_()",
    'sd = {k: v.clone() for k, v in NET.state_dict().items()}\n    sd["own"].zero_()',
    "list(NET.parameters())[0].data.zero_()",
    "ps = list(NET.parameters())\n    ps[0].data.zero_()",
    "ps = [p for p in NET.parameters()]\n    ps[0].data.zero_()",
    "next(NET.parameters()).data.zero_()",
    "next(iter(NET.parameters())).data.zero_()",
    'dict(NET.named_parameters())["own"].data.zero_()',
    'ps = dict(NET.named_parameters())\n    ps["own"].data.zero_()',
    'NET.get_parameter("own").data.zero_()',
    'NET.get_submodule("body").load_state_dict({k: v * 2 for k, v in NET.body.state_dict().items()})',
    "NET.own.detach_()",
    "NET.own.detach()",
    "NET.own.detach().zero_()",
    "w = NET.own.detach()\n    w.zero_()",
    "w = NET.own.data\n    w.zero_()",
    "w = NET.own.data.clone()\n    w.zero_()",
    "w = NET.own.view(-1).data\n    w.zero_()",
    "NET.__dict__.update(gain=5.0)",
    'NET.__dict__.update({"gain": 5.0})',
    "NET.__dict__.update(unused=5.0)",
    'NET.__dict__["gain"] = 5.0',
    'vars(NET)["gain"] = 5.0',
    "vars(NET).update(gain=5.0)",
    'NET.__dict__.setdefault("gain", 5.0)',
    "NET.block.__dict__.update(tail=2.0)",
    'NET._parameters["own"].data.zero_()',
    'NET._parameters["own"] = nn.Parameter(torch.zeros(4))',
    'NET.body._modules["0"] = nn.Linear(4, 4)',
    "NET.float()",
    "NET.double()",
    "NET.to(torch.float32)",
    "NET.to(dtype=torch.float32)",
    "NET.to(torch.float64)",
    "NET.type(torch.float32)",
    'NET.to("cpu")',
    "NET.cpu()",
    "NET.body.append(nn.Identity())",
    "NET.body.insert(0, nn.Identity())",
    "NET.body[1] = nn.Identity()",
    'NET.body.add_module("more", nn.Identity())',
    "NET.body.extend([nn.Identity()])",
    "NET.own.requires_grad_()",
    "NET.own.requires_grad_(True)",
    "NET.own.requires_grad_(False)",
    "NET.own.requires_grad = True",
    "NET.own.requires_grad = False",
    "NET.body[0].weight.requires_grad_()",
    "NET.body.requires_grad_()",
    "x.requires_grad_()",
    "loss.requires_grad_()",
    "other = torch.ones(4)\n    other.requires_grad_()",
    "other = torch.ones(4)\n    other.zero_()",
    "own = NET.own\n    own.data.zero_()",
    "own = NET.own\n    own.requires_grad_()",
    "net = NET\n    net.own.data.zero_()",
    "torch.nn.utils.clip_grad_norm_(NET.parameters(), 1.0)",
    "for p in NET.parameters():\n        p.grad = None",
    "for m in NET.modules():\n        m.eval()",
    "for m in NET.modules():\n        m.training = False",
    "for m in NET.children():\n        m.requires_grad_(False)",
    "NET.train()",
    "NET.train(False)",
    'setattr(NET, "training", False)',
    'setattr(NET, "gain", 5.0)',
    'setattr(NET.block, "tail", 5.0)',
    "NET.gain *= 2",
    "NET.gain += 0",
    'object.__setattr__(NET, "gain", 7.0)',
    "NET.block.fc = nn.Linear(4, 4)",
    "NET.block.fc.weight.data *= 2",
    "NET.block.fc.weight.data[0] = 0.0",
    "NET.zero_grad(set_to_none=True)",
    "nn.Module.load_state_dict(NET, NET.state_dict())",
    "NET.load_state_dict(NET.state_dict())",
    "with torch.no_grad():\n        torch.add(NET.own, 1, out=NET.own)",
    "with torch.no_grad():\n        NET.own.lerp_(torch.zeros(4), 0.5)",
    'NET.state_dict()["body.0.weight"].zero_()',
]


@pytest.fixture(scope="module", params=[WHOLE, PARTS], ids=["whole", "parts"])
def program(request: pytest.FixtureRequest) -> tuple[str, list[Any]]:
    source = STRUCTURE.replace("FORWARD", request.param)
    return source, gradients(source.replace("CHANGE", "pass"), False, "NET")


@pytest.mark.parametrize("change", CHANGES)
def test_what_changes_the_gradients_is_reported(change: str, program: tuple[str, list[Any]]) -> None:
    source = program[0].replace("CHANGE", change)
    assert ("form" in reported(source, "TBR208")) is spoils(source, program[1], "NET")
