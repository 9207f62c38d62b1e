"""TBR210: where a router sits, and how its choice decides a size: reported if, and only if, another choice raises."""

from __future__ import annotations

import pytest

from tests.oracle.agree import reported, require_torch
from tests.oracle.support import Outcome, loaded, observe

torch = require_torch()
pytestmark = pytest.mark.oracle

FORMS = """
import torch
from torch import Tensor, nn
from torch.utils.checkpoint import checkpoint


class Base(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.router = nn.Linear(4, 2)
        self.fc = nn.Linear(4, 4)


class Masked(Base):
    def forward(self, x: Tensor) -> Tensor:
        ids = self.router(x).argmax(-1)
        return torch.tanh(self.fc(x[ids == 0])).sum()


class Rows(Base):
    def forward(self, x: Tensor) -> Tensor:
        _, ids = self.router(x).topk(1, -1)
        rows = (ids == 0).any(-1).nonzero().squeeze(-1)
        return torch.zeros_like(x).index_add(0, rows, torch.tanh(self.fc(x[rows])))


class Where(Base):
    def forward(self, x: Tensor) -> Tensor:
        ids = self.router(x).argmax(-1)
        rows = torch.where(ids == 0)[0]
        return x.index_add(0, rows, torch.tanh(self.fc(x[rows])))


class Split(Base):
    def forward(self, x: Tensor) -> Tensor:
        ids = self.router(x).argmax(-1)
        sizes = torch.bincount(ids, minlength=2).tolist()
        first, _ = x[ids.argsort()].split(sizes)
        return torch.tanh(self.fc(first)).sum()


class Cut(Base):
    def forward(self, x: Tensor) -> Tensor:
        ids = self.router(x).argmax(-1)
        count = int((ids == 0).sum())
        return torch.tanh(self.fc(x[:count])).sum()


class Repeated(Base):
    def forward(self, x: Tensor) -> Tensor:
        ids = self.router(x).argmax(-1)
        return torch.tanh(self.fc(x.repeat_interleave(ids + 1, dim=0))).sum()


class Selected(Base):
    def forward(self, x: Tensor) -> Tensor:
        _, ids = self.router(x).max(dim=-1)
        return torch.tanh(self.fc(torch.masked_select(x, (ids == 0).unsqueeze(-1)).view(-1, 4))).sum()


class Helped(Base):
    def choose(self, x: Tensor) -> Tensor:
        return self.router(x).argmax(-1)

    def forward(self, x: Tensor) -> Tensor:
        chosen = self.choose(x) == 0
        return torch.tanh(self.fc(x[chosen])).sum()


class Looped(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.layers = nn.ModuleList([Choosing(), Choosing()])

    @property
    def router(self) -> nn.Module:
        return self.layers[1].router

    def forward(self, x: Tensor) -> Tensor:
        for layer in self.layers:
            x = layer(x)
        return x


class Following(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.layers = nn.ModuleList([Following_(), Following_()])

    @property
    def router(self) -> nn.Module:
        return self.layers[0].router

    def forward(self, x: Tensor) -> Tensor:
        return next(iter(self.layers))(x)


class Choosing(Base):
    def forward(self, x: Tensor) -> Tensor:
        ids = self.router(x).argmax(-1)
        return x.index_put((ids == 0,), torch.tanh(self.fc(x[ids == 0])))


class Following_(Base):
    def forward(self, x: Tensor) -> Tensor:
        ids = self.router(x).argmax(-1)
        return torch.tanh(self.fc(x[ids == 0])).sum()


class Ordered(Base):
    def forward(self, x: Tensor) -> Tensor:
        return torch.tanh(self.fc(x[self.router(x)[:, 0].argsort()]))


class Fixed(Base):
    def forward(self, x: Tensor) -> Tensor:
        best = self.router(x)[:, 0].sort(descending=True).indices[:3]
        return torch.tanh(self.fc(x[best]))


class Picked(Base):
    def forward(self, x: Tensor) -> Tensor:
        ids = self.router(x).argmax(-1)
        return torch.tanh(self.fc(torch.where((ids == 0).unsqueeze(-1), x, 0.0)))


class Looked(Base):
    def forward(self, x: Tensor) -> Tensor:
        ids = self.router(x).argmax(-1)
        return torch.tanh(self.fc(x) + self.router.weight[ids])


def masked(module: Masked, x: Tensor) -> Tensor:
    return checkpoint(module, x, use_reentrant=False)


def rows(module: Rows, x: Tensor) -> Tensor:
    return checkpoint(module, x, use_reentrant=False)


def where(module: Where, x: Tensor) -> Tensor:
    return checkpoint(module, x, use_reentrant=False)


def split(module: Split, x: Tensor) -> Tensor:
    return checkpoint(module, x, use_reentrant=False)


def cut(module: Cut, x: Tensor) -> Tensor:
    return checkpoint(module, x, use_reentrant=False)


def repeated(module: Repeated, x: Tensor) -> Tensor:
    return checkpoint(module, x, use_reentrant=False)


def selected(module: Selected, x: Tensor) -> Tensor:
    return checkpoint(module, x, use_reentrant=False)


def helped(module: Helped, x: Tensor) -> Tensor:
    return checkpoint(module, x, use_reentrant=False)


def looped(module: Looped, x: Tensor) -> Tensor:
    return checkpoint(module, x, use_reentrant=False)


def following(module: Following, x: Tensor) -> Tensor:
    return checkpoint(module, x, use_reentrant=False)


def ordered(module: Ordered, x: Tensor) -> Tensor:
    return checkpoint(module, x, use_reentrant=False)


def fixed(module: Fixed, x: Tensor) -> Tensor:
    return checkpoint(module, x, use_reentrant=False)


def picked(module: Picked, x: Tensor) -> Tensor:
    return checkpoint(module, x, use_reentrant=False)


def looked(module: Looked, x: Tensor) -> Tensor:
    return checkpoint(module, x, use_reentrant=False)
"""
NAMES = ["Masked", "Rows", "Where", "Split", "Cut", "Repeated", "Selected", "Helped", "Looped", "Following"]
NAMES += ["Ordered", "Fixed", "Picked", "Looked"]
WITHIN = {"Choosing": "Looped", "Following_": "Following"}


def flipped(name: str) -> Outcome:
    """One step whose router prefers the first expert in the recompute, whatever it chose in the forward."""
    with loaded(FORMS) as forms:
        torch.manual_seed(0)
        module = getattr(forms, name)()
        loss = getattr(forms, name.lower())(module, torch.randn(6, 4, requires_grad=True)).square().sum()
        with torch.no_grad():
            module.router.bias.add_(torch.tensor([5.0, -5.0]))
        return observe(loss.backward)


def test_routings_that_decide_a_size_are_those_that_raise() -> None:
    found = {WITHIN.get(name, name) for name in reported(FORMS, "TBR210")}
    assert found == {name for name in NAMES if flipped(name).kind == "CheckpointError"}
