"""docs/adopting.md as a new user follows it: files written and commands run, in a new project and in its order."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

import tomlkit

from tests.hosts.driving import ROOT, run

PAGE = ROOT / "docs" / "adopting.md"
START = "[tool.ruff]\nline-length = 88\n"
NAMED = re.compile(r"`([\w./-]+\.(?:py|flake8)|\.flake8)`")
COMMAND = re.compile(r"\$ (.+?)(?:  # status (\d))?")
INSTALL = re.compile(r"pip install '([\w-]+)\[(\w+)\]'")


class Block(NamedTuple):
    """A block of the page: its language, its text, and the file that the words before it name last."""

    language: str
    text: str
    file: str


def blocks() -> Iterator[Block]:
    named = ""
    for words, language, text in re.findall(r"(.*?)^```(\w+)\n(.*?)^```$", PAGE.read_text("utf-8"), re.M | re.S):
        named = ([named, *NAMED.findall(words)])[-1]
        yield Block(language, text, named)


def test_the_page_works_as_it_stands(tmp_path: Path) -> None:
    folder = tmp_path / "project"
    folder.joinpath("src").mkdir(parents=True)
    folder.joinpath("pyproject.toml").write_text(START)
    started(folder)
    workflow: list[str] = []
    for block in blocks():
        match block.language:
            case "python" | "ini":
                folder.joinpath(block.file).write_text(block.text, encoding="utf-8")
            case "console":
                for command, status, output in commands(block.text):
                    follow(folder, command, status, output)
            case "yaml" if block.text.startswith("repos:"):
                folder.joinpath(".pre-commit-config.yaml").write_text(here(block.text), encoding="utf-8")
            case "yaml":
                workflow += re.findall(r"^- run: (.+)$", block.text, re.M)
                passes(folder, workflow)
    passes(folder, workflow)
    assert len(workflow) == 3


def passes(folder: Path, workflow: Sequence[str]) -> None:
    for step in workflow:
        follow(folder, step, 0, None)


def follow(folder: Path, command: str, status: int, output: Sequence[str] | None) -> None:
    """Run one command; nothing may be on standard error but the words about the run that the page shows."""
    if install := INSTALL.fullmatch(command):
        project = tomlkit.parse((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
        assert project["name"] == install[1]
        assert install[2] in project["optional-dependencies"]
        return
    if command.startswith("pre-commit"):
        run(["git", "add", "."], folder)
    done = run(["bash", "-c", f"{{ {command}; }} 2>&1"], folder, PRE_COMMIT_HOME=str(folder.parent / "cache"))
    assert done.status == status, (command, done)
    if output:
        assert [line.rstrip() for line in done.out.splitlines()] == [line.rstrip() for line in output], command


def commands(text: str) -> Iterator[tuple[str, int, list[str]]]:
    """The commands of a console block, each with its status and the lines shown below it."""
    for part in re.split(r"^(?=\$ )", text, flags=re.M)[1:]:
        first, *output = part.splitlines()
        command = COMMAND.fullmatch(first)
        assert command
        yield command[1], int(command[2] or 0), output


def here(hooks: str) -> str:
    """The hook in this environment instead of one that pip would make."""
    changed = re.sub(r"^ +additional_dependencies: .*\n", "", hooks, flags=re.M)
    assert changed != hooks
    assert "language: python" in changed
    return changed.replace("language: python", "language: system")


def started(folder: Path) -> None:
    run(["git", "init", "-q"], folder)
    folder.joinpath(".gitignore").write_text("*_cache/\n")
