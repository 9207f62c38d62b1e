"""What holds for one file: the settings of the analysis, and which codes are reported and may be repaired."""

from __future__ import annotations

from typing import NamedTuple

from flake8_tensorbranch.settings import Settings

FAILED = "TBR000"


class FileSettings(NamedTuple):
    """The settings of one file, from every source there is."""

    analysis: Settings = Settings()
    enabled: frozenset[str] = frozenset()
    ignored: frozenset[str] = frozenset()  # by per-file-ignores
    fixable_codes: frozenset[str] = frozenset()

    def reports(self, code: str) -> bool:
        """Whether findings of `code` are reported; what is not a rule's (`invalid-syntax`) always is."""
        return not code.startswith("TBR") or (code in self.enabled and code not in self.ignored)

    def fixable(self, code: str) -> bool:
        """Whether findings of `code` may be repaired, as `fixable` and `unfixable` have it."""
        return code in self.fixable_codes
