"""Methods that another file calls on a subclass's object, and wrappers that its decorators put around functions: they
break the graphs of the region they run in, and are reported there.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from typing import Any

import pytest

from tests.oracle.agree import reported
from tests.oracle.support import graphs_compiled, loaded, require_torch

torch = require_torch()
pytestmark = pytest.mark.oracle

PARTS = '''"""A model whose parts other files override, and decorators."""

import functools

import torch
from torch import Tensor, nn


def gated(function):
    @functools.wraps(function)
    def wrapper(*args, **kwargs):
        out = function(*args, **kwargs)
        if out.sum() > 0:
            return out * 2
        return -out

    return wrapper


def picked(function):
    def wrapper(x: Tensor):
        return torch.where(x.sum() > 0, function(x), x)

    return wrapper


def scaled(by: float):
    def outer(function):
        def wrapper(x: Tensor):
            if x.max() > by:
                x = x / by
            return function(x)

        return wrapper

    return outer


class Gate:
    def __init__(self, function):
        self.function = function

    def __call__(self, x: Tensor):
        return self.function(x) * x.sum().item()


def noted(function):
    NOTED.append(function)
    return function


NOTED = []


class Base(nn.Module):
    def forward(self, x: Tensor) -> Tensor:
        x = self.stem(x)
        return self.head(x)

    def stem(self, x: Tensor) -> Tensor:
        return x.tan()

    def head(self, x: Tensor) -> Tensor:
        return x

    def step(self, x: Tensor) -> Tensor:
        return self.inner(x) * 2

    def inner(self, x: Tensor) -> Tensor:
        return self.head(x.tan())

    def unused(self, x: Tensor) -> Tensor:
        return x
'''
HEAD = """
import torch
from torch import Tensor, nn
from {parts} import Base, Gate, gated, noted, picked, scaled

