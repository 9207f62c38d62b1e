"""Rules whose cores are written anew for each way: ranks, state, dimensions, attention, data, determinism."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Final

import pytest

from tests.rules import (
    cells_of_attention,
    cells_of_benchmarks,
    cells_of_checkpoints,
    cells_of_dimensions,
    cells_of_generators,
    cells_of_kernels,
    cells_of_orders,
    cells_of_ranks,
    cells_of_results,
    cells_of_state,
    cells_of_warnings,
    cells_of_workspaces,
)
from tests.rules.rewriting import MARK, alternatives, marked, reported

GENERATORS: Final = {
    "numpy": ("np.random.default_rng(7)", "{}.random()"),
    "legacy": ("np.random.RandomState(7)", "{}.rand()"),
    "python": ("random.Random(7)", "{}.random()"),
    "torch": ("torch.Generator().manual_seed(7)", "torch.rand((), generator={}).item()"),
}
"""How each kind of generator is made, and how a number is drawn from one."""

OLDER: Final = {"TBR603": ("2.6", 'import os\nos.environ["CUBLAS_WORKSPACE_CONFIG"] = ":4096:8"\n')}
"""The torch that a rule is for, and its repair where that is the same for all."""

COMPARED: Final = """
import unittest
import numpy as np
def compare(a: torch.Tensor, b: torch.Tensor):
    COMPARISON
def main(model, x):
    torch.use_deterministic_algorithms(True, warn_only=True)  #!
    compare(model(x), model(x))
"""
TOLERANT: Final = "assert torch.allclose(a, b)\n    torch.testing.assert_close(a, b)\n    assert a.shape == b.shape"
GAPS: Final = {
    ("TBR313", "other_file: bad"): "the file never says flex_attention: it is not looked at",
    ("TBR303", "wraps: bad"): "the wrapper's first parameter is no method's own object",
}
"""What is not seen yet, or seen wrongly, with the reason."""

FILES: Final = (
    cells_of_attention,
    cells_of_benchmarks,
    cells_of_checkpoints,
    cells_of_dimensions,
    cells_of_generators,
    cells_of_kernels,
    cells_of_orders,
    cells_of_ranks,
    cells_of_results,
    cells_of_state,
    cells_of_warnings,
    cells_of_workspaces,
)


def bad() -> Iterator[tuple[str, str, str]]:
    """The programs that must be reported at their marks, each with its code and way."""
    for file in FILES:
        for code, texts in getattr(file, "PAIRS", {}).items():
            for way, text in texts.items():
                yield code, way, file.HEAD + alternatives(text)[0]
        for code, texts in getattr(file, "BAD", {}).items():
            for way, text in texts.items():
                for kind, (made, drawn) in GENERATORS.items() if "GEN" in text else [("", ("", ""))]:
                    yield code, f"{way} {kind}".strip(), file.HEAD + drawn_from(text, made, drawn)
    for number, comparison in enumerate(cells_of_warnings.COMPARISONS):
        yield (
            "TBR602",
            f"comparison {number}",
            cells_of_warnings.HEAD + COMPARED.replace("COMPARISON", comparison.strip()),
        )


def drawn_from(text: str, made: str, drawn: str) -> str:
    text = text.replace("GEN", made)
    for name in ("self.rng", "rng", "RNG"):
        text = text.replace(f"DRAW({name})", drawn.replace("{}", name))
    return text


def good() -> Iterator[tuple[str, str, str]]:
    """The repaired programs, and others that are right."""
    for file in FILES:
        for code, texts in getattr(file, "PAIRS", {}).items():
            for way, text in texts.items():
                _, repair = OLDER.get(code, ("", ""))
                yield code, way, repair + (file.HEAD + alternatives(text)[1]).replace(MARK, "")
        for code, texts in getattr(file, "SILENT", {}).items():
            for way, text in texts.items():
                yield code, way, file.HEAD + text
    yield "TBR602", "comparison", cells_of_warnings.HEAD + COMPARED.replace("COMPARISON", TOLERANT)


def cells(programs: Iterator[tuple[str, str, str]], kind: str) -> list[object]:
    """The same as parameters, with the gaps as strict failures."""
    found: list[object] = []
    for code, way, text in programs:
        reason = GAPS.get((code, f"{way}: {kind}"))
        marks = [pytest.mark.xfail(reason=reason, strict=True)] if reason else []
        found.append(pytest.param(code, text, id=f"{code}-{way}", marks=marks))
    return found


@pytest.mark.parametrize(("code", "text"), cells(bad(), "bad"))
def test_the_core_is_found_by_any_way(code: str, text: str, tmp_path: Path) -> None:
    assert marked(text)
    assert reported(tmp_path, text, code, OLDER.get(code, ("2.13", ""))[0]) == marked(text), text


@pytest.mark.parametrize(("code", "text"), cells(good(), "good"))
def test_the_repair_is_silent_by_any_way(code: str, text: str, tmp_path: Path) -> None:
    assert not reported(tmp_path, text, code, OLDER.get(code, ("2.13", ""))[0]), text
