"""Notebooks: the cells that ruff sees, at the same places, and bytes that only change where the source does."""

from __future__ import annotations

import ast
import json
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from flake8_tensorbranch import ipython
from flake8_tensorbranch.diagnostic import Edit
from flake8_tensorbranch.notebook import NotebookError, cell_starts, read_notebook, write_notebook
from flake8_tensorbranch.source import as_written
from tests.hosts.notebooks import OUTPUT, code, lines, markdown, notebook, raw, stored

# One notebook for each way a cell can be stored or be no Python; `undef<n>` are names that nobody binds.
CASES = {
    "plain": [code("undef1")],
    "list of lines": [code(["x = 1\n", "undef1"]), code(["undef2\n"]), code([]), code("undef3")],
    "empty cells count": [
        markdown(""),
        code(""),
        raw("undef1"),
        code([]),
        code("\n\nundef2"),
        markdown("x"),
        code("undef3"),
    ],
    "line magics": [
        code("%time\nundef1"),
        code("if 1:\n    %foo\nundef2"),
        code("!ls \\\n -l\nundef3"),
        code("?print\nundef4"),
    ],
    "cell magics": [code("%%bash\nundef1"), code("%%time\nundef2"), code("%%time foo\nundef3"), code("%%\nundef4")],
    "cell magics further down": [
        code("# c\n%%bash\nundef1"),
        code("%% time\nundef2"),
        code("\n%%timeit\nundef3"),
        code("undef4"),
    ],
    "automagics": [
        code("pip install x\nundef1"),
        code("time = undef2"),
        code("cd\nundef3"),
        code("cd += undef4"),
        code("cd - x"),
    ],
    "assigned magics": [
        code("x = !ls -l $(a\nundef1"),
        code("y = %foo bar \\\n  baz\nundef2"),
        code("a: int = !ls\nb = c = %d\nundef3"),
    ],
    "help": [code("print?\nundef1"), code("print.a[0]??\nundef2"), code("x? # why\nundef3"), code("x ?\nundef4")],
    "shortcuts": [code("/print a\nundef1"), code(",f a b\nundef2"), code(";f a b\nundef3")],
    "not magics": [
        code('s = """\n%foo\n"""\nundef1'),
        code("f = (1\n% undef2)"),
        code("s = 'a\\\n%b'\nundef3"),
        code("d = 1 != 2\nundef4"),
    ],
    "continued": [code("x = 1 + \\\n 2\nundef1"), code("x = [\n 1,\n\n 2]\nundef2 # a?")],
    "languages of cells": [code("undef1", language="sql"), code("undef2", language="python"), code("undef3")],
    "await": [code("await undef1"), code("undef2")],
    "line breaks": [code("x=1\r\nundef1"), code("x=1\rundef2"), code(["x=1\r\n", "undef3"])],
    "wide": [code("é = 'ü'; undef1"), code(lines("'''\n\U0001f600\n'''\nundef2"))],
    "outputs": [code("undef1", outputs=[OUTPUT]), markdown(["a\n", "b"]), code("undef2", outputs=[OUTPUT, OUTPUT])],
    "no code": [markdown("undef1")],
    "no cells": [],
}


def ruff(path: Path) -> list[tuple[int | None, int, int, str]]:
    """Cell, row, column and name of the undefined names `undef…` that ruff reports."""
    command = [sys.executable, "-m", "ruff", "check", "--isolated", "--no-cache", "--select=F821,E9", "--exit-zero"]
    done = subprocess.run([*command, "--output-format=json", str(path)], capture_output=True, text=True, check=True)
    return [
        (item["cell"], item["location"]["row"], item["location"]["column"], item["message"].split("`")[1])
        for item in json.loads(done.stdout)
        if "`undef" in item["message"]
    ]


def undefined(path: Path) -> list[tuple[int | None, int, int, str]]:
    """The same from our reading: the names called `undef…`, where our cells say that they are."""
    source = read_notebook(str(path), path.read_bytes())
    found = []
    for node in ast.walk(ast.parse(source.text)):
        if isinstance(node, ast.Name) and node.id.startswith("undef"):
            line, column = source.position(node.lineno, node.col_offset)
            cell = source.cell_at(line)
            assert cell
            found.append((cell.number, line - cell.first_line + 1, column + 1, node.id))
    return sorted(found)


