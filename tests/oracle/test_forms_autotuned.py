"""TBR601: the benchmark and the deterministic mode by any spelling: reported where both are on when the set-up ends."""

from __future__ import annotations

import textwrap

import pytest

from tests.oracle.agree import reported, require_torch
from tests.oracle.switched import both_on

require_torch()
pytestmark = [pytest.mark.oracle, pytest.mark.usefixtures("switched_back")]

HEAD = """
import functools
from contextlib import ExitStack
from functools import partial

import torch
import torch as t
import torch.backends.cudnn as dnn
from torch import use_deterministic_algorithms as deterministic
from torch.backends import cudnn

FAST = False


def benchmark(on):
    torch.backends.cudnn.benchmark = on


def work():
    pass


def setup() -> None:
"""
ON, SWITCH = "torch.backends.cudnn.benchmark = True", "torch.use_deterministic_algorithms(True)"
SETUPS = [
    f"{SWITCH}\n{ON}",
    f"{ON}\n{SWITCH}",
    f"{SWITCH}\ncudnn.benchmark = True",
    f"{SWITCH}\ndnn.benchmark = True",
    f"deterministic(True)\n{ON}",
    f"{SWITCH}\nsetattr(torch.backends.cudnn, 'benchmark', True)",
    f"torch.use_deterministic_algorithms(mode=True)\n{ON}",
    f"torch.use_deterministic_algorithms(True, warn_only=True)\n{ON}",
    f"torch.set_deterministic_debug_mode('error')\n{ON}",
    f"{SWITCH}\ncudnn.benchmark = not FAST",
    f"{SWITCH}\nbenchmark(True)",
    f"{SWITCH}\ntry:\n    {ON}\nfinally:\n    pass",
    f"{SWITCH}\ncudnn.benchmark = False",
    f"{SWITCH}\nbenchmark(False)",
    f"{SWITCH}\ncudnn.benchmark = FAST",
    f"torch.use_deterministic_algorithms(False)\n{ON}",
    f"if FAST:\n    {ON}\nelse:\n    {SWITCH}",
    f"{ON}\n{SWITCH}\ncudnn.benchmark = False",
    SWITCH,
    ON,
    f"on = partial(torch.use_deterministic_algorithms, True)\non()\n{ON}",
    f"functools.partial(torch.use_deterministic_algorithms, mode=True)()\n{ON}",
    f"partial(torch.use_deterministic_algorithms, False)()\n{ON}",
    f"on = partial(torch.use_deterministic_algorithms, warn_only=True)\non(True)\n{ON}",
    f"on = partial(torch.use_deterministic_algorithms, warn_only=True)\non(False)\n{ON}",
    f"{SWITCH}\npartial(setattr, torch.backends.cudnn, 'benchmark')(True)",
    f"{SWITCH}\npartial(setattr, torch.backends.cudnn, 'benchmark', True)()",
    f"{SWITCH}\npartial(setattr, torch.backends.cudnn, 'benchmark', False)()",
    f"with partial(cudnn.flags, benchmark=True)():\n    {SWITCH}\n    work()",
    f"on = partial(torch.use_deterministic_algorithms, True)\n{ON}",
    f"partial(torch.set_deterministic_debug_mode, 'error')()\n{ON}",
    f"one = partial(torch.use_deterministic_algorithms, warn_only=True)\ntwo = partial(one, True)\ntwo()\n{ON}",
    f"on = lambda: {SWITCH}\non()\n{ON}",
    f"on = lambda flag: torch.use_deterministic_algorithms(flag)\non(True)\n{ON}",
    f"on = lambda flag: torch.use_deterministic_algorithms(flag)\non(False)\n{ON}",
    f"on = torch.use_deterministic_algorithms\non(True)\n{ON}",
    f"backend = torch.backends.cudnn\n{SWITCH}\nbackend.benchmark = True",
    f"b = torch.backends\n{SWITCH}\nb.cudnn.benchmark = True",
    "t.use_deterministic_algorithms(True)\nt.backends.cudnn.benchmark = True",
    f"getattr(torch, 'use_deterministic_algorithms')(True)\n{ON}",
    f"{SWITCH}\nsetattr(getattr(torch.backends, 'cudnn'), 'benchmark', True)",
    f"{SWITCH}\nbackend = torch.backends.cudnn\nsetattr(backend, 'benchmark', True)",
    f"name = 'benchmark'\n{SWITCH}\nsetattr(torch.backends.cudnn, name, True)",
    f"{SWITCH}\ncudnn.benchmark = cudnn.allow_tf32 = True",
    f"{SWITCH}\ncudnn.allow_tf32 = cudnn.benchmark = True",
    f"{SWITCH}\ncudnn.benchmark, cudnn.allow_tf32 = True, True",
    f"{SWITCH}\ncudnn.benchmark, cudnn.allow_tf32 = False, True",
    f"{SWITCH}\ncudnn.benchmark: bool = True",
    f"{SWITCH}\ncudnn.benchmark |= True",
    f"{SWITCH}\ncudnn.benchmark &= True",
    "cudnn.deterministic = True\ncudnn.benchmark = True\nwork()",
    f"torch.use_deterministic_algorithms(False)\n{ON}\n{SWITCH}",
    f"{ON}\n{SWITCH}\nsetattr(cudnn, 'benchmark', False)",
    f"torch.use_deterministic_algorithms(True, warn_only=True)\n{ON}",
    f"torch.set_deterministic_debug_mode(1)\n{ON}",
    f"torch.set_deterministic_debug_mode(0)\n{ON}",
    f"torch.set_deterministic_debug_mode('default')\n{ON}",
    f"torch.set_deterministic_debug_mode(debug_mode=2)\n{ON}",
    f"with ExitStack() as stack:\n    stack.enter_context(cudnn.flags(True, True))\n    {SWITCH}\n    work()",
    f"{SWITCH}\nwith cudnn.flags(enabled=True, benchmark=True):\n    work()",
    f"{SWITCH}\nwith cudnn.flags(enabled=True, benchmark=False):\n    work()",
    f"{SWITCH}\ncudnn.set_flags(_benchmark=True)",
    f"{SWITCH}\ncudnn.set_flags(_benchmark=False)",
    f"old = cudnn.benchmark\n{ON}\ntry:\n    {SWITCH}\n    work()\nfinally:\n    cudnn.benchmark = old",
    f"{SWITCH}\ncudnn.benchmark = True\ntry:\n    pass\nfinally:\n    cudnn.benchmark = False",
    f"{SWITCH}\ntry:\n    pass\nfinally:\n    torch.use_deterministic_algorithms(False)\n{ON}",
    f"fast = False\n{SWITCH}\ncudnn.benchmark = not fast",
    f"{SWITCH}\ncudnn.benchmark = True if torch else False",
    f"cfg = {{'benchmark': True}}\n{SWITCH}\ncudnn.benchmark = cfg['benchmark']",
    f"cfg = {{'benchmark': False}}\n{SWITCH}\ncudnn.benchmark = cfg['benchmark']",
    f"args = (True,)\ntorch.use_deterministic_algorithms(*args)\n{ON}",
    f"kw = dict(mode=True)\ntorch.use_deterministic_algorithms(**kw)\n{ON}",
    f"kw = dict(mode=False)\ntorch.use_deterministic_algorithms(**kw)\n{ON}",
    f"kw = {{}}\nkw['mode'] = True\ntorch.use_deterministic_algorithms(**kw)\n{ON}",
    f"for switch in (torch.use_deterministic_algorithms,):\n    switch(True)\n{ON}",
    "from torch.backends import cudnn as c\n"
    "c.benchmark = True\nfrom torch import use_deterministic_algorithms as on\non(True)",
    f"def on():\n    {SWITCH}\non()\n{ON}",
    f"def fast():\n    {ON}\nfast()\n{SWITCH}",
    f"{SWITCH}\ncudnn.benchmark = (fast := True)",
    f"if not torch.are_deterministic_algorithms_enabled():\n    {SWITCH}\n{ON}",
    f"if 1 > 2:\n    {SWITCH}\nelse:\n    {ON}",
    f"{SWITCH}\n{ON}\nwith cudnn.flags(enabled=True, benchmark=False):\n    work()",
    f"{SWITCH}\nif cudnn.deterministic is None:\n    return\n{ON}",
]


@pytest.mark.parametrize("setup", SETUPS)
def test_both_on_is_reported(setup: str) -> None:
    source = HEAD + textwrap.indent(setup, "    ") + "\n"
    assert bool(reported(source, "TBR601")) is both_on(source)
