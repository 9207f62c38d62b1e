"""Who imports a function of a package by name: which files are looked at, and that a change is seen."""

from __future__ import annotations

from pathlib import Path

import pytest

from flake8_tensorbranch.cousins import MOST_FILES, Cousins
from flake8_tensorbranch.modules import Finder
from tests.trees import put_project

USE = "from ..ops.series import terms, order as first\n"
INITS = {"p/__init__.py": "", "p/ops/__init__.py": "", "p/ops/series.py": "", "p/data/__init__.py": ""}
Files = dict[str, str]
CASES: dict[str, tuple[Files, list[str]]] = {
    "a package beside": ({"p/data/use.py": USE}, ["p/data/use.py"]),
    "the same package": ({"p/ops/use.py": "from .series import (\n    terms,  # all\n)\n"}, ["p/ops/use.py"]),
    "the package above": ({"p/use.py": "from p.ops.series import terms\n"}, ["p/use.py"]),
    "under another name": ({"p/data/use.py": "from p.ops.series import terms as all_terms\n"}, ["p/data/use.py"]),
    "another function": ({"p/data/use.py": "from ..ops.series import order\n"}, []),
    "the module": ({"p/data/use.py": "from ..ops import series\nseries.terms()\n"}, []),
    "no package": ({"p/loose/use.py": USE}, []),
    "further below": ({"p/data/more/__init__.py": "", "p/data/more/use.py": USE}, []),
    "outside": ({"use.py": "from p.ops.series import terms\n"}, []),
    "too many": ({f"p/data/m{n}.py": USE for n in range(MOST_FILES)}, []),
    "itself": ({"p/ops/series.py": "from .series import terms\n"}, []),
}


def asked(folder: Path, cousins: Cousins) -> list[str]:
    found = cousins.importing(str(folder / "p/ops/series.py"), ["terms"])
    return [str(Path(path).relative_to(folder)) for path in found]


@pytest.mark.parametrize("name", CASES)
def test_which_files_import_a_function(tmp_path: Path, name: str) -> None:
    files, expected = CASES[name]
    put_project(tmp_path, INITS | files)
    assert asked(tmp_path, Cousins(Finder())) == expected


def test_a_changed_file_is_read_again(tmp_path: Path) -> None:
    put_project(tmp_path, INITS | {"p/data/a.py": USE, "p/data/b.py": ""})
    finder = Finder()
    cousins = Cousins(finder)
    assert asked(tmp_path, cousins) == ["p/data/a.py"]
    (tmp_path / "p/data/b.py").write_text(USE * 2)
    finder.look_again()
    assert asked(tmp_path, cousins) == ["p/data/a.py", "p/data/b.py"]
    (tmp_path / "p/data/a.py").unlink()
    finder.look_again()
    assert asked(tmp_path, cousins) == ["p/data/b.py"]


def test_what_is_forgotten_is_read_again(tmp_path: Path) -> None:
    put_project(tmp_path, INITS | {"p/data/a.py": ""})
    finder = Finder()
    cousins = Cousins(finder)
    assert asked(tmp_path, cousins) == []
    (tmp_path / "p/data/a.py").write_text(USE)
    finder.forget()
    cousins.forget()
    assert asked(tmp_path, cousins) == ["p/data/a.py"]
