"""The gate before the analysis, which costs an import and a run only where a file mentions torch."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import ast

    from flake8_tensorbranch.diagnostic import Diagnostic
    from flake8_tensorbranch.settings import Settings
    from flake8_tensorbranch.source import SourceFile


_new_run = False


def begin_run() -> None:
    """Tell that a run begins: its first analysis compares what earlier runs in this process read with the disk."""
    global _new_run
    _new_run = True


def analyse(
    source: SourceFile,
    settings: Settings,
    tree: ast.Module | None = None,
    withheld: list[Diagnostic] | None = None,
) -> list[Diagnostic]:
    """The findings of `source` by position; none, at no cost, if it mentions neither torch nor a configured word.

    `tree` is `ast`'s for this very text, where the caller has it. `withheld` takes what was found and is not reported,
    for want of confidence or of being enabled. Raises what the analysis raises.
    """
    if not source.mentions(settings.gate_words):
        return []
    global _new_run
    with warnings.catch_warnings():
        # Python warns of what it parses (escapes in annotations, say), and the host would print that.
        warnings.simplefilter("ignore")
        from flake8_tensorbranch.check import check_source, look_again

        if _new_run:
            _new_run = False
            look_again()
        return sorted(check_source(source, settings, tree, None, withheld))
