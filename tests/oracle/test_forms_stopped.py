"""TBR207: regions under and beside `set_checkpoint_early_stop`: reported where backward fails."""

from __future__ import annotations

import textwrap

import pytest

from tests.oracle.agree import HEAD, differs, reported, require_torch

require_torch()
pytestmark = pytest.mark.oracle

PARTS = (
    HEAD
    + """
import torch.utils.checkpoint as ck
from torch.utils.checkpoint import set_checkpoint_early_stop


def run(region, x):
    return checkpoint(region, x, use_reentrant=False)


def double(x):
    return x * 2
"""
)
HANDLED = "def region(h):\n    try:\n        return A(h).tanh()\n    except Exception:\n        return B(h)\n"
WAYS = {
    "plain": "return checkpoint(region, x, use_reentrant=False)",
    "under": "with set_checkpoint_early_stop(False):\n    return checkpoint(region, x, use_reentrant=False)",
    "under_on": "with set_checkpoint_early_stop(True):\n    return checkpoint(region, x, use_reentrant=False)",
    "by_module": "with ck.set_checkpoint_early_stop(enable=False):\n    return run(region, x)",
    "by_helper": "with set_checkpoint_early_stop(False):\n    return run(region, x)",
    "named": (
        "switch = set_checkpoint_early_stop(False)\nwith switch:\n    return checkpoint(region, x, use_reentrant=False)"
    ),
    "stack": (
        "with contextlib.ExitStack() as stack:\n    stack.enter_context(set_checkpoint_early_stop(False))\n"
        "    return checkpoint(region, x, use_reentrant=False)"
    ),
    "beside": (
        "with set_checkpoint_early_stop(False):\n    y = double(x)\nreturn checkpoint(region, y, use_reentrant=False)"
    ),
    "beside_other": (
        "with set_checkpoint_early_stop(False):\n    y = checkpoint(C, x, use_reentrant=False)\n"
        "return checkpoint(region, y, use_reentrant=False)"
    ),
    "with_others": (
        "with torch.enable_grad(), set_checkpoint_early_stop(False):\n"
        "    return checkpoint(region, x, use_reentrant=False)"
    ),
    "option": "return checkpoint(region, x, use_reentrant=False, early_stop=False)",
}
FORMS = {name: HANDLED + body for name, body in WAYS.items()}
PROGRAM = PARTS + "".join(
    f"\n\ndef {name}(x: Tensor) -> Tensor:\n{textwrap.indent(body, '    ')}\n" for name, body in FORMS.items()
)


def test_handlers_that_meet_the_stop_are_reported() -> None:
    wrong = {name for name in FORMS if differs(PROGRAM, name)}
    assert 3 < len(wrong) < len(FORMS) - 3
    assert set(reported(PROGRAM, "TBR207")) == wrong
