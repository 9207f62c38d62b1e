"""The analysis never asks astroid to infer, to load a module or to look at what is installed."""

from __future__ import annotations

import sys
from typing import NoReturn

import pytest
from astroid import nodes
from astroid.manager import AstroidManager

from flake8_tensorbranch.check import check_source
from flake8_tensorbranch.settings import Settings
from flake8_tensorbranch.source import SourceFile

MODULE = """\
import numpy as np
import torch
from torch import nn
from torch.utils.checkpoint import checkpoint

from .missing import helper


class Block(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.linear = nn.Linear(4, 4)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        y = helper(self.linear(np.asarray(x)))
        if x.sum() > 0:
            x = x * 2
        return checkpoint(self.linear, x + y, use_reentrant=False)
"""


@pytest.fixture
def sealed(monkeypatch: pytest.MonkeyPatch) -> None:
    def forbidden(*_: object, **__: object) -> NoReturn:
        raise AssertionError("astroid was asked to infer or to load")

    for owner, name in (
        (nodes.NodeNG, "infer"),
        (nodes.Name, "lookup"),
        (nodes.ClassDef, "mro"),
        (nodes.ClassDef, "ancestors"),
        (AstroidManager, "ast_from_module_name"),
        (AstroidManager, "ast_from_file"),
        (AstroidManager, "ast_from_module"),
        (AstroidManager, "bootstrap"),
    ):
        monkeypatch.setattr(owner, name, forbidden)


@pytest.mark.usefixtures("sealed")
def test_a_module_is_analysed_without_inference() -> None:
    before = set(sys.modules)
    found = check_source(SourceFile("package/model.py", MODULE), Settings())
    assert "TBR101" in {item.code for item in found}
    assert "torch" in before or "torch" not in sys.modules
