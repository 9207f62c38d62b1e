"""TBR303: items of dicts and lists that a compiled function counts up, reported if, and only if, each value costs a
graph.
"""

from __future__ import annotations

import pytest

from tests.oracle.agree import reported, require_torch
from tests.oracle.support import graphs_compiled, indented, loaded

torch = require_torch()
pytestmark = pytest.mark.oracle

HEAD = """
import collections

import torch
from torch import Tensor, nn

COUNTS = {"n": 0}
SLOT = [0]
RATES = {"n": 0.5}


class Form(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.kept = KEPT

    def forward(self, x: Tensor) -> Tensor:
BODY

form = torch.compile(Form(), backend="eager")
"""
CALLS = 4  # a float or bool costs two graphs, whatever the number of calls
N = 'self.kept["n"]'
FORMS = [
    ('{"n": 0}', f"{N} += 1\nreturn x * {N}"),
    ("[0]", "self.kept[0] += 1\nreturn x * self.kept[0]"),
    ("[0] * 3", "self.kept[1] += 1\nreturn x * self.kept[1]"),
    ('{"n": 0}', f"{N} = {N} + 1\nreturn x * {N}"),
    ('{"n": 0}', f"{N} += 1\nreturn x * 2"),
    ('{"n": 0, "m": 2.0}', f'{N} += 1\nreturn x * self.kept["m"]'),
    ('{"n": 0}', f"{N} += 1\nreturn x.sin() if {N} % 2 else x.cos()"),
    ('{"n": 0}', f'{N} = self.kept.get("n", 0) + 1\nreturn x * {N}'),
    ("{}", f'{N} = self.kept.get("n", 0) + 1\nreturn x * {N}'),
    ("collections.Counter()", f"{N} += 1\nreturn x * {N}"),
    ("collections.defaultdict(int)", f"{N} += 1\nreturn x * {N}"),
    ('{"n": 0}', 'key = "n"\nself.kept[key] += 1\nreturn x * self.kept[key]'),
    ('{"a": {"n": 0}}', 'self.kept["a"]["n"] += 1\nreturn x * self.kept["a"]["n"]'),
    ('["a"]', 'self.kept[0] += "b"\nreturn x.sin() if self.kept[0] else x'),
    ("0", 'COUNTS["n"] += 1\nreturn x * COUNTS["n"]'),
    ("0", "SLOT[0] += 1\nreturn x * SLOT[0]"),
    ('{"n": 0.0}', f"{N} += 1.0\nreturn x * {N}"),
    ("0", 'RATES["n"] += 1\nreturn x * RATES["n"]'),
    ('{"n": 0}', f"{N} = 1\n{N} += 1\nreturn x * {N}"),
    ('{"n": 0}', f"{N} = 1\nreturn x * {N}"),
    ('{"n": torch.zeros(())}', f"{N} += 1\nreturn x * {N}"),
    ('{"n": False}', f"{N} = not {N}\nreturn x.sin() if {N} else x"),
]


@pytest.mark.parametrize(("kept", "body"), FORMS)
def test_items(kept: str, body: str) -> None:
    source = HEAD.replace("KEPT", kept).replace("BODY", indented(body, 8))
    with loaded(source) as module:
        found = graphs_compiled(lambda: [module.form(torch.ones(4)) for _ in range(CALLS)])
    assert (found == CALLS) is ("Form" in reported(source, "TBR303"))


INSTALLED = """
import torch
from torch import Tensor, nn


class Layer(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.count = 0

    def forward(self, x: Tensor) -> Tensor:
        self.count += 1
        return x * self.count


layer = Layer()
"""
WAYS = {
    "layer.forward = torch.compile(layer.forward, backend='eager')": True,
    "layer.compile(backend='eager')": True,
    "for part in nn.Sequential(layer):\n    part.forward = torch.compile(part.forward, backend='eager')": True,
    "compiled = torch.compile(layer.forward, backend='eager')": False,
    "layer.forward = torch.no_grad()(layer.forward)": False,
}
UNCALLED = "compiled = "
"""What is compiled is reported, though it is the layer itself that these calls call."""


@pytest.mark.parametrize("way", WAYS)
def test_ways_to_compile_a_forward(way: str) -> None:
    source = INSTALLED + way + "\n"
    with loaded(source) as module:
        found = graphs_compiled(lambda: [module.layer(torch.ones(4)) for _ in range(CALLS)])
    assert (found == CALLS) is WAYS[way]
    assert ("Layer" in reported(source, "TBR303")) is (WAYS[way] or way.startswith(UNCALLED))
