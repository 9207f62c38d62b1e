"""Files read earlier in a process are read anew when they have changed, in whatever way a change can hide."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from flake8_tensorbranch import disk as module
from flake8_tensorbranch import modules
from flake8_tensorbranch.check import check_source
from flake8_tensorbranch.disk import MAX_BYTES, Change, Disk
from flake8_tensorbranch.project import Project
from flake8_tensorbranch.settings import Settings
from flake8_tensorbranch.source import SourceFile

TENSOR = "def helper(x):\n    return x.sum() > 0\n"
PLAIN = "def helper(x):\n    return len(x) > 0\n"
MAIN = """\
import torch

from lib import helper


def run(x: torch.Tensor) -> torch.Tensor:
    if helper(x):
        x = x * 2
    return x
"""


def write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)


@pytest.fixture
def old(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every time stamp counts as old enough to be trusted."""
    monkeypatch.setattr(module, "YOUNG", -(10**18))


@pytest.mark.usefixtures("old")
def test_what_stays_is_not_read_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(tmp_path / "a.py", "x")
    disk = Disk()
    assert disk.read(str(tmp_path / "a.py")) == b"x"
    assert disk.names(str(tmp_path)) == {"a.py"}
    assert disk.markers(str(tmp_path)) == set()
    monkeypatch.setattr(module, "_content", pytest.fail)
    monkeypatch.setattr(module, "_ASK", {})
    assert disk.changed() == []
    assert disk.names(str(tmp_path)) == {"a.py"}


def replace(path: Path) -> None:
    path.with_suffix(".tmp").write_text("y")
    path.with_suffix(".tmp").replace(path)


CHANGES: dict[str, Callable[[Path], object]] = {
    "longer": lambda path: path.write_text("xx"),
    "replaced, as editors save": replace,
    "gone": lambda path: path.unlink(),
    "a folder": lambda path: (path.unlink(), path.mkdir()),
    "too large": lambda path: os.truncate(path, MAX_BYTES + 1),
}  # fmt: skip


@pytest.mark.usefixtures("old")
@pytest.mark.parametrize("name", CHANGES)
def test_a_changed_file_is_told_once(tmp_path: Path, name: str) -> None:
    path = tmp_path / "a.py"
    write(path, "x")
    disk = Disk()
    disk.read(str(path))
    CHANGES[name](path)
    assert disk.changed() == [Change("content", str(path))]
    assert disk.changed() == []


def test_a_young_file_is_compared_by_content(tmp_path: Path) -> None:
    path = tmp_path / "a.py"
    write(path, "x")
    disk = Disk()
    disk.read(str(path))
    before = os.stat(path)
    # Same size, times and inode, as for two changes within one tick of the file system's clock.
    pretended = (before.st_size, before.st_mtime_ns, before.st_ctime_ns, before.st_ino)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "_stamp", lambda _: pretended)
        assert disk.changed() == []
        path.write_text("y")
        assert disk.changed() == [Change("content", str(path))]


@pytest.mark.usefixtures("old")
def test_a_file_that_appears_and_a_folder_that_fills(tmp_path: Path) -> None:
    disk = Disk()
    assert disk.read(str(tmp_path / "a.py")) is None
    assert disk.names(str(tmp_path)) == set()
    assert disk.names(str(tmp_path / "none")) == set()
    assert disk.markers(str(tmp_path)) == set()
    write(tmp_path / "data.txt", "")
    assert disk.changed() == []
    write(tmp_path / "a.py", "x")
    write(tmp_path / ".git" / "x", "")
    assert {(change.kind, Path(change.path).name) for change in disk.changed()} == {
        ("content", "a.py"),
        ("names", tmp_path.name),
        ("markers", tmp_path.name),
    }
    disk.forget()
    assert disk.changed() == []


@pytest.fixture
def root(tmp_path: Path) -> Path:
    write(tmp_path / "setup.cfg", "")
    write(tmp_path / "main.py", MAIN)
    return tmp_path


def found(project: Project, root: Path, text: str = MAIN, name: str = "main.py") -> list[tuple[int, str]]:
    source = SourceFile(str(root / name), text)
    return [(item.line, item.code) for item in check_source(source, Settings(), project=project)]


STEPS: dict[str, list[tuple[dict[str, str | None], bool]]] = {
    "a helper changes": [({"lib.py": PLAIN}, False), ({"lib.py": TENSOR}, True), ({"lib.py": PLAIN}, False)],
    "a helper of the helper changes": [
        ({"lib.py": "from low import helper\n", "low.py": PLAIN}, False),
        ({"low.py": TENSOR}, True),
        ({"low.py": "def helper(x):\n"}, False),
        ({"low.py": TENSOR}, True),
    ],
    "a helper appears and goes": [({}, False), ({"lib.py": TENSOR}, True), ({"lib.py": None}, False)],
    "a package comes before a module": [({"lib.py": TENSOR}, True), ({"lib/__init__.py": PLAIN}, False)],
    "a package grows": [
        ({"lib/__init__.py": "from lib.deep import helper\n"}, False),
        ({"lib/deep.py": TENSOR}, True),
        ({"lib/deep.py": None, "lib/deep/__init__.py": TENSOR}, True),
    ],
    "a class's attribute": [
        (
            {"lib.py": "from low import A\n\n\ndef helper(x):\n    return A().a\n", "low.py": "class A:\n    a = 1\n"},
            False,
        ),
        ({"low.py": "import torch\n\n\nclass A:\n    a = torch.ones(1)\n"}, True),
    ],
}  # fmt: skip


