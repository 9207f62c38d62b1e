"""TBR103: results that are no graph's: reported if, and only if, a value decides which of them is given."""

from __future__ import annotations

import pytest

from tests.oracle.agree import reported
from tests.oracle.support import indented, loaded, require_torch

torch = require_torch()
pytestmark = pytest.mark.oracle

HEAD = """
import logging
import math
from functools import partial

import torch
from torch import Tensor

log = logging.getLogger(__name__)
X = torch.linspace(-1.0, 2.0, 12).reshape(3, 4)


def told(t: Tensor) -> bool:
    return bool(t.sum() > 0)


def score(t: Tensor) -> float:
    return t.sum().item()


@torch.no_grad()
def form(x: Tensor):
"""
BODIES = [
    """\
return "a" if x.sum() > 0 else "b"
""",
    """\
if x.sum() > 0:
    return 1
return 2
""",
    """\
if told(x): return "a"
return "b"
""",
    """\
s = score(x)
return "high" if s > 1 else "low"
""",
    """\
ok = bool(x.sum() > 0)
return ["a", "b"][ok]
""",
    """\
return ["a", "b"][int(x.sum() > 0)]
""",
    """\
return {True: "a", False: "b"}[bool(x.sum() > 0)]
""",
    """\
kept = []
for i in range(3):
    if x[i].sum() > 0:
        kept.append(i)
return kept
""",
    """\
return [i for i in range(3) if x[i].sum() > 0]
""",
    """\
return sum(1 for r in x if r.sum() > 0)
""",
    """\
return len(list(filter(told, [x, x + 1])))
""",
    """\
best = 0
for i in range(3):
    if x[i].sum() > x[best].sum():
        best = i
return best
""",
    """\
n = 0
if (x > 1.5).any():
    n += 1
return n
""",
    """\
return "a" if torch.allclose(x.sum(), x.sum().abs()) else "b"
""",
    """\
return "a" if torch.equal(x, X) else "b"
""",
    """\
flag = x.sum() > 0
return "a" if flag else "b"
""",
    """\
flag = (x.sum() > 0).item()
if flag is True: return "a"
return "b"
""",
    """\
match int(x.sum() > 0):
    case 1: return "a"
    case _: return "b"
""",
    """\
return "a" if 0 < x.sum() < 1000 else "b"
""",
    """\
return "a" if not (x.sum() > 0) else "b"
""",
    """\
return "a" if x.max() in [2.0] else "b"
""",
    """\
return "a" if 2.0 in x else "b"
""",
    """\
return "a" if 2.0 in x.tolist()[2] else "b"
""",
    """\
return "a" if x.dim() == 2 else "b"
""",
    """\
return "a" if x.shape[0] > 2 else "b"
""",
    """\
return "a" if x.dtype == torch.float32 else "b"
""",
    """\
return "a" if x is not None else "b"
""",
    """\
if x.sum() > 0:
    log.info("high")
return 1
""",
    """\
if x.sum() > 0:
    pass
return 1
""",
    """\
return len(x)
""",
    """\
try:
    return "a" if x.sum() > 0 else "b"
finally:
    pass
""",
    """\
with torch.inference_mode():
    return "a" if x.sum() > 0 else "b"
""",
    """\
f = lambda t: "a" if t.sum() > 0 else "b"
return f(x)
""",
    """\
def inner(t):
    return "a" if t.sum() > 0 else "b"
return inner(x)
""",
    """\
pick2 = partial(lambda thr, t: "a" if t.sum() > thr else "b", 0.0)
return pick2(x)
""",
    """\
return next((i for i in range(3) if x[i].sum() > 1), -1)
""",
    """\
i = 0
while i < 3 and x[i].sum() < 1:
    i += 1
return i
""",
    """\
for i in range(3):
    if x[i].sum() > 1:
        break
return i
""",
    """\
return "a" if x.sum().sign() == 1 else "b"
""",
    """\
return "a" if float(x.sum()) > 0 else "b"
""",
    """\
return "a" if x.numpy().sum() > 0 else "b"
""",
    """\
return "a" if math.isclose(x.sum(), x.sum().abs()) else "b"
""",
    """\
return ("a" if x.sum() > 0 else "b", 1)
""",
    """\
out = "a"
out = "b" if x.sum() > 0 else out
return out
""",
    """\
d = {}
if x.sum() > 0: d["k"] = 1
return d
""",
    """\
return (x.sum() > 0 and "a") or "b"
""",
    """\
return bool(x.sum() > 0) and "a"
""",
]
CLASSES = """
class Gate:
    def __init__(self, limit: float) -> None:
        self.limit = limit

    @torch.no_grad()
    def asked(self, t: Tensor) -> bool:
        return bool(t.sum() > self.limit)

    def verdict(self, t: Tensor) -> str:
        return "a" if self.asked(t) else "b"


def form(x: Tensor):
    return Gate(0.0).verdict(x)
"""


def _gives(source: str) -> bool:
    with loaded(source) as module:
        return repr(module.form(module.X)) != repr(module.form(-module.X))


@pytest.mark.parametrize("body", BODIES)
def test_results_that_follow_a_value(body: str) -> None:
    source = HEAD + indented(body)
    found = {**reported(source, "TBR103"), **reported(source, "TBR102")}
    assert ("form" in found) is _gives(source)


@pytest.mark.parametrize("asked", ["t.sum()", "t.abs().sum()", "t.numel()", "t.shape[0]"])
def test_results_of_methods(asked: str) -> None:
    head = HEAD.replace("@torch.no_grad()\ndef form(x: Tensor):\n", "")
    source = head + CLASSES.replace("t.sum() > self.limit", f"{asked} > self.limit")
    # Of opposite inputs the absolute values are the same, and a value decides nonetheless.
    assert _gives(source) is (asked == "t.sum()")
    assert ("Gate" in reported(source, "TBR103")) is asked.endswith(".sum()")
