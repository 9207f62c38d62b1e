"""Room on the interpreter's stack for code that nests deep: long `elif` chains, sums and chains of calls.

Walks over a tree recurse some three frames a level, and a question may lead to others. CPython's usual limit of 1,000
frames, part of which the host has used, would end in the middle of files that CPython itself compiles.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Lock
from typing import Final

FRAMES: Final = 12_000 if sys.version_info >= (3, 11) else 5_000  # before 3.11 each takes C stack as well

_lock = Lock()
_open = 0
_before = 0


@contextmanager
def room() -> Iterator[None]:
    """At least `FRAMES` more frames inside the block, however deep the host's own stack is; the limit is put back."""
    global _open, _before
    with _lock:
        if not _open:
            _before = sys.getrecursionlimit()
        _open += 1
        sys.setrecursionlimit(max(sys.getrecursionlimit(), _frames() + FRAMES))
    try:
        yield
    finally:
        with _lock:
            _open -= 1
            if not _open:
                sys.setrecursionlimit(_before)


def _frames() -> int:
    frame, count = sys._getframe(), 0
    while frame.f_back is not None:
        frame, count = frame.f_back, count + 1
    return count
