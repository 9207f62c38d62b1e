"""TBR604: compiled results held to a file: reported where kernels that differ in the last bit change the answer.

A CPU has one path of kernels. Another machine, or an emptied cache, is played by a `torch.compile` whose results are
moved to the next number up (https://github.com/pytorch/pytorch/issues/189121 saw such); the file stays what it was.
"""

from __future__ import annotations

import importlib
import json
import pickle
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.oracle.agree import functions, reported, require_torch
from tests.oracle.support import loaded

torch = require_torch()
np = importlib.import_module("numpy")
pytestmark = [pytest.mark.oracle, pytest.mark.filterwarnings("ignore:.torch.jit.trace.:DeprecationWarning")]

HEAD = """
import functools
import hashlib
import json
import math
import pickle
from functools import partial
from pathlib import Path

import numpy as np
import torch
from torch import Tensor, compile as jit, nn
from torch.testing import assert_close

GOLDEN = Path("golden.pt")
A = nn.Linear(4, 4)


class Small(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(4, 4)

    def forward(self, x):
        return self.layer(x)


class Server:
    def __init__(self, model):
        self.model = torch.compile(model, mode="max-autotune")

    def logits(self, x):
        return self.model(x)


class Plain:
    def __init__(self, model):
        self.model = model

    def logits(self, x):
        return self.model(x)


def golden():
    return torch.load(GOLDEN)


def made(model):
    return torch.compile(model)


def alike(a, b):
    return torch.equal(a, b)


def near(a, b):
    return torch.allclose(a, b, rtol=1e-3)


@torch.compile
def decorated(x):
    return x.sin()


@partial(torch.compile, mode="max-autotune")
def decorated_partial(x):
    return x.sin()


@torch.compile(mode="reduce-overhead")
def decorated_mode(x):
    return x.sin()


@torch.compile(backend="eager")
def decorated_eager(x):
    return x.sin()
"""
FORMS = {
    "plain_equal": "fresh = torch.compile(A)(x)\nreturn torch.equal(fresh, torch.load(GOLDEN))",
    "alias": "fresh = jit(A)(x)\nreturn torch.equal(fresh, torch.load(GOLDEN))",
    "renamed": "make = torch.compile\nfresh = make(A)(x)\nreturn torch.equal(fresh, torch.load(GOLDEN))",
    "part": (
        "make = partial(torch.compile, mode='max-autotune')\n"
        "fresh = make(A)(x)\n"
        "return torch.equal(fresh, torch.load(GOLDEN))"
    ),
    "part_eager": (
        "make = partial(torch.compile, backend='eager')\n"
        "fresh = make(A)(x)\n"
        "return torch.equal(fresh, torch.load(GOLDEN))"
    ),
    "kw": (
        "options = {'mode': 'max-autotune'}\n"
        "fresh = torch.compile(A, **options)(x)\n"
        "return torch.equal(fresh, torch.load(GOLDEN))"
    ),
    "kw_eager": (
        "options = {'backend': 'eager'}\n"
        "fresh = torch.compile(A, **options)(x)\n"
        "return torch.equal(fresh, torch.load(GOLDEN))"
    ),
    "lam": "run = lambda t: torch.compile(A)(t)\nreturn torch.equal(run(x), torch.load(GOLDEN))",
    "method": "return torch.equal(Server(A).logits(x), torch.load(GOLDEN))",
    "method_plain": "return torch.equal(Plain(A).logits(x), torch.load(GOLDEN))",
    "helper": "return torch.equal(made(A)(x), torch.load(GOLDEN))",
    "helper_golden": "return torch.equal(made(A)(x), golden())",
    "helper_same": "return alike(torch.compile(A)(x), torch.load(GOLDEN))",
    "helper_close": "return near(torch.compile(A)(x), torch.load(GOLDEN))",
    "deco": "return torch.equal(decorated(x), torch.load(GOLDEN))",
    "deco_partial": "return torch.equal(decorated_partial(x), torch.load(GOLDEN))",
    "deco_mode": "return torch.equal(decorated_mode(x), torch.load(GOLDEN))",
    "deco_eager": "return torch.equal(decorated_eager(x), torch.load(GOLDEN))",
    "eager": "return torch.equal(A(x), torch.load(GOLDEN))",
    "backend_eager": "return torch.equal(torch.compile(A, backend='eager')(x), torch.load(GOLDEN))",
    "backend_aot": "return torch.equal(torch.compile(A, backend='aot_eager')(x), torch.load(GOLDEN))",
    "disabled": "return torch.equal(torch.compile(A, disable=True)(x), torch.load(GOLDEN))",
    "module_compile": "model = Small()\nmodel.compile()\nreturn torch.equal(model(x), torch.load(GOLDEN))",
    "module_compile_eager": (
        "model = Small()\nmodel.compile(backend='eager')\nreturn torch.equal(model(x), torch.load(GOLDEN))"
    ),
    "close": "return torch.allclose(torch.compile(A)(x), torch.load(GOLDEN), rtol=1e-3)",
    "close_zero": "return torch.allclose(torch.compile(A)(x), torch.load(GOLDEN), rtol=0, atol=0)",
    "assert_close_zero": "assert_close(torch.compile(A)(x), torch.load(GOLDEN), rtol=0, atol=0)",
    "assert_close_": "assert_close(torch.compile(A)(x), torch.load(GOLDEN))",
    "eq_all": "return bool((torch.compile(A)(x) == torch.load(GOLDEN)).all())",
    "ne_any": "return not (torch.compile(A)(x) != torch.load(GOLDEN)).any()",
    "diff_zero": "assert (torch.compile(A)(x) - torch.load(GOLDEN)).abs().max() == 0",
    "diff_zero_item": (
        "if (torch.compile(A)(x) - torch.load(GOLDEN)).abs().max().item() == 0.0:\n    return True\nreturn False"
    ),
    "diff_small": "assert (torch.compile(A)(x) - torch.load(GOLDEN)).abs().max() < 1e-3",
    "diff_return": "return (torch.compile(A)(x) - torch.load(GOLDEN)).abs().max().item() == 0.0",
    "tolist": "assert torch.compile(A)(x).tolist() == torch.load(GOLDEN).tolist()",
    "tolist_return": "return torch.compile(A)(x).tolist() == torch.load(GOLDEN).tolist()",
    "item_eq": "loss = torch.compile(A)(x).sum().item()\nassert loss == torch.load(GOLDEN).sum().item()",
    "item_json": (
        "loss = torch.compile(A)(x).sum().item()\nassert loss == json.loads(Path('golden.json').read_text())['loss']"
    ),
    "item_json_load": (
        "loss = torch.compile(A)(x).sum().item()\n"
        "with open('golden.json') as file:\n"
        "    want = json.load(file)\n"
        "if loss != want['loss']:\n"
        "    raise RuntimeError('changed')"
    ),
    "item_json_close": (
        "loss = torch.compile(A)(x).sum().item()\n"
        "assert math.isclose(loss, json.loads(Path('golden.json').read_text())['loss'], rel_tol=1e-3)"
    ),
    "item_text": "loss = torch.compile(A)(x).sum().item()\nassert loss == float(Path('golden.txt').read_text())",
    "np_load": "return np.array_equal(torch.compile(A)(x).detach().numpy(), np.load('golden.npy'))",
    "np_assert": "np.testing.assert_array_equal(torch.compile(A)(x).detach().numpy(), np.load('golden.npy'))",
    "np_close": "return np.allclose(torch.compile(A)(x).detach().numpy(), np.load('golden.npy'), rtol=1e-3)",
    "pickled": (
        "with open('golden.pkl', 'rb') as file:\n"
        "    want = pickle.load(file)\n"
        "return torch.equal(torch.compile(A)(x), want)"
    ),
    "digest": (
        "fresh = torch.compile(A)(x).detach().numpy()\n"
        "want = np.load('golden.npy')\n"
        "assert hashlib.sha256(fresh.tobytes()).hexdigest() == hashlib.sha256(want.tobytes()).hexdigest()"
    ),
    "dict_entry": "want = {'logits': torch.load(GOLDEN)}\nreturn torch.equal(torch.compile(A)(x), want['logits'])",
    "one_run": "run = torch.compile(A)\nreturn torch.equal(run(x), run(x))",
    "swapped": "return torch.equal(torch.load(GOLDEN), torch.compile(A)(x))",
    "method_equal": "return torch.load(GOLDEN).equal(torch.compile(A)(x))",
    "rounded": "return torch.equal(torch.compile(A)(x).round(), torch.load(GOLDEN).round())",
    "argmax": "return torch.equal(torch.compile(A)(x).argmax(-1), torch.load(GOLDEN).argmax(-1))",
    "shape": "return torch.compile(A)(x).shape == torch.load(GOLDEN).shape",
    "loop": (
        "run = torch.compile(A)\n"
        "for want in [torch.load(GOLDEN)]:\n"
        "    if not torch.equal(run(x), want):\n"
        "        return False\n"
        "return True"
    ),
    "count": "return int((torch.compile(A)(x) != torch.load(GOLDEN)).sum()) == 0",
    "sum_eq": "assert (torch.compile(A)(x) == torch.load(GOLDEN)).sum() == x.numel()",
    "logged": "print(torch.equal(torch.compile(A)(x), torch.load(GOLDEN)))\nreturn True",
    "ctx": "with torch.no_grad():\n    fresh = torch.compile(A)(x)\nreturn torch.equal(fresh, torch.load(GOLDEN))",
    "jit_trace": "fresh = torch.jit.trace(A, x)(x)\nreturn torch.equal(fresh, torch.load(GOLDEN))",
    "var_then": (
        "ok = torch.equal(torch.compile(A)(x), torch.load(GOLDEN))\nif not ok:\n    raise RuntimeError('changed')"
    ),
    "walrus": "if not (ok := torch.equal(torch.compile(A)(x), torch.load(GOLDEN))):\n    raise RuntimeError(ok)",
    "ternary": "return 'same' if torch.equal(torch.compile(A)(x), torch.load(GOLDEN)) else 'changed'",
    "all_": "return all([torch.equal(torch.compile(A)(x), torch.load(GOLDEN))])",
}
PROGRAM = HEAD + functions(FORMS, "(x: Tensor)")
X = torch.linspace(0, 1, 12).reshape(3, 4)


