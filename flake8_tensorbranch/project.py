"""The project around the file under check: which module an import means, and its index, cached by content."""

from __future__ import annotations

import os
import time
from collections import OrderedDict
from typing import TYPE_CHECKING, Final

from flake8_tensorbranch.disk import MARKERS, PACKAGE, Disk
from flake8_tensorbranch.source import SourceFile
from flake8_tensorbranch.syntax.names import ModuleIndex
from flake8_tensorbranch.syntax.tree import TreeError, build_module
from flake8_tensorbranch.syntax.walk import index_module

if TYPE_CHECKING:
    import ast

MAX_MODULES: Final = 600  # parsed modules kept; the least recently used go first
LOOK_AGAIN: Final = 1.0  # seconds after which files read may have changed


class Place:
    """Where a file sits: the folder its absolute imports start from, and its dotted name there."""

    __slots__ = ("is_package", "name", "roots", "top")

    def __init__(self, path: str, disk: Disk, src: tuple[str, ...] = ()) -> None:
        folder, name = os.path.split(path)
        stem = os.path.splitext(name)[0]
        self.is_package = name == PACKAGE
        parts = [] if self.is_package else [stem]
        while PACKAGE in disk.markers(folder) and os.path.dirname(folder) != folder:
            folder, name = os.path.split(folder)
            parts.insert(0, name)
        self.name = ".".join(parts) or stem
        self.top = parts[0] if len(parts) > 1 or self.is_package else ""
        self.roots: list[tuple[str, str]] = []  # (folder, the one top-level name allowed there; "" for any)
        root = _project_root(folder, disk)
        if {"site-packages", "dist-packages"} & {*folder.split(os.sep)} or (root is None and not src):
            # An installed package is its own root: nothing beside it is first-party.
            self.roots.append((folder, self.top))
            return
        self.roots.append((folder, ""))
        for extra in src if src or root is None else (os.path.join(root, "src"), root):
            if extra not in [r for r, _ in self.roots] and os.path.isdir(extra):
                self.roots.append((extra, ""))


def _project_root(folder: str, disk: Disk) -> str | None:
    while not disk.markers(folder) & {*MARKERS}:
        folder, below = os.path.dirname(folder), folder
        if folder == below:
            return None
    return folder


