"""TBR207: regions under `set_checkpoint_early_stop`, and work that flags set off: reported where backward fails."""

from __future__ import annotations

import pytest

from tests.oracle.agree import HEAD, agree, functions, require_torch
from tests.oracle.support import indented

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
TRIED = "{before}try:\n    out = A(h).tanh()\nexcept Exception as error:\n    {handler}\n{after}"
RECOVERIES = {
    "flag": ("ok = True\n", "ok = False", "if not ok:\n    out = B(h).sin()\nreturn out"),
    "flag_named": ("failed = False\n", "failed = True", "return B(h).sin() if failed else out"),
    "flag_none": ("out = None\n", "pass", "if out is None:\n    out = B(h).sin()\nreturn out"),
    "flag_none_set": ("", "out = None", "return B(h).sin() if out is None else out"),
    "flag_else": ("ok = True\n", "ok = False", "if ok:\n    return out\nelse:\n    return B(h).sin()"),
    "flag_equal": ("mode = 1\n", "mode = 2", "if mode == 2:\n    out = B(h).sin()\nreturn out"),
    "flag_raises": ("ok = True\n", "ok = False", "if not ok:\n    raise RuntimeError('no')\nreturn out"),
    "flag_same": ("held = None\n", "held = error", "if held is not None:\n    raise held\nreturn out"),
    "flag_usual": ("ok = True\n", "ok = False", "if ok:\n    out = out.sin()\nelse:\n    out = B(h)\nreturn out"),
    "flag_plain": ("out = h\n", "pass", "return out"),
    "flag_later": ("ok = True\n", "ok = False", "if not ok:\n    out = B(h).sin()\nreturn C(out)"),
}


def recovery(before: str, handler: str, after: str) -> str:
    """A form whose region tries, and goes on behind the `try`."""
    body = TRIED.format(before=before, handler=handler, after=after)
    return f"def region(h):\n{indented(body)}return checkpoint(region, x, use_reentrant=False)"


FORMS = {name: HANDLED + body for name, body in WAYS.items()} | {
    name: recovery(*parts) for name, parts in RECOVERIES.items()
}
PROGRAM = PARTS + functions(FORMS)


def test_handlers_that_meet_the_stop_are_reported() -> None:
    agree(PROGRAM, "TBR207", names=FORMS, wrong=4, right=4)
