"""The place of suppression comments in a run: their options, and which findings they leave."""

from __future__ import annotations

from typing import TYPE_CHECKING

from flake8_tensorbranch.cli.flags import Group
from flake8_tensorbranch.diagnostic import Diagnostic
from flake8_tensorbranch.source import SourceFile
from flake8_tensorbranch.suppressions import Host, settle

if TYPE_CHECKING:
    from flake8_tensorbranch.cli.run import Run
    from flake8_tensorbranch.config.effective import FileSettings


def add_flags(group: Group) -> None:
    """The options about comments."""
    group.add_argument("--ignore-noqa", action="store_true", help="report what comments suppress as well")


def unsuppressed(
    run: Run, source: SourceFile, settings: FileSettings, found: list[Diagnostic], withheld: list[Diagnostic]
) -> list[Diagnostic]:
    """The findings that no comment of the text hides, and TBR001 and TBR002 about such comments.

    `withheld` is what was found and is not reported, for want of confidence or of being enabled.
    """
    analysed = source.mentions(settings.analysis.gate_words) and all(item.code.startswith("TBR") for item in found)
    if run.options.ignore_noqa or not analysed:
        return found
    settled = settle(source, found, withheld, settings.analysis, Host.COMMAND, settings.reports)
    return [item for item in settled if settings.reports(item.code)]
