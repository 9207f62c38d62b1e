"""Which file an import means: the folders that a project's imports start from, searched by name, nothing parsed."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator
from typing import Final, NamedTuple

from flake8_tensorbranch.disk import MARKERS, PACKAGE, Change, Disk

MAX_NEIGHBOURS: Final = 240  # in a larger folder nobody looks for callers
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


def absolute(module: str, level: int, importer: str, is_package: bool) -> str | None:
    """The dotted name that `from <dots><module> import ...` means in the module `importer`; None beyond the root."""
    if level == 0:
        return module
    parts = importer.split(".")
    drop = level - 1 if is_package else level
    if drop > len(parts):
        return None
    return ".".join([*parts[: len(parts) - drop], *([module] if module else [])])


def _project_root(folder: str, disk: Disk) -> str | None:
    while not disk.markers(folder) & {*MARKERS}:
        folder, below = os.path.dirname(folder), folder
        if folder == below:
            return None
    return folder


class Reading(NamedTuple):
    """What was made of the content of a file (by its hash), for as long as the disk holds this content."""

    content: int
    value: object


class Finder:
    """Finds the files of first-party modules under one `src` setting, and knows which of them have changed since.

    `src` are absolute folders that imports start from, instead of the project's root and its `src`. Who keeps what was
    read here is in `listeners`, and is told what the disk no longer holds: the changes, None for all of it.
    """

    def __init__(self, src: tuple[str, ...] = ()) -> None:
        self._src = src
        self._disk = Disk()
        self._places: dict[str, Place] = {}
        self._found: dict[tuple[str, str], str | None] = {}
        self._looked = time.monotonic()
        self.readings: dict[str, Reading] = {}
        self.listeners: list[Callable[[list[Change] | None], None]] = []

    def forget(self) -> None:
        """Forget every file and folder looked at so far."""
        self._disk.forget()
        self._places.clear()
        self._found.clear()
        self.readings.clear()

    def look_again(self, after: float = 0.0) -> None:
        """Forget what the disk no longer holds, if it was last looked at more than `after` seconds ago; a host that
        lives on calls this before each of its runs.
        """
        now = time.monotonic()
        if now - self._looked < after:
            return
        self._looked = now
        changes = self._disk.changed()
        if not changes:
            return
        everything = any(change.kind != "content" for change in changes)
        if everything:
            self.forget()
        for change in changes:
            self.readings.pop(change.path, None)
        for listener in self.listeners:
            listener(None if everything else changes)

    def read(self, path: str) -> bytes | None:
        """The content of a file, None if it cannot be read; what was made of another content of it is forgotten."""
        data = self._disk.read(path)
        known = self.readings.get(path)
        if known is not None and known.content != hash(data or b""):
            del self.readings[path]
        return data

    def names(self, folder: str) -> frozenset[str]:
        """The names in a folder that can be modules or packages, none if it cannot be listed."""
        return self._disk.names(folder)

    def place(self, path: str) -> Place:
        """Where the file sits in the project."""
        full = path if os.path.isabs(path) else os.path.abspath(path)
        place = self._places.get(full)
        if place is None:
            place = self._places[full] = Place(os.path.abspath(full), self._disk, self._src)
        return place

    def find(self, importer: str, name: str) -> str | None:
        """The file of the first-party module `name` (absolute, dotted) as the file `importer` sees it."""
        place = self.place(importer)
        top = name.split(".", 1)[0]
        for root, only in place.roots:
            if only and top != only:
                continue
            if not only and root != place.roots[0][0] and top in _NEVER_LOCAL:
                continue
            key = (root, name)
            if key not in self._found:
                self._found[key] = self._search(root, name)
            if self._found[key] is not None:
                return self._found[key]
        return None

    def beside(self, path: str) -> Iterator[str]:
        """The other Python files of the package beside, above and below a file, folder by folder, by name.

        A folder of more than `MAX_NEIGHBOURS` files is left out.
        """
        full = os.path.abspath(path)
        folder = os.path.dirname(full)
        if PACKAGE not in self._disk.markers(folder):
            return
        below = [os.path.join(folder, n) for n in sorted(self._disk.names(folder)) if "." not in n]
        for each in (folder, os.path.dirname(folder), *below):
            if PACKAGE in self._disk.markers(each):
                files = [os.path.join(each, n) for n in sorted(self._disk.names(each)) if n.endswith(".py")]
                yield from (f for f in files if f != full) if len(files) <= MAX_NEIGHBOURS else ()

    def _search(self, root: str, name: str) -> str | None:
        *packages, last = name.split(".")
        folder = root
        for part in packages:
            if part not in self._disk.names(folder):
                return None
            folder = os.path.join(folder, part)
        names = self._disk.names(folder)
        if last in names and PACKAGE in self._disk.names(os.path.join(folder, last)):
            return os.path.join(folder, last, PACKAGE)
        if f"{last}.py" in names:
            return os.path.join(folder, f"{last}.py")
        return None


_shared: dict[tuple[str, ...], Finder] = {}


def shared_finder(src: tuple[str, ...] = ()) -> Finder:
    """The finder of this process under one `src` setting."""
    if src not in _shared:
        _shared[src] = Finder(src)
    return _shared[src]


def look_again() -> None:
    """Forget what the disk no longer holds: at the beginning of a run in a process that has seen others."""
    for finder in _shared.values():
        finder.look_again()


_NEVER_LOCAL: Final = frozenset(
    {"torch", "numpy", "math", "typing", "functools", "collections", "os", "sys", "random", "time"}
)
