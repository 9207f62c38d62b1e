"""Nasty input and determinism: the analysis ends, raises nothing but `TreeError`, and answers from content alone."""

from __future__ import annotations

import ast
import itertools
import random
import re
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from flake8_tensorbranch.check import check_source
from flake8_tensorbranch.diagnostic import Diagnostic
from flake8_tensorbranch.gate import analyse
from flake8_tensorbranch.project import Project
from flake8_tensorbranch.settings import Settings
from flake8_tensorbranch.source import SourceFile
from flake8_tensorbranch.syntax.tree import TreeError
from tests.trees import put_project

EVERYTHING = Settings(enable=("TBR",), compiled=("*",), checkpointed=("*",))
SECONDS = 30.0
HEAD = "import torch\n"
# A function whose branch must still be found whatever stands around it.
PROBE = """

def probe(x: torch.Tensor) -> torch.Tensor:
    if x.sum() > 0:
        x = x * 2
    return x
"""


def nested(depth: int, opening: str = "if flag:", body: str = "x = x * 2") -> str:
    rows = [f"{' ' * (4 + level)}{opening}" for level in range(depth)]
    return "\n".join(["", "def deep(x: torch.Tensor, flag):", *rows, f"{' ' * (4 + depth)}{body}", "    return x", ""])


def chain(length: int) -> str:
    calls = "".join(f"def f{n}(x):\n    return f{n + 1}(x) + 1\n\n" for n in range(length))
    return f"\n{calls}def f{length}(x):\n    return x.sum()\n"


def branches(count: int) -> str:
    rows = "".join(f"    if flag == {n}:\n        x = x + {n}\n" for n in range(count))
    return f"\ndef many(x: torch.Tensor, flag):\n{rows}    return x\n"


def fork(count: int) -> str:
    """Every function calls the next one twice, with different arguments: exponential for who does not share answers."""
    rows = "".join(f"def g{n}(x, y):\n    return g{n + 1}(y, x) + g{n + 1}(x, x)\n\n" for n in range(count))
    return f"\n{rows}def g{count}(x, y):\n    return x\n\n\ng0(torch.ones(1), 2)\n"


LONG = "".join(
    f"\n\ndef f{n}(x: torch.Tensor):\n    y = x * {n}\n    z = y.shape[0]\n    return y + z\n" for n in range(3334)
)
NASTY = {
    "20,000 lines": LONG,
    "nested blocks": nested(90),
    "nested loops": nested(19, "for i in x:"),
    "nested with": nested(19, "with torch.no_grad():"),
    "nested try": "\ndef deep(x):\n" + "".join(f"{' ' * (4 + n)}try:\n" for n in range(19)) + " " * 23 + "x = x + 1\n"
    + "".join(f"{' ' * (4 + n)}finally:\n{' ' * (5 + n)}x = x * 2\n" for n in reversed(range(19))),
    "nested functions": "".join(f"{' ' * n}def f{n}(x):\n" for n in range(80)) + " " * 80 + "return x\n",
    "nested lists": f"x = {'[' * 150}{']' * 150}\n",
    "nested calls": f"x = {'torch.relu(' * 50}x{')' * 50}\n",
    "nested lambdas": f"f = {'lambda x: ' * 90}x\n",
    "long sum": f"x = torch.ones(1){' + 1' * 200}\n",
    "long attribute": f"x = torch{'.a' * 200}\n",
    "long chain of methods": f"def c(x: torch.Tensor):\n    return x{'.abs()' * 60}\n",
    "long elif": "\ndef e(x: torch.Tensor, n):\n    if n == 0:\n        x = x + 1\n"
    + "".join(f"    elif n == {n}:\n        x = x + {n}\n" for n in range(1, 180)) + "    return x\n",
    "huge dict": "D = {" + ",\n".join(f"'key{n}': [{n}, torch.float32, {{'a': ({n},)}}]" for n in range(8000)) + "}\n",
    "huge string": f"S = '''{'x' * 500_000}'''\n",
    "chain of calls": chain(300),
    "forked calls": fork(40),
    "many branches": branches(400),
    "class of itself": "class A(A):\n    pass\n\n\nA().x\n",
    "classes in a ring": "class A(B):\n    pass\n\n\nclass B(A):\n    pass\n\n\nx = B().forward(torch.ones(1))\n",
    "class holding itself": "class A:\n    def __init__(self):\n        self.a = A()\n        self.b = self\n\n"
    "    def forward(self, x):\n        return self.a.b.a(self.b.a.forward(x))\n",
    "mutual recursion": "def a(x):\n    return b(x.sum())\n\n\ndef b(x):\n    return a([x, a])\n\n\na(torch.ones(1))\n",
    "growing structure": "def g(x: torch.Tensor):\n    for _ in range(9):\n        x = [x, {'k': x}]\n    return x\n",
    "names bound to each other": "a = b\nb = c\nc = a\nif a:\n    b = torch.ones(1)\n",
    "decorated by itself": "@f\ndef f(x):\n    return f\n\n\nf = f(f)(f)\n",
    "property of itself": "class A:\n    @property\n    def p(self):\n        return self.p.p\n",
    "super of nothing": "def f(self):\n    return super().f()\n\n\nclass A:\n    g = super(A).g\n",
    "star of nothing": "def f(*, a=1, **k):\n    f(*[], **{**k})\n    f(*f, **f)\n    [*a] = *b, *c = f\n",
    "only declarations": "global g\nx: torch.Tensor\ndel x\n...\n",
    "unreachable": "def u(x: torch.Tensor):\n    return x\n    while x:\n        break\n    else:\n        raise\n",
}  # fmt: skip


