"""The disk as this process has read it: contents, listings and markers, and which of them are no longer so.

A host that lives on (an editor's server) asks `changed` before each run. An answer is trusted while size, times and
inode of its file or folder stay; where they were so young when it was read that a second change could hide behind the
same time, it is read again and compared.
"""

from __future__ import annotations

import os
import time
from collections import OrderedDict
from collections.abc import Callable
from typing import Final, Literal, NamedTuple

Kind = Literal["content", "names", "markers"]
MARKERS: Final = ("pyproject.toml", "setup.cfg", "setup.py", ".git", "tox.ini")  # of a project's root
PACKAGE: Final = "__init__.py"
MAX_BYTES: Final = 2_000_000  # a larger file is not read
HELD_BYTES: Final = 8_000_000  # of contents read last and kept: files of one folder ask for the same neighbours
YOUNG: Final = 2_000_000_000  # nanoseconds: the coarsest times that file systems keep

Stamp = tuple[int, int, int, int]


class Change(NamedTuple):
    """Something that is not as it was read: a file's content, a folder's Python files or its markers."""

    kind: Kind
    path: str


class _Answer(NamedTuple):
    stamp: Stamp | None
    value: object
    settled: bool


class Disk:
    """What was asked of the disk so far, with what it answered."""

    def __init__(self) -> None:
        self._answers: dict[Change, _Answer] = {}
        self._held: OrderedDict[str, bytes] = OrderedDict()  # each has its answer: what changes is dropped from both
        self._held_bytes = 0

    def read(self, path: str) -> bytes | None:
        """The content of a file; None if it cannot be read or is larger than `MAX_BYTES`. The same object as long as
        it is kept (`HELD_BYTES`) and `changed` does not tell otherwise.
        """
        held = self._held.get(path)
        if held is not None:
            self._held.move_to_end(path)
            return held
        stamp = _stamp(path)
        data = _content(path)
        self._answers[Change("content", path)] = _Answer(stamp, hash(data), _is_settled(stamp))
        if data is not None:
            self._held[path] = data
            self._held_bytes += len(data)
            while self._held_bytes > HELD_BYTES:
                self._held_bytes -= len(self._held.popitem(last=False)[1])
        return data

    def names(self, folder: str) -> frozenset[str]:
        """The names in a folder that can be modules or packages, none if it cannot be listed."""
        return self._kept("names", folder, _names)

    def markers(self, folder: str) -> frozenset[str]:
        """Which of `MARKERS` and `PACKAGE` the folder holds."""
        return self._kept("markers", folder, _markers)

    def _kept(self, kind: Kind, path: str, ask: Callable[[str], frozenset[str]]) -> frozenset[str]:
        known = self._answers.get(Change(kind, path))
        if known is None:
            stamp = _stamp(path)
            known = self._answers[Change(kind, path)] = _Answer(stamp, ask(path), _is_settled(stamp))
        assert isinstance(known.value, frozenset)
        return known.value

    def changed(self) -> list[Change]:
        """What has changed since it was read; it is forgotten, so that it is read anew when it is next asked for."""
        found = []
        stamps: dict[str, Stamp | None] = {}
        for question, answer in self._answers.items():
            path = question.path
            if path not in stamps:
                stamps[path] = _stamp(path)
            if stamps[path] != answer.stamp or not answer.settled:
                value = hash(_content(path)) if question.kind == "content" else _ASK[question.kind](path)
                if value == answer.value:
                    self._answers[question] = _Answer(stamps[path], value, _is_settled(stamps[path]))
                else:
                    found.append(question)
        for question in found:
            del self._answers[question]
            if question.kind == "content":
                self._held_bytes -= len(self._held.pop(question.path, b""))
        return found

    def forget(self) -> None:
        """Forget every answer."""
        self._answers.clear()
        self._held.clear()
        self._held_bytes = 0


def _stamp(path: str) -> Stamp | None:
    try:
        found = os.stat(path)
    except (OSError, ValueError):
        return None
    return found.st_size, found.st_mtime_ns, found.st_ctime_ns, found.st_ino


def _is_settled(stamp: Stamp | None) -> bool:
    """Whether a change after now must give another stamp."""
    return stamp is None or max(stamp[1], stamp[2]) < time.time_ns() - YOUNG


def _content(path: str) -> bytes | None:
    try:
        if os.path.getsize(path) > MAX_BYTES:
            return None
        with open(path, "rb") as file:
            return file.read()
    except (OSError, ValueError):
        return None


def _names(folder: str) -> frozenset[str]:
    try:
        return frozenset(name for name in os.listdir(folder) if name.endswith(".py") or "." not in name)
    except (OSError, ValueError):
        return frozenset()


def _markers(folder: str) -> frozenset[str]:
    return frozenset(name for name in (PACKAGE, *MARKERS) if os.path.exists(os.path.join(folder, name)))


_ASK: Final[dict[Kind, Callable[[str], frozenset[str]]]] = {"names": _names, "markers": _markers}
