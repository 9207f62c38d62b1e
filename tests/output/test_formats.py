"""What the formats make of findings that ruff has none of: ways, notes in other files, odd paths, odd streams."""

from __future__ import annotations

import io
import json
import os
import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree

import pytest

from flake8_tensorbranch import pages
from flake8_tensorbranch.diagnostic import Applicability, Confidence, Diagnostic, Edit, Fix, Related
from flake8_tensorbranch.output import FORMATS, STATISTICS, Options, Report, write
from flake8_tensorbranch.output.report import relative
from flake8_tensorbranch.source import Cell, SourceFile

TEXT = "import torch\n\ndef f(x):\n    if x.any():\n        return x\n"
PLAIN = Options()
HELP = "use `torch.where`"


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty current folder outside of CI."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("CI_PROJECT_DIR", raising=False)
    return tmp_path


def finding(
    *related: Related, path: str = "p.py", text: str = TEXT, cells: tuple[Cell, ...] = (), fix: Fix | None = None
) -> Report:
    """A finding on the fourth line."""
    message = f"`x.any()` decides; {HELP}"
    found = Diagnostic(4, 7, 4, 14, "TBR101", message, Confidence.CERTAIN, related, HELP, fix)
    return Report(SourceFile(path, text, cells), found)


def shown(name: str, *reports: Report, options: Options = PLAIN) -> str:
    return "".join(FORMATS[name](reports, options))


def test_full_tells_the_way_and_says_once_what_to_do(folder: Path) -> None:
    folder.joinpath("q.py").write_bytes(b"\xef\xbb\xbf# \xc3\xa9\r\nself.cap(x)\r\n")
    way = [
        Related("p.py", 3, 6, "a tensor"),
        Related("q.py", 2, 0, "called here"),
        Related("p.py", 3, 0, "the function"),
        Related("gone.py", 7, 2, "elsewhere"),
    ]
    assert shown("full", finding(*way)) == (
        "TBR101 `x.any()` decides\n"
        " --> p.py:4:8\n"
        "  |\n"
        "3 | def f(x):\n"
        "4 |     if x.any():\n"
        "  |        ^^^^^^^\n"
        "5 |         return x\n"
        "  |\n"
        "note: a tensor\n"
        " --> p.py:3:7\n"
        "  |\n"
        "3 | def f(x):\n"
        "  |       ^\n"
        "note: called here\n"
        " --> q.py:2:1\n"
        "  |\n"
        "2 | self.cap(x)\n"
        "  | ^^^^^^^^\n"
        "note: the function\n"
        " --> p.py:3:1\n"
        "  |\n"
        "3 | def f(x):\n"
        "  | ^^^^^\n"
        "note: elsewhere\n"
        "--> gone.py:7:3\n"
        "help: use `torch.where`\n"
        "\n"
    )


@pytest.mark.parametrize(
    ("message", "helps"),
    [
        ("Use `torch.where`", ["help: Use `torch.where`"]),
        ("Pick with `torch.where`", ["help: Pick with `torch.where`"]),
        ("Use `torch`", ["help: use `torch.where`"]),
        ("Remove", ["help: use `torch.where`", "help: Remove"]),
        ("Remove the test", ["help: use `torch.where`", "help: Remove the test"]),
    ],
)
def test_full_shows_a_fix_below_the_help_that_it_does_not_say(message: str, helps: list[str]) -> None:
    fix = Fix(message, Applicability.SAFE, (Edit(4, 4, 5, 8, ""),))
    text = shown("full", finding(fix=fix))
    assert [line for line in text.splitlines() if line.startswith("help")] == helps
    assert text.startswith("TBR101 [*] `x.any()` decides\n")
    assert text.endswith("  |\n3 | def f(x):\n  -     if x.any():\n  -         return x\n4 +     return x\n  |\n\n")


def test_a_diff_of_edits_far_apart_has_a_line_between() -> None:
    text = "".join(f"x{number} = {number}\n" for number in range(1, 13))
    edits = (Edit(2, 0, 2, 2, "y2"), Edit(11, 0, 11, 3, "y11"))
    report = finding(text=text, fix=Fix("rename", Applicability.SAFE, edits))
    diff = shown("full", report).partition("help: rename\n")[2]
    assert diff == (
        "   |\n1  | x1 = 1\n   - x2 = 2\n2  + y2 = 2\n3  | x3 = 3\n"
        + "-" * 80
        + "\n10 | x10 = 10\n   - x11 = 11\n11 + y11 = 11\n12 | x12 = 12\n   |\n\n"
    )


def test_notes_in_a_notebook_name_the_cell() -> None:
    cells = (Cell(2, 1), Cell(5, 3))
    report = finding(Related("p.py", 1, 7, "torch"), cells=cells)
    assert " --> p.py:cell 5:2:8\n  |\n1 | def f(x):\n2 |     if" in shown("full", report)
    assert "note: torch\n --> p.py:cell 2:1:8\n  |\n1 | import torch\n  |        ^^^^^\n" in shown("full", report)
    assert "%0A  note: p.py:cell 2:1: torch" in shown("github", report)


