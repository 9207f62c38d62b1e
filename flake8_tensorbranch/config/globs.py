"""Globs over paths as ruff reads them: a name, or a path relative to the folder of the configuration.

`*` and `?` also cross slashes, `**/` stands for any folders or none, `{a,b}` for either, `[!a]` for another character.
"""

from __future__ import annotations

import functools
import os
import re
from typing import NamedTuple

from flake8_tensorbranch.settings import SettingsError


class Glob(NamedTuple):
    """One pattern: a path fits it by its name alone, or as a whole."""

    name: re.Pattern[str]
    path: re.Pattern[str]

    @classmethod
    def of(cls, pattern: str, folder: str, where: str) -> Glob:
        """The pattern, relative to an absolute `folder`; raises `SettingsError`, with `where`, if it cannot be one."""
        whole = os.path.normpath(os.path.join(escaped(folder), os.path.expanduser(pattern)))
        try:
            return cls(compiled(pattern), compiled(whole))
        except ValueError as error:
            raise SettingsError(f"{where}: {pattern!r} is not a glob: {error}") from error

    def fits(self, path: str) -> bool:
        """Whether an absolute path fits."""
        return bool(self.path.fullmatch(path) or self.name.fullmatch(os.path.basename(path)))


class Globs:
    """Many patterns, each with its folder: those that are plain names are looked up, not tried.

    Other than a single `Glob`, one with a slash is not tried on names: `**/g` is a `g` below its folder alone.
    """

    def __init__(self) -> None:
        self._names: set[str] = set()
        self._globs: list[Glob] = []
        self._paths: list[Glob] = []

    def add(self, pattern: str, folder: str, where: str) -> None:
        """One more pattern; raises `SettingsError` as `Glob.of`."""
        if re.fullmatch(r"[\w. -]+", pattern) and pattern not in (".", ".."):
            self._names.add(pattern)
        else:
            (self._paths if os.sep in pattern else self._globs).append(Glob.of(pattern, folder, where))

    def fit(self, path: str) -> bool:
        """Whether any of the patterns fits an absolute path."""
        return (
            os.path.basename(path) in self._names
            or any(glob.fits(path) for glob in self._globs)
            or any(glob.path.fullmatch(path) for glob in self._paths)
        )


def escaped(folder: str) -> str:
    """A path whose special characters stand for themselves in a glob."""
    return re.sub(r"([][*?{}])", r"[\1]", folder)


@functools.lru_cache(maxsize=1024)
def compiled(pattern: str) -> re.Pattern[str]:
    """The expression of a whole glob; raises `ValueError` for one that does not close what it opens."""
    parts: list[str] = []
    rest, depth = pattern, 0
    while rest:
        token = re.match(r"\*\*/|/\*\*/|/\*\*$|\*+|\?|\[[!^]?\]?[^]]*\]|\\.|.", rest, re.DOTALL)
        assert token is not None
        text, rest = token[0], rest[token.end() :]
        if text == "**/" and not parts:
            parts.append("(?:.*/)?")
        elif text == "/**/":
            parts.append("/(?:.*/)?")
        elif text == "/**":
            parts.append("/.*")
        elif text[0] == "*":
            parts.append(".*" if not text.endswith("/") else ".*/")
        elif text == "?":
            parts.append(".")
        elif text[0] == "[":
            if len(text) < 3:
                raise ValueError("a bracket is not closed")
            negated = text[1] in "!^"
            inner = text[2 if negated else 1 : -1].replace("\\", r"\\").replace("[", r"\[").replace("]", r"\]")
            parts.append(f"[{'^' if negated else ''}{inner.replace('^', chr(92) + '^')}]")
        elif text == "{":
            depth += 1
            parts.append("(?:")
        elif text == "}" and depth:
            depth -= 1
            parts.append(")")
        elif text == "," and depth:
            parts.append("|")
        else:
            parts.append(re.escape(text[-1]))
    if depth:
        raise ValueError("a brace is not closed")
    try:
        return re.compile("".join(parts), re.DOTALL)
    except re.error as error:
        raise ValueError(str(error)) from error