"""
BRANCH = "        if x.sum() > 0:\n            return x.sin()\n        return x.cos()"
NUMBER = "        return x * x.sum().item()"
WHERE = "        return torch.where(x.sum() > 0, x.sin(), x.cos())"
OTHER = "    def other(self, x: Tensor) -> Tensor:\n        return x.sin()"
RUN = "\n\ndef run(x):\n    return model(x)"
COMPILED = "torch.compile({}, backend='eager')"
RUNS = {
    "call": f"base = Form()\n\ndef model(x):\n    return {COMPILED.format('base')}(x){RUN}",
    "name": f"model = {COMPILED.format('Form()')}{RUN}",
    "method": f"base = Form()\nmodel = {COMPILED.format('base.step')}{RUN}",
    "in place": f"model = Form()\nmodel.compile(backend='eager'){RUN}",
    "function": "model = Form()\n\n@torch.compile(backend='eager')\ndef run(x: Tensor):\n    return model(x)",
    "heir": f"class Heir(Form):\n    pass\n\nmodel = {COMPILED.format('Heir()')}{RUN}",
    "super": "class Above(Form):\n    def forward(self, x):\n        return super().forward(x) * 2\n\n"
    f"model = {COMPILED.format('Above()')}{RUN}",
    "eager": f"model = Form(){RUN}",
    "another": f"other = {COMPILED.format('nn.Linear(4, 4)')}\nbase = Form()\n"
    f"\ndef model(x):\n    return base(other(x)){RUN}",
}
"""How an object is compiled, or is not."""
FORMS = [(way, "head", body) for way in RUNS for body in (BRANCH, NUMBER, WHERE)]
FORMS += [(way, name, BRANCH) for way in ("call", "method") for name in ("stem", "inner", "unused")]


@pytest.fixture(scope="module")
def parts(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[str, str]]:
    """The folder that the other file is in, and its name as a module."""
    folder = tmp_path_factory.mktemp("overridden")
    name = "tbr_overridden_parts"
    folder.joinpath(f"{name}.py").write_text(PARTS)
    sys.path.insert(0, str(folder))
    try:
        yield str(folder), name
    finally:
        sys.path.remove(str(folder))
        sys.modules.pop(name, None)


@pytest.mark.parametrize(("way", "method", "body"), FORMS)
def test_what_the_other_file_calls(way: str, method: str, body: str, parts: Any, monkeypatch: Any) -> None:
    folder, name = parts
    form = f"class Form(Base):\n    def {method}(self, x: Tensor) -> Tensor:\n{body}\n"
    source = f"{HEAD.format(parts=name)}{form}\n\n{RUNS[way]}\n"
    monkeypatch.chdir(folder)  # where the linter looks for what `forms.py` imports
    monkeypatch.syspath_prepend(folder)
    with loaded(source) as module:
        breaks = graphs_compiled(lambda: module.run(torch.ones(4))) > 1
    found = {code for code in ("TBR304", "TBR306") if reported(source, code).get("Form")}
    assert bool(found) is breaks
    assert bool(reported(source, "TBR101").get("Form")) is (body == BRANCH and not breaks)


COMPILE = "@torch.compile(backend='eager')"
AROUND = [
    f"{COMPILE}\n@{name}\ndef Form(x: Tensor):\n    return x.sin()" for name in ("gated", "picked", "Gate", "noted")
]
AROUND += [
    f"{COMPILE}\n@scaled(2.0)\ndef Form(x: Tensor):\n    return x.sin()",
    f"{COMPILE}\n@picked\n@gated\ndef Form(x: Tensor):\n    return x.sin()",
    f"@gated\n{COMPILE}\ndef Form(x: Tensor):\n    return x.sin()",
    f"@gated\n@noted\n{COMPILE}\n@picked\ndef Form(x: Tensor):\n    return x.sin()",
    f"@gated\ndef Form(x: Tensor):\n    return x.sin()\n\n{COMPILE}\ndef run(x: Tensor):\n    return Form(x)",
    "@picked\ndef Form(x: Tensor):\n    return x.sin()\n\nrun = torch.compile(Form, backend='eager')",
    "@gated\ndef Form(x: Tensor):\n    return x.sin()\n\nrun = torch.compile(Form, backend='eager')",
    "class Form(nn.Module):\n    @gated\n    def forward(self, x: Tensor):\n        return x.sin()\n\n"
    "run = torch.compile(Form(), backend='eager')",
    "class Form(nn.Module):\n    @noted\n    def forward(self, x: Tensor):\n        return x.sin()\n\n"
    "run = torch.compile(Form(), backend='eager')",
    "def own(function):\n    def wrapper(x: Tensor):\n        return -function(x)\n\n    return wrapper\n\n"
    f"{COMPILE}\n@own\n@gated\ndef Form(x: Tensor):\n    return x.sin()",
]


@pytest.mark.parametrize("form", AROUND)
def test_wrappers_of_another_file(form: str, parts: Any, monkeypatch: Any) -> None:
    folder, name = parts
    run = "" if "run" in form else "\n\nrun = Form"
    source = f"{HEAD.format(parts=name)}{form}{run}\n"
    monkeypatch.chdir(folder)
    with loaded(source) as module:
        breaks = graphs_compiled(lambda: module.run(torch.ones(4))) > 1
    found = {code for code in ("TBR304", "TBR306") if reported(source, code).get("Form")}
    assert bool(found) is breaks


def test_wrappers_of_the_same_file() -> None:
    source = (
        "import torch\nfrom torch import Tensor\n\n\ndef gated(function):\n    def wrapper(x: Tensor):\n"
        "        if x.sum() > 0:\n            return function(x)\n        return -function(x)\n\n"
        "    return wrapper\n\n\n"
        f"{COMPILE}\n@gated\ndef run(x: Tensor):\n    return x.sin()\n"
    )
    with loaded(source) as module:
        assert graphs_compiled(lambda: module.run(torch.ones(4))) > 1
    assert list(reported(source, "TBR304")) == ["gated"]
    assert not reported(source, "TBR101")
