"""`tensorbranch check`: its options, and the order in which one run does things."""

from __future__ import annotations

import argparse

from flake8_tensorbranch.cli import flags, repair, report, suppress
from flake8_tensorbranch.cli.console import CLEAN
from flake8_tensorbranch.cli.run import Run

NAME = "check"
HELP = "look at files and folders (default: the current folder)"


def add_flags(command: argparse.ArgumentParser) -> None:
    """Ruff's options where they mean something here, by ruff's names; then our own."""
    command.add_argument("paths", nargs="*", metavar="PATH", help="a file, a folder, or - for standard input")
    repair.add_flags(command.add_argument_group("fixes"))
    suppress.add_flags(command.add_argument_group("suppressions"))
    report.add_flags(command.add_argument_group("output"))
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
    flags.analysis(command.add_argument_group("analysis"))


def run(options: argparse.Namespace) -> int:
    """Report the findings in the files that the paths name."""
    this = Run(options)
    report.shape(this)  # a format that does not exist is refused before any file is looked at
    outcomes = [this.outcome(path) for path in this.paths()]
    if not outcomes:
        this.console.warn("No Python files found under the given path(s)")
    if not repair.report(this.repairs, outcomes):
        report.write(this, outcomes)
    return CLEAN if options.exit_zero else this.status(outcomes)