@pytest.mark.parametrize("name", STEPS)
def test_a_changed_project_gives_what_a_new_process_would(root: Path, name: str) -> None:
    project = Project()
    for change, expected in STEPS[name]:
        for path, text in change.items():
            if text is None:
                (root / path).unlink()
            else:
                write(root / path, text)
        project.look_again()
        assert found(project, root) == found(Project(), root) == ([(7, "TBR101")] if expected else [])


def test_a_marker_that_appears_moves_the_root(tmp_path: Path) -> None:
    (tmp_path / "lib.py").write_text(TENSOR)
    write(tmp_path / "deep" / "main.py", MAIN)
    project = Project()
    assert found(project, tmp_path, name="deep/main.py") == []
    write(tmp_path / "pyproject.toml", "")
    project.look_again()
    assert found(project, tmp_path, name="deep/main.py") == [(7, "TBR101")]


def test_without_being_told_a_project_looks_again_after_a_while(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    project = Project()
    write(root / "lib.py", PLAIN)
    assert found(project, root) == []
    write(root / "lib.py", TENSOR)
    now = time.monotonic()
    monkeypatch.setattr(modules.time, "monotonic", lambda: now + 10)
    assert found(project, root) == [(7, "TBR101")]


RING = "from main import run\n\n\ndef helper(x):\n    return run(x)\n"
MAKES = "import torch\n\nimport lib\n\n\ndef run(x: torch.Tensor):\n    return {}\n\n\ndef go(x: torch.Tensor):\n    if lib.helper(x):\n        x = x * 2\n    return x\n"  # noqa: E501


@pytest.mark.parametrize("first", ["main.py", "lib.py", None])
def test_an_unsaved_text_is_seen_through_imports_and_leaves_no_trace(root: Path, first: str | None) -> None:
    saved, unsaved = MAKES.format("3"), MAKES.format("x.sum() > 0")
    write(root / "lib.py", RING)
    write(root / "main.py", saved)
    project = Project()
    if first:
        found(project, root, (root / first).read_text() + "# torch\n", first)
    for _ in range(2):
        assert found(project, root, saved) == []
        assert found(project, root, unsaved) == [(11, "TBR101")]
        user = "import torch\nfrom main import go, run\n\n\ndef f(x: torch.Tensor):\n    if run(x):\n        x = x * 2\n    return x\n"  # noqa: E501
        assert found(project, root, user, "user.py") == []
    write(root / "main.py", unsaved)
    project.look_again()
    assert found(project, root, user, "user.py") == [(6, "TBR101")]
    assert found(project, root, saved) == []


def test_forgotten_text_is_counted_for_the_collector(root: Path) -> None:
    project = Project()
    write(root / "lib.py", TENSOR)
    found(project, root)
    assert project.take_dropped() == 0
    write(root / "lib.py", PLAIN + PLAIN)
    project.look_again()
    assert project.take_dropped() == len(TENSOR)
    found(project, root)
    project.refresh()
    assert project.take_dropped() == 2 * len(PLAIN)
    assert project.take_dropped() == 0


@pytest.mark.usefixtures("old")
def test_a_content_is_kept_until_it_is_told_to_have_changed(tmp_path: Path) -> None:
    path = tmp_path / "a.py"
    write(path, "x")
    disk = Disk()
    first = disk.read(str(path))
    assert disk.read(str(path)) is first
    write(path, "xx")
    assert disk.changed() == [Change("content", str(path))]
    assert disk.read(str(path)) == b"xx"
    disk.forget()
    write(path, "xxx")
    assert disk.read(str(path)) == b"xxx"


@pytest.mark.usefixtures("old")
def test_contents_read_longest_ago_are_let_go(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "HELD_BYTES", 5)
    disk = Disk()
    for name in ("a.py", "b.py"):
        write(tmp_path / name, "xx")
        disk.read(str(tmp_path / name))
    disk.read(str(tmp_path / "a.py"))
    write(tmp_path / "c.py", "xx")
    disk.read(str(tmp_path / "c.py"))
    asked: list[str] = []
    monkeypatch.setattr(module, "_content", lambda path: asked.append(Path(path).name))
    for name in ("a.py", "b.py", "c.py"):
        disk.read(str(tmp_path / name))
    assert asked == ["b.py"]
