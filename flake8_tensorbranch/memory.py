"""What the garbage collector is spared: trees and summaries that live as long as the run.

A host such as flake8 allocates much between our files, and each full collection would walk every tree kept for imports.
After each file, what is alive is set apart (`gc.freeze`); after every `COLLECT_AFTER` characters of analysed text, what
died meanwhile is freed.
"""

from __future__ import annotations

import gc
from typing import Final

from flake8_tensorbranch.engine import lattice

COLLECT_AFTER: Final = 8_000_000  # characters of source text between two full collections
INTERNED: Final = 20_000  # abstract values kept for the next file

_since = 0


def settle(characters: int) -> None:
    """Called after each analysed file with the length of its text."""
    global _since
    _since += characters
    if lattice.interned() > INTERNED:
        lattice.forget()
    if _since >= COLLECT_AFTER:
        _since = 0
        gc.unfreeze()
        gc.collect()
    gc.freeze()
