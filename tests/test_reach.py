"""The gate for files that never say torch: what their imports lead to decides, by content alone, and at little cost."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from flake8_tensorbranch.check import check_source
from flake8_tensorbranch.gate import begin_run, passes
from flake8_tensorbranch.modules import Finder
from flake8_tensorbranch.project import Project
from flake8_tensorbranch.reach import MOST_FILES, MOST_HOPS, imports, reaches
from flake8_tensorbranch.settings import Settings
from flake8_tensorbranch.source import SourceFile
from tests.trees import put_project

WORDS = Settings().gate_words
TENSORS = "import torch\n\n\ndef make():\n    return torch.ones(3)\n"
PLAIN = "def make():\n    return 3\n"
USER = "from {} import {}\n\nif make():\n    pass\n"
Files = dict[str, str]


def asked(folder: Path, files: Files, name: str = "main.py", finder: Finder | None = None) -> bool:
    put_project(folder, files)
    return reaches(SourceFile(str(folder / name), files[name]), WORDS, finder or Finder())


USE = "if make():\n    pass\n"
CASES: dict[str, tuple[Files, bool]] = {
    "a module": ({"lib.py": TENSORS, "main.py": USER.format("lib", "make")}, True),
    "a module without torch": ({"lib.py": PLAIN, "main.py": USER.format("lib", "make")}, False),
    "import": ({"lib.py": TENSORS, "main.py": "import os, lib as l\nif l.make():\n    pass\n"}, True),
    "a dotted import": ({"p/__init__.py": "", "p/m.py": TENSORS, "main.py": "import p.m\nmake() or 1\n"}, True),
    "names in brackets": ({"lib.py": TENSORS, "main.py": f"from lib import (  # all\n    make,\n)\n{USE}"}, True),
    "inside a function": ({"lib.py": TENSORS, "main.py": "def f():\n    from lib import make\n"}, True),
    "inside src": ({"src/lib.py": TENSORS, "main.py": USER.format("lib", "make")}, True),
    "a submodule": ({"p/__init__.py": "", "p/m.py": TENSORS, "main.py": f"from p import m\n{USE}"}, True),
    "a re-export": (
        {"p/__init__.py": "from .m import make\n", "p/m.py": TENSORS, "main.py": USER.format("p", "make")},
        True,
    ),
    "a re-export of a re-export": (
        {
            "p/__init__.py": "from .q import *\n",
            "p/q/__init__.py": "from .m import make\n",
            "p/q/m.py": TENSORS,
            "main.py": USER.format("p", "make"),
        },
        True,
    ),
    "farther than is looked": (
        {
            **{f"m{n}.py": f"from m{n + 1} import make\n" for n in range(MOST_HOPS)},
            f"m{MOST_HOPS}.py": TENSORS,
            "main.py": USER.format("m0", "make"),
        },
        False,
    ),
    "a ring": ({"lib.py": "import main\n" + PLAIN, "main.py": USER.format("lib", "make")}, False),
    "of itself": ({"main.py": USER.format("main", "make")}, False),
    "beyond the root": ({"main.py": USER.format("..lib", "make")}, False),
    "outside of the project": ({"main.py": USER.format("json", "loads")}, False),
    "a missing module": ({"main.py": USER.format("missing", "make")}, False),
    "nothing to decide": ({"lib.py": TENSORS, "main.py": "from lib import make\n\n__all__ = ['make']\n"}, False),
    "undecodable": ({"lib.py": "\udcff", "main.py": USER.format("lib", "make")}, False),
}


@pytest.mark.parametrize("name", CASES)
def test_what_imports_lead_to(tmp_path: Path, name: str) -> None:
    files, expected = CASES[name]
    if name == "undecodable":
        (tmp_path / "lib.py").write_bytes(b"\xff\n")
        files = {"main.py": files["main.py"]}
    assert asked(tmp_path, files) is expected


def test_relative_imports_start_where_the_file_is(tmp_path: Path) -> None:
    files = {
        "p/__init__.py": "",
        "p/m.py": TENSORS,
        "p/q/__init__.py": "",
        "p/q/one.py": "from .. import m\nif m.make():\n    1\n",
        "p/q/two.py": "from ..m import make\nif make():\n    1\n",
        "p/q/three.py": "from .m import make\nif make():\n    1\n",
    }
    finder = Finder()
    assert [asked(tmp_path, files, f"p/q/{name}.py", finder) for name in ("one", "two", "three")] == [True, True, False]


def test_a_file_looks_at_a_bounded_number_of_others(tmp_path: Path) -> None:
    count = MOST_FILES + 5
    files = {f"m{n:03}.py": PLAIN for n in range(count)}
    files["m000.py"] = TENSORS
    names = [f"from m{n:03} import make\n" for n in range(count)]
    assert asked(tmp_path, {**files, "main.py": "".join(names) + "make() or 1\n"})
    assert not asked(tmp_path, {**files, "main.py": "".join(reversed(names)) + "make() or 1\n"})


def test_import_lines() -> None:
    text = "from .a import (b as c,\n  d)  # e\nfrom . import *\nimport f.g as h, i\n#import j\nx = 'import k'\n"
    assert [tuple(item) for item in imports(text)] == [
        (1, "a", ("b", "d")),
        (1, "", ("*",)),
        (0, "f.g", ()),
        (0, "i", ()),
    ]


def test_configured_words_count(tmp_path: Path) -> None:
    put_project(tmp_path, {"lib.py": "import jax\n"})
    source = SourceFile(str(tmp_path / "main.py"), USER.format("lib", "make"))
    finder = Finder()
    assert not reaches(source, WORDS, finder)
    assert reaches(source, (*WORDS, "jax"), finder)
    assert not reaches(source, WORDS, finder)


def test_a_process_that_lives_on_sees_the_file_change(tmp_path: Path) -> None:
    source = SourceFile(str(tmp_path / "main.py"), USER.format("lib", "make"))
    for text in (PLAIN, TENSORS, PLAIN + "# more\n"):
        put_project(tmp_path, {"lib.py": text})
        begin_run()
        assert passes(source, Settings()) is ("torch" in text)
    (tmp_path / "lib.py").unlink()
    put_project(tmp_path, {"lib/__init__.py": TENSORS})
    begin_run()
    assert passes(source, Settings())


def test_findings(tmp_path: Path) -> None:
    files = {
        "base.py": "from torch import nn\n\n\nclass Base(nn.Module):\n    def norm(self, x):\n"
        "        return x.detach().norm()\n",
        "main.py": "from base import Base\n\n\nclass Net(Base):\n    def forward(self, x):\n"
        "        y = self.norm(x)\n        if y > 1:\n            y = y / 2\n        return y\n",
    }
    put_project(tmp_path, files)
    source = SourceFile(str(tmp_path / "main.py"), files["main.py"])
    found = check_source(source, Settings(), project=Project())
    assert [(item.line, item.code) for item in found] == [(7, "TBR101")]


PROCESS = """
import sys
sys.path.insert(0, {package!r})
from flake8_tensorbranch.gate import analyse
from flake8_tensorbranch.settings import Settings
from flake8_tensorbranch.source import SourceFile
print(analyse(SourceFile({path!r}, open({path!r}).read()), Settings()), "astroid" in sys.modules)
"""


@pytest.mark.parametrize(("text", "imported"), [(PLAIN, False), (TENSORS, True)])
def test_the_analysis_is_imported_only_where_torch_is_reached(tmp_path: Path, text: str, imported: bool) -> None:
    put_project(tmp_path, {"lib.py": text, "main.py": "from lib import make\n\n\ndef f():\n    return make() or 1\n"})
    package = str(Path(__file__).parents[1])
    program = PROCESS.format(package=package, path=str(tmp_path / "main.py"))
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.split()[-1] == str(imported)
