"""TBR603: where the variable of cuBLAS is missing, wrong or late: reported where torch before 2.10 raises.

No such torch and no CUDA are needed: its check (`Context::alertCuBLASConfigNotDeterministic` in
aten/src/ATen/Context.cpp, before pull request 161749) is made anew around each multiplication. It reads the variable at
the first one, in any mode.
"""

from __future__ import annotations

import os
import textwrap
from typing import Any

import pytest

from flake8_tensorbranch.check import check_source
from flake8_tensorbranch.settings import Settings
from flake8_tensorbranch.source import SourceFile
from tests.oracle.support import loaded, require_torch

torch = require_torch()
pytestmark = [pytest.mark.oracle, pytest.mark.usefixtures("switched_back")]

HEAD = """
import os
from contextlib import contextmanager
from functools import partial

import torch
from torch import use_deterministic_algorithms as deterministic

"""
VARIABLE = "CUBLAS_WORKSPACE_CONFIG"
SET = 'os.environ["CUBLAS_WORKSPACE_CONFIG"] = ":4096:8"'
SWITCH = "torch.use_deterministic_algorithms(True)"
WORK = 'a = torch.ones(2, 2, device="cuda")\ntorch.mm(a, a)'
BODIES = [
    f"{SWITCH}\n{WORK}",
    f"{SET}\n{SWITCH}\n{WORK}",
    f"{SWITCH}\n{SET}\n{WORK}",
    f"os.environ['CUBLAS_WORKSPACE_CONFIG'] = ':16:8'\n{SWITCH}\n{WORK}",
    f"os.environ['CUBLAS_WORKSPACE_CONFIG'] = ':0:0'\n{SWITCH}\n{WORK}",
    f"os.environ['CUBLAS_WORKSPACE_CONFIG'] = '4096:8'\n{SWITCH}\n{WORK}",
    f"os.environ['CUBLAS_WORKSPACE_CONFIG'] = ''\n{SWITCH}\n{WORK}",
    f"os.environ.setdefault('CUBLAS_WORKSPACE_CONFIG', ':4096:8')\n{SWITCH}\n{WORK}",
    f"os.environ.setdefault('CUBLAS_WORKSPACE_CONFIG', '8')\n{SWITCH}\n{WORK}",
    f"os.environ.update({{'CUBLAS_WORKSPACE_CONFIG': ':4096:8'}})\n{SWITCH}\n{WORK}",
    f"os.environ.update(CUBLAS_WORKSPACE_CONFIG=':4096:8')\n{SWITCH}\n{WORK}",
    f"os.environ.update(CUBLAS_WORKSPACE_CONFIG=':1:1')\n{SWITCH}\n{WORK}",
    f"os.environ |= {{'CUBLAS_WORKSPACE_CONFIG': ':4096:8'}}\n{SWITCH}\n{WORK}",
    f"name = 'CUBLAS_WORKSPACE_CONFIG'\nos.environ[name] = ':4096:8'\n{SWITCH}\n{WORK}",
    f"size = 4096\nos.environ['CUBLAS_WORKSPACE_CONFIG'] = f':{{size}}:8'\n{SWITCH}\n{WORK}",
    f"{WORK}\n{SET}\n{SWITCH}\n{WORK}",
    f"{WORK}\nos.environ.setdefault('CUBLAS_WORKSPACE_CONFIG', ':4096:8')\n{SWITCH}\n{WORK}",
    f"{WORK}\nos.environ.update(CUBLAS_WORKSPACE_CONFIG=':4096:8')\n{SWITCH}\n{WORK}",
    f"{WORK}\n{SET}\ntorch.use_deterministic_algorithms(False)\n{WORK}",
    f'a = torch.ones(2, 2, device="cuda")\na @ a\n{SET}\n{SWITCH}\n{WORK}',
    f'a = torch.ones(2, 2).to("cuda")\na @ a\n{SET}\n{SWITCH}\n{WORK}',
    f'device = "cuda"\nb = torch.ones(2, 2).to(device)\ntorch.mm(b, b)\n{SET}\n{SWITCH}\n{WORK}',
    f'layer = torch.nn.Linear(2, 2).to("cuda")\nlayer(torch.ones(2, 2, device="cuda"))\n{SET}\n{SWITCH}\n{WORK}',
    f'a = torch.ones(2, 2, device="cuda")\n{SET}\n{SWITCH}\n{WORK}',
    f'a = torch.ones(2, 2, device="cuda").sum()\n{SET}\n{SWITCH}\n{WORK}',
    f"partial(torch.use_deterministic_algorithms, True)()\n{WORK}",
    f"partial(torch.use_deterministic_algorithms, False)()\n{WORK}",
    f"deterministic(True)\n{WORK}",
    f"on = torch.use_deterministic_algorithms\non(True)\n{WORK}",
    f"torch.use_deterministic_algorithms(mode=True)\n{WORK}",
    f"torch.use_deterministic_algorithms(False)\n{WORK}",
    f"torch.set_deterministic_debug_mode('error')\n{WORK}",
    f"torch.set_deterministic_debug_mode('warn')\n{WORK}",
    f"torch.set_deterministic_debug_mode('default')\n{WORK}",
    f"torch.use_deterministic_algorithms(True, warn_only=True)\n{WORK}",
    f"assert os.environ.get('CUBLAS_WORKSPACE_CONFIG'), 'set it'\n{SWITCH}\n{WORK}",
    f"if 'CUBLAS_WORKSPACE_CONFIG' not in os.environ:\n    {SET}\n{SWITCH}\n{WORK}",
    f"if os.environ.get('CUBLAS_WORKSPACE_CONFIG') != ':4096:8':\n    raise RuntimeError('set it')\n{SWITCH}\n{WORK}",
    f"flag = True\ntorch.use_deterministic_algorithms(flag)\n{WORK}",
    f"flag = False\ntorch.use_deterministic_algorithms(flag)\n{WORK}",
    (
        f'{SWITCH}\ntry:\n    a = torch.ones(2, 2, device="cuda")\n    torch.mm(a, a)\n'
        "finally:\n    torch.use_deterministic_algorithms(False)"
    ),
    f"torch.backends.cudnn.deterministic = True\n{WORK}",
    f"{SWITCH}\nb = torch.ones(2, 2)\nb @ b",
]
PROGRAMS = """
### helper_env
def env():
    os.environ["CUBLAS_WORKSPACE_CONFIG"] = ":4096:8"

def setup():
    env()
    torch.use_deterministic_algorithms(True)
    a = torch.ones(2, 2, device="cuda")
    torch.mm(a, a)

### helper_env_late
def env():
    os.environ["CUBLAS_WORKSPACE_CONFIG"] = ":4096:8"

def setup():
    a = torch.ones(2, 2, device="cuda")
    torch.mm(a, a)
    env()
    torch.use_deterministic_algorithms(True)
    a = torch.ones(2, 2, device="cuda")
    torch.mm(a, a)

### helper_det
def det(on):
    torch.use_deterministic_algorithms(on)

def setup():
    det(True)
    a = torch.ones(2, 2, device="cuda")
    torch.mm(a, a)

### helper_det_off
def det(on):
    torch.use_deterministic_algorithms(on)

def setup():
    det(False)
    a = torch.ones(2, 2, device="cuda")
    torch.mm(a, a)

### top_env
os.environ["CUBLAS_WORKSPACE_CONFIG"] = ":4096:8"

def setup():
    torch.use_deterministic_algorithms(True)
    a = torch.ones(2, 2, device="cuda")
    torch.mm(a, a)

### method
class T:
    def __init__(self):
        torch.use_deterministic_algorithms(True)
    def run(self):
        a = torch.ones(2, 2, device="cuda")
        torch.mm(a, a)

def setup():
    T().run()

### deco
def det(f):
    def inner():
        torch.use_deterministic_algorithms(True)
        return f()
    return inner

@det
def setup():
    a = torch.ones(2, 2, device="cuda")
    torch.mm(a, a)

### cm
@contextmanager
def det():
    torch.use_deterministic_algorithms(True)
    yield
    torch.use_deterministic_algorithms(False)

def setup():
    with det():
        a = torch.ones(2, 2, device="cuda")
        torch.mm(a, a)

### cm_env
@contextmanager
def det():
    os.environ["CUBLAS_WORKSPACE_CONFIG"] = ":4096:8"
    torch.use_deterministic_algorithms(True)
    yield
    torch.use_deterministic_algorithms(False)

def setup():
    with det():
        a = torch.ones(2, 2, device="cuda")
        torch.mm(a, a)

### lam
on = lambda flag: torch.use_deterministic_algorithms(flag)

def setup():
    on(True)
    a = torch.ones(2, 2, device="cuda")
    torch.mm(a, a)

### removed
os.environ["CUBLAS_WORKSPACE_CONFIG"] = ":4096:8"
del os.environ["CUBLAS_WORKSPACE_CONFIG"]

def setup():
    torch.use_deterministic_algorithms(True)
    a = torch.ones(2, 2, device="cuda")
    torch.mm(a, a)

### popped
os.environ["CUBLAS_WORKSPACE_CONFIG"] = ":4096:8"
os.environ.pop("CUBLAS_WORKSPACE_CONFIG", None)

def setup():
    torch.use_deterministic_algorithms(True)
    a = torch.ones(2, 2, device="cuda")
    torch.mm(a, a)

### popped_here
os.environ["CUBLAS_WORKSPACE_CONFIG"] = ":4096:8"

def setup():
    os.environ.pop("CUBLAS_WORKSPACE_CONFIG", None)
    torch.use_deterministic_algorithms(True)
    a = torch.ones(2, 2, device="cuda")
    torch.mm(a, a)

### set_again
os.environ["CUBLAS_WORKSPACE_CONFIG"] = ":4096:8"
del os.environ["CUBLAS_WORKSPACE_CONFIG"]
os.environ["CUBLAS_WORKSPACE_CONFIG"] = ":16:8"

def setup():
    torch.use_deterministic_algorithms(True)
    a = torch.ones(2, 2, device="cuda")
    torch.mm(a, a)

### set_again_here
os.environ["CUBLAS_WORKSPACE_CONFIG"] = ":4096:8"
del os.environ["CUBLAS_WORKSPACE_CONFIG"]

def setup():
    os.environ["CUBLAS_WORKSPACE_CONFIG"] = ":16:8"
    torch.use_deterministic_algorithms(True)
    a = torch.ones(2, 2, device="cuda")
    torch.mm(a, a)

### removed_after
def setup():
    os.environ["CUBLAS_WORKSPACE_CONFIG"] = ":4096:8"
    torch.use_deterministic_algorithms(True)
    a = torch.ones(2, 2, device="cuda")
    torch.mm(a, a)
    del os.environ["CUBLAS_WORKSPACE_CONFIG"]
    torch.mm(a, a)

### read_after
def setup():
    os.environ["CUBLAS_WORKSPACE_CONFIG"] = ":4096:8"
    torch.use_deterministic_algorithms(True)
    a = torch.ones(2, 2, device="cuda")
    torch.mm(a, a)
    print(os.environ.get("CUBLAS_WORKSPACE_CONFIG"), os.environ["CUBLAS_WORKSPACE_CONFIG"], end="")

### off_at_once
def setup():
    torch.use_deterministic_algorithms(True)
    torch.use_deterministic_algorithms(False)
    a = torch.ones(2, 2, device="cuda")
    torch.mm(a, a)

### off_after_seed
def setup():
    a = torch.ones(2, 2, device="cuda")
    torch.use_deterministic_algorithms(True)
    torch.mm(a, a)
    torch.use_deterministic_algorithms(False)

"""
FORMS = [f"def setup():\n{textwrap.indent(body, '    ')}\n" for body in BODIES]
FORMS += [program.partition("\n")[2] for program in PROGRAMS.split("### ")[1:]]


