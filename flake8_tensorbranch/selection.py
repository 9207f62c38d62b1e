"""Which codes a run reports, by ruff's rule of the most specific prefix."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import NamedTuple

from flake8_tensorbranch.settings import SettingsError


class Selection(NamedTuple):
    """Prefixes of codes to report and to leave out; nothing selected means every code."""

    select: tuple[str, ...] = ()
    ignore: tuple[str, ...] = ()

    @classmethod
    def parse(cls, select: Iterable[str], ignore: Iterable[str], known: Iterable[str]) -> Selection:
        """A selection from comma-separated texts; raises `SettingsError` for a prefix that is of no `known` code."""
        return cls(_prefixes("--select", select, known), _prefixes("--ignore", ignore, known))

    def reports(self, code: str) -> bool:
        """Whether `code` is reported: the longest prefix decides, `ignore` between equals. Not a TBR code: always."""
        if not code.startswith("TBR"):
            return True
        return _longest(code, self.select or ("",)) > _longest(code, self.ignore)


def _longest(code: str, prefixes: Iterable[str]) -> int:
    return max((len(prefix) for prefix in prefixes if code.startswith(prefix)), default=-1)


def _prefixes(flag: str, texts: Iterable[str], known: Iterable[str]) -> tuple[str, ...]:
    prefixes = tuple(part for text in texts for part in re.split(r"[,\s]+", text) if part)
    for prefix in prefixes:
        if not any(code.startswith(prefix) for code in known):
            raise SettingsError(f"{flag}: unknown rule selector {prefix!r}")
    return prefixes
