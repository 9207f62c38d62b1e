"""What the garbage collector is spared: trees and summaries that live as long as the run.

A host such as flake8 allocates much between our files, and each full collection would walk every tree kept for imports.
After each file, what is alive is set apart (`gc.freeze`); after every `COLLECT_AFTER` characters of analysed text, what
died meanwhile is freed. In a process that lives through many runs that happens earlier, between two of them.
"""

from __future__ import annotations

import gc
from typing import Final

from flake8_tensorbranch.engine import lattice

COLLECT_AFTER: Final = 8_000_000  # characters of source text between two full collections
BETWEEN_RUNS: Final = 500_000  # characters after which a new run in the same process begins with a collection
RUNS: Final = 40  # runs after which it does so in any case: hosts leave garbage of their own
INTERNED: Final = 20_000  # abstract values kept for the next file

_since = _runs = 0


def begin_run() -> None:
    """Called when a run begins in a process that has analysed files before."""
    global _runs
    _runs += 1
    if _since >= BETWEEN_RUNS or _runs >= RUNS:
        lattice.forget()  # its values hold the functions, and so the trees, of files analysed since
        _collect()


def settle(characters: int) -> None:
    """Called after each analysed file with the length of its text."""
    global _since
    _since += characters
    if lattice.interned() > INTERNED:
        lattice.forget()
    if _since >= COLLECT_AFTER:
        _collect()
    gc.freeze()


def _collect() -> None:
    global _since, _runs
    _since = _runs = 0
    gc.unfreeze()
    gc.collect()