@pytest.mark.parametrize("name", CASES)
def test_34_cells_rows_and_columns_are_those_of_ruff(tmp_path: Path, name: str) -> None:
    path = tmp_path / "n.ipynb"
    path.write_bytes(stored(notebook(*CASES[name])))
    assert undefined(path) == sorted(ruff(path))
    assert bool(undefined(path)) == (name not in ("no code", "no cells"))


@pytest.mark.parametrize(
    "metadata",
    [
        {"language_info": {"name": "python"}},
        {"language_info": {"name": "R"}},
        {"kernelspec": {"name": "ir", "display_name": "R", "language": "R"}},
        {"kernelspec": {"name": "python3", "display_name": "Python 3", "language": "python"}},
        {"kernelspec": {"name": "python3", "display_name": "Python 3"}},
    ],
)
def test_notebooks_of_other_languages_have_no_text(tmp_path: Path, metadata: dict[str, dict[str, str]]) -> None:
    path = tmp_path / "n.ipynb"
    path.write_bytes(stored(notebook(code("undef1"), metadata=metadata)))
    assert undefined(path) == ruff(path)


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"", "not valid JSON"),
        (b'{"cells": [', "not valid JSON"),
        (b"[" * 100_000, "not valid JSON"),
        (b"\xff\xfe", "UTF-8"),
        (b"[]", "JSON object"),
        (stored(notebook(code("undef1"), form=3)), "format 4, found 3"),
        (b'{"nbformat": 4}', "cells"),
        (stored(notebook({"cell_type": "code"})), "source"),
        (stored(notebook({"cell_type": "code", "source": [1]})), "source"),
    ],
)
def test_what_is_no_notebook_is_said_in_one_line(data: bytes, reason: str) -> None:
    with pytest.raises(NotebookError, match=reason) as caught:
        read_notebook("n.ipynb", data)
    assert str(caught.value).isprintable()


FORMS = {
    "one space": {},
    "four spaces": {"indent": 4},
    "compact": {"indent": None},
    "no newline": {"end": ""},
    "ascii": {"ascii_only": True},
    "many newlines": {"end": "\n\n"},
}
CELLS = [
    markdown(["# Título\n", "text"]),
    code(["import torch\n", "x = 'é'"], outputs=[OUTPUT]),
    code("%matplotlib inline\ny = 1"),
    code(["%%bash\n", "y = 1"]),
    code(["y = 1\n"]),
    code([], outputs=[OUTPUT]),
    code(["y = 2\r\n", "z = 3"]),
    code(["!pip install \\\n", "  torch\n", "y = 4  # end"]),
]


@pytest.mark.parametrize("form", FORMS)
def test_only_changed_cells_change(form: str) -> None:
    data = stored(notebook(*CELLS), **FORMS[form])  # type: ignore[arg-type]
    before = read_notebook("n.ipynb", data)
    assert write_notebook(data, before, before.text) == data
    for old, new in [("y = 1\n", "y = 'à'\n"), ("'é'", "'é' + 'é'"), ("y = 2", "y = 2\nw = 2"), ("y = 4", "y = 5")]:
        after = write_notebook(data, before, before.text.replace(old, new))
        value = json.loads(data)
        for cell in value["cells"]:
            source = "".join(cell["source"])
            line = "\r\n" if "\r\n" in source else "\n"
            if cell["cell_type"] == "code" and "%%bash" not in source:
                changed = (source + "\n").replace(old, new.replace("\n", line) if "w" in new else new)[:-1]
                if changed != source:
                    cell["source"] = changed if isinstance(cell["source"], str) else lines(changed)
        assert after == stored(value, **FORMS[form])  # type: ignore[arg-type]
        assert read_notebook("n.ipynb", after).text == before.text.replace(old, new)


def test_odd_layout_and_unchanged_lines_stay_as_they_are() -> None:
    data = (
        b'\xef\xbb\xbf{"nbformat":4,"nbformat_minor":5,"cells":[\r\n{"source" :[ "\\u0061 = 1\\n" ,\t"b = 2" ],'
        b'"cell_type":"code","outputs":[{"x":1e400,"y":1.50}]} , {"source":"old","cell_type":"code",'
        b'"source":"c = 3"}\t]}'
    )
    before = read_notebook("n.ipynb", data)
    assert before.text == "a = 1\nb = 2\nc = 3\n"
    after = write_notebook(data, before, "a = 1\nb = 20\nx = 0\nc = 30\n", [1, 4])
    assert after == data.replace(b'"b = 2"', b'"b = 20\\n" ,\t"x = 0"').replace(b'"c = 3"', b'"c = 30"')