class Project:
    """Resolves imports inside the project root and keeps parsed modules.

    What is read here is a function of the files' content alone: the same answers whichever file is checked first. Of
    the file under check that is the text given, for it and for all that import it, until the next check begins; other
    files are read once, and again when `look_again` finds them changed.
    """

    def __init__(self, src: tuple[str, ...] = ()) -> None:
        """`src` are absolute folders that imports start from, instead of the project's root and its `src`."""
        self._src = src
        self._disk = Disk()
        self._modules: OrderedDict[str, ModuleIndex | None] = OrderedDict()
        self._places: dict[str, Place] = {}
        self._found: dict[tuple[str, str], str | None] = {}
        self._mentioned: dict[tuple[str, tuple[str, ...]], bool] = {}
        self._texts: dict[str, int] = {}  # the hash of what others have seen of a file
        self._checked: tuple[str, ModuleIndex] | None = None
        self._unsaved = False  # whether others have seen a text of the file under check that is not the disk's
        self._looked = time.monotonic()
        self._dropped = 0

    def refresh(self) -> None:
        """Forget every file read so far."""
        self._dropped += sum(len(index.text) for index in self._modules.values() if index is not None)
        self._disk.forget()
        self._modules.clear()
        self._places.clear()
        self._found.clear()
        self._mentioned.clear()
        self._texts.clear()
        self._checked = None
        self._unsaved = False

    def look_again(self) -> None:
        """Forget what the disk no longer holds; a host that lives on calls this before each of its runs."""
        changes = self._disk.changed()
        if any(change.kind != "content" for change in changes):
            self.refresh()
        else:
            for _, path in changes:
                self._drop(path)
        self._looked = time.monotonic()

    def take_dropped(self) -> int:
        """How many characters of source text were forgotten since the last call: their trees can be collected."""
        dropped, self._dropped = self._dropped, 0
        return dropped

    def _drop(self, path: str) -> None:
        """Forget one file, and what others have concluded from it."""
        index = self._modules.pop(path, None)
        self._dropped += 0 if index is None else len(index.text)
        self._texts.pop(path, None)
        self._mentioned = {key: value for key, value in self._mentioned.items() if key[0] != path}
        for other in self._modules.values():
            if other is not None:
                other.memo.clear()

    def place(self, path: str) -> Place:
        """Where the file sits in the project."""
        folder = os.path.abspath(path)
        place = self._places.get(folder)
        if place is None:
            place = self._places[folder] = Place(folder, self._disk, self._src)
        return place

    def index(self, path: str, text: str, tree: ast.Module | None = None) -> ModuleIndex:
        """The index of the file under check, from the text and tree given, not from disk.

        Raises `TreeError` when no tree can be built.
        """
        if time.monotonic() - self._looked > LOOK_AGAIN:
            self.look_again()
        if self._unsaved and self._checked is not None:
            self._drop(self._checked[0])
        self._checked, self._unsaved = None, False
        full = os.path.abspath(path)
        known = self._modules.get(full)
        if known is not None and known.text == text:
            return known
        if self._texts.get(full, hash(text)) != hash(text):
            self._drop(full)
        place = self.place(path)
        index = index_module(build_module(text, path, tree, place.name), path, place.name, place.is_package, text)
        self._checked = full, index
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

    def mentions(self, path: str, words: tuple[str, ...]) -> bool:
        """Whether the file of a first-party module, which need not have been read yet, holds any of the words."""
        full = os.path.abspath(path)
        if (full, words) not in self._mentioned:
            text = self._text(full) or ""
            self._mentioned[full, words] = any(word in text for word in words)
        return self._mentioned[full, words]

    def is_namespace(self, importer: ModuleIndex, name: str) -> bool:
        """True for a folder without `__init__.py` that holds first-party modules."""
        for root, only in self.place(importer.path).roots:
            if (not only or name.split(".", 1)[0] == only) and os.path.isdir(os.path.join(root, *name.split("."))):
                return True
        return False

    def _search(self, root: str, name: str) -> str | None:
        *packages, last = name.split(".")
        folder = root
        for part in packages:
            if part not in self._disk.names(folder):
                return None
            folder = os.path.join(folder, part)
        names = self._disk.names(folder)
        if last in names and "__init__.py" in self._disk.names(os.path.join(folder, last)):
            return os.path.join(folder, last, "__init__.py")
        if f"{last}.py" in names:
            return os.path.join(folder, f"{last}.py")
        return None

    def _text(self, full: str) -> str | None:
        """What others see of a file: of the file under check the text given, else the disk's; None if unreadable."""
        data = self._disk.read(full)
        try:
            text = None if data is None else SourceFile.from_bytes(full, data).text
        except (SyntaxError, ValueError):
            text = None
        if self._checked is not None and self._checked[0] == full:
            self._unsaved = self._unsaved or text != self._checked[1].text
            text = self._checked[1].text
        self._texts[full] = hash(text)
        return text

    def _read(self, path: str) -> ModuleIndex | None:
        full = os.path.abspath(path)
        if full in self._modules:
            self._modules.move_to_end(full)
            return self._modules[full]
        text = self._text(full)
        index: ModuleIndex | None = None
        if self._checked is not None and self._checked[0] == full:
            index = self._checked[1]
        elif text is not None:
            try:
                place = self.place(path)
                index = index_module(
                    build_module(text, path, None, place.name), path, place.name, place.is_package, text
                )
            except (SyntaxError, ValueError, TreeError, RecursionError):
                index = None  # another file's fault is that file's to report
        self._modules[full] = index
        while len(self._modules) > MAX_MODULES:
            self._modules.popitem(last=False)
        return index


_NEVER_LOCAL: Final = frozenset(
    {"torch", "numpy", "math", "typing", "functools", "collections", "os", "sys", "random", "time"}
)