def test_github_tells_the_way_on_further_lines() -> None:
    fix = Fix("Remove the test", Applicability.UNSAFE, (Edit(4, 4, 5, 8, ""),))
    [line] = shown("github", finding(Related("q/r.py", 3, 6, "a tensor"), fix=fix)).splitlines()
    assert line.endswith(f"decides; {HELP}%0A  note: q/r.py:3: a tensor%0A  help: Remove the test")


def test_paths_do_not_depend_on_how_they_are_written(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for path in ("p.py", "./p.py", "sub/../p.py", str(folder / "p.py")):
        for name in FORMATS:
            assert shown(name, finding(path=path)) == shown(name, finding()), name
    outside = str(folder.parent / "other.py")
    assert shown("concise", finding(path="../other.py")).startswith(f"{outside}:4:8: ")
    assert relative(str(folder) + "x/p.py") == str(folder) + "x/p.py"
    assert shown("concise", finding(path="-")).startswith("-:4:8: TBR101 ")
    assert json.loads(shown("json", finding(path="-")))[0]["filename"] == "-"
    monkeypatch.setenv("CI_PROJECT_DIR", str(folder.parent))
    assert json.loads(shown("gitlab", finding()))[0]["location"]["path"] == f"{folder.name}/p.py"


def test_junit_holds_whatever_a_path_or_message_holds() -> None:
    report = Report(SourceFile("a&b<'\">\x01.py", "x\n"), Diagnostic(1, 0, 1, 1, "TBR101", "<\x00&'\"> \ud800 é"))
    suite = ElementTree.fromstring(shown("junit", report).encode())[0]
    assert suite.attrib["name"].endswith("a&b<'\">.py")
    failure = suite[0].find("failure")
    assert failure is not None
    assert failure.attrib["message"] == "<&'\">  é"


def test_gitlab_fingerprints_of_equal_lines_differ() -> None:
    reports = [finding(), finding(), finding(path="q.py")]
    assert len({issue["fingerprint"] for issue in json.loads(shown("gitlab", *reports))}) == 3


@pytest.mark.parametrize("encoding", ["ascii", "latin-1", "utf-8"])
def test_json_can_be_read_back_from_any_stream(encoding: str) -> None:
    found = Diagnostic(1, 0, 1, 1, "TBR101", "é \U0001f600 \udc80")
    stream = io.TextIOWrapper(io.BytesIO(), encoding=encoding)
    write(FORMATS["json-lines"]([Report(SourceFile("p.py", "x\n"), found)], Options()), stream)
    stream.flush()
    data = stream.buffer.getvalue().decode(encoding)  # type: ignore[attr-defined]
    assert json.loads(data)["message"] == found.message


def test_only_formats_for_people_have_a_footer() -> None:
    options = Options(footer=("Found 1 error.", "[*] 1 fixable with `--fix`."))
    with_footer = {name for name in FORMATS if "Found 1" in shown(name, finding(), options=options)}
    assert with_footer == {"full", "concise", "grouped"}
    table = "".join(STATISTICS["full"]([finding()], options._replace(colour=True)))
    assert table.endswith("Found 1 error.\n[\x1b[36m*\x1b[0m] 1 fixable with `--fix`.\n")


def test_links_follow_the_project_urls(monkeypatch: pytest.MonkeyPatch) -> None:
    assert json.loads(shown("json", finding()))[0]["url"] is None
    urls = {"rules": "https://example.org/rules/", "homepage": "https://example.org"}
    monkeypatch.setattr(pages, "_urls", lambda: urls)
    page = "https://example.org/rules/TBR101.md"
    assert json.loads(shown("json", finding()))[0]["url"] == page
    rdjson = json.loads(shown("rdjson", finding()))
    assert (rdjson["diagnostics"][0]["code"]["url"], rdjson["source"]["url"]) == (page, "https://example.org")
    driver = json.loads(shown("sarif", finding()))["runs"][0]["tool"]["driver"]
    assert (driver["rules"][0]["helpUri"], driver["informationUri"]) == (page, "https://example.org")
    syntax = Report(SourceFile("p.py", "x\n"), Diagnostic(1, 0, 1, 1, "invalid-syntax", "no"))
    assert json.loads(shown("json", syntax))[0]["url"] is None


def test_a_format_is_imported_when_it_is_used() -> None:
    code = (
        "import sys; from flake8_tensorbranch import output; before = set(sys.modules); "
        "[*output.FORMATS['concise']([], output.Options())]; "
        "print(sorted(name for name in sys.modules if name.startswith(('flake8_tensorbranch.output.', 'xml', 'json'))))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True, env=dict(os.environ))
    assert b"lines" in done.stdout
    assert not [word for word in (b"sarif", b"xml", b"'json'") if word in done.stdout]