def test_a_cell_without_lines_gets_them_in_the_files_indentation() -> None:
    data = stored(notebook(code([]), code("x = 1")), indent=2)
    before = read_notebook("n.ipynb", data)
    after = write_notebook(data, before, "import os\nimport sys\nx = 1\n", [1, 3])
    assert after == stored(notebook(code(["import os\n", "import sys"]), code("x = 1")), indent=2)
    assert write_notebook(after, read_notebook("n.ipynb", after), "\nx = 1\n", [1, 2]) == data


def test_cells_move_with_the_edits_before_them() -> None:
    data = stored(notebook(code("a = 1\nb = 2"), code("c = 3"), code("%time d\nd = 4")))
    before = read_notebook("n.ipynb", data)
    assert [tuple(cell) for cell in before.cells] == [(1, 1), (2, 3), (3, 4)]
    added, removed, grown = Edit(3, 0, 3, 0, "import os\n"), Edit(2, 0, 3, 0, ""), Edit(1, 4, 1, 5, "(\n1\n)")
    assert cell_starts(before, []) == [1, 3, 4]
    assert cell_starts(before, [added]) == [1, 3, 5]
    assert cell_starts(before, [removed]) == [1, 2, 3]
    assert cell_starts(before, [grown, removed, added]) == [1, 4, 6]
    text = "a = (\n1\n)\nimport os\nc = 3\npass  # \u2060%time d\nd = 4\n"
    expected = stored(notebook(code("a = (\n1\n)"), code("import os\nc = 3"), code("%time d\nd = 4")))
    assert write_notebook(data, before, text, [1, 4, 6]) == expected


def test_without_their_starts_cells_are_found_by_the_lines_that_stayed() -> None:
    data = stored(notebook(code("a = 1\nb = 2"), code("c = 3"), code("d = 4")))
    before = read_notebook("n.ipynb", data)
    text = "a = 1\nx = 0\nb = 2\nimport os\nc = 5\nd = 6\n"
    expected = stored(notebook(code("a = 1\nx = 0\nb = 2"), code("import os\nc = 5"), code("d = 6")))
    text, expected = text.replace("c = 5", "c = 3"), expected.replace(b"c = 5", b"c = 3")
    assert write_notebook(data, before, text) == expected


@pytest.mark.parametrize(
    ("text", "starts", "reason"),
    [
        ("a = 1\n!\nb = 2\n", None, "cell 1: a change touches a line that is IPython's"),
        ("a = 1\nx\n", None, "cell 2: a change goes across"),
        ("a = 1\npass  # \u2060%time\nb = 3\n", [1], "does not fit"),
        ("a = 1\npass  # \u2060%time\nb = 3\n", [3, 1], "does not fit"),
        ("a = 1\npass  # \u2060%time\nb = 3\n", [2, 3], "does not fit"),
        ("a = 1\npass  # \u2060%time\nb = 3\n", [1, 9], "does not fit"),
        ("a = 1\npass  # \u2060%time\nb = 2", [1, 3], "does not fit"),
    ],
)
def test_a_change_that_cannot_be_put_back_is_refused(text: str, starts: list[int] | None, reason: str) -> None:
    data = stored(notebook(code("a = 1\n%time"), code("b = 2")))
    with pytest.raises(NotebookError, match=reason):
        write_notebook(data, read_notebook("n.ipynb", data), text, starts)


def test_a_masked_line_may_move_and_be_indented_anew() -> None:
    original = "if x:\n  %time a # b\n  y = !ls\n"
    masked = ipython.mask(original)
    assert [row.lstrip()[:4] for row in masked.split("\n")] == ["if x", "pass", "y = ", ""]
    assert "\n".join(map(as_written, masked.split("\n"))) == original
    assert "#" not in masked.replace("# ", "", 2)
    moved = "\n".join(row.replace("  ", "\t", 1) if row[:1] == " " else row for row in reversed(masked.split("\n")))
    assert ipython.unmask(moved, original) == "\n\ty = !ls\n\t%time a # b\nif x:"


PIECES = st.lists(
    st.sampled_from(["x", *" \n%!?=()['\\#,;\"", "  ", "'''", '"""', "\\\n", "%%"]),
    max_size=30,
).map("".join)


@given(PIECES)
def test_masking_keeps_lines_and_can_be_undone(cell: str) -> None:
    masked = ipython.mask(cell)
    assert masked.count("\n") == cell.count("\n")
    assert ipython.unmask(masked, cell) == cell
    assert [as_written(row).strip() for row in masked.split("\n")] == [row.strip() for row in cell.split("\n")]