@pytest.mark.parametrize("name", NASTY)
def test_nasty_input_ends_and_hides_nothing(name: str) -> None:
    text = HEAD + NASTY[name] + PROBE
    line = text.count("\n") - 2
    began = time.process_time()
    found = check_source(SourceFile("nasty.py", text), Settings(), project=Project())
    assert (line, "TBR101") in {(item.line, item.code) for item in found}
    check_source(SourceFile("nasty.py", text), EVERYTHING, project=Project())
    assert time.process_time() - began < SECONDS


@pytest.mark.parametrize(
    "text", ["", "\n", "# torch\n", "# torch\n# more\n\n", "'''torch'''\n", "pass  # torch", "\ufeff# torch"]
)
def test_next_to_nothing_is_clean(text: str) -> None:
    assert analyse(SourceFile("empty.py", text), EVERYTHING) == []


@pytest.mark.parametrize("text", ["x = " + "(" * 500 + "1" + ")" * 500 + "\n", nested(120), "x = (\n", "x = 1\x00\n"])
def test_what_python_cannot_parse_raises_what_python_raises(text: str) -> None:
    text = HEAD + text
    with pytest.raises((SyntaxError, ValueError, RecursionError, MemoryError)):
        ast.parse(text)
    with pytest.raises((TreeError, SyntaxError)):
        check_source(SourceFile("bad.py", text), Settings())


def deep_tree(depth: int) -> ast.Module:
    """A tree deeper than any text of Python's parser gives, and than a recursive visitor can follow."""
    tree = ast.parse("import torch\nx\n")
    statement = tree.body[1]
    assert isinstance(statement, ast.Expr)
    place = {name: getattr(statement.value, name) for name in statement.value._attributes}
    for _ in range(depth):
        statement.value = ast.UnaryOp(ast.USub(), statement.value, **place)
    return tree


def test_a_tree_too_deep_is_a_tree_error() -> None:
    with pytest.raises(TreeError):
        check_source(SourceFile("deep.py", HEAD), Settings(), deep_tree(8_000))