class Checked(torch.overrides.TorchFunctionMode):  # type: ignore[misc]
    """What torch before 2.10 does at a multiplication on CUDA."""

    def __init__(self) -> None:
        self.deterministic: bool | None = None
        self.raises = False

    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        there = any(isinstance(value, torch.Tensor) and value.device.type == "meta" for value in args)
        if there and getattr(func, "__name__", "") in ("mm", "matmul", "__matmul__", "linear"):
            if self.deterministic is None:
                self.deterministic = os.environ.get(VARIABLE) in (":4096:8", ":16:8")
            self.raises |= torch.are_deterministic_algorithms_enabled() and not self.deterministic
        return func(*args, **(kwargs or {}))


def raises(form: str, monkeypatch: pytest.MonkeyPatch) -> bool:
    """True when a program, run on the meta device in CUDA's place, multiplies where torch before 2.10 raises."""
    monkeypatch.setenv(VARIABLE, ":4096:8")  # a launcher's, which these programs ask for
    if "assert " not in form and "raise " not in form:
        monkeypatch.delenv(VARIABLE)
    with Checked() as checked, loaded(HEAD + form.replace('"cuda"', '"meta"')) as module:
        module.setup()
    return bool(checked.raises)


@pytest.mark.parametrize("form", FORMS)
def test_what_raises_is_reported(form: str, monkeypatch: pytest.MonkeyPatch) -> None:
    settings = Settings(enable=("TBR603",), torch_version="2.6")
    found = {item.code for item in check_source(SourceFile("forms.py", HEAD + form), settings)}
    assert ("TBR603" in found) is raises(form, monkeypatch)


def test_some_raise_and_some_do_not(monkeypatch: pytest.MonkeyPatch) -> None:
    found = [raises(form, monkeypatch) for form in FORMS]
    assert 15 < sum(found) < len(found) - 15
