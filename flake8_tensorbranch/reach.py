"""Whether a file that never says torch imports code of its own project that does, by the look of its import lines.

Such a file can hold tensors all the same: a subclass of the project's module classes, a helper that branches on what it
gets from them. Only import lines are read, of the file and of what it imports, nothing is parsed.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final, NamedTuple, cast

from flake8_tensorbranch.modules import LOOK_AGAIN, Finder, Reading, absolute

if TYPE_CHECKING:
    from flake8_tensorbranch.source import SourceFile

MOST_HOPS: Final = 3  # from the file to the one that says torch: two packages' re-exports lie between at most
MOST_FILES: Final = 48  # looked at for one file, in the order of its imports: a bound on what saving a file costs

_IMPORT: Final = re.compile(
    r"^[ \t]*(?:from[ \t]+(\.*)[ \t]*([\w.]*)[ \t]+import[ \t]*(\([^)]*\)|[^\n#;]*)|import[ \t]+([^\n#;]+))",
    re.MULTILINE,
)
_COMMENT: Final = re.compile(r"#[^\n]*")
DECIDES: Final = re.compile(r"\b(?:def|lambda|if|while|for|assert|and|or|not)\b")


class Import(NamedTuple):
    """One import as written: the dots, the module, and the names taken from it."""

    level: int
    module: str
    names: tuple[str, ...]


Lines = dict[tuple[str, ...], "tuple[Import, ...] | None"]
"""By words asked for: None where a file holds one of them, else the imports that may lead further."""


def reaches(source: SourceFile, words: tuple[str, ...], finder: Finder) -> bool:
    """Whether the imports of `source` lead, inside its project, to a file that holds one of `words`.

    An answer depends on the content of the project's files alone. A file in which nothing is decided has no finding,
    whatever it imports.
    """
    if not DECIDES.search(source.text):
        return False
    found = imports(source.text)
    if not found:
        return False
    finder.look_again(LOOK_AGAIN)
    seen = {source.path}
    level = [source.path]
    lines = {source.path: found}
    for _ in range(MOST_HOPS):
        below = []
        for path in level:
            for other in files_of(finder, path, lines[path]):
                if other in seen:
                    continue
                if len(seen) > MOST_FILES:
                    return False
                seen.add(other)
                said = further(finder, other, words)
                if said is None:
                    return True
                lines[other] = said
                below.append(other)
        level = below
    return False


def imports(text: str) -> tuple[Import, ...]:
    """The import lines of a text; what looks like one inside a string is one more place to look at."""
    found: list[Import] = []
    for dots, module, names, plain in _IMPORT.findall(text):
        if plain:
            found.extend(Import(0, name.split()[0], ()) for name in plain.split(",") if name.strip())
        else:
            parts = (part.split() for part in _COMMENT.sub("", names).strip("()").split(","))
            found.append(Import(len(dots), module, tuple(part[0] for part in parts if part)))
    return tuple(found)


def files_of(finder: Finder, path: str, found: tuple[Import, ...]) -> list[str]:
    """The first-party files that imports name: modules, and submodules taken from packages."""
    files = []
    for item in found:
        place = finder.place(path)
        name = absolute(item.module, item.level, place.name, place.is_package)
        if not name:
            continue
        module = finder.find(path, name)
        if module is not None:
            files.append(module)
        for part in item.names if module is None or module.endswith("__init__.py") else ():
            submodule = finder.find(path, f"{name}.{part}")
            if submodule is not None:
                files.append(submodule)
    return files


def further(finder: Finder, path: str, words: tuple[str, ...]) -> tuple[Import, ...] | None:
    """The imports of a file that holds none of `words`; None for one that holds one."""
    known = finder.readings.get(path)
    lines = {} if known is None else cast("Lines", known.value)
    if words not in lines:
        data = finder.read(path) or b""
        holds = any(word.encode() in data for word in words)
        lines[words] = None if holds else imports(data.decode("utf-8", "replace"))
        finder.readings[path] = Reading(hash(data), lines)
    return lines[words]
