"""TBR309: one compiled function under different attention backends: reported where a call keeps another's kernel."""

from __future__ import annotations

import pytest

from tests.oracle.agree import reported
from tests.oracle.support import compiling, loaded, require_torch

torch = require_torch()
pytestmark = pytest.mark.oracle

HEAD = """
import contextlib
from functools import partial

import torch
import torch.nn.attention as att
import torch.nn.functional as F
from torch import nn
from torch.nn.attention import SDPBackend, sdpa_kernel
from torch.nn.functional import scaled_dot_product_attention as sdpa

Q = torch.linspace(-2.0, 2.0, 2 * 64 * 16).sin().reshape(1, 2, 64, 16)


def attend(q):
    return F.scaled_dot_product_attention(q, q, q)


class Attend(nn.Module):
    def forward(self, q):
        return sdpa(q, q, q)


@contextlib.contextmanager
def slow():
    with sdpa_kernel(SDPBackend.MATH):
        yield


just_math = partial(sdpa_kernel, SDPBackend.MATH)
scope = sdpa_kernel
"""
COMPILED = '@torch.compile(backend="aot_eager")\ndef f(q):\n    return F.scaled_dot_product_attention(q, q, q)\n\n\n'
WRAPPED = 'f = torch.compile(attend, backend="aot_eager")\n\n\n'
INSIDE = (
    '@torch.compile(backend="aot_eager")\ndef f(q):\n    with sdpa_kernel(SDPBackend.MATH):\n'
    "        return F.scaled_dot_product_attention(q, q, q)\n\n\n"
)
RUN = "def run():\n    a = f(Q)\n"
UNDER = "    with sdpa_kernel(SDPBackend.MATH):\n        b = f(Q)\n    return a, b\n"
PROGRAMS = [
    COMPILED + RUN + UNDER,
    COMPILED + RUN + "    with att.sdpa_kernel(att.SDPBackend.MATH):\n        b = f(Q)\n    return a, b\n",
    COMPILED + RUN + "    with slow():\n        b = f(Q)\n    return a, b\n",
    COMPILED + RUN + "    with just_math():\n        b = f(Q)\n    return a, b\n",
    COMPILED + RUN + "    with scope([SDPBackend.MATH]):\n        b = f(Q)\n    return a, b\n",
    COMPILED + RUN + "    kept = sdpa_kernel(SDPBackend.MATH)\n    with kept:\n        b = f(Q)\n    return a, b\n",
    COMPILED
    + RUN
    + "    with contextlib.ExitStack() as stack:\n        stack.enter_context(sdpa_kernel(SDPBackend.MATH))\n"
    "        b = f(Q)\n    return a, b\n",
    COMPILED + "@sdpa_kernel(SDPBackend.MATH)\ndef two():\n    return f(Q)\n\n\ndef run():\n    return f(Q), two()\n",
    COMPILED + "def helper():\n    return f(Q)\n\n\ndef run():\n    a = helper()\n"
    "    with sdpa_kernel(SDPBackend.MATH):\n        b = helper()\n    return a, b\n",
    COMPILED + "def one(slow):\n    with sdpa_kernel(SDPBackend.MATH) if slow else contextlib.nullcontext():\n"
    "        return f(Q)\n\n\ndef run():\n    return one(False), one(True)\n",
    WRAPPED + RUN + UNDER,
    "def run():\n    f = torch.compile(Attend(), backend='aot_eager')\n    a = f(Q)\n"
    "    with sdpa_kernel(SDPBackend.MATH):\n        b = f(Q)\n    return a, b\n",
    "class Held:\n    def __init__(self):\n        self.f = torch.compile(Attend(), backend='aot_eager')\n\n"
    "    def one(self):\n        return self.f(Q)\n\n    def two(self):\n        with sdpa_kernel(SDPBackend.MATH):\n"
    "            return self.f(Q)\n\n\ndef run():\n    held = Held()\n    return held.one(), held.two()\n",
    # the scope inside is honoured, the recompilation after a reset sees it, one scope is one kernel
    INSIDE + "def run():\n    with sdpa_kernel(SDPBackend.MATH):\n        a = f(Q)\n    return a, f(Q)\n",
    INSIDE + RUN + "    with sdpa_kernel(SDPBackend.FLASH_ATTENTION):\n        b = f(Q)\n    return a, b\n",
    COMPILED + RUN + "    torch.compiler.reset()\n" + UNDER,
    COMPILED + "def run():\n    with sdpa_kernel(SDPBackend.MATH):\n        return f(Q), f(Q)\n",
    COMPILED.replace("aot_eager", "eager")
    + RUN
    + "    with sdpa_kernel(SDPBackend.MATH):\n        b = f(Q)\n    return a, b\n",
    "f = attend\n\n\n" + RUN + UNDER,
]


@pytest.mark.parametrize("program", PROGRAMS)
def test_whether_a_call_keeps_the_kernel_of_another(program: str) -> None:
    """The kernel that each call ran, against the one that the same call runs in eager mode."""
    source = f"{HEAD}\n\n{program}"
    with compiling(source) as module:
        found = module.run()
    eager = source.replace('@torch.compile(backend="aot_eager")\n', "").replace('@torch.compile(backend="eager")\n', "")
    for call in ('torch.compile(attend, backend="aot_eager")', "torch.compile(Attend(), backend='aot_eager')"):
        eager = eager.replace(call, call.split("(", 1)[1].rsplit(", ", 1)[0])
    with loaded(eager) as module:
        right = module.run()
    wrong = not all(torch.equal(a, b) for a, b in zip(found, right, strict=True))
    assert bool(reported(source, "TBR309")) is wrong
