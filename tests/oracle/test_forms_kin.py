"""TBR402: objects of classes whose bases, in another file, checkpoint their methods: each is told of its own states."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from tests.oracle.agree import HEAD, agree, forms, require_torch

require_torch()
pytestmark = pytest.mark.oracle

BASES = """
import torch.utils.checkpoint
from torch import nn


class One(nn.Module):
    def forward(self, x):
        return torch.utils.checkpoint.checkpoint(self.act, x, use_reentrant=False)


class Two(nn.Module):
    def forward(self, x):
        return torch.utils.checkpoint.checkpoint(self.act, x, use_reentrant=False)
"""
FORMS = (
    HEAD
    + """
from tbr_bases_of_kin import One, Two


class Plain(One):
    def act(self, x):
        return torch.sin(x).cos()


class Wide(Two):
    def __init__(self):
        super().__init__()
        self.wide = False

    def act(self, x):
        if self.wide:
            x = torch.sin(x)
        return torch.cos(x).sin()


PLAIN, WIDE = Plain(), Wide()


def of_another(x):
    WIDE.wide = True
    y = PLAIN(x)
    WIDE.wide = False
    return y


def of_its_own(x):
    WIDE.wide = True
    y = WIDE(x)
    WIDE.wide = False
    return y
"""
)
FORMS += "".join(f"\n\ndef train_{name}(x):\n    {name}(x).square().sum().backward()\n" for name in forms(FORMS))


def test_states_of_classes_beside_the_one_that_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "tbr_bases_of_kin.py").write_text(BASES, encoding="utf-8")
    monkeypatch.chdir(tmp_path)  # where the linter looks for what `forms.py` imports
    monkeypatch.syspath_prepend(tmp_path)
    try:
        agree(FORMS, "TBR402", "TBR208", names=["of_another", "of_its_own"])
    finally:
        sys.modules.pop("tbr_bases_of_kin", None)
