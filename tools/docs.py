"""The generated parts of the documentation, between their markers: written anew, or held against what is there.

    python tools/docs.py [--check]

README.md                what flake8 prints for examples/
docs/index.md            the rules, from their pages
docs/fixes.md            which codes have fixes, from the rules' pages
docs/architecture.md     the modules, from their docstrings
docs/options.md          the options, from the settings
docs/configuration.md    the keys of the configuration, from their table
docs/cli.md              the options of each command, from its parser
docs/reveal.md           what `tensorbranch reveal` prints
docs/output.md           what each output format looks like
docs/oracle.md           what real torch did with each example, as tools/oracle.py recorded it

Ends with status 1 where `--check` finds a part that is not what it should be.
"""

from __future__ import annotations

import argparse
import ast
import functools
import json
import os
import re
import shlex
import subprocess
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path

from flake8_tensorbranch.cli.findings import findings
from flake8_tensorbranch.cli.parser import parser
from flake8_tensorbranch.config.keys import KEYS
from flake8_tensorbranch.files import Unreadable, read
from flake8_tensorbranch.fixes import summary
from flake8_tensorbranch.output import FORMATS, Options, Report
from flake8_tensorbranch.pages import Page, pages
from flake8_tensorbranch.settings import OPTIONS, Settings
from tools import oracle

ROOT = Path(__file__).resolve().parents[1]
PACKAGE = ROOT / "flake8_tensorbranch"
REVEAL = "tensorbranch reveal examples/norm_cap_broken.py:34:13"
FORMATTED = "examples/reentrant_inputs_broken.py"
PROJECT = "/project"  # stands for the folder that absolute paths begin with
LANGUAGES = {"json-lines": "json", "json": "json", "rdjson": "json", "gitlab": "json", "sarif": "json", "junit": "xml"}
KINDS = {"Safe": "`--fix`", "Unsafe": "`--fix --unsafe-fixes`", "Shown only, not applied": "never: shown only"}
CLASSES = {
    "E": "error: wrong every time the code is reached",
    "W": "warning: wrong when something flips, or a real cost",
    "I": "information: opt-in",
    "tool": "about the linter itself",
}


def main(argv: Sequence[str] | None = None) -> int:
    """Write or check every part."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true")
    options = parser.parse_args(argv)
    stale = [name for name in PARTS if not is_current(*name)]
    for file, marker in stale:
        print(f"{file}: {marker} is not current" if options.check else f"{file}: {marker} written")
        if not options.check:
            (ROOT / file).write_text(renewed(file, marker), encoding="utf-8")
    return 1 if stale and options.check else 0


def is_current(file: str, marker: str) -> bool:
    """Whether one part of a file is what it would be written as now."""
    return renewed(file, marker) == (ROOT / file).read_text(encoding="utf-8")


def renewed(file: str, marker: str) -> str:
    """The file's text with one part made anew; raises `ValueError` when its markers are not there."""
    text = (ROOT / file).read_text(encoding="utf-8")
    begin, end = f"<!-- {marker}: begin -->\n", f"<!-- {marker}: end -->\n"
    if text.count(begin) != 1 or text.count(end) != 1:
        raise ValueError(f"{file} does not hold the markers of {marker!r} once")
    before, _, rest = text.partition(begin)
    return before + begin + "".join(f"{line}\n" for line in PARTS[file, marker]()) + end + rest.partition(end)[2]


def examples() -> Iterator[str]:
    """What flake8 prints for the examples."""
    yield from console("flake8 --select TBR examples/", 1)


def revealed() -> Iterator[str]:
    """What reveal prints for one place of an example."""
    yield from console(REVEAL, 0)


def console(command: str, status: int) -> Iterator[str]:
    """A command and its output as a block; raises `ValueError` if it ends otherwise than expected or complains."""
    name, *arguments = shlex.split(command)
    module = "flake8_tensorbranch" if name == "tensorbranch" else name
    done = subprocess.run(
        [sys.executable, "-m", module, *arguments], cwd=ROOT, capture_output=True, text=True, check=False
    )
    if done.returncode != status or done.stderr:
        raise ValueError(f"{command} ended with status {done.returncode}: {done.stderr}")
    yield from ("```console", f"$ {command}", *done.stdout.splitlines(), "```")


def rules() -> Iterator[str]:
    """One row for each code."""
    yield "| code | name | class | what it does |"
    yield "|---|---|---|---|"
    for page in pages().values():
        link = f"[{page.code}](../flake8_tensorbranch/docs/{page.code}.md)"
        yield f"| {link} | {page.name.removeprefix('tbr-')} | {class_of(page)} | {first_sentence(page.summary)} |"


def fixes() -> Iterator[str]:
    """One row for each code whose findings may carry a fix."""
    yield "| code | applied with | what it does |"
    yield "|---|---|---|"
    for page in pages().values():
        found = re.search(r"^### Fix\n(.+?)\n(?:\n|$)", page.text, re.MULTILINE | re.DOTALL)
        if found is not None:
            kind, _, said = " ".join(found[1].split()).partition(": ")
            link = f"[{page.code}](../flake8_tensorbranch/docs/{page.code}.md#fix)"
            yield f"| {link} {page.name.removeprefix('tbr-')} | {KINDS[kind]} | {first_sentence(said)} |"


def class_of(page: Page) -> str:
    """The letter of a page's class; raises `KeyError` for one that is not explained."""
    letter = page.rule_class.split()[0].rstrip(":,;")
    assert CLASSES[letter]
    return letter


