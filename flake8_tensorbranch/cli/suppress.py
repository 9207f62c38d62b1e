"""The place of suppression comments in a run: their options, and which findings they leave."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from flake8_tensorbranch.cli.flags import Group
from flake8_tensorbranch.diagnostic import Diagnostic
from flake8_tensorbranch.source import SourceFile

if TYPE_CHECKING:
    from flake8_tensorbranch.cli.run import Run
    from flake8_tensorbranch.config.effective import FileSettings


def add_flags(group: Group) -> None:
    """The options about comments; none so far."""


def unsuppressed(
    run: Run, source: SourceFile, settings: FileSettings, found: Iterable[Diagnostic]
) -> Iterable[Diagnostic]:
    """The findings that no comment of the text silences."""
    return found
