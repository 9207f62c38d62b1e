"""The project around the file under check: which module an import means, and its index, cached by content."""

from __future__ import annotations

import os
import tokenize
from collections import OrderedDict
from pathlib import Path
from typing import TYPE_CHECKING, Final

from flake8_tensorbranch.syntax.names import ModuleIndex
from flake8_tensorbranch.syntax.tree import TreeError, build_module
from flake8_tensorbranch.syntax.walk import index_module

if TYPE_CHECKING:
    import ast

MARKERS: Final = ("pyproject.toml", "setup.cfg", "setup.py", ".git", "tox.ini")
MAX_MODULES: Final = 600  # parsed modules kept; the least recently used go first
MAX_BYTES: Final = 2_000_000  # a larger file is not read for its summaries


class Place:
    """Where a file sits: the folder its absolute imports start from, and its dotted name there."""

    __slots__ = ("is_package", "name", "roots", "top")

    def __init__(self, path: str, src: tuple[str, ...] = ()) -> None:
        file = Path(path)
        self.is_package = file.name == "__init__.py"
        parts = [] if self.is_package else [file.stem]
        folder = file.parent
        while (folder / "__init__.py").is_file() and folder.parent != folder:
            parts.insert(0, folder.name)
            folder = folder.parent
        self.name = ".".join(parts) or file.stem
        self.top = parts[0] if len(parts) > 1 or self.is_package else ""
        self.roots: list[tuple[str, str]] = []  # (folder, the one top-level name allowed there; "" for any)
        root = _project_root(folder)
        if "site-packages" in folder.parts or "dist-packages" in folder.parts or (root is None and not src):
            # An installed package is its own root: nothing beside it is first-party.
            self.roots.append((str(folder), self.top))
            return
        self.roots.append((str(folder), ""))
        for extra in map(Path, src) if src or root is None else (root / "src", root):
            if str(extra) not in [r for r, _ in self.roots] and extra.is_dir():
                self.roots.append((str(extra), ""))


def _project_root(folder: Path) -> Path | None:
    for up in (folder, *folder.parents):
        for marker in MARKERS:
            if (up / marker).exists():
                return up
    return None


class Project:
    """Resolves imports inside the project root and keeps parsed modules.

    What is read here is a function of the files' content alone: the same answers whichever file is checked first. Other
    files are read once per process; `refresh` forgets them when a long-lived host learns of a change.
    """

    def __init__(self, src: tuple[str, ...] = ()) -> None:
        """`src` are absolute folders that imports start from, instead of the project's root and its `src`."""
        self._src = src
        self._modules: OrderedDict[str, ModuleIndex | None] = OrderedDict()
        self._places: dict[str, Place] = {}
        self._found: dict[tuple[str, str], str | None] = {}
        self._dirs: dict[str, frozenset[str]] = {}

    def refresh(self) -> None:
        """Forget every file read so far."""
        self._modules.clear()
        self._places.clear()
        self._found.clear()
        self._dirs.clear()

    def place(self, path: str) -> Place:
        """Where the file sits in the project."""
        folder = os.path.abspath(path)
        place = self._places.get(folder)
        if place is None:
            place = self._places[folder] = Place(folder, self._src)
        return place

    def index(self, path: str, text: str, tree: ast.Module | None = None) -> ModuleIndex:
        """The index of the file under check, from the text and tree given, not from disk.

        Raises `TreeError` when no tree can be built.
        """
        full = os.path.abspath(path)
        known = self._modules.get(full)
        if known is not None and known.text == text:
            return known
        place = self.place(path)
        index = index_module(build_module(text, path, tree, place.name), path, place.name, place.is_package, text)
        if full in self._modules:
            self._modules[full] = index
        return index

    def load(self, importer: ModuleIndex, name: str) -> ModuleIndex | None:
        """The index of the first-party module `name` (absolute, dotted) as `importer` sees it; None if it is none."""
        path = self.find(importer, name)
        return None if path is None else self._read(path)

    def find(self, importer: ModuleIndex, name: str) -> str | None:
        """The file of the first-party module `name`, without reading it."""
        place = self.place(importer.path)
        for root, only in place.roots:
            if only and name.split(".", 1)[0] != only:
                continue
            if not only and root != place.roots[0][0] and name.split(".", 1)[0] in _NEVER_LOCAL:
                continue
            key = (root, name)
            if key not in self._found:
                self._found[key] = self._search(root, name)
            if self._found[key] is not None:
                return self._found[key]
        return None

    def is_namespace(self, importer: ModuleIndex, name: str) -> bool:
        """True for a folder without `__init__.py` that holds first-party modules."""
        for root, only in self.place(importer.path).roots:
            if (not only or name.split(".", 1)[0] == only) and os.path.isdir(os.path.join(root, *name.split("."))):
                return True
        return False

    def _names(self, folder: str) -> frozenset[str]:
        names = self._dirs.get(folder)
        if names is None:
            try:
                names = frozenset(os.listdir(folder))
            except OSError:
                names = frozenset()
            self._dirs[folder] = names
        return names

    def _search(self, root: str, name: str) -> str | None:
        *packages, last = name.split(".")
        folder = root
        for part in packages:
            if part not in self._names(folder):
                return None
            folder = os.path.join(folder, part)
        names = self._names(folder)
        if last in names and "__init__.py" in self._names(os.path.join(folder, last)):
            return os.path.join(folder, last, "__init__.py")
        if f"{last}.py" in names:
            return os.path.join(folder, f"{last}.py")
        return None

    def _read(self, path: str) -> ModuleIndex | None:
        full = os.path.abspath(path)
        if full in self._modules:
            self._modules.move_to_end(full)
            return self._modules[full]
        index: ModuleIndex | None = None
        try:
            if os.path.getsize(path) <= MAX_BYTES:
                with tokenize.open(path) as file:
                    text = file.read().removeprefix("\ufeff")
                place = self.place(path)
                index = index_module(
                    build_module(text, path, None, place.name), path, place.name, place.is_package, text
                )
        except (OSError, SyntaxError, ValueError, TreeError, RecursionError):
            index = None  # another file's fault is that file's to report
        self._modules[full] = index
        while len(self._modules) > MAX_MODULES:
            self._modules.popitem(last=False)
        return index


_NEVER_LOCAL: Final = frozenset(
    {"torch", "numpy", "math", "typing", "functools", "collections", "os", "sys", "random", "time"}
)