@given(st.lists(st.text(st.sampled_from("ab%\n\r\u2028é"), max_size=12) | st.lists(st.sampled_from(["a\n", "b"]))))
def test_an_unchanged_notebook_is_the_same_bytes_and_texts_come_back(sources: list[str | list[str]]) -> None:
    data = stored(notebook(*map(code, sources)))
    before = read_notebook("n.ipynb", data)
    starts = [cell.first_line for cell in before.cells]
    assert write_notebook(data, before, before.text, starts) == data
    rows = before.text.split("\n")[:-1]
    for start in reversed(starts):
        rows.insert(start - 1, "ccc")
    longer = "".join(f"{row}\n" for row in rows)
    changed = write_notebook(data, before, longer, [start + number for number, start in enumerate(starts)])
    assert read_notebook("n.ipynb", changed).text == longer


BRANCH = [
    "import torch\n",
    "\n",
    "def scale(x: torch.Tensor):\n",
    "    é = 'ü'; y = x * 2 if x.sum() > 0 else x\n",
    "    return y",
]


@pytest.mark.parametrize("way", ["file", "folder", "stdin"])
def test_the_command_reads_notebooks(tmp_path: Path, way: str) -> None:
    path = tmp_path / "n.ipynb"
    path.write_bytes(stored(notebook(markdown("# torch"), code(["%time\n", *BRANCH], outputs=[OUTPUT]))))
    command = [sys.executable, "-m", "flake8_tensorbranch", "check", "--output-format=json"]
    place = {"file": ["n.ipynb"], "folder": ["."], "stdin": ["--stdin-filename=n.ipynb", "-"]}[way]
    data = path.read_bytes() if way == "stdin" else b""
    done = subprocess.run([*command, *place], input=data, capture_output=True, check=False, cwd=tmp_path)
    assert (done.returncode, done.stderr) == (1, b"")
    (found,) = json.loads(done.stdout)
    assert found["code"] == "TBR101"


def test_the_command_says_why_a_notebook_cannot_be_read(tmp_path: Path) -> None:
    tmp_path.joinpath("n.ipynb").write_bytes(b'{"cells": [')
    command = [sys.executable, "-m", "flake8_tensorbranch", "check", "--output-format=concise", "n.ipynb"]
    done = subprocess.run(command, capture_output=True, check=False, cwd=tmp_path, text=True)
    assert (done.returncode, done.stderr) == (1, "")
    assert "n.ipynb:1:1: invalid-syntax" in done.stdout
    assert "not valid JSON" in done.stdout


STEP = """\
%time
import torch
from torch.utils.checkpoint import checkpoint

def step(block: torch.nn.Module, x: torch.Tensor) -> torch.Tensor:
    !nvidia-smi  # gpu
    return checkpoint(block, x * 2)"""


@pytest.mark.parametrize(
    ("arguments", "after"),
    [
        (["--fix", "--unsafe-fixes"], "x * 2, use_reentrant=False)"),
        (["--add-noqa"], "x * 2)  # noqa: TBR506"),
    ],
)
def test_what_the_command_writes_changes_one_line_of_the_file(tmp_path: Path, arguments: list[str], after: str) -> None:
    path = tmp_path / "n.ipynb"
    data = stored(notebook(markdown("# é"), code(lines(STEP), outputs=[OUTPUT]), code("y = !ls")), indent=2)
    path.write_bytes(data)
    command = [sys.executable, "-m", "flake8_tensorbranch", "check", "--exit-zero", *arguments, "n.ipynb"]
    assert subprocess.run(command, capture_output=True, check=False, cwd=tmp_path).returncode == 0
    assert path.read_bytes() == data.replace(b"x * 2)", after.encode())


@pytest.mark.parametrize("arguments", [["--diff", "--unsafe-fixes"], ["--output-format=full"]])
def test_lines_are_shown_as_they_were_written(tmp_path: Path, arguments: list[str]) -> None:
    tmp_path.joinpath("n.ipynb").write_bytes(stored(notebook(code(lines(STEP)))))
    command = [sys.executable, "-m", "flake8_tensorbranch", "check", *arguments, "n.ipynb"]
    done = subprocess.run(command, capture_output=True, check=False, cwd=tmp_path, encoding="utf-8")
    assert "    !nvidia-smi  # gpu\n" in done.stdout
    assert "pass" not in done.stdout.replace("help: pass use_reentrant", "").replace("Pass `use", "")
