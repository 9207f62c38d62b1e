"""VS Code's flake8 extension: one process for hundreds of lints, with options and files that change in between."""

from __future__ import annotations

import itertools
import json
import os
import re
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from vscode_common_python_lsp import get_severity

from tests.adapters.samples import RAISE
from tests.hosts.driving import HELPED, HELPED_PLACE, PLAIN, ROOT, TENSOR, Done, Rpc, flake8, project

# As the extension passes it, quotes included, and how it reads a line.
FORMAT = "--format='%(row)d,%(col)d,%(code).1s,%(code)s:%(text)s'"
LINE = re.compile(r"(?P<line>\d+),(?P<column>-?\d+),(?P<type>\w+),(?P<code>\w+\d+):(?P<message>[^\r\n]*)")


class Extension:
    """The side of the extension: sends files to its runner and reads the answer."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self.rpc = Rpc([sys.executable, str(Path(__file__).with_name("vscode_runner.py"))], folder)
        self._ids = itertools.count()

    def lint(self, *arguments: str, source: str | None = None) -> Done:
        """Run flake8 once in the process that lives on."""
        number = str(next(self._ids))
        message = {"id": number, "method": "run", "module": "flake8", "argv": ["flake8", *arguments]}
        stdin = {} if source is None else {"source": source}
        self.rpc.send({**message, "useStdin": source is not None, "cwd": str(self._folder), **stdin})
        answer = self.rpc.wait(lambda found: found.get("id") == number)
        assert not answer.get("exception"), answer
        return Done(0, answer["result"], answer["error"])

    def found(self, *arguments: str, source: str | None = None) -> list[tuple[int, int, str]]:
        """Line, column and code of what the extension would show."""
        done = self.lint(FORMAT, *arguments, source=source)
        assert done.err == ""
        rows = [LINE.fullmatch(row.removeprefix("'").removesuffix("'")) for row in done.out.splitlines()]
        return [(int(row["line"]), int(row["column"]), row["code"]) for row in rows if row]


@pytest.fixture
def extension(tmp_path: Path) -> Iterator[Extension]:
    project(tmp_path)
    extension = Extension(tmp_path)
    try:
        yield extension
    finally:
        extension.rpc.close()


def test_files_and_options_that_change_between_lints(tmp_path: Path, extension: Extension) -> None:
    main, place = str(tmp_path / "main.py"), (*HELPED_PLACE, "TBR101")
    assert extension.found("--select=TBR", main) == [place]
    assert extension.found("--select=E9", main) == []
    assert extension.found("--select=TBR", main) == [place]
    # The helper alone changes, to text of the same length within the same moment.
    other = TENSOR.replace("x.sum() > 0", "len(x) > 0 ")
    for helper, expected in ((other, []), (TENSOR, [place]), (PLAIN, []), (TENSOR, [place])):
        tmp_path.joinpath("lib.py").write_text(helper)
        assert extension.found("--select=TBR", main) == expected
    tmp_path.joinpath("lib.py").unlink()
    assert extension.found("--select=TBR", main) == []
    tmp_path.joinpath("lib").mkdir()
    tmp_path.joinpath("lib", "__init__.py").write_text(TENSOR)
    assert extension.found("--select=TBR", main) == [place]
    # The file itself changes, and the configuration beside it.
    tmp_path.joinpath("main.py").write_text("\n" + HELPED, encoding="utf-8")
    assert extension.found("--select=TBR", main) == [(place[0] + 1, *place[1:])]
    tmp_path.joinpath("setup.cfg").write_text("[flake8]\nextend-ignore = TBR\n")
    assert extension.found(main) == [found for found in extension.found(main) if not found[2].startswith("TBR")]
    tmp_path.joinpath("setup.cfg").write_text("[flake8]\ntbr-confidence = nonsense\n")
    assert "tbr-confidence" in extension.lint(main).out
    tmp_path.joinpath("setup.cfg").write_text("")
    assert (place[0] + 1, *place[1:]) in extension.found(main)


def test_notebooks_come_as_text_on_standard_input(tmp_path: Path, extension: Extension) -> None:
    name = str(tmp_path / "n.ipynb")
    found = extension.found("--select=TBR", "--stdin-display-name", name, "-", source=HELPED)
    assert found == [(*HELPED_PLACE, "TBR101")]


def cases(folder: Path) -> dict[tuple[str, ...], str | None]:
    """Command lines, with what stands on standard input: each alone in a process gives what it must give here."""
    for name, text in {
        "value.py": HELPED.replace("from lib import helper", "helper = torch.any"),
        "raise.py": RAISE,
        "none.py": "import os\n",
        "broken.py": "import torch\nx = (\n",
        "deep.py": "import torch\n" + "".join(f"{' ' * n}if x:\n" for n in range(99)) + " " * 99 + "pass\n",
    }.items():
        folder.joinpath(name).write_text(text, encoding="utf-8")
    names = ["main.py", "value.py", "raise.py", "none.py", "broken.py", "deep.py"]
    options = ["--select=TBR", "--select=TBR,E9", "--tbr-confidence=certain", "--tbr-enable=TBR", "--tbr-compiled=*"]
    chosen = list(itertools.product(options, names))[:: 2 if os.environ.get("TBR_SEARCH") != "1" else 1]
    rows: dict[tuple[str, ...], str | None] = {("--isolated", option, name): None for option, name in chosen}
    rows["--isolated", "--stdin-display-name", "main.py", "-"] = "\n" + HELPED
    rows["--isolated", "--select=TBR", "main.py", "value.py", "none.py"] = None
    return rows


def test_38_two_hundred_runs_are_as_fresh_processes_and_memory_is_bounded(tmp_path: Path, extension: Extension) -> None:
    rows = cases(tmp_path)
    helpers = {"tensor": TENSOR, "plain": PLAIN}
    fresh: dict[tuple[str, tuple[str, ...]], str] = {}
    for helper, text in helpers.items():
        tmp_path.joinpath("lib.py").write_text(text)
        for arguments, stdin in rows.items():
            if "main.py" in arguments or helper == "tensor":
                done = flake8(*arguments, cwd=tmp_path, stdin=stdin)
                assert done.err == ""
                fresh[helper, arguments] = done.out
    assert len({*fresh.values()}) > 8
    assert fresh["tensor", ("--isolated", "--select=TBR", "main.py")] != ""
    sizes = []
    for number in range(200):
        helper = "tensor" if number // 3 % 2 else "plain"
        tmp_path.joinpath("lib.py").write_text(helpers[helper])
        arguments = list(rows)[number % len(rows)]
        done = extension.lint(*arguments, source=rows[arguments])
        assert done.err == ""
        assert done.out == fresh.get((helper, arguments), fresh["tensor", arguments]), (number, arguments)
        sizes.append(resident(extension.rpc.process.pid))
    if sizes[0]:
        assert sizes[199] - sizes[99] < 4, sizes


def resident(process: int) -> float:
    """Megabytes of memory that a process holds, 0 where the system does not tell."""
    try:
        pages = int(Path(f"/proc/{process}/statm").read_text().split()[1])
    except (OSError, IndexError):
        return 0.0
    return pages * os.sysconf("SC_PAGE_SIZE") / 1e6


def test_the_documented_severities_are_what_the_extension_makes_of_our_codes() -> None:
    text = ROOT.joinpath("docs", "editors.md").read_text(encoding="utf-8")
    (block,) = [
        found for found in re.findall(r"^```json\n(.*?)^```$", text, re.MULTILINE | re.DOTALL) if "flake8.args" in found
    ]
    levels = json.loads(block)["flake8.severity"]
    for code, expected in (("TBR101", "Warning"), ("E501", "Error"), ("I001", "Information")):
        assert get_severity(code, code[0], levels).name == expected
    del levels["T"]
    assert get_severity("TBR101", "T", levels).name == "Error"
    assert get_severity("TBR103", "T", {**levels, "TBR103": "Information"}).name == "Information"
