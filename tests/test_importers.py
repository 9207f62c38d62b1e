"""The files near a module that import it: which are found, what their calls tell, and that order changes nothing."""

from __future__ import annotations

import itertools
from pathlib import Path

import pytest

from flake8_tensorbranch.check import check_source
from flake8_tensorbranch.importers import MOST_BYTES, MOST_IMPORTERS, MOST_NEIGHBOURS, concerned, importers
from flake8_tensorbranch.modules import Finder
from flake8_tensorbranch.project import Project
from flake8_tensorbranch.settings import Settings
from flake8_tensorbranch.source import SourceFile
from tests.trees import put_project

ALL = Settings(enable=("TBR",))
WORDS = ALL.gate_words
Files = dict[str, str]
LIB = """\
def grow(t, most):
    if t > most:
        t = t / 2
    return t


def rising(t):
    assert t > 0


class Scale:
    def apply(self, t):
        return 1 if t > 2 else 2
"""
USE = """\
import torch
from lib import Scale, grow, rising


def use(x: torch.Tensor):
    rising(x.min())
    Scale().apply(x.sum())
    return grow(x.max(), 3)
"""
FOUND = [(2, "TBR101"), (8, "TBR105"), (13, "TBR103")]


def findings(folder: Path, name: str, project: Project) -> list[tuple[int, str]]:
    path = folder / name
    found = check_source(SourceFile(str(path), path.read_text()), ALL, project=project)
    return [(item.line, item.code) for item in found]


def asked(folder: Path, files: Files, name: str) -> list[str]:
    put_project(folder, files)
    return [str(Path(p).relative_to(folder)) for p in importers(Finder(), str(folder / name), ["grow"])]


CASES: dict[str, tuple[Files, str, list[str]]] = {
    "beside": ({"lib.py": LIB, "use.py": USE}, "lib.py", ["use.py"]),
    "only text": ({"lib.py": LIB, "use.py": "x = 'lib grow'\n"}, "lib.py", []),
    "another name": ({"lib.py": LIB, "use.py": "from lib import rising\n"}, "lib.py", []),
    "another lib": ({"lib.py": LIB, "p/__init__.py": "", "p/lib.py": LIB, "use.py": USE}, "p/lib.py", []),
    "relative": ({"p/__init__.py": "", "p/lib.py": LIB, "p/use.py": "from .lib import grow"}, "p/lib.py", ["p/use.py"]),
    "above": ({"p/__init__.py": "", "p/lib.py": LIB, "use.py": "from p.lib import grow\n"}, "p/lib.py", ["use.py"]),
    "through the package": (
        {"p/__init__.py": "from .lib import *\n", "p/lib.py": LIB, "use.py": "import p\np.grow(1, 2)\n"},
        "p/lib.py",
        ["use.py"],
    ),
    "of a package": ({"p/__init__.py": LIB, "use.py": "from p import grow\n"}, "p/__init__.py", ["use.py"]),
    "a large file": ({"lib.py": LIB, "use.py": USE + "#" * MOST_BYTES}, "lib.py", []),
    "a catalogue": ({**{f"m{n}.py": USE for n in range(MOST_NEIGHBOURS)}, "lib.py": LIB}, "lib.py", []),
    "many": (
        {**{f"m{n}.py": USE for n in range(9)}, "lib.py": LIB},
        "lib.py",
        [f"m{n}.py" for n in range(MOST_IMPORTERS)],
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_which_files_import_a_module(tmp_path: Path, name: str) -> None:
    files, module, expected = CASES[name]
    assert asked(tmp_path, files, module) == expected


def test_what_other_files_pass_is_found(tmp_path: Path) -> None:
    put_project(tmp_path, {"lib.py": LIB})
    assert findings(tmp_path, "lib.py", Project()) == []
    put_project(tmp_path, {"use.py": USE})
    assert findings(tmp_path, "lib.py", Project()) == FOUND


@pytest.mark.parametrize(
    "use",
    [
        "import torch\nfrom lib import grow\n\n\ndef use(x):\n    return grow(x, 3)\n",
        "import torch\nfrom lib import grow\n\n\ndef use(x: int):\n    return grow([x], 3)\n",
        "import torch\nfrom lib import grow\n\n\ndef use(grow, x: torch.Tensor):\n    return grow(x, 3)\n",
        "import torch\nfrom lib import rising\n\n\ndef grow(t, most):\n    1\n\n\ngrow(torch.ones(3), 3)\n",
        "import torch\nfrom lib import grow\nx = (\n",
    ],
    ids=["unknown", "plain", "shadowed", "another function", "no Python"],
)
def test_calls_that_tell_nothing(tmp_path: Path, use: str) -> None:
    put_project(tmp_path, {"lib.py": "# torch\n" + LIB, "use.py": use})
    assert findings(tmp_path, "lib.py", Project()) == []


def test_a_declared_parameter_is_not_overruled(tmp_path: Path) -> None:
    declared = "import torch\n" + LIB.replace("def grow(t, most)", "def grow(t: list, most)")
    put_project(
        tmp_path, {"lib.py": declared, "use.py": USE.replace("rising(x.min())", "pass").replace("Scale().", "x.")}
    )
    assert findings(tmp_path, "lib.py", Project()) == []


RING: Files = {
    "p/__init__.py": "from .a import first\nfrom .b import *\n",
    "p/a.py": "import torch\nfrom . import b\n\n\n"
    "def first(x: torch.Tensor, n):\n    if b.second(x, n):\n        x = x * 2\n"
    "    return third(x)\n\n\ndef third(y):\n    return 1 if y > 0 else 2\n",
    "p/b.py": "from .a import third\n\n\ndef second(x, n):\n    if x.max() > n:\n        x = third(x)\n    return x\n",
    "run.py": "import torch\nfrom p import first\n\n\ndef run(x: torch.Tensor):\n    return first(x, x.sum())\n",
    "lib.py": LIB,
    "use.py": USE,
}


def test_the_order_of_files_changes_nothing(tmp_path: Path) -> None:
    put_project(tmp_path, RING)
    alone = {name: findings(tmp_path, name, Project()) for name in RING}
    assert alone["lib.py"] == FOUND
    assert alone["p/a.py"]
    assert alone["p/b.py"]
    for order in itertools.islice(itertools.permutations(RING), 0, None, 97):
        project = Project()
        assert {name: findings(tmp_path, name, project) for name in (*order, *order)} == alone


def test_a_host_that_lives_on_sees_callers_come_change_and_go(tmp_path: Path) -> None:
    put_project(tmp_path, {"lib.py": "# torch\n" + LIB})
    project = Project()
    shifted = [(line + 1, code) for line, code in FOUND]
    for text, expected in ((None, []), (USE, shifted), ("import torch\nimport lib\n", []), (USE, shifted)):
        if text is not None:
            put_project(tmp_path, {"use.py": text})
        project.look_again()
        assert findings(tmp_path, "lib.py", project) == expected
    (tmp_path / "use.py").unlink()
    project.look_again()
    assert findings(tmp_path, "lib.py", project) == []


def test_helpers_of_torch_code_pass_the_gate(tmp_path: Path) -> None:
    put_project(tmp_path, {"lib.py": LIB, "other.py": LIB, "plain.py": "from other import grow\n", "use.py": USE})
    finder = Finder()
    sources = [SourceFile(str(tmp_path / name), LIB) for name in ("lib.py", "other.py")]
    assert [concerned(source, WORDS, finder) for source in sources] == [True, False]
    empty = SourceFile(str(tmp_path / "lib.py"), "X = 1\n")
    assert not concerned(empty, WORDS, finder)
