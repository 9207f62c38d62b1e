"""Reads the Markdown pages of engine tests: one test for each section that holds code.

A page begins with a title; the code under the title comes before the code of every section. A section is a heading of
the second level with one or more `python` blocks; the line before a block may name its file (`` `helpers.py`: ``), else
it is `main.py`. Trailing comments say what the engine must believe of the expression statement on that line. Such a
statement is written to the file as an assignment to `_`, for the engine does not look into a call whose value nobody
uses.

    x  # revealed: tensor            exactly this
    x  # wanted: tensor              this is right, and the engine does not know it yet: fails once it does
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from flake8_tensorbranch.engine.words import describe
from flake8_tensorbranch.project import Project
from flake8_tensorbranch.reveal import reveal
from flake8_tensorbranch.settings import Settings
from flake8_tensorbranch.source import SourceFile
from tests.trees import put

MAIN = "main.py"
UNREACHED = "unreached"
_MARKER = re.compile(r"#\s*(?P<kind>revealed|wanted): (?P<text>.*\S)\s*$")
_FILE = re.compile(r"`(?P<name>[\w./]+\.py)`:")


class PageError(ValueError):
    """A page that cannot be read."""


@dataclass(frozen=True)
class Expectation:
    """What must be believed of one line of one file."""

    file: str
    line: int
    kind: str
    text: str
    code: str


@dataclass
class Section:
    """One heading and the files below it."""

    page: str
    title: str
    files: dict[str, str] = field(default_factory=dict)

    @property
    def name(self) -> str:
        """How a test calls the section."""
        return f"{self.page}: {self.title}"

    def expectations(self) -> Iterator[Expectation]:
        """The markers of the section in the order of its files and lines."""
        for name, text in self.files.items():
            for number, line in enumerate(text.splitlines(), 1):
                if match := _MARKER.search(line):
                    yield Expectation(name, number, match["kind"], match["text"], line[: match.start()].strip())

    def write(self, folder: Path) -> None:
        """Put the files below `folder`, which becomes a project of its own."""
        (folder / "pyproject.toml").write_text("", encoding="utf-8")
        put(folder, {name: "\n".join(map(_used, text.splitlines())) + "\n" for name, text in self.files.items()})


def read_page(path: Path) -> list[Section]:
    """The sections of a page that hold code; raises `PageError` for a block outside a section with a file name."""
    sections: list[Section] = []
    prelude = ""
    current: Section | None = None
    block: list[str] | None = None
    file = MAIN
    for line in path.read_text(encoding="utf-8").splitlines():
        if block is not None:
            if line != "```":
                block.append(line)
                continue
            text = "\n".join(block) + "\n"
            if current is None:
                prelude += text
            elif file in current.files:
                current.files[file] += text
            else:
                current.files[file] = (prelude if file == MAIN else "") + text
            block, file = None, MAIN
        elif line == "```python":
            block = []
        elif line.startswith("## "):
            current = Section(path.stem, line[3:].strip())
            sections.append(current)
        elif match := _FILE.fullmatch(line.strip()):
            file = match["name"]
            if current is None:
                raise PageError(f"{path.name}: {file} stands outside a section")
    if block is not None:
        raise PageError(f"{path.name}: a block is not closed")
    return [section for section in sections if section.files]


def _used(line: str) -> str:
    if not _MARKER.search(line):
        return line
    code = line.lstrip()
    return f"{line[: len(line) - len(code)]}_ = {code}"


def believed(folder: Path, file: str, lines: set[int], project: Project | None = None) -> dict[int, str]:
    """What the engine believes of the expressions assigned on these lines of a written file."""
    path = folder / file
    text = path.read_text(encoding="utf-8")
    columns = {n.lineno: n.value.col_offset for n in ast.walk(ast.parse(text)) if isinstance(n, ast.Assign)}
    source = SourceFile(str(path), text)
    project = project or Project()
    found: dict[int, str] = {}
    for line in lines:
        if line not in columns:
            raise PageError(f"{file}:{line}: no expression statement")
        values = [r.value for r in reveal(source, Settings(), line, None, project) if r.column == columns[line]]
        found[line] = describe(values[0]) if values else UNREACHED
    return found