Tree = dict[str, bytes | None]
MAIN = """\
import torch

from {module} import {name}


def run(x: torch.Tensor) -> torch.Tensor:
    if {name}(x):
        x = x * 2
    return x
"""
HELPER = b"def helper(x):\n    return x.sum() > 0\n"
# The other files of a project whose `main.py` imports `helper` from `lib`, and whether the answer can be known.
IMPORTED: dict[str, tuple[Tree, bool]] = {
    "a plain helper": ({"lib.py": HELPER}, True),
    "a missing module": ({}, False),
    "a syntax error": ({"lib.py": b"def helper(x):\n    return (x\n"}, False),
    "a NUL byte": ({"lib.py": b"def helper(x):\n    return x.sum() > 0\n\x00"}, False),
    "too deep a nesting": ({"lib.py": b"helper = " + b"(" * 500 + b")" * 500}, False),
    "bytes that are not UTF-8": ({"lib.py": HELPER + b"# \xff\xfe\n"}, False),
    "an unknown coding": ({"lib.py": b"# coding: no-such\n" + HELPER}, False),
    "latin-1 by its coding line": ({"lib.py": b"# coding: latin-1\n# \xe9\n" + HELPER}, True),
    "a byte order mark": ({"lib.py": b"\xef\xbb\xbf" + HELPER}, True),
    "an empty module": ({"lib.py": b""}, False),
    "a directory named like the module": ({"lib.py/x.txt": b""}, False),
    "a package": ({"lib/__init__.py": HELPER}, True),
    "a package beside a module": ({"lib/__init__.py": HELPER, "lib.py": b"helper = None\n"}, True),
    "a namespace package": ({"lib/helper.py": HELPER}, False),
    "a folder where __init__.py should be": ({"lib/__init__.py/x.txt": b""}, False),
    "a module that imports itself": ({"lib.py": b"import lib\nfrom lib import helper as h\n" + HELPER}, True),
    "a name imported from its own module": ({"lib.py": b"from lib import helper\n"}, False),
    "a ring of two": ({"lib.py": b"from other import helper\n", "other.py": b"from lib import helper\n"}, False),
    "a ring with a definition": ({"lib.py": b"from other import helper\n", "other.py": b"import lib\n" + HELPER}, True),
    "a ring through the importer": ({"lib.py": b"from main import run\n" + HELPER}, True),
    "a star import": ({"lib.py": b"from other import *\n", "other.py": HELPER}, True),
    "a ring of star imports": ({"lib.py": b"from other import *\n", "other.py": b"from lib import *\n" + HELPER}, True),
    "stars over stars over nothing": ({"lib.py": b"from other import *\n", "other.py": b"from lib import *\n"}, False),
    "a star of itself": ({"lib.py": b"from lib import *\n" + HELPER}, True),
    "functions that call across a ring": (
        {"lib.py": b"import other\n\n\ndef helper(x):\n    return other.up(x)\n",
         "other.py": b"import lib\n\n\ndef up(x):\n    return lib.helper(x) or x.sum() > 0\n"},
        True,
    ),
    "classes that inherit across a ring": (
        {"lib.py": b"import other\n\n\nclass helper(other.B):\n    pass\n",
         "other.py": b"import lib\n\n\nclass B(lib.helper):\n    pass\n"},
        False,
    ),
}  # fmt: skip


def write(folder: Path, tree: Tree) -> None:
    put_project(folder, {name: data or b"" for name, data in tree.items()})


@pytest.mark.parametrize("name", IMPORTED)
def test_imported_modules(tmp_path: Path, name: str) -> None:
    tree, known = IMPORTED[name]
    main = tmp_path / "main.py"
    text = MAIN.format(module="lib", name="helper")
    write(tmp_path, {**tree, "main.py": text.encode()})
    found = check_source(SourceFile(str(main), text), Settings(), project=Project())
    assert [(item.line, item.code) for item in found] == ([(7, "TBR101")] if known else [])
    check_source(SourceFile(str(main), text), EVERYTHING, project=Project())


