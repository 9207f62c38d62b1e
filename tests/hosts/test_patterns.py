"""Hosts that run a command and match its lines: their command lines, and what their patterns make of our lines.

The commands and patterns are those of nvim-lint, none-ls, ALE, flycheck, flymake, SublimeLinter, coc-pyright, PyCharm,
reviewdog and nbQA, said anew as Python's regular expressions.
"""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path
from typing import NamedTuple

import pytest

from tests.hosts.driving import HELPED, HELPED_PLACE, ROOT, Done, flake8, project, run
from tests.hosts.notebooks import code, markdown, notebook, stored

FLYCHECK = 'import sys; sys.path.pop(0); import runpy; runpy.run_module("flake8", run_name="__main__")'


class Host(NamedTuple):
    """A host's arguments (`{path}` is the absolute path), and its pattern with the groups it reads."""

    arguments: tuple[str, ...]
    pattern: str
    stdin: bool = True
    name: str = "{path}"


HOSTS = {
    "nvim-lint": Host(
        (
            "--format=%(path)s:%(row)d:%(col)d:%(code)s:%(text)s",
            "--no-show-source",
            "--stdin-display-name",
            "{path}",
            "-",
        ),
        r"(?P<path>[^:]+):(?P<line>\d+):(?P<col>\d+):(?P<code>[A-Za-z0-9]+):(?P<text>.+)",
    ),
    "none-ls": Host(
        ("--format", "default", "--stdin-display-name", "{path}", "-"),
        r"(?P<path>.+?):(?P<line>\d+):(?P<col>\d+): (?P<code>[A-Z][A-Za-z0-9]+) (?P<text>.*)",
    ),
    "ALE": Host(
        ("--format=default", "--stdin-display-name", "{path}", "-"),
        r"(?P<path>[a-zA-Z]?:?[^:]+):(?P<line>\d+):?(?P<col>\d+)?: (?P<code>[A-Za-z0-9]+):? (?P<text>.*)",
    ),
    "flycheck": Host(
        ("--format=default", "--stdin-display-name={path}", "-"),
        r"(?P<path>.+?):(?P<line>\d+):(?P<col>\d+): (?P<code>[A-Za-z]+[0-9]+) (?P<text>.+)",
    ),
    "flymake": Host(
        ("-",),
        r"(?P<path>stdin):(?P<line>\d+):(?:(?P<col>\d+):)? (?P<text>(?P<code>\S+).*)",
        name="stdin",
    ),
    "SublimeLinter": Host(
        ("--format", "default", "-"),
        r"(?P<path>.+?):(?P<line>\d+):(?P<col>\d+): (?P<code>\w+\d+):? (?P<text>.*)",
        name="stdin",
    ),
    "coc-pyright": Host(
        ("--format=%(row)d,%(col)d,%(code).1s,%(code)s:%(text)s", "--exit-zero", "{path}"),
        r"(?P<line>\d+),(?P<col>-?\d+),(?P<type>\w+),(?P<code>\w+\d+):(?P<text>[^\r\n]*)",
        stdin=False,
    ),
    "PyCharm": Host(("{path}",), r"(?P<path>.*):(?P<line>\d+):(?P<col>\d+):(?P<text> (?P<code>\w+).*)", stdin=False),
    "reviewdog pep8": Host(
        ("{path}",), r"(?P<path>.+?):(?P<line>\d+):(?P<col>\d+): (?P<text>(?P<code>\w+).*)", stdin=False
    ),
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = project(tmp_path_factory.mktemp("hosts"))
    folder.joinpath("clean.py").write_text("import torch\n")
    return folder


def started(name: str, folder: Path, path: Path, text: str) -> Done:
    """What the host's process prints for a buffer; the disk holds other text where the host uses standard input."""
    host = HOSTS[name]
    arguments = [argument.format(path=path) for argument in host.arguments]
    stdin = text if host.stdin else None
    if name == "flycheck":
        return run([sys.executable, "-c", FLYCHECK, *arguments], folder, stdin)
    if name == "PyCharm":
        return run([sys.executable, "-m", "flake8", *arguments], folder.parent, stdin)
    return flake8(*arguments, cwd=folder, stdin=stdin)


@pytest.mark.parametrize("name", HOSTS)
def test_every_line_of_ours_is_understood(folder: Path, name: str) -> None:
    host, path = HOSTS[name], folder / "main.py"
    text = "\n" + HELPED if host.stdin else HELPED
    line = HELPED_PLACE[0] + (1 if host.stdin else 0)
    done = started(name, folder, path, text)
    assert done.err == ""
    assert done.status == (0 if "--exit-zero" in host.arguments else 1)
    matches = [re.fullmatch(host.pattern, row) for row in done.out.splitlines()]
    assert all(matches)
    found = [match.groupdict() for match in matches if match and match["code"].startswith("TBR")]
    assert [(row["code"], int(row["line"]), int(row["col"])) for row in found] == [("TBR101", line, HELPED_PLACE[1])]
    assert found[0].get("path", host.name.format(path=path)) == host.name.format(path=path)


@pytest.mark.parametrize("name", [name for name, host in HOSTS.items() if host.stdin])
def test_a_clean_buffer_says_nothing_on_any_stream(folder: Path, name: str) -> None:
    done = started(name, folder, folder / "main.py", "import torch\n\nprint(torch.ones(1))\n")
    assert done == (0, "", "")


def test_reviewdogs_own_pattern_for_flake8_drops_our_lines(folder: Path) -> None:
    # `%f:%l:%c: %t%n %m`: one letter, then digits. The documentation therefore says `pep8`; if this fails, it need not.
    (row,) = flake8("--isolated", "--select=TBR", "main.py", cwd=folder).out.splitlines()
    assert re.fullmatch(r".+?:\d+:\d+: [A-Za-z]\d+ .*", row.replace("TBR", "T"))
    assert not re.fullmatch(r".+?:\d+:\d+: [A-Za-z]\d+ .*", row)


def test_no_message_holds_what_a_greedy_pattern_takes_for_a_place() -> None:
    # python-lsp-server, PyCharm: the last `:1:2: word` of a line would count.
    files = [str(path) for path in sorted((ROOT / "examples").glob("*.py"))]
    files += [str(path) for path in sorted((ROOT / "tests" / "rules").rglob("*.py"))]
    options = ["--isolated", "--select=TBR", "--tbr-enable=TBR", "--disable-noqa"]
    done = flake8(*options, "--format=%(code)s %(text)s", "-j1", *files, cwd=ROOT)
    assert done.err == ""
    rows = done.out.splitlines()
    assert len(rows) > 300
    assert [row for row in rows if re.search(r":\d*:\d*: ?\w*", row)] == []


def test_34_a_finding_in_a_notebook_survives_nbqa_and_agrees_with_the_command(tmp_path: Path) -> None:
    cells = [
        markdown("# x"),
        code("%time\nimport torch"),
        markdown("y"),
        code(HELPED.replace("from lib import helper", "helper = torch.any")),
    ]
    tmp_path.joinpath("n.ipynb").write_bytes(stored(notebook(*cells, metadata={"language_info": {"name": "python"}})))
    done = run([sys.executable, "-m", "nbqa", "flake8", "--select=TBR", "n.ipynb"], tmp_path)
    assert done.err == ""
    (row,) = done.out.splitlines()
    match = re.match(r"n\.ipynb:cell_(\d+):(\d+):(\d+): (TBR101) ", row)
    assert match, row
    ours = run([sys.executable, "-m", "flake8_tensorbranch", "check", "--output-format=json", "n.ipynb"], tmp_path)
    (item,) = json.loads(ours.out)
    place = (item["location"]["row"], item["location"]["column"], item["code"])
    assert (int(match[2]), int(match[3]), match[4]) == place == (*HELPED_PLACE, "TBR101")
    # nbQA counts code cells, ruff and we count all.
    assert (int(match[1]), item["cell"]) == (2, 4)
