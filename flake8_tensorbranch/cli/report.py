"""The place of output in a run: its options, and the outcomes of all files as text."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from flake8_tensorbranch import output
from flake8_tensorbranch.cli.console import Level
from flake8_tensorbranch.cli.flags import Group
from flake8_tensorbranch.output.report import absolute
from flake8_tensorbranch.settings import SettingsError

if TYPE_CHECKING:
    from flake8_tensorbranch.cli.run import Outcome, Run


def add_flags(group: Group) -> None:
    """The options about what is written, and the exit status."""
    group.add_argument("--output-format", choices=output.FORMATS, help="the shape of the findings")
    group.add_argument("--statistics", action="store_true", help="show counts for each code instead of findings")
    group.add_argument("-e", "--exit-zero", action="store_true", help="exit with 0 even when something was found")


def shape(run: Run) -> output.Format:
    """The format asked for; raises `SettingsError` for one that the findings, or the statistics, do not have."""
    name, statistics = run.settings.output_format, run.options.statistics
    formats = output.STATISTICS if statistics else output.FORMATS
    if name not in formats:
        subject = "--statistics" if statistics else "output-format"
        raise SettingsError(f"{subject}: no format {name!r}, only {', '.join(formats)}")
    return formats[name]


def write(run: Run, outcomes: Sequence[Outcome]) -> None:
    """Write the findings of a whole run in the format asked for, files in the order of their absolute paths."""
    ordered = sorted(outcomes, key=lambda outcome: absolute(outcome.source.path))
    reports = [output.Report(outcome.source, found) for outcome in ordered for found in outcome.findings]
    footer = run.repairs.footer(outcomes) if run.console.level >= Level.NORMAL else ()
    options = output.Options(run.console.color, run.repairs.unsafe, tuple(footer))
    run.console.text(shape(run)(reports, options))
