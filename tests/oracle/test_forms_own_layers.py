"""TBR208: layers of an object that its own methods change between a checkpointed forward and its backward, beside those
that a base class builds: reported if, and only if, gradients change.
"""

from __future__ import annotations

import pytest

from tests.oracle.agree import HEAD, differs, reported, require_torch

require_torch()
pytestmark = pytest.mark.oracle

RUN = """
    def run(self, h):
        return self.one(h).tanh()
"""
PROGRAM = (
    HEAD
    + """
class Base(KIND):
    def __init__(self):
        super().__init__()
        self.one = nn.Linear(4, 4)
        self.two = nn.Linear(4, 4)
IN_BASE

class Net(Base):
    OWN

    def fit(self, x):
        loss = checkpoint(REGION, x, use_reentrant=False).square().sum()
        with torch.no_grad():
            CHANGE
        loss.backward()
        return x * 1
IN_NET

NET = Net()


def form(x: Tensor) -> Tensor:
    return NET.fit(x)
"""
)
REGIONS = ["self.run", "lambda h: self.one(h).tanh()", "lambda h: self.run(h)"]
CHANGES = [
    "self.one.weight.data.mul_(2)",
    "self.one.weight.data = self.two.weight.data",
    "self.one.bias.data.zero_()",
    "self.two.weight.data.mul_(2)",
    "self.two.weight.data = self.one.weight.data",
    "self.two.weight.copy_(self.one.weight)",
    "nn.init.zeros_(self.two.bias)",
]


def program(kind: str, region: str, change: str, inherited: bool, own: str = "fits = True") -> str:
    source = PROGRAM.replace("KIND", kind).replace("REGION", region).replace("CHANGE", change).replace("OWN", own)
    return source.replace("IN_BASE", RUN if inherited else "").replace("IN_NET", "" if inherited else RUN)


@pytest.mark.parametrize("inherited", [True, False])
@pytest.mark.parametrize("kind", ["nn.Module", "object"])
@pytest.mark.parametrize("region", REGIONS)
@pytest.mark.parametrize("change", CHANGES)
def test_what_changes_the_layers_that_a_region_reads(kind: str, region: str, change: str, inherited: bool) -> None:
    source = program(kind, region, change, inherited)
    assert ("Net" in reported(source, "TBR208")) is differs(source, "form")


def test_a_layer_under_two_names_is_a_known_miss() -> None:
    tied = "def __init__(self):\n        super().__init__()\n        self.two = self.one"
    source = program("nn.Module", "self.run", "self.two.weight.data.mul_(2)", True, tied)
    assert differs(source, "form")
    assert not reported(source, "TBR208")