def compiled_elsewhere(moved: bool) -> Callable[..., Any]:
    """A `torch.compile` that runs what it is given, on another machine's kernels where it has kernels of its own."""

    def compile_(model: Any = None, backend: str = "inductor", disable: bool = False, **options: Any) -> Any:
        if model is None:
            return lambda function: compile_(function, backend, disable, **options)

        def run(x: Any) -> Any:
            found = model(x)
            return torch.nextafter(found, found + 1) if moved and backend == "inductor" and not disable else found

        return run

    return compile_


def answer(name: str, moved: bool, monkeypatch: pytest.MonkeyPatch, keep: bool = False) -> str:
    """What a form says, returned or raised, of the files that are there; with `keep` they are written first."""
    compile_ = compiled_elsewhere(moved)
    monkeypatch.setattr(torch, "compile", compile_)
    monkeypatch.setattr(
        torch.nn.Module,
        "compile",
        lambda model, **options: setattr(model, "forward", compile_(model.forward, **options)),
    )
    with loaded(PROGRAM) as module, torch.no_grad():
        torch.manual_seed(0)
        for parameter in module.A.parameters():
            parameter.uniform_()
        if keep:
            write(X.sin() if name.startswith("deco") else module.Small()(X) if "module" in name else module.A(X))
            return ""
        try:
            return repr(getattr(module, name)(X))
        except (AssertionError, RuntimeError) as error:
            return type(error).__name__


def write(result: Any) -> None:
    """The files of another run, in the working directory."""
    torch.save(result, "golden.pt")
    np.save("golden.npy", result.numpy())
    Path("golden.pkl").write_bytes(pickle.dumps(result))
    Path("golden.json").write_text(json.dumps({"loss": result.sum().item()}))
    Path("golden.txt").write_text(repr(result.sum().item()))


def test_answers_that_other_kernels_change_are_reported(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    wrong = set()
    for name in FORMS:
        answer(name, False, monkeypatch, keep=True)
        if answer(name, False, monkeypatch) != answer(name, True, monkeypatch):
            wrong.add("alike" if name == "helper_same" else name)
    assert 15 < len(wrong) < len(FORMS) - 15
    assert set(reported(PROGRAM, "TBR604")) == wrong
