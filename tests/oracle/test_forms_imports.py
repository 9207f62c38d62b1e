"""TBR304, 306, 307, 310, 311, 312: regions whose hazard stands in another file, by each way to import it."""

from __future__ import annotations

import importlib
import itertools
from pathlib import Path
from typing import Any

import pytest

from tests.oracle.agree import diagnostics
from tests.oracle.support import importable, observe, require_torch

torch = require_torch()
pytestmark = pytest.mark.oracle

PARTS = '''"""What other files run in their regions."""

import torch
from torch import Tensor, nn


def value(x: Tensor) -> Tensor:
    if x.sum() > 0:
        return x.sin()
    return x.cos()


def picked(x: Tensor) -> Tensor:
    return torch.where(x.sum() > 0, x.sin(), x.cos())


def number(x: Tensor) -> Tensor:
    return x * float(x.sum())


def single(x: Tensor) -> Tensor:
    return x[x[:, 0].argmax()]


def masked(x: Tensor) -> Tensor:
    return x[x > 0]


class Base(nn.Module):
    def forward(self, x: Tensor) -> Tensor:
        return self.inner(x)

    def inner(self, x: Tensor) -> Tensor:
        return value(x)


class Mixin:
    def pick(self, x: Tensor) -> Tensor:
        return value(x)
'''
HEAD = """import torch
from torch import Tensor, nn

{}

X = torch.linspace(-1.0, 2.0, 12).reshape(3, 4)


def form(x: Tensor) -> Tensor:
    return {}(x)


class M(nn.Module):
    def forward(self, x: Tensor) -> Tensor:
        return form(x)


def run():
    {}
"""
COMPILED = 'return torch.compile({}, backend="eager", fullgraph=True)(X) is not None'
REGIONS = {
    "compiled": COMPILED.format("form"),
    "exported": "return torch.export.export(M(), (X,)) is not None",
    "traced": "return torch.equal(torch.jit.trace(form, (X - 5,), check_trace=False)(X), form(X))",
    "symbolic": "return torch.fx.symbolic_trace(form) is not None",
    "mapped": "return torch.vmap(form)(X) is not None",
}
CODES = {"compiled": ("TBR304", "TBR306", "TBR307"), "exported": ("TBR310",), "mapped": ("TBR312",)}
IMPORTS = {
    "from ..parts import {0}": "{0}",
    "from ..parts import {0} as other": "other",
    "from .. import parts": "parts.{0}",
    "from tbr_imports import parts as p": "p.{0}",
    "import tbr_imports.parts": "tbr_imports.parts.{0}",
    "from .. import {0}": "{0}",
    "import tbr_imports": "tbr_imports.{0}",
}
WAYS = [
    *((way, spelled, name, "compiled") for way, spelled in IMPORTS.items() for name in ("value", "picked")),
    *(("from ..parts import {0}", "{0}", n, r) for n in ("value", "picked") for r in REGIONS if r != "compiled"),
    ("from ..parts import {0}", "{0}", "number", "compiled"),
    ("from ..parts import {0}", "{0}", "number", "exported"),
    ("from ..parts import {0}", "{0}", "number", "mapped"),
    ("from ..parts import {0}", "{0}", "single", "compiled"),
    ("from ..parts import {0}", "{0}", "single", "exported"),
    ("from ..parts import {0}", "{0}", "masked", "mapped"),
]
CLASSES = [
    "class N(Base):\n    pass\n",
    "class N(Base):\n    def forward(self, x: Tensor):\n        return super().forward(x) + 1\n",
    "class N(Base):\n    def inner(self, x: Tensor):\n        return x.sin()\n",
    "class N(nn.Module, Mixin):\n    def forward(self, x: Tensor):\n        return self.pick(x)\n",
    "class N(nn.Module, Mixin):\n    def forward(self, x: Tensor):\n        return x.sin()\n",
    "class N(nn.Module):\n    def __init__(self):\n        super().__init__()\n        self.b = Base()\n\n"
    "    def forward(self, x: Tensor):\n        return self.b(x)\n",
]
_COUNTER = itertools.count()


@pytest.fixture(scope="module")
def package(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """The folder of the files to check, in a package that is imported."""
    files = {"parts": PARTS, "__init__": "from .parts import *\nfrom .parts import picked, value\n", "sub/__init__": ""}
    root = tmp_path_factory.mktemp("imports")
    with importable(root, {f"tbr_imports/{name}.py": text for name, text in files.items()}):
        yield root / "tbr_imports" / "sub"


def _agree(folder: Path, source: str, region: str) -> None:
    path = folder / f"main{next(_COUNTER)}.py"
    path.write_text(source)
    items = diagnostics(source, str(path))
    importlib.invalidate_caches()
    torch._dynamo.reset()
    outcome = observe(importlib.import_module(f"tbr_imports.sub.{path.stem}").run)
    codes = CODES.get(region, ("TBR311",))
    assert any(item.code in codes for item in items) is (outcome.value is not True), outcome


@pytest.mark.parametrize(("way", "spelled", "name", "region"), WAYS)
def test_ways_to_import(package: Path, way: str, spelled: str, name: str, region: str) -> None:
    source = HEAD.format(way.format(name), spelled.format(name), REGIONS[region])
    if (name, region) == ("number", "compiled"):
        source = source.replace(", fullgraph=True", "")  # which captures the number
        source = source.replace(") is not None", ") is not None and not torch._dynamo.utils.counters['graph_break']")
        torch._dynamo.utils.counters.clear()
    _agree(package, source, region)


@pytest.mark.parametrize("region", ["compiled", "exported", "symbolic"])
@pytest.mark.parametrize("made", CLASSES)
def test_classes_of_another_file(package: Path, made: str, region: str) -> None:
    run = COMPILED.format("N()") if region == "compiled" else REGIONS[region].replace("M()", "N()")
    source = f"{HEAD.format('from ..parts import Base, Mixin', 'torch.sin', run.replace('(form)', '(N())'))}\n\n{made}"
    _agree(package, source, region)