def first_sentence(text: str) -> str:
    """The text up to the first full stop that ends a sentence, fit for a cell of a table."""
    match = re.match(r"(.+?[.:])(?= [A-Z`]|$)", text)
    return (match[1] if match else text).rstrip(":").replace("|", "\\|")


def rooms() -> Iterator[str]:
    """One row for each module, rules left out: the first sentence of its docstring."""
    yield "| file | what it is |"
    yield "|---|---|"
    for path in sorted(PACKAGE.rglob("*.py"), key=lambda path: (len(path.parts), path)):
        name = path.relative_to(PACKAGE).as_posix()
        if not name.startswith("rules/tbr"):
            said = ast.get_docstring(ast.parse(path.read_text(encoding="utf-8"))) or ""
            yield f"| `{name}` | {first_sentence(' '.join(said.split(chr(10) * 2)[0].split()))} |"
    yield "| `rules/tbrNNN_name.py` | One rule. |"
    yield "| `docs/TBRNNN.md` | One rule's page (package data). |"
    for path in sorted((PACKAGE / "knowledge").glob("*.tsv")):
        yield f"| `knowledge/{path.name}` | Generated table; its header names the wheel, its hash, the generator. |"


def options() -> Iterator[str]:
    """One row for each option."""
    yield "| option | value | default | meaning |"
    yield "|---|---|---|---|"
    for option in OPTIONS:
        value = f"`{option.metavar}`, a list" if option.is_list else f"`{option.metavar}`"
        default = "none" if option.default is None else f"`{option.default}`"
        yield f"| `{option.flag}` | {value} | {default} | {option.help} |"


def keys() -> Iterator[str]:
    """One row for each key of the configuration."""
    yield "| key | type | default | meaning |"
    yield "|---|---|---|---|"
    for key in KEYS:
        default = f"`{key.default}`" if re.match(r'[\[{"].*[]}"]$|true$|false$', key.default) else key.default
        yield f"| `{key.name}` | `{key.type}` | {default} | {key.meaning} |"


def flags() -> Iterator[str]:
    """A table for each command, its options by group; those that every command takes once, at the end."""
    top = parser()
    common = {name for action in top._actions for name in action.option_strings}
    (commands,) = [action for action in top._actions if isinstance(action, argparse._SubParsersAction)]
    helps = {choice.dest: choice.help or "" for choice in commands._choices_actions}
    for name, command in commands.choices.items():
        yield f"### `tensorbranch {name}`"
        yield ""
        yield f"{helps[name][0].upper()}{helps[name][1:]}."
        yield ""
        yield from _table(action for action in command._actions if not common & {*action.option_strings})
    yield "### Every command"
    yield ""
    yield from _table(action for action in top._actions if action is not commands)


def _table(actions: Iterable[argparse.Action]) -> Iterator[str]:
    shown = [action for action in actions if action.help is not argparse.SUPPRESS]
    if not shown:
        return
    yield "| option | meaning |"
    yield "|---|---|"
    for action in shown:
        value = action.metavar or ("{" + ",".join(map(str, action.choices)) + "}" if action.choices else "")
        if action.nargs == 0 or isinstance(value, tuple):
            value = ""
        if action.nargs == "?" and action.option_strings:
            names = [f"{name}[={value}]" for name in action.option_strings]
        else:
            names = [f"{name} {value}".strip() for name in action.option_strings] or [str(value or action.dest)]
        cells = ", ".join(f"`{name}`" for name in names), action.help or ""
        yield "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"
    yield ""


def format_example(name: str) -> Callable[[], Iterator[str]]:
    """What makes the part of the page that shows the format `name`."""
    return functools.partial(_shown, name)


def _shown(name: str) -> Iterator[str]:
    text = _rendered(name).replace(str(ROOT), PROJECT)
    if name == "sarif":
        # The rest are the pages of the rules and the name of the schema.
        text = json.dumps(json.loads(text)["runs"][0]["results"], indent=2, ensure_ascii=False)
    yield from (f"```{LANGUAGES.get(name, 'text')}", *text.splitlines(), "```")


def _rendered(name: str) -> str:
    here = os.getcwd()
    os.chdir(ROOT)  # formats show paths from the current folder
    try:
        reports = _reports()
        footer = [summary.counted(0, len(reports)), *summary.available(0, len(reports))]
        return "".join(FORMATS[name](reports, Options(footer=footer)))
    finally:
        os.chdir(here)


@functools.cache
def _reports() -> Sequence[Report]:
    source = read(FORMATTED)
    assert not isinstance(source, Unreadable)
    return [Report(source, found) for found in findings(source, Settings())]


PARTS: dict[tuple[str, str], Callable[[], Iterator[str]]] = {
    ("README.md", "examples"): examples,
    ("docs/index.md", "rules"): rules,
    ("docs/fixes.md", "fixes"): fixes,
    ("docs/architecture.md", "rooms"): rooms,
    ("docs/options.md", "options"): options,
    ("docs/configuration.md", "keys"): keys,
    ("docs/cli.md", "flags"): flags,
    ("docs/reveal.md", "reveal"): revealed,
    **{("docs/output.md", name): format_example(name) for name in FORMATS},
    ("docs/oracle.md", "observed"): oracle.table,
    ("docs/oracle.md", "behaviours"): oracle.behaviours,
    ("docs/oracle.md", "differences"): oracle.differences,
}


if __name__ == "__main__":
    sys.exit(main())
