"""What is found in one text, with what its suppression comments are blamed for: for markers, which suppress nothing."""

from __future__ import annotations

from flake8_tensorbranch.check import check_source
from flake8_tensorbranch.diagnostic import Diagnostic
from flake8_tensorbranch.settings import Settings
from flake8_tensorbranch.source import SourceFile
from flake8_tensorbranch.suppressions import Host, settle

COMPLAINTS = ("TBR001", "TBR002")


def everything(source: SourceFile, settings: Settings) -> list[Diagnostic]:
    """Every finding, hidden by a comment or not, and TBR001 and TBR002 as the command reports them."""
    withheld: list[Diagnostic] = []
    found = check_source(source, settings, withheld=withheld)
    settled = settle(source, found, withheld, settings, Host.COMMAND, lambda code: True)
    return [*found, *(item for item in settled if item.code in COMPLAINTS)]
