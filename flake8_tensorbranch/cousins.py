"""Which files of a package, and of the packages beside it, import a function by name: by the look of their text."""

from __future__ import annotations

import os
from collections.abc import Iterable
from typing import Final

from flake8_tensorbranch.disk import PACKAGE, Change
from flake8_tensorbranch.modules import Finder
from flake8_tensorbranch.reach import imports

MOST_FILES: Final = 320  # of a package and the packages in it; in a larger one nobody looks for callers

Table = dict[str, list[str]]


class Cousins:
    """Tables of what the files of packages import, built once for each package and kept until one of them changes."""

    def __init__(self, finder: Finder) -> None:
        self._finder = finder
        self._tables: dict[str, Table] = {}
        self._imported: dict[str, tuple[str, ...]] = {}
        finder.listeners.append(self._changed)

    def forget(self) -> None:
        """Forget every file looked at so far."""
        self._tables.clear()
        self._imported.clear()

    def importing(self, path: str, names: Iterable[str]) -> list[str]:
        """The files that have a `from ... import` of one of `names`, name by name in the order given: those of the
        package that holds the package of `path`, and of the packages in it.
        """
        full = os.path.abspath(path)
        table = self._table(os.path.dirname(full))
        found: dict[str, None] = {}
        for name in names if table else ():
            found.update(dict.fromkeys(table.get(name, ())))
        found.pop(full, None)
        return list(found)

    def _table(self, folder: str) -> Table:
        above = os.path.dirname(folder)
        root = above if self._is_package(above) else folder
        known = self._tables.get(root)
        if known is None:
            known = self._tables[root] = {}
            for file in self._files(root):
                for name in self._names(file):
                    known.setdefault(name, []).append(file)
        return known

    def _files(self, root: str) -> list[str]:
        """The Python files of a package and of the packages right in it; none where these are too many."""
        names = sorted(self._finder.names(root))
        found: list[str] = []
        if self._is_package(root):
            for folder in (root, *(os.path.join(root, n) for n in names if "." not in n)):
                if self._is_package(folder):
                    found += [os.path.join(folder, n) for n in sorted(self._finder.names(folder)) if n.endswith(".py")]
                if len(found) > MOST_FILES:
                    return []
        return found

    def _is_package(self, folder: str) -> bool:
        return PACKAGE in self._finder.names(folder)

    def _names(self, file: str) -> tuple[str, ...]:
        known = self._imported.get(file)
        if known is None:
            text = (self._finder.read(file) or b"").decode("utf-8", "replace")
            known = self._imported[file] = tuple(dict.fromkeys(n for found in imports(text) for n in found.names))
        return known

    def _changed(self, changes: list[Change] | None) -> None:
        if changes is None:
            self.forget()
        self._tables.clear()
        for change in changes or ():
            self._imported.pop(change.path, None)
