"""Jupyter notebooks: the code cells of an `.ipynb` file as one source, and changed source back into the same bytes.

Cells, their numbers and the lines between them are ruff's (0.17.6, as its reports tell): the text is all Python cells
in order, each ended by one line break more than it has, and a cell's number counts every cell. Writing replaces the
`source` of changed cells in the JSON text itself: outputs, metadata, order, indentation and final newline stay.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher
from typing import Any, Final, NamedTuple

from flake8_tensorbranch import ipython
from flake8_tensorbranch.diagnostic import Edit
from flake8_tensorbranch.source import Cell, SourceFile

_DECODER: Final = json.JSONDecoder()
_SPACE: Final = re.compile(r"[ \t\r\n]*")
_COMMA: Final = re.compile(r"[ \t\r\n]*,[ \t\r\n]*")
_WIDE: Final = re.compile(r"\\u(?!00[0-7])")
_BOM: Final = "\ufeff"


class NotebookError(ValueError):
    """A file that is no notebook of format 4, or a change that cannot be put back into one; one line says why."""


class _Found(NamedTuple):
    """A Python cell: its number among all cells, counted from 1, and its text as stored."""

    number: int
    text: str


def read_notebook(path: str, data: bytes) -> SourceFile:
    """The Python cells of the notebook with the content `data`, as one text; no text for a notebook of no Python.

    Raises `NotebookError`.
    """
    cells = _python_cells(_parsed(_decoded(data)))
    texts = [ipython.mask(_plain(cell.text)) for cell in cells]
    line, places = 1, []
    for cell, text in zip(cells, texts, strict=True):
        places.append(Cell(cell.number, line))
        line += text.count("\n") + 1
    return SourceFile(path, "".join(f"{text}\n" for text in texts), tuple(places))


def cell_starts(before: SourceFile, edits: Sequence[Edit]) -> list[int]:
    """The first line of each cell once `edits` of the text are applied.

    An insertion where a cell begins belongs to that cell; an edit must not go across the beginning of a cell.
    """
    return [
        cell.first_line
        + sum(
            edit.content.count("\n") - (edit.end_line - edit.line)
            for edit in edits
            if (edit.line, edit.column) < (cell.first_line, 0)
        )
        for cell in before.cells
    ]


def write_notebook(original: bytes, before: SourceFile, new_text: str, starts: Sequence[int] | None = None) -> bytes:
    """The notebook with the content `original`, read as `before`, with the text `new_text` in its Python cells.

    `starts` are the first lines of the cells in `new_text` (see `cell_starts`); without them, comparing the texts finds
    them. Raises `NotebookError` where a change goes across cells or touches a line that is IPython's.
    """
    if new_text == before.text:
        return original
    text = _decoded(original)
    cells = _python_cells(_parsed(text))
    if starts is None:
        starts = _aligned(before, new_text)
    rows = new_text.split("\n")
    bounds = [first - 1 for first in starts] + [len(rows) - 1]
    fitting = rows[-1] == "" and bounds[0] == 0 and bounds == sorted(bounds)
    if not fitting or not len(cells) == len(before.cells) == len(starts):
        raise NotebookError("the changed text does not fit the cells of the notebook")
    spans = _source_spans(text)
    for cell, first, last in reversed(list(zip(cells, bounds, bounds[1:], strict=False))):
        plain, changed = _plain(cell.text), "\n".join(rows[first:last])
        if changed == ipython.mask(plain):
            continue
        try:
            changed = ipython.unmask(changed, plain)
        except ipython.MaskError as error:
            raise NotebookError(f"cell {cell.number}: {error}") from error
        if "\r\n" in cell.text:
            changed = changed.replace("\n", "\r\n")
        start, end = spans[cell.number - 1]
        text = text[:start] + _literal(text, start, end, changed) + text[end:]
    return text.encode("utf-8", "surrogatepass")


def _decoded(data: bytes) -> str:
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        raise NotebookError(f"a notebook is UTF-8 text, but this file is not: {error}") from error


def _parsed(text: str) -> dict[str, Any]:
    """The notebook as JSON, with what we rely on checked."""
    try:
        value = json.loads(text.removeprefix(_BOM))
    except (ValueError, RecursionError) as error:
        raise NotebookError(f"a notebook is stored as JSON, but this file is not valid JSON: {error}") from error
    if not isinstance(value, dict):
        raise NotebookError("a notebook is a JSON object, but this file is not")
    if value.get("nbformat") != 4:
        raise NotebookError(f"expected notebook format 4, found {value.get('nbformat')!r:.40}")
    cells = value.get("cells")
    if not isinstance(cells, list) or not all(_has_source(cell) for cell in cells):
        raise NotebookError("the cells of this notebook are not a list of cells that each have a source")
    return value


def _has_source(cell: object) -> bool:
    source = cell.get("source") if isinstance(cell, dict) else None
    return isinstance(source, str) or (isinstance(source, list) and all(isinstance(part, str) for part in source))


def _python_cells(notebook: dict[str, Any]) -> list[_Found]:
    """The cells to analyse, none if the notebook says that its language is another one."""
    metadata = notebook.get("metadata")
    if _inside(metadata, "language_info"):
        language = _inside(metadata, "language_info", "name")
    else:
        language = _inside(metadata, "kernelspec", "language") if _inside(metadata, "kernelspec") else "python"
    if language != "python":
        return []
    found = []
    for number, cell in enumerate(notebook["cells"], 1):
        own_language = _inside(cell, "metadata", "vscode", "languageId")
        if cell.get("cell_type") == "code" and own_language in (None, "python"):
            text = "".join(cell["source"])
            if ipython.is_python(_plain(text)):
                found.append(_Found(number, text))
    return found


def _inside(value: Any, *keys: str) -> Any:
    for key in keys:
        value = value.get(key) if isinstance(value, dict) else None
    return value


def _plain(text: str) -> str:
    return text.replace("\r\n", "\n").replace("\r", "\n")


def _aligned(before: SourceFile, new_text: str) -> list[int]:
    """Where the cells of `before` begin in `new_text`, as far as the lines left unchanged tell."""
    old, new = before.text.split("\n"), new_text.split("\n")
    starts = []
    blocks = SequenceMatcher(None, old, new, autojunk=False).get_opcodes()
    for cell in before.cells:
        at = cell.first_line - 1
        for _, low, high, new_low, new_high in blocks:
            if low == at or (low < at < high and high - low == new_high - new_low):
                starts.append(new_low + at - low + 1)
                break
            if low < at < high:
                raise NotebookError(f"cell {cell.number}: a change goes across the beginning of this cell")
    return starts


def _members(text: str, at: int) -> Iterator[tuple[str, int, int]]:
    """Key, start and end of the value of each member of the JSON object that begins at `at`."""
    at = _skip(text, at + 1)
    while text[at] != "}":
        key, at = _DECODER.raw_decode(text, at)
        start = _skip(text, _skip(text, at) + 1)
        _, end = _DECODER.raw_decode(text, start)
        yield key, start, end
        comma = _COMMA.match(text, end)
        at = comma.end() if comma else _skip(text, end)


def _items(text: str, at: int) -> Iterator[tuple[int, int]]:
    """Start and end of each item of the JSON array that begins at `at`."""
    at = _skip(text, at + 1)
    while text[at] != "]":
        _, end = _DECODER.raw_decode(text, at)
        yield at, end
        comma = _COMMA.match(text, end)
        at = comma.end() if comma else _skip(text, end)


def _skip(text: str, at: int) -> int:
    space = _SPACE.match(text, at)
    return space.end() if space else at


def _source_spans(text: str) -> list[tuple[int, int]]:
    """Where the source of each cell stands in the JSON text; of a key given twice the last counts, as in `json`."""
    top = {key: start for key, start, _ in _members(text, _skip(text, len(text) - len(text.removeprefix(_BOM))))}
    spans = []
    for start, _ in _items(text, top["cells"]):
        spans.append({key: (low, high) for key, low, high in _members(text, start)}["source"])
    return spans


def _literal(text: str, start: int, end: int, source: str) -> str:
    """The JSON of a cell's new source, written as the old one at `text[start:end]` is: a string, or a list of lines."""
    ascii_only = bool(text.isascii() and _WIDE.search(text))
    if text[start] == '"':
        return json.dumps(source, ensure_ascii=ascii_only)
    spans = list(_items(text, start))
    kept = {json.loads(text[low:high]): text[low:high] for low, high in spans}
    lines = re.findall(r"[^\n]*\n|[^\n]+", source)
    if not lines:
        return "[]"
    if spans:
        before, after = text[start + 1 : spans[0][0]], text[spans[-1][1] : end - 1]
        between = text[spans[0][1] : spans[1][0]] if len(spans) > 1 else "," + (before or " ")
    else:
        row = text[text.rfind("\n", 0, start) + 1 : start]
        indent = row[: len(row) - len(row.lstrip())]
        before, after = (f"\n{indent}{indent[: len(indent) // 3]}", f"\n{indent}") if indent else ("", "")
        between = "," + (before or " ")
    parts = [kept.get(line) or json.dumps(line, ensure_ascii=ascii_only) for line in lines]
    return f"[{before}{between.join(parts)}{after}]"
