"""A folder of files that ruff reports on, and the same findings as ours: what the formats of both are compared on."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from flake8_tensorbranch.diagnostic import Applicability, Diagnostic, Edit, Fix
from flake8_tensorbranch.files import Unreadable, read
from flake8_tensorbranch.fixes import summary
from flake8_tensorbranch.fixes.safety import applied
from flake8_tensorbranch.output import FORMATS, STATISTICS, Options, Report
from flake8_tensorbranch.pages import rule_name
from flake8_tensorbranch.source import SourceFile
from tests.trees import put

RULES = "F,B006,E711,E731,E902,ERA001"
NOTEBOOK = {
    "cells": [
        {"cell_type": "code", "metadata": {}, "outputs": [], "execution_count": None, "source": "import os\nx = 1"},
        {"cell_type": "markdown", "metadata": {}, "source": "words"},
        {"cell_type": "code", "metadata": {}, "outputs": [], "execution_count": None, "source": "import sys"},
        {"cell_type": "code", "metadata": {}, "outputs": [], "execution_count": None, "source": "if x:\n    undefd"},
    ],
    "metadata": {"language_info": {"name": "python"}},
    "nbformat": 4,
    "nbformat_minor": 5,
}
FILES: dict[str, str | bytes] = {
    "sample.py": """\
import os
import sys, json

x = 1

def f(a, b=[]):
    é = "ü"; bad()
    return undefined_name, '</&"'


wide = "日本語", "e\u0301\U0001f600\u200d", bad2
if f is "x" or (f,
        3) is "y":
\twide\t=\tbad3
if f:
    lam = lambda: [
        1,

        2
    ]
#  print(x)
if x == None: x = "\x07\x1b\x7f", bad4
""",
    "deep/long.py": "x = '" + "a" * 150 + "', bad, '" + "b" * 100 + "'\ny = bad2, '" + "c" * 200 + "'\n\n"
    "" + " " * 40 + "# spaces\nif x:\n" + " " * 44 + "x = bad3   \n" + " " * 44 + "y = 2\n",
    "rows.py": 'x = (bad1, """\n\n""",\n  bad2)\ny = x + \\\n  bad3 + \\\n  1\nz = f"{bad4}"; w = """\n""", bad5\n',
    "bom.py": b"\xef\xbb\xbfbad1, x\n\nif x:\n\n    pass\nimport os\n",
    "crlf.py": b"import os\r\nx = [\r\n  bad1,\r\n\tbad2]\r\n",
    "syntax.py": "x = )\nimport os\n",
    "cut.py": "x = )",
    "book.ipynb": json.dumps(NOTEBOOK),
}
_UNREADABLE = re.compile(r"E902((?:\x1b\[0m)?) (?=No such)")
_WORDS = {"safe": Applicability.SAFE, "unsafe": Applicability.UNSAFE, "displayonly": Applicability.DISPLAY}


class Sample:
    """The files in a folder, ruff's findings in them, and ours at the same places.

    Ours have codes and messages of their own; `as_ruff` puts ruff's in their place, and ruff's name in that of ours.
    """

    def __init__(self, folder: Path, files: Sequence[str] = (*FILES, "missing.py")) -> None:
        put(folder, FILES)
        self.folder = folder
        self.files = files
        self.items: list[dict[str, Any]] = json.loads(self.ruff("json"))
        # Places in the text that all cells of a notebook make, which edits reach over.
        self.raw: list[dict[str, Any]] = json.loads(self.ruff("rdjson"))["diagnostics"]
        names = {
            item["name"]: item["code"] for item in self.items if item["name"] not in ("invalid-syntax", "io-error")
        }
        # Both linters order statistics by name, so names of ours are taken in the order of theirs.
        ours = sorted((f"TBR10{number}" for number in range(1, 7)), key=rule_name)
        ours = [*ours, *sorted((f"TBR20{number}" for number in range(1, 7)), key=rule_name)][: len(names)]
        ours.sort(key=rule_name)
        self.codes = dict(zip((names[name] for name in sorted(names)), ours, strict=True))
        self.codes |= {"invalid-syntax": "invalid-syntax", "io-error": "io-error"}
        self.reports = [self._report(item, raw) for item, raw in zip(self.items, self.raw, strict=True)]

    def ruff(self, output_format: str, *options: str, colour: bool = False, rules: str = RULES) -> str:
        """What ruff writes about the files; with our name for a file that cannot be read, which is no rule of ours."""
        ruff = shutil.which("ruff", path=os.pathsep.join((str(Path(sys.executable).parent), os.environ["PATH"])))
        assert ruff
        command = [ruff, "check", "--isolated", "--no-cache", "--select", rules, "--output-format", output_format]
        clean = {key: value for key, value in os.environ.items() if not key.startswith("RUFF") and key != "NO_COLOR"}
        done = subprocess.run(
            [*command, *options, *self.files],
            cwd=self.folder,
            env={**clean, "FORCE_COLOR": "1", "CLICOLOR_FORCE": "1"} if colour else {**clean, "NO_COLOR": "1"},
            capture_output=True,
            check=False,
        )
        assert done.returncode in (0, 1), done.stderr
        text = done.stdout.decode().replace("E902\x1b[0m\x1b[1m No such", "io-error:\x1b[0m\x1b[1m No such")
        return _UNREADABLE.sub(r"io-error\1: ", text).replace("E902", "io-error")

    def ours(self, output_format: str, *, colour: bool = False, unsafe: bool = False, statistics: bool = False) -> str:
        """What our formats make of the same findings, with ruff's codes, names and messages; run it in the folder."""
        formats = STATISTICS if statistics else FORMATS
        ready = sum(applied(report.found, unsafe) for report in self.reports)
        hidden = 0 if unsafe else sum(applied(report.found, True) for report in self.reports) - ready
        footer = [summary.counted(0, len(self.reports)), *summary.available(ready, hidden)]
        return self.as_ruff("".join(formats[output_format](self.reports, Options(colour, unsafe, footer))))

    def as_ruff(self, text: str) -> str:
        """Our text in ruff's words."""
        names = {item["code"]: item["name"] for item in self.items}
        for code, own in self.codes.items():
            if own.startswith("TBR"):
                text = text.replace(rule_name(own), names[code]).replace(own, code)
        return text.replace("flake8-tensorbranch", "ruff").replace("tensorbranch", "ruff")

    def _report(self, item: dict[str, Any], raw: dict[str, Any]) -> Report:
        path = os.path.relpath(item["filename"], self.folder)
        source = read(path)
        if isinstance(source, Unreadable):
            source = SourceFile(path, "")
        fix = None
        if item["fix"]:
            edits = tuple(
                Edit(*_place(source, edit["range"]["start"]), *_place(source, edit["range"]["end"]), edit["text"])
                for edit in raw["suggestions"]
            )
            fix = Fix(item["fix"]["message"], _WORDS[item["fix"]["applicability"]], edits)
        span = raw["location"]["range"]
        code = self.codes[item["code"]]
        start, end = _place(source, span["start"]), _place(source, span["end"])
        return Report(source, Diagnostic(*start, *end, code, item["message"], fix=fix))


def _place(source: SourceFile, place: dict[str, int]) -> tuple[int, int]:
    """A place of ruff's as `ast` counts it."""
    row, column = place["line"], place["column"]
    line = source.lines[row - 1] if row <= len(source.lines) else ""
    return row, len(line[: column - 1].encode())
