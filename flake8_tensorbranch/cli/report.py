"""The place of output in a run: its options, and the outcomes of all files as text."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from flake8_tensorbranch import render
from flake8_tensorbranch.cli.console import Level
from flake8_tensorbranch.cli.flags import Group

if TYPE_CHECKING:
    from flake8_tensorbranch.cli.run import Outcome, Run


def add_flags(group: Group) -> None:
    """The options about what is written, and the exit status."""
    group.add_argument("--output-format", choices=render.FORMATS, help="the shape of the findings")
    group.add_argument("--statistics", action="store_true", help="show counts for each code instead of findings")
    group.add_argument("-e", "--exit-zero", action="store_true", help="exit with 0 even when something was found")


def write(run: Run, outcomes: Sequence[Outcome]) -> None:
    """Write the findings of a whole run in the format asked for."""
    reports = [render.Report(outcome.source, found) for outcome in outcomes for found in outcome.findings]
    name = run.settings.output_format
    formats = render.STATISTICS if run.options.statistics else render.FORMATS
    run.console.out(formats[name](reports))
    if name in render.COUNTED and run.console.level >= Level.NORMAL:
        run.console.out(run.repairs.footer(outcomes))
