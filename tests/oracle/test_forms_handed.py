"""TBR303: int attributes of objects that compiled functions are handed, reported if, and only if, each value costs a
graph: where they count or index Python objects, not in arithmetic.
"""

from __future__ import annotations

import pytest

from tests.oracle.agree import reported, require_torch
from tests.oracle.support import graphs_compiled, loaded

torch = require_torch()
pytestmark = pytest.mark.oracle

HEAD = """
import torch
from torch import Tensor, nn

T = [0.1 * i for i in range(40)]


class Kept:
    def __init__(self) -> None:
        self.i = 0
        self.table = [0.1 * i for i in range(40)]
"""
HANDED = """

@torch.compile(backend="eager")
def form(x: Tensor, k: Kept) -> Tensor:
BODY


KEPT = Kept()


def call(x: Tensor) -> Tensor:
    return form(x, KEPT)
"""
OWN = """

    def form(self, x: Tensor) -> Tensor:
BODY


KEPT = Kept()
COMPILED = torch.compile(KEPT.form, backend="eager")


def call(x: Tensor) -> Tensor:
    return COMPILED(x)
"""
MODULE = """

class Module(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.i = 0
        self.table = [0.1 * i for i in range(40)]
        self.layers = nn.ModuleList(nn.Linear(4, 4) for _ in range(40))

    def forward(self, x: Tensor) -> Tensor:
BODY


COMPILED = torch.compile(Module(), backend="eager")


def call(x: Tensor) -> Tensor:
    return COMPILED(x)
"""
CALLS, MOST = 12, 3  # what is dynamic costs at most three graphs: 0 or 1, any, and the other side of a test
BODIES = [
    "i = k.i\nk.i += 1\nreturn x * T[i]",
    "i = k.i\nk.i += 1\nreturn x * k.table[i]",
    "k.i += 1\nreturn x * T[k.i]",
    "k.i += 1\nreturn x * T[k.i - 1]",
    "i = k.i\nk.i = i + 1\nreturn x * T[i]",
    "k.i += 1\nfor _ in range(k.i):\n    x = x + 1\nreturn x",
    "k.i += 1\nreturn x + sum(T[: k.i])",
    "k.i += 1\nreturn torch.cat([x] * k.i)",
    "k.i += 1\nreturn x * k.i",
    "i = k.i\nk.i += 1\nreturn x * i",
    "k.i += 1\nreturn x.sin() if k.i > 3 else x.cos()",
    "k.i += 1\nreturn x.sin() if k.i == 3 else x.cos()",
    "k.i += 1\nreturn x[: k.i]",
    "k.i += 1\nreturn x[k.i % 4]",
    "k.i += 1\nreturn x + torch.arange(k.i).sum()",
    "k.i += 1\nreturn x + min(k.i, 100)",
    "k.i += 1\nreturn x.repeat(k.i, 1)",
    "k.i = 0\nk.i += 1\nreturn x * T[k.i]",
    "return x * T[k.i]",
]
LAYERS = ["i = k.i\nk.i += 1\nreturn k.layers[i](x)", "k.i += 1\nreturn k.layers[k.i](x)", "return k.layers[k.i](x)"]


def graphs(source: str) -> int:
    """The graphs that 12 calls of a form cost."""
    with loaded(source) as module:
        return graphs_compiled(lambda: [module.call(torch.ones(4, 4)) for _ in range(CALLS)])


def program(frame: str, body: str) -> str:
    """A form with its code in place, where `k` is the object itself in a method."""
    method = frame is not HANDED
    lines = body.replace("k.", "self.").splitlines() if method else body.splitlines()
    return HEAD + frame.replace("BODY", "\n".join(("        " if method else "    ") + line for line in lines))


@pytest.mark.parametrize("body", BODIES)
def test_of_an_argument(body: str) -> None:
    source = program(HANDED, body)
    assert (graphs(source) > MOST) is ("form" in reported(source, "TBR303"))


@pytest.mark.parametrize("body", BODIES)
def test_of_the_own_object_of_a_method(body: str) -> None:
    source = program(OWN, body).replace("\n\n\n    def form", "\n\n    def form")
    assert (graphs(source) > MOST) is ("Kept" in reported(source, "TBR303"))


@pytest.mark.parametrize("body", [*BODIES, *LAYERS])
def test_of_a_module(body: str) -> None:
    source = program(MODULE, body)
    assert (graphs(source) > MOST) is ("Module" in reported(source, "TBR303"))


def test_set_between_calls() -> None:
    moved = "    for at in range(12):\n        KEPT.i = at\n        x = form(x, KEPT)\n    return x"
    for body, costs in (("return x * T[k.i]", True), ("return x * k.i", False)):
        source = program(HANDED, body).replace("    return form(x, KEPT)", moved)
        with loaded(source) as module:
            found = graphs_compiled(lambda form=module: form.call(torch.ones(4, 4)))
        assert (found > MOST) is costs is ("form" in reported(source, "TBR303"))
