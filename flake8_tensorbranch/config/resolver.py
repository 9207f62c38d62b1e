"""From a path to the settings of its file."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from flake8_tensorbranch.config.effective import FAILED, FileSettings
from flake8_tensorbranch.pages import pages
from flake8_tensorbranch.selection import Choice, chosen, selectors
from flake8_tensorbranch.settings import Settings


class Overrides(NamedTuple):
    """What a command line says, over every configuration file: its options by `dest`, None for those not given."""

    given: Mapping[str, Any] = {}

    def selectors(self, dest: str) -> tuple[str, ...] | None:
        """The selectors of a list option, None if it was not given; raises `SettingsError` for an unknown one."""
        texts = self.given.get(dest)
        return None if texts is None else selectors("--" + dest.replace("_", "-"), texts, pages())


class Resolver:
    """Finds and keeps the settings of files."""

    def __init__(self, overrides: Overrides) -> None:
        """Raises `SettingsError` for what cannot be used in `overrides`."""
        codes = tuple(pages())
        choice = Choice(
            overrides.selectors("select"),
            overrides.selectors("extend_select") or (),
            (*(overrides.selectors("ignore") or ()), *(overrides.selectors("extend_ignore") or ())),
        )
        enabled = chosen([choice], codes, codes)
        if not {FAILED} & {*choice.without}:
            enabled |= {FAILED}
        analysis = Settings.from_options(overrides.given)
        opted = sorted(chosen([choice], codes, ()))
        self._settings = FileSettings(
            analysis._replace(enable=(*analysis.enable, *opted)), enabled, frozenset(), frozenset(codes)
        )

    def for_file(self, path: str) -> FileSettings:
        """The settings of the file at `path`, which need not exist."""
        return self._settings
