"""What a face renders: a `Diagnostic` with its place, code, words and related places."""

from __future__ import annotations

import enum
from typing import NamedTuple


class Confidence(enum.IntEnum):
    """How sure the engine is: `CERTAIN` holds on every path to the place, `LIKELY` on some, or by evidence of use."""

    LIKELY = 1
    CERTAIN = 2


class Related(NamedTuple):
    """Another place that explains a diagnostic: an origin, a read, a step of the way into a region.

    `line` is 1-based, `column` 0-based in UTF-8 bytes, both as `ast` counts them in the file `path`.
    """

    path: str
    line: int
    column: int
    message: str


class Applicability(enum.Enum):
    """Whether an edit may be applied: ruff's three words, in ruff's sense.

    `SAFE` keeps what the program computes, `UNSAFE` may change it, `DISPLAY` is to be read and finished by a person.
    """

    SAFE = "safe"
    UNSAFE = "unsafe"
    DISPLAY = "display"


class Edit(NamedTuple):
    """The text from one place to another, replaced by `content`; places as `ast` counts them, the end exclusive."""

    line: int
    column: int
    end_line: int
    end_column: int
    content: str


class Fix(NamedTuple):
    """The repair of one finding as edits of its file, which do not overlap and are applied all or none."""

    message: str
    applicability: Applicability
    edits: tuple[Edit, ...]


class Diagnostic(NamedTuple):
    """One finding in the file under check; ordering is by position, then code.

    Lines are 1-based, columns 0-based in UTF-8 bytes, the end exclusive, as `ast` counts them; `SourceFile` converts.
    `message` is one line without the code; `help` says what to do, and may be empty.
    """

    line: int
    column: int
    end_line: int
    end_column: int
    code: str
    message: str
    confidence: Confidence = Confidence.CERTAIN
    related: tuple[Related, ...] = ()
    help: str = ""
    fix: Fix | None = None


def misconfigured(error: Exception) -> Diagnostic:
    """The one finding (TBR000) of a file whose configuration cannot be used, for a host that must not stop."""
    return Diagnostic(1, 0, 1, 0, "TBR000", f"this file is not analysed: {' '.join(str(error).split())}")


def analysis_failed(error: Exception) -> Diagnostic:
    """The one finding (TBR000) of a file whose analysis raised `error`, even if that error's own text cannot be had."""
    try:
        words = "".join(char if char.isprintable() else " " for char in str(error))
        words = " ".join(words.split())
    except Exception:
        words = ""
    if len(words) > 60:
        words = words[:57] + "..."
    reason = type(error).__name__ + (f": {words}" if words else "")
    return Diagnostic(1, 0, 1, 0, "TBR000", f"analysis of this file failed ({reason}); please report it")
