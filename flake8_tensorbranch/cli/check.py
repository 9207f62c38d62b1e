"""`tensorbranch check`: its options, and the order in which one run does things."""

from __future__ import annotations

import argparse
import contextlib
import io
import os
import shutil
import sys
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

from flake8_tensorbranch.cli import flags, repair, report, show, suppress, watch
from flake8_tensorbranch.cli.console import CLEAN, write
from flake8_tensorbranch.cli.progress import progress
from flake8_tensorbranch.cli.run import Outcome, Run
from flake8_tensorbranch.config.keys import TARGETS, value
from flake8_tensorbranch.files import STDIN
from flake8_tensorbranch.settings import SettingsError

NAME = "check"
HELP = "look at files and folders (default: the current folder)"


def add_flags(command: argparse.ArgumentParser) -> None:
    """Ruff's options where they mean something here, by ruff's names; then our own."""
    command.add_argument("paths", nargs="*", metavar="PATH", help="a file, a folder, or - for standard input")
    repair.add_flags(command.add_argument_group("fixes"))
    suppress.add_flags(command.add_argument_group("suppressions"))
    output = command.add_argument_group("output")
    report.add_flags(output)
    output.add_argument("-o", "--output-file", metavar="FILE", help="write the findings into a file")
    group = command.add_argument_group("rule selection")
    flags.codes(group, "--select", "codes to report, or prefixes of them, or ALL")
    flags.codes(group, "--ignore", "codes not to report; of two prefixes the longer decides")
    flags.codes(group, "--extend-select", "as --select, on top of what is selected already")
    flags.codes(group, "--extend-ignore", argparse.SUPPRESS)
    flags.globs(group, "--per-file-ignores", "codes not to report in files, such as tests/*:TBR1", "GLOB:CODES")
    flags.globs(group, "--extend-per-file-ignores", "as --per-file-ignores, on top of it", "GLOB:CODES")
    flags.switch(group, "--preview", "report every opt-in rule")
    files = command.add_argument_group("files")
    flags.stdin_filename(files)
    flags.globs(files, "--exclude", "files and folders not to look at, instead of the default ones")
    flags.globs(files, "--extend-exclude", "as --exclude, on top of it")
    flags.switch(files, "--respect-gitignore", "leave out what .gitignore names (the default)")
    flags.switch(files, "--force-exclude", "exclude also files that are named here")
    files.add_argument("--show-files", action="store_true", help="list the files that would be looked at")
    files.add_argument("--show-settings", action="store_true", help="show the settings of the first file")
    files.add_argument("-w", "--watch", action="store_true", help="run again whenever a file changes")
    group = command.add_argument_group("analysis")
    group.add_argument(
        "--target-version", choices=TARGETS, metavar="VERSION", help="oldest Python the code is for, such as py310"
    )
    flags.analysis(group)


# Options that ruff does not take together.
APART = (
    ("diff", "show_fixes statistics"),
    ("show_files", "ignore_noqa statistics show_settings stdin_filename watch"),
    ("show_settings", "ignore_noqa statistics stdin_filename watch"),
    ("statistics", "watch"),
    ("exit_zero", "exit_non_zero_on_fix"),
)


def run(options: argparse.Namespace) -> int:
    """Report the findings in the files that the paths name; with `--watch` until interrupted.

    Raises `SettingsError` for options and configuration that cannot be used.
    """
    _from_environment(options)
    _refuse(options)
    suppress.adds(options)  # refuses what contradicts it, watching too
    if not options.watch:
        return once(options)
    if STDIN in Run(options).given:
        raise SettingsError("--watch: standard input does not change")
    return watch.watch(lambda: once(options), lambda: Run(options).paths())


