"""What a change of the plugin changes on real code: the findings of two versions over the same folder, compared.

    python tools/primer.py FOLDER --base REV [--head REV] [-j N] [-- OPTIONS OF tensorbranch check]

FOLDER   the libraries, one package or module each, as an unpacked wheel holds them
REV      a git revision of this repository, checked out for the run, or a folder that holds `flake8_tensorbranch` (a
         checkout, a site-packages folder); --head is the work tree by default

Prints, for each package and code whose findings differ, how many there were, are, came and went; then every finding
that came (+), went (-) or is worded anew (~), with its source line. Ends with status 0 where nothing differs, 1 where
something does. The output depends on the two versions and on FOLDER alone.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from itertools import product
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parents[1]
PACKAGE = "flake8_tensorbranch"
# The version under test goes first on the path, and says so where another one is imported after all.
RUN = f"""
import sys
from pathlib import Path
top = sys.argv.pop(1)
sys.path.insert(0, top)
import {PACKAGE}
assert Path({PACKAGE}.__file__).parents[1].samefile(top), {PACKAGE}.__file__
from {PACKAGE}.cli import main
sys.exit(main(sys.argv[1:]))
"""


class Place(NamedTuple):
    """Where a finding is and its code: what makes it the same finding in both versions."""

    package: str
    path: str
    line: int
    column: int
    code: str


Findings = dict[Place, str]
"""Messages by place."""


class Change(NamedTuple):
    """One difference; `sign` is `+`, `-` or `~`."""

    place: Place
    sign: str
    message: str


def main(argv: Sequence[str] | None = None) -> int:
    """Compare and print."""
    given = list(sys.argv[1:] if argv is None else argv)
    extra = given[given.index("--") + 1 :] if "--" in given else []
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--base", required=True, metavar="REV")
    parser.add_argument("--head", default=str(ROOT), metavar="REV")
    parser.add_argument("-j", "--jobs", type=int, default=1)
    options = parser.parse_args(given[: len(given) - len(extra) - 1] if "--" in given else given)
    folder = options.folder.resolve()
    packages = sorted(p.name for p in folder.iterdir() if p.suffix == ".py" or (p.is_dir() and is_code(p)))
    if not packages:
        parser.error(f"{options.folder} holds no Python package")
    with ExitStack() as stack:
        tops = [stack.enter_context(version(name)) for name in (options.base, options.head)]
        with ThreadPoolExecutor(options.jobs) as pool:
            parts = list(pool.map(lambda job: findings(job[0], folder, job[1], extra), product(tops, packages)))
    base = {place: message for part in parts[: len(packages)] for place, message in part.items()}
    head = {place: message for part in parts[len(packages) :] for place, message in part.items()}
    changes = compare(base, head)
    print("\n".join(report(base, head, changes, folder)))
    return 1 if changes else 0


def is_code(folder: Path) -> bool:
    """Whether a folder of the wheel is a package of its own: metadata and data folders are not."""
    return not folder.name.startswith((".", "_")) and folder.suffix == "" and any(folder.rglob("*.py"))


@contextmanager
def version(name: str) -> Iterator[Path]:
    """The folder to import one version from; a git revision is checked out for as long as the block runs.

    Raises `SystemExit` when `name` is neither a folder that holds the package nor a revision.
    """
    if (Path(name) / PACKAGE).is_dir():
        yield Path(name).resolve()
        return
    with tempfile.TemporaryDirectory() as scratch:
        top = Path(scratch, "version")
        added = git("worktree", "add", "--detach", "--force", str(top), name)
        if added.returncode:
            raise SystemExit(
                f"primer: {name!r} is neither a folder with {PACKAGE} nor a revision: {added.stderr.strip()}"
            )
        try:
            yield top
        finally:
            git("worktree", "remove", "--force", str(top))


def git(*arguments: str) -> subprocess.CompletedProcess[str]:
    """One git command in this repository."""
    return subprocess.run(["git", "-C", str(ROOT), *arguments], capture_output=True, text=True, check=False)


def findings(top: Path, folder: Path, package: str, options: Sequence[str]) -> Findings:
    """What the version at `top` finds in one package, in a process of its own.

    Raises `SystemExit` when it fails or writes to standard error.
    """
    command = [sys.executable, "-c", RUN, str(top), "check", "--output-format=json", *options, package]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    if done.returncode > 1 or done.stderr:
        raise SystemExit(f"primer: the version at {top} fails on {package}:\n{done.stderr}")
    found = {}
    for item in json.loads(done.stdout):
        path = Path(item["filename"]).relative_to(folder).as_posix()
        at = item["location"]
        found[Place(package, path, at["row"], at["column"], item["code"])] = item["message"]
    return found


def compare(base: Findings, head: Findings) -> list[Change]:
    """All differences, by place."""
    changes = [Change(place, "-", base[place]) for place in base.keys() - head.keys()]
    changes += [Change(place, "+", head[place]) for place in head.keys() - base.keys()]
    changes += [Change(place, "~", head[place]) for place in base.keys() & head.keys() if base[place] != head[place]]
    return sorted(changes)


def report(base: Findings, head: Findings, changes: Sequence[Change], folder: Path) -> Iterator[str]:
    """The lines that are printed."""
    yield f"{'package':<20} {'code':<8} {'base':>6} {'head':>6} {'+':>5} {'-':>5} {'~':>5}"
    counts = [Counter((place.package, place.code) for place in side) for side in (base, head)]
    signs = Counter((change.place.package, change.place.code, change.sign) for change in changes)
    for package, code in sorted({key[:2] for key in signs}):
        numbers = [count[package, code] for count in counts]
        yield row(package, code, *numbers, *(signs[package, code, sign] for sign in "+-~"))
    total = Counter(change.sign for change in changes)
    yield row("all", "", len(base), len(head), *(total[sign] for sign in "+-~"))
    for change in changes:
        place = change.place
        yield ""
        yield f"{change.sign} {place.path}:{place.line}:{place.column} {place.code} {change.message}"
        yield f"      {source_line(folder / place.path, place.line)}"


def row(package: str, code: str, *numbers: int) -> str:
    """One row of the table."""
    base, head, *rest = numbers
    return f"{package:<20} {code:<8} {base:>6} {head:>6} " + " ".join(f"{number:>5}" for number in rest)


def source_line(path: Path, line: int) -> str:
    """The text of one line, without its indentation; empty where there is none."""
    lines = path.read_text(encoding="utf-8", errors="replace").splitlines()
    return lines[line - 1].strip() if 0 < line <= len(lines) else ""


if __name__ == "__main__":
    sys.exit(main())
