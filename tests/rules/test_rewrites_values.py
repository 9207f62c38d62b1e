"""Rules about a tensor's value hold however the question is asked: names, calls, objects, scopes, flags, files."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Final

import pytest

from tests.rules import ways_of_answering, ways_of_asking
from tests.rules.rewriting import Way, filled, marked, reported

HEAD: Final = """
import contextlib, functools, operator, warnings
from dataclasses import dataclass, field
import torch
import torch.distributed as dist
from torch import Tensor, nn

"""
CLASS: Final = """
class Block(nn.Module):
    def __init__(self, dim: int = 4) -> None:
        super().__init__()
        self.proj = nn.Linear(dim, dim)
        INIT

    MEMBERS

    CORE
"""
CORES: Final = {
    "TBR101": """
def forward(self, x: Tensor) -> Tensor:
    h = self.proj(x)
    STMTS
    if TEST:  #!
        h = h / h.norm()
    return h
""",
    "TBR102": """
def forward(self, x: Tensor) -> Tensor:
    h = self.proj(x)
    for _ in range(5):
        h = self.proj(h)
        STMTS
        if TEST:  #!
            break
    return h
""",
    "TBR103": """
@torch.no_grad()
def accepted(self, batches: list[Tensor]) -> int:
    kept = 0
    for batch in batches:
        h = self.proj(batch)
        STMTS
        if TEST:  #!
            kept += 1
    return kept
""",
    "TBR104": """
def loss(self, x: Tensor) -> Tensor:
    h = self.proj(x).square().mean()
    STMTS
    if TEST:  #!
        return h
    dist.all_reduce(h)
    return h / 2
""",
    "TBR105": """
def forward(self, x: Tensor) -> Tensor:
    h = self.proj(x)
    STMTS
    if TEST:  #!
        raise FloatingPointError("activations exploded")
    return h.log()
""",
    "TBR106": """
def forward(self, x: Tensor, where: Tensor) -> Tensor:
    h = torch.zeros(8, 4, device=x.device).index_add(0, where, self.proj(x))
    STMTS
    if TEST:  #!
        h = h / h.norm()
    return h
""",
}
QUESTIONS: Final = {"norm": "t.norm() > 1.0", "nan": "t.isnan().any()"}
PLAIN: Final = "t.dim() > 2"
WAYS: Final = {**ways_of_asking.WAYS, **ways_of_answering.WAYS}
GAPS: Final = {("TBR104", "cm_yields"): "what a manager yields has no taint of ranks"}
BASES: Final = {"mixin_file": "GuardMixin, nn.Module"}


def program(code: str, name: str, question: str) -> str:
    way: Way = WAYS[name]

    def asked(text: str) -> str:
        text = re.sub(r"VALUE\((\w+)\)", lambda m: question.replace("t.", ("h" if m[1] == "T" else m[1]) + "."), text)
        return re.sub(r"\bT\b(?!\.)", "h", text.replace("VALUE", question))

    core = filled(CORES[code], STMTS=asked(way.stmts) or "scale = 1.0", TEST=asked(way.test))
    body = filled(
        CLASS, INIT=asked(way.init) or "self.dim = dim", MEMBERS=asked(way.members) or "bias = 0", CORE=core
    ).replace("nn.Module", BASES.get(name, "nn.Module"), 1)
    if name == "override":
        body += f"\n\nclass Careful(Block):\n    def overflows(self, t: Tensor):\n        return {question}\n"
    return HEAD + asked(way.before) + "\n" + body + asked(way.files)


@pytest.mark.parametrize("name", WAYS)
@pytest.mark.parametrize("code", CORES)
def test_a_question_of_a_value_is_seen_by_any_way(
    code: str, name: str, tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    if (code, name) in GAPS:
        request.applymarker(pytest.mark.xfail(reason=GAPS[code, name], strict=True))
    for question in ("norm",) if code == "TBR106" else QUESTIONS:
        text = program(code, name, QUESTIONS[question])
        assert marked(text)
        assert reported(tmp_path, text, code) == marked(text), text


@pytest.mark.parametrize("name", WAYS)
@pytest.mark.parametrize("code", CORES)
def test_a_question_of_metadata_is_silent_by_any_way(code: str, name: str, tmp_path: Path) -> None:
    text = program(code, name, PLAIN)
    assert not reported(tmp_path, text, code), text
