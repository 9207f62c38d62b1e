"""Which files near a module import it and name some of its functions: by the look of their text, nothing parsed."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Final

from flake8_tensorbranch.disk import PACKAGE
from flake8_tensorbranch.modules import Finder
from flake8_tensorbranch.reach import files_of, further, imports, reaches

if TYPE_CHECKING:
    from flake8_tensorbranch.source import SourceFile

MOST_NEIGHBOURS: Final = 40  # Python files of a folder; one that holds more is a catalogue, and is not looked through
MOST_IMPORTERS: Final = 4  # in the order of their names
MOST_BYTES: Final = 120_000  # of a file that is parsed for the calls in it


def importers(finder: Finder, path: str, names: Iterable[str]) -> list[str]:
    """The files in the folder of `path` and the one above that import its module, or its package, and hold one of
    `names`. What is found depends on the content of these two folders alone.
    """
    wanted = [word.encode() for word in names]
    package = os.path.join(os.path.dirname(os.path.abspath(path)), PACKAGE)
    found: list[str] = []
    for other, word in _neighbours(finder, path):
        data = finder.read(other) or b""
        if len(data) > MOST_BYTES or word not in data or not any(part in data for part in wanted):
            continue
        if _imports_one(finder, other, data, {os.path.abspath(path), package}):
            found.append(other)
            if len(found) == MOST_IMPORTERS:
                break
    return found


def concerned(source: SourceFile, words: tuple[str, ...], finder: Finder) -> bool:
    """Whether a file that holds none of `words` has to do with one of its project that does: by its own imports
    (`reach`), or as a helper without such imports that a file near it imports.
    """
    if reaches(source, words, finder):
        return True
    if os.path.basename(source.path) == PACKAGE or "def " not in source.text:
        return False
    full = os.path.abspath(source.path)
    for other, word in _neighbours(finder, full):
        if further(finder, other, words) is None:
            data = finder.read(other) or b""
            if word in data and _imports_one(finder, other, data, {full}):
                return True
    return False


def _imports_one(finder: Finder, path: str, data: bytes, targets: set[str]) -> bool:
    return not targets.isdisjoint(files_of(finder, path, imports(data.decode("utf-8", "replace"))))


def _neighbours(finder: Finder, path: str) -> Iterator[tuple[str, bytes]]:
    """The other files in the folder of a file, and in the one above a package, with the word they must hold to import
    it.
    """
    full = os.path.abspath(path)
    folder, name = os.path.split(full)
    package = os.path.join(folder, PACKAGE)
    stem = os.path.basename(folder) if name == PACKAGE else os.path.splitext(name)[0]
    places = [(folder, stem)]
    if PACKAGE in finder.names(folder):
        places.append((os.path.dirname(folder), os.path.basename(folder)))
    for place, word in places:
        names = [name for name in sorted(finder.names(place)) if name.endswith(".py")]
        for name in names if len(names) <= MOST_NEIGHBOURS else ():
            other = os.path.join(place, name)
            if other not in (full, package):
                yield other, word.encode()
