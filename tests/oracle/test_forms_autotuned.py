"""TBR601: the benchmark and the deterministic mode by any spelling: reported where both are on when the set-up ends."""

from __future__ import annotations

import textwrap

import pytest

from tests.oracle.agree import reported, require_torch
from tests.oracle.support import loaded

torch = require_torch()
pytestmark = [pytest.mark.oracle, pytest.mark.usefixtures("switched_back")]

HEAD = """
import torch
import torch.backends.cudnn as dnn
from torch import use_deterministic_algorithms as deterministic
from torch.backends import cudnn

FAST = False


def benchmark(on):
    torch.backends.cudnn.benchmark = on


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
]


@pytest.mark.parametrize("setup", SETUPS)
def test_both_on_is_reported(setup: str) -> None:
    source = HEAD + textwrap.indent(setup, "    ") + "\n"
    torch.backends.cudnn.benchmark = False
    torch.use_deterministic_algorithms(False)
    with loaded(source) as module:
        module.setup()
    both = torch.backends.cudnn.benchmark and torch.are_deterministic_algorithms_enabled()
    assert bool(reported(source, "TBR601")) == both
