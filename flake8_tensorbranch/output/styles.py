"""Colours of a terminal, by ruff's palette; without colour every text stays as it is."""

from __future__ import annotations

from typing import Final, NamedTuple


class Style(NamedTuple):
    """The parameters of the `SGR` control sequences that switch a style on."""

    codes: tuple[int, ...]


BOLD: Final = Style((1,))
UNDERLINE: Final = Style((4,))
SEPARATOR: Final = Style((36,))
CODE: Final = Style((1, 31))
ERROR: Final = Style((1, 91))
WARNING: Final = Style((1, 33))
NOTE: Final = Style((1, 92))
HELP: Final = Style((1, 96))
GUTTER: Final = Style((1, 94))
DELETED: Final = Style((31,))
INSERTED: Final = Style((32,))
DELETED_SIGN: Final = Style((1, 31))
INSERTED_SIGN: Final = Style((1, 32))


class Paint:
    """Paints texts, if colour is wanted."""

    __slots__ = ("_on",)

    def __init__(self, on: bool) -> None:
        self._on = on

    def __call__(self, text: str, style: Style) -> str:
        """The text in a style, and plain again behind it."""
        if not self._on or not text:
            return text
        return "".join(f"\x1b[{code}m" for code in style.codes) + text + "\x1b[0m"