# Seven files that need each other in rings, one of them only by what others pass to it, so that an answer that depends
# on the order of questions would show.
SEVEN: Tree = {
    "pkg/__init__.py": b"from .a import Block, gate\nfrom .b import *\n",
    "pkg/a.py": b"""\
import torch
from torch import nn

from . import b
from .c import State


def gate(x, depth=3):
    if depth == 0:
        return x.sum() > 0
    return b.swing(x, depth - 1)


class Block(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.state = State(torch.ones(width))
        self.norm = nn.LayerNorm(width)

    def forward(self, x):
        x = self.norm(x)
        if gate(x):
            x = x * 2
        if self.state.cap > 1:
            x = x + 1
        return b.mix(x, self.state)
""",
    "pkg/b.py": b"""\
import torch

from . import a, c
from .d import capped


def swing(x, depth):
    while a.gate(x, depth):
        x = x / 2
    return c.level(x)


def mix(x: torch.Tensor, state: "c.State"):
    if state.limit(x):
        return capped(x.max(), 2)
    return a.Block(4)(x) if swing(x, 1) else x
""",
    "pkg/c.py": b"""\
import torch

from .b import mix, swing


class State:
    def __init__(self, cap):
        self.cap = cap
        self.seen = None

    def limit(self, x):
        self.seen = mix(x, self)
        return level(x) or swing(x, 2)


def level(x):
    return torch.any(x > 0)
""",
    "pkg/d.py": b"""\
def capped(v, most):
    if v > most:
        v = v / 2
    return v
""",
    "train.py": b"""\
import torch
from torch.utils.checkpoint import checkpoint

from pkg import Block, swing


@torch.compile
def step(block: Block, x: torch.Tensor):
    y = checkpoint(block, x, use_reentrant=False)
    if swing(y, 1):
        y = y * 2
    if y.shape[0] > 8:
        y = y[:8]
    return y
""",
    "tool.py": b"""\
import torch

from train import step
from pkg.c import State, level


def main(xs: list[torch.Tensor]):
    state = State(xs[0])
    for x in xs:
        if level(x) and state.cap.max() > 0:
            x = step(None, x)
        if state.limit(x):
            x = x * 3
    return xs
""",
}
FILES = [name for name in SEVEN if name.endswith(".py")]


@pytest.fixture(scope="module")
def seven(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("seven")
    write(folder, SEVEN)
    return folder


def linted(folder: Path, names: list[str], project: Callable[[], Project]) -> dict[str, list[Diagnostic]]:
    texts = {name: (folder / name).read_text() for name in names}
    return {
        name: check_source(SourceFile(str(folder / name), text), EVERYTHING, project=project())
        for name, text in texts.items()
    }


@pytest.fixture(scope="module")
def alone(seven: Path) -> dict[str, list[Diagnostic]]:
    """What each file gets in a project of its own."""
    found = linted(seven, FILES, Project)
    assert all(found[name] for name in ("pkg/a.py", "pkg/b.py", "pkg/d.py", "train.py", "tool.py"))
    return found


def test_the_order_of_files_changes_nothing(seven: Path, alone: dict[str, list[Diagnostic]]) -> None:
    orders = [list(order) for order in itertools.permutations(FILES)]
    for order in random.Random(0).sample(orders, 12):
        project = Project()
        assert linted(seven, order, lambda project=project: project) == alone, order  # type: ignore[misc]


def test_a_second_look_changes_nothing(seven: Path, alone: dict[str, list[Diagnostic]]) -> None:
    project = Project()
    assert linted(seven, FILES * 2, lambda: project) == alone


def test_text_in_the_editor_wins_over_the_disk_and_leaves_no_trace(
    seven: Path, alone: dict[str, list[Diagnostic]]
) -> None:
    project = Project()
    linted(seven, FILES, lambda: project)
    text = (seven / "train.py").read_text()
    edited = "\n\n" + text
    found = check_source(SourceFile(str(seven / "train.py"), edited), EVERYTHING, project=project)
    assert [item.line - 2 for item in found] == [item.line for item in alone["train.py"]]
    assert linted(seven, FILES, lambda: project) == alone


def flake8(folder: Path, *arguments: str, seed: str = "0") -> list[str]:
    command = [sys.executable, "-m", "flake8", "--isolated", "--select=TBR", "--tbr-enable=TBR", *arguments]
    environment = {"PYTHONHASHSEED": seed, "PATH": ""}
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False, env=environment)
    assert done.stderr == ""
    return sorted(re.sub(r"^\./", "", line) for line in done.stdout.splitlines())


def test_jobs_order_and_hashing_change_nothing_in_flake8(seven: Path) -> None:
    expected = flake8(seven, "-j1", ".")
    assert {line.partition(":")[0] for line in expected} >= {"pkg/a.py", "pkg/b.py", "pkg/d.py", "train.py", "tool.py"}
    assert flake8(seven, "-j2", ".", seed="1") == expected
    assert flake8(seven, "-j1", *reversed(FILES), seed="2") == expected
