"""Deep nesting of every kind: the analysis ends soon, raises nothing, and finds what stands around it."""

from __future__ import annotations

import sys
import time

import pytest

from flake8_tensorbranch.check import check_source
from flake8_tensorbranch.project import Project
from flake8_tensorbranch.settings import Settings
from flake8_tensorbranch.source import SourceFile
from flake8_tensorbranch.syntax import depth

EVERYTHING = Settings(enable=("TBR",), compiled=("*",), checkpointed=("*",))
SECONDS = 30.0
LEVELS = 500
BRACKETS = 80  # Python's parser takes about twice as many nested brackets, some of its versions fewer
PROBE = """

def probe(x: torch.Tensor) -> torch.Tensor:
    if x.sum() > 0:
        x = x * 2
    return x
"""


def branch_on(condition: str) -> str:
    return f"def f(x: torch.Tensor, y):\n    if {condition}:\n        y = y + 1\n    return y\n"


def ways(condition: str, action: str) -> str:
    """An `elif` chain whose tests and bodies are numbered."""
    rows = (f"{'el' if n else ''}if {condition.format(n)}:\n        {action.format(n)}\n" for n in range(LEVELS))
    return f"def f(x: torch.Tensor, y):\n    {'    '.join(rows)}    return x\n"


def within(opening: str, inner: str, closing: str, levels: int = BRACKETS) -> str:
    return f"{opening * levels}{inner}{closing * levels}"


DEEP = {
    "attributes": f"y = torch{'.a' * LEVELS}\n",
    "attributes of self": f"class A:\n    def f(self):\n        if self{'.a' * LEVELS}:\n            return 1\n",
    "methods": f"def f(x: torch.Tensor):\n    return x{'.abs()' * LEVELS}\n",
    "sums": branch_on("x" + " + 1" * LEVELS),
    "powers": branch_on("x" + " ** 2" * LEVELS),
    "subscripts": branch_on("x" + "[0]" * LEVELS),
    "negations": branch_on("not " * LEVELS + "x"),
    "signs": branch_on("-" * LEVELS + "x"),
    "operands": branch_on("x" + " and x" * LEVELS),
    "comparisons": branch_on("x" + " < x" * LEVELS),
    "conditional expressions": branch_on("1 if y else " * LEVELS + "x"),
    "lambdas": f"f = {'lambda x: ' * LEVELS}x\n",
    "generators": f"y = [z{' for z in z' * LEVELS}]\n",
    "filters": f"y = [z for z in torch.ones(3){' if z' * LEVELS}]\n",
    "union": f"def f(x: torch.Tensor{' | None' * LEVELS}):\n    if x:\n        pass\n",
    "elif": ways("y == {}", "x = x + {}"),
    "elif on values": ways("x.max() == {}", "x = x + {}"),
    "elif with returns": ways("x.max() == {}", "return {}"),
    "decorators": "@torch.no_grad()\n" * LEVELS + "def f(x):\n    return x\n",
    "bases": "class A0:\n    pass\n" + "".join(f"class A{n + 1}(A{n}):\n    pass\n" for n in range(LEVELS)),
    "names": "".join(f"a{n + 1} = a{n}\n" for n in range(LEVELS)) + f"if a{LEVELS}:\n    pass\n",
    "closures": "def f(x: torch.Tensor):\n    g0 = lambda: x\n"
    + "".join(f"    g{n + 1} = lambda: g{n}()\n" for n in range(LEVELS)) + f"    return g{LEVELS}()\n",
    "instances": "".join(
        f"class C{n}:\n    def __init__(self):\n        self.a = C{n + 1}()\n" for n in range(LEVELS)
    ) + f"y = C0(){'.a' * LEVELS}\n",
    "calls": f"y = {within('torch.relu(', 'y', ')')}\n",
    "keywords": f"y = {within('f(k=', 'y', ')')}\n",
    "unpacked arguments": f"y = {within('f(*', 'y', ')')}\n",
    "indices": f"y = {within('y[', '0', ']')}\n",
    "lists": f"y = {within('[', '1', ']')}\n",
    "mappings": f"y = {within('{1: ', '1', '}')}\n",
    "comprehensions": f"y = {within('[', 'y', ' for y in y]')}\n",
    "assignment expressions": f"y = {within('(a := ', '1', ')')}\n",
    "and within or": branch_on(within("x and (x or (", "x", "))", BRACKETS // 2)),
    "tests within tests": branch_on(within("((", "x", ") == 1 and y).any()", BRACKETS // 2)),
    "subscripted annotations": f"def f(x: {within('Optional[', 'torch.Tensor', ']')}):\n    pass\n",
    "checkpoints": "from torch.utils.checkpoint import checkpoint\ndef f(x):\n    return x\n"
    f"y = {within('checkpoint(f, ', 'x', ', use_reentrant=True)')}\ny.backward()\n",
    "partials": f"from functools import partial\ny = {within('partial(', 'f', ', x)')}\n",
    "compiled functions": f"y = {within('torch.compile(', 'f', ')')}\n",
    "layers": f"from torch import nn\ny = {within('nn.Sequential(', 'f', ')')}\n",
    "ranks": "import torch.distributed as dist\ndef f(x: torch.Tensor):\n    r = dist.get_rank()\n"
    f"    y = {within('(r + ', 'x', ')')}\n    if y > 0:\n        dist.barrier()\n",
}  # fmt: skip


@pytest.mark.parametrize("name", DEEP)
def test_deep_nesting_ends_and_hides_nothing(name: str) -> None:
    text = f"import torch\n{DEEP[name]}{PROBE}"
    line = text.count("\n") - 2
    for settings in (Settings(), EVERYTHING):
        began = time.process_time()
        found = check_source(SourceFile("deep.py", text), settings, project=Project())
        assert line in {item.line for item in found}
        assert time.process_time() - began < SECONDS


def test_a_deep_host_leaves_as_much_room_and_gets_its_limit_back() -> None:
    text = f"import torch\n{DEEP['elif on values']}{PROBE}"
    limit = sys.getrecursionlimit()

    def below(levels: int) -> int:
        return below(levels - 1) if levels else len(check_source(SourceFile("d.py", text), Settings()))

    assert below(limit // 2) == LEVELS + 1
    assert sys.getrecursionlimit() == limit


def test_the_limit_is_put_back_by_the_last_of_several_blocks() -> None:
    limit = sys.getrecursionlimit()
    with depth.room():
        with depth.room():
            pass
        assert sys.getrecursionlimit() > limit
    with pytest.raises(ZeroDivisionError), depth.room():
        raise ZeroDivisionError
    assert sys.getrecursionlimit() == limit
