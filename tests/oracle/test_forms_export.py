"""TBR310: numbers that an exported function makes of tensors: reported if, and only if, the export fails."""

from __future__ import annotations

import pytest

from tests.oracle.agree import reported, require_torch
from tests.oracle.support import compiling, indented, observe

torch = require_torch()
pytestmark = pytest.mark.oracle

HEAD = """
import math

import torch
from torch import Tensor, nn
from torch.export import export


class Form(nn.Module):
    def forward(self, x: Tensor) -> Tensor:
"""
BODIES = [
    "return x * float(x.max())",
    "return x * int(x.long().sum())",
    "return x * int(x.long().sum().item())",
    "return x * float(x.max().item())",
    "return x * bool(x.max() > 0)",
    "return x * math.sqrt(x.max())",
    "return x * math.sqrt(x.max().item())",
    "return x + torch.zeros(int(x.max()), 1)",
    "return x[: int(x.long().max())]",
    "return [x.sin(), x.cos()][int(x.long().min())]",
    "match int(x.max()):\n    case 1:\n        return x.sin()\n    case _:\n        return x.cos()",
    "return x * x.max().item()",
    "return x * x.long().sum().item()",
    "return x * int(x.shape[0])",
    "return x * math.sqrt(x.shape[-1])",
    "return x * x.max()",
    "return x * torch.sqrt(x.max())",
    "return x * (x.max() > 0)",
]


@pytest.mark.parametrize("strict", [False, True])
@pytest.mark.parametrize("body", BODIES)
def test_conversions(body: str, strict: bool) -> None:
    source = HEAD + indented(body, 8)
    source += f"\n\ndef run() -> object:\n    return export(Form(), (torch.ones(2, 2),), strict={strict})\n"
    with compiling(source) as module:
        outcome = observe(module.run)
    found = bool(reported(source, "TBR310"))
    if strict:
        assert not found or outcome.error is not None  # what only some strict exports refuse is not reported
    else:
        assert found is (outcome.error is not None)
