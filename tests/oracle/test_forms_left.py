"""TBR509: tensors that a reentrant region leaves beside its output: reported if, and only if, a gradient is lost."""

from __future__ import annotations

import pytest

from tests.oracle.agree import HEAD, agree, require_torch

torch = require_torch()
pytestmark = pytest.mark.oracle

LEFT = (
    HEAD
    + """
class Net(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.fc = A
        self.losses = []
        self.aux = None
        self.by_name = {}
        self.memo = None


class AttrNet(Net):
    def run(self, h: Tensor) -> Tensor:
        self.aux = B(h).square().mean()
        return torch.tanh(A(h))

    def forward(self, x: Tensor) -> Tensor:
        y = checkpoint(self.run, x, use_reentrant=True)
        return y + self.aux


ATTRNET = AttrNet()


def attr(x: Tensor) -> Tensor:
    return ATTRNET(x)


class NonNet(Net):
    def run(self, h: Tensor) -> Tensor:
        self.aux = B(h).square().mean()
        return torch.tanh(A(h))

    def forward(self, x: Tensor) -> Tensor:
        y = checkpoint(self.run, x, use_reentrant=False)
        return y + self.aux


NONNET = NonNet()


def non(x: Tensor) -> Tensor:
    return NONNET(x)


class ListNet(Net):
    def run(self, h: Tensor) -> Tensor:
        self.losses.append(B(h).square().mean())
        return torch.tanh(A(h))

    def forward(self, x: Tensor) -> Tensor:
        self.losses.clear()
        y = checkpoint(self.run, x, use_reentrant=True)
        return y + sum(self.losses)


LISTNET = ListNet()


def list(x: Tensor) -> Tensor:
    return LISTNET(x)


class DictNet(Net):
    def run(self, h: Tensor) -> Tensor:
        self.by_name["aux"] = B(h).square().mean()
        return torch.tanh(A(h))

    def forward(self, x: Tensor) -> Tensor:
        y = checkpoint(self.run, x, use_reentrant=True)
        return y + self.by_name["aux"]


DICTNET = DictNet()


def dict(x: Tensor) -> Tensor:
    return DICTNET(x)


class DetachedNet(Net):
    def run(self, h: Tensor) -> Tensor:
        self.aux = B(h).square().mean().detach()
        return torch.tanh(A(h))

    def forward(self, x: Tensor) -> Tensor:
        y = checkpoint(self.run, x, use_reentrant=True)
        return y + self.aux


DETACHEDNET = DetachedNet()


def detached(x: Tensor) -> Tensor:
    return DETACHEDNET(x)


class LoggedNet(Net):
    def run(self, h: Tensor) -> Tensor:
        self.aux = B(h).square().mean()
        return torch.tanh(A(h))

    def forward(self, x: Tensor) -> Tensor:
        y = checkpoint(self.run, x, use_reentrant=True)
        print(self.aux.item())
        return y


LOGGEDNET = LoggedNet()


def logged(x: Tensor) -> Tensor:
    return LOGGEDNET(x)


def closure_list(x: Tensor) -> Tensor:
    kept = []
    def region(h: Tensor) -> Tensor:
        kept.append(B(h).square().mean())
        return torch.tanh(A(h))
    y = checkpoint(region, x, use_reentrant=True)
    return y + kept[0]


def closure_dict(x: Tensor) -> Tensor:
    kept = {}
    def region(h: Tensor) -> Tensor:
        kept["a"] = B(h).square().mean()
        return torch.tanh(A(h))
    y = checkpoint(region, x, use_reentrant=True)
    return y + kept["a"]


def by_nonlocal(x: Tensor) -> Tensor:
    aux = None
    def region(h: Tensor) -> Tensor:
        nonlocal aux
        aux = B(h).square().mean()
        return torch.tanh(A(h))
    y = checkpoint(region, x, use_reentrant=True)
    return y + aux


class ReadLater(Net):
    def run(self, h: Tensor) -> Tensor:
        self.aux = B(h).square().mean()
        return torch.tanh(A(h))

    def forward(self, x: Tensor) -> Tensor:
        return checkpoint(self.run, x, use_reentrant=True)


READLATER = ReadLater()


def later(x: Tensor) -> Tensor:
    y = READLATER(x)
    return y + READLATER.aux


def by_global(x: Tensor) -> Tensor:
    def region(h: Tensor) -> Tensor:
        LEFT["aux"] = B(h).square().mean()
        return torch.tanh(A(h))
    y = checkpoint(region, x, use_reentrant=True)
    return y + LEFT["aux"]


LEFT = {}


def sub(x: Tensor) -> Tensor:
    return SUB(x)


class Sub(Net):
    def run(self, h: Tensor) -> Tensor:
        self.fc.aux = B(h).square().mean()
        return torch.tanh(A(h))

    def forward(self, x: Tensor) -> Tensor:
        y = checkpoint(self.run, x, use_reentrant=True)
        return y + self.fc.aux


SUB = Sub()


def train_attr(x: Tensor) -> None:
    attr(x).square().sum().backward()


def train_non(x: Tensor) -> None:
    non(x).square().sum().backward()


def train_list(x: Tensor) -> None:
    list(x).square().sum().backward()


def train_dict(x: Tensor) -> None:
    dict(x).square().sum().backward()


def train_detached(x: Tensor) -> None:
    detached(x).square().sum().backward()


def train_logged(x: Tensor) -> None:
    logged(x).square().sum().backward()


def train_closure_list(x: Tensor) -> None:
    closure_list(x).square().sum().backward()


def train_closure_dict(x: Tensor) -> None:
    closure_dict(x).square().sum().backward()


def train_by_nonlocal(x: Tensor) -> None:
    by_nonlocal(x).square().sum().backward()


def train_later(x: Tensor) -> None:
    later(x).square().sum().backward()


def train_by_global(x: Tensor) -> None:
    by_global(x).square().sum().backward()


def train_sub(x: Tensor) -> None:
    sub(x).square().sum().backward()
"""
)


def test_tensors_that_are_left_beside_the_output() -> None:
    agree(LEFT, "TBR509")