def _from_environment(options: argparse.Namespace) -> None:
    """Take from the environment what ruff takes from its own, where the command line says nothing.

    Raises `SettingsError` for a value that cannot be used.
    """
    for name in ("output_format", "output_file"):
        variable = f"TENSORBRANCH_{name.upper()}"
        given = os.environ.get(variable)
        if given is None or getattr(options, name) is not None:
            continue
        if name == "output_format":
            value("output-format", given, variable)
        elif not given:
            raise SettingsError(f"{variable}: the name of the file is empty")
        setattr(options, name, given)


def _refuse(options: argparse.Namespace) -> None:
    """Raises `SettingsError` for options that contradict each other, and for a path that is empty."""
    for name, others in APART:
        for other in others.split():
            if getattr(options, name) and getattr(options, other):
                one, two = (f"--{option.replace('_', '-')}" for option in (name, other))
                raise SettingsError(f"{one} cannot be used with {two}")
    if "" in options.paths:
        raise SettingsError("PATH: a path is empty, as from an unset variable")
    for name in ("output_file", "stdin_filename"):
        if getattr(options, name) == "":
            raise SettingsError(f"--{name.replace('_', '-')}: the name of the file is empty")


def once(options: argparse.Namespace) -> int:
    """One run, and its exit status."""
    this = Run(options)
    if suppress.adds(options):
        return suppress.add(this)
    report.shape(this)  # a format that does not exist is refused before any file is looked at
    paths = list(this.paths())
    if options.show_files:
        write(show.files(paths))
        return CLEAN
    if options.show_settings:
        for path in paths[:1]:
            folder = os.path.dirname(os.path.abspath(options.stdin_filename or path))
            write(show.settings(options.stdin_filename or path, this.resolver.for_folder(folder)))
        return CLEAN
    if not paths:
        _nothing(this)
    for path in paths:  # a configuration in error ends the run before anything is written
        this.resolver.for_file(path)
    outcomes = look_at(this, paths)
    with to_file(options.output_file):
        if not repair.report(this.repairs, outcomes):
            report.write(this, outcomes)
    return CLEAN if options.exit_zero else this.status(outcomes)


def look_at(this: Run, paths: Sequence[str]) -> list[Outcome]:
    """What the files gave; of those that gave nothing, and stayed as they are, nothing is kept."""
    kept = []
    with progress(this.console, paths) as line:
        for path in paths:
            started = time.monotonic()
            outcome = this.outcome(path)
            if outcome.findings or outcome.before is not None:
                kept.append(outcome)
            line.looked_at(len(outcome.findings))
            this.console.debug(
                f"{outcome.source.path}: {len(outcome.findings)} found in {time.monotonic() - started:.3f}s, "
                f"settings from {outcome.settings.config or 'no file'}"
            )
    return kept


def _nothing(this: Run) -> None:
    """No file is left: standard input that is excluded passes unchanged where repairs would have passed it."""
    if STDIN not in this.given:
        this.console.warn("No Python files found under the given path(s)")
    elif this.settings.fix or this.settings.fix_only:
        sys.stdout.buffer.write(sys.stdin.buffer.read())


@contextlib.contextmanager
def to_file(path: str | None) -> Iterator[None]:
    """Put standard output into a file, into a regular one whole or not at all; raises `SettingsError` if that fails."""
    if path is None:
        yield
        return
    text = io.StringIO()
    with contextlib.redirect_stdout(text):
        yield
    target = Path(path)
    try:
        if target.is_symlink() or (target.exists() and not target.is_file()):  # such as /dev/stdout: stays what it is
            target.write_text(text.getvalue(), encoding="utf-8")
            return
        target.parent.mkdir(parents=True, exist_ok=True)
        _replace(target, text.getvalue())
    except OSError as error:
        raise SettingsError(f"--output-file: {path}: {error.strerror or error}") from error


def _replace(target: Path, text: str) -> None:
    part = target.with_name(target.name + ".part")
    try:
        part.write_text(text, encoding="utf-8")
        if target.exists():
            shutil.copymode(target, part)
        part.replace(target)
    finally:
        with contextlib.suppress(OSError):
            part.unlink()
