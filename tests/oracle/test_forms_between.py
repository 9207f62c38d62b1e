"""TBR208: what stands between a checkpointed forward and its backward: reported if, and only if, gradients change."""

from __future__ import annotations

from typing import Any

import pytest

from tests.oracle.agree import HEAD, gradients, reported, require_torch, spoils

require_torch()
pytestmark = pytest.mark.oracle

BETWEEN = (
    HEAD
    + """
from torch.nn.utils import parameters_to_vector, parametrize, vector_to_parameters


class Same(nn.Module):
    def forward(self, w: Tensor) -> Tensor:
        return w


class Twice(nn.Module):
    def forward(self, w: Tensor) -> Tensor:
        return w * 2


class Net(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.body = nn.Sequential(nn.Linear(4, 4), nn.Tanh(), nn.Linear(4, 4))
        self.own = nn.Parameter(torch.full((4,), 0.5))

    def run(self, x: Tensor) -> Tensor:
        return torch.sin(self.body(x) * self.own)

    def forward(self, x: Tensor) -> Tensor:
        return checkpoint(self.run, x, use_reentrant=False)

    def reset(self) -> None:
        nn.init.zeros_(self.own)


NET = Net()
OTHER = Net()


def fresh(m: nn.Module) -> None:
    if isinstance(m, nn.Linear):
        nn.init.normal_(m.weight)


def form(x: Tensor) -> Tensor:
    loss = NET(x).square().sum()
    CHANGE
    loss.backward()
    return loss
"""
)
CHANGES = [
    "nn.init.zeros_(NET.own)",
    "nn.init.normal_(NET.body[0].weight)",
    "nn.init.constant_(NET.body[2].bias, 1.0)",
    "for p in NET.parameters():\n        nn.init.normal_(p)",
    "vector_to_parameters(torch.zeros(44), NET.parameters())",
    "NET.apply(fresh)",
    "NET.reset()",
    "NET.body[0].reset_parameters()",
    "NET.double()",
    "NET._apply(lambda t: t * 2)",
    "NET.requires_grad_(False)",
    "nn.init.zeros_(OTHER.own)",
    "vector_to_parameters(torch.zeros(44), OTHER.parameters())",
    "OTHER.apply(fresh)",
    "parameters_to_vector(NET.parameters())",
    "nn.utils.clip_grad_norm_(NET.parameters(), 1.0)",
    "NET.own.data.zero_()",
    "NET.own.data = torch.zeros(4)",
    "with torch.no_grad():\n        NET.own.mul_(2)",
    "with torch.no_grad():\n        NET.own.copy_(torch.zeros(4))",
    "with torch.no_grad():\n        torch._foreach_mul_(list(NET.parameters()), 2.0)",
    "NET.zero_grad()",
    "NET.load_state_dict(OTHER.state_dict())",
    "NET.own = nn.Parameter(torch.zeros(4))",
    "with torch.no_grad():\n        for p, q in zip(NET.parameters(), OTHER.parameters()):\n            p.copy_(q)",
    "with torch.no_grad():\n        for p, q in zip(OTHER.parameters(), NET.parameters()):\n            p.copy_(q)",
    "with torch.no_grad():\n        NET.own[0] = 3.0",
    "with torch.no_grad():\n        NET.own += 1",
    "NET.eval()",
    "NET.body[0] = nn.Linear(4, 4)",
    "NET.share_memory()",
    "NET.type(torch.float64)",
    "NET.own.data.fill_(1)",
    "with torch.no_grad():\n        torch.nn.init.zeros_(NET.own)",
    "NET.own.detach().zero_()",
    "torch.zeros(4, out=NET.own.data)",
    "parametrize.register_parametrization(NET.body[0], 'weight', Same())",
    "parametrize.register_parametrization(NET.body[0], 'weight', nn.Identity())",
    "parametrize.register_parametrization(NET.body[0], 'weight', Twice())",
    "NET.body[0].in_features = 7",
    "NET.body[2].out_features = 9",
    "NET.body.name = 'body'",
    "NET.body[0].bias = None",
    "NET.requires_grad_(True)",
    "NET.requires_grad_()",
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
    "NET.own.detach_()",
    "NET.own.detach()",
    "w = NET.own.detach()\n    w.zero_()",
    "w = NET.own.data\n    w.zero_()",
    "w = NET.own.data.clone()\n    w.zero_()",
    "w = NET.own.view(-1).data\n    w.zero_()",
    'NET._parameters["own"].data.zero_()',
    'NET._parameters["own"] = nn.Parameter(torch.zeros(4))',
    'NET.body._modules["0"] = nn.Linear(4, 4)',
    "NET.float()",
    "NET.to(torch.float32)",
    "NET.to(dtype=torch.float32)",
    "NET.to(torch.float64)",
    "NET.type(torch.float32)",
    'NET.to("cpu")',
    "NET.cpu()",
    "NET.body.append(nn.Identity())",
    "NET.body.append(nn.Tanh())",
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
    "NET.zero_grad(set_to_none=True)",
    "nn.Module.load_state_dict(NET, NET.state_dict())",
    "NET.load_state_dict(NET.state_dict())",
    "with torch.no_grad():\n        torch.add(NET.own, 1, out=NET.own)",
    "with torch.no_grad():\n        NET.own.lerp_(torch.zeros(4), 0.5)",
    'NET.state_dict()["body.0.weight"].zero_()',
]


@pytest.fixture(scope="module")
def right() -> list[Any]:
    return gradients(BETWEEN.replace("CHANGE", "pass"), False, "NET")


@pytest.mark.parametrize("change", CHANGES)
def test_what_changes_the_gradients_is_reported(change: str, right: list[Any]) -> None:
    source = BETWEEN.replace("CHANGE", change)
    assert ("form" in reported(source, "TBR208")) is spoils(source, right, "NET")


STEPPING = (
    HEAD
    + """
class Base(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.body = nn.Linear(4, 4)
        self.scale = 1.0
        self.count = 1
        self.seen = 0

    def base_anneal(self) -> None:
        self.scale *= 0.9


class Net(Base):
    def run(self, x: Tensor) -> Tensor:
        return torch.sin(self.body(x) * self.scale * self.count)

    def forward(self, x: Tensor) -> Tensor:
        return checkpoint(self.run, x, use_reentrant=False)

    def anneal(self) -> None:
        self.scale *= 0.9

    def anneal_by(self, factor: float) -> None:
        self.scale *= factor

    def keep(self) -> None:
        self.scale *= 1

    def step(self) -> None:
        self.count += 1

    def look(self) -> None:
        self.seen += 1

    def late(self) -> None:
        if self.seen > 5:
            self.scale *= 0.5

    def all(self) -> None:
        self.look()
        self.anneal()


NET = Net()
OTHER = Net()


def form(x: Tensor) -> Tensor:
    loss = NET(x).square().sum()
    CHANGE
    loss.backward()
    return loss
"""
)
STEPS = ["anneal()", "anneal_by(0.5)", "keep()", "step()", "look()", "late()", "all()"]
OF_A_BASE = pytest.param(
    "NET.base_anneal()", marks=pytest.mark.xfail(strict=True, reason="what a base class's method stores is the base's")
)


@pytest.mark.parametrize("change", [*(f"NET.{step}" for step in STEPS), "OTHER.anneal()", OF_A_BASE])
def test_own_methods_that_step_an_attribute(change: str) -> None:
    plain = gradients(STEPPING.replace("CHANGE", "pass"), False, "NET")
    source = STEPPING.replace("CHANGE", change)
    assert ("form" in reported(source, "TBR208")) is spoils(source, plain, "NET")
