"""The gate before the analysis, which costs an import and a run only where a file has to do with torch."""

from __future__ import annotations

import sys
import warnings
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import ast

    from flake8_tensorbranch.diagnostic import Diagnostic
    from flake8_tensorbranch.settings import Settings
    from flake8_tensorbranch.source import SourceFile

_new_run = False


def begin_run() -> None:
    """Tell that a run begins: its first look at other files compares what earlier runs in this process read with the
    disk.
    """
    global _new_run
    _new_run = True


def passes(source: SourceFile, settings: Settings) -> bool:
    """Whether `source` is worth analysing: it mentions torch or a configured word, or imports files of its own project
    that do, or is imported by such a file beside it. Nothing is parsed.
    """
    if source.mentions(settings.gate_words):
        return True
    from flake8_tensorbranch.importers import concerned
    from flake8_tensorbranch.modules import shared_finder

    _start()
    return concerned(source, settings.gate_words, shared_finder(settings.src))


def _start() -> None:
    global _new_run
    if not _new_run:
        return
    _new_run = False
    from flake8_tensorbranch import modules

    modules.look_again()
    if "flake8_tensorbranch.memory" in sys.modules:
        from flake8_tensorbranch import memory

        memory.begin_run()


def analyse(
    source: SourceFile,
    settings: Settings,
    tree: ast.Module | None = None,
    withheld: list[Diagnostic] | None = None,
) -> list[Diagnostic]:
    """The findings of `source` by position; none, and the analysis is not imported, if it does not pass the gate.

    `tree` is `ast`'s for this very text, where the caller has it. `withheld` takes what was found and is not reported,
    for want of confidence or of being enabled. Raises what the analysis raises.
    """
    if not passes(source, settings):
        return []
    _start()
    with warnings.catch_warnings():
        # Python warns of what it parses (escapes in annotations, say), and the host would print that.
        warnings.simplefilter("ignore")
        from flake8_tensorbranch.check import check_source

        return sorted(check_source(source, settings, tree, None, withheld))
