"""The place of repairs in a run: their options, and a file with its findings as they are after them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from flake8_tensorbranch.cli.flags import Group
from flake8_tensorbranch.source import SourceFile

if TYPE_CHECKING:
    from flake8_tensorbranch.cli.run import Outcome, Run
    from flake8_tensorbranch.config.effective import FileSettings


def add_flags(group: Group) -> None:
    """The options about repairs; none so far."""


def repaired(run: Run, path: str, source: SourceFile, settings: FileSettings) -> Outcome:
    """The outcome of a file read from `path` (`-` for standard input), repaired where the run asks for it."""
    from flake8_tensorbranch.cli.run import Outcome

    return Outcome(source, run.look(source, settings), settings)
