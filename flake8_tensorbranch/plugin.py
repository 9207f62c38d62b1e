"""The flake8 adapter: options into `Settings`, the gate, `Diagnostic` into the tuple flake8 takes.

Imports neither astroid nor torch; the analysis is imported for the first file that passes the gate.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, ClassVar

from flake8_tensorbranch import __version__
from flake8_tensorbranch.settings import OPTIONS, Settings, SettingsError
from flake8_tensorbranch.source import SourceFile

if TYPE_CHECKING:
    import argparse

    from flake8.options.manager import OptionManager

Row = tuple[int, int, str, type[Any]]


class Plugin:
    """The checker that flake8 builds for each file.

    `run` yields character columns (flake8 prints them plus one) inside the file. It never raises and never prints: a
    failing analysis becomes one TBR000, because an exception here would lose the results of every file of the run.
    """

    name = "flake8-tensorbranch"
    version = __version__
    settings: ClassVar[Settings] = Settings()

    def __init__(self, tree: ast.Module, lines: list[str], filename: str) -> None:
        self._tree = tree
        self._lines = lines
        self._filename = filename

    @staticmethod
    def add_options(manager: OptionManager) -> None:
        """Declare our options, for the command line and for flake8's configuration file."""
        for option in OPTIONS:
            manager.add_option(
                option.flag,
                default=[] if option.is_list else option.default,
                metavar=option.metavar,
                help=option.help,
                parse_from_config=True,
                comma_separated_list=option.is_list,
            )

    @classmethod
    def parse_options(cls, manager: OptionManager, options: argparse.Namespace, args: list[str]) -> None:
        """Keep the settings of this run; a bad value ends the run with flake8's own error, which names the option."""
        try:
            cls.settings = Settings.from_options(options)
        except SettingsError as error:
            from flake8.exceptions import ExecutionError

            raise ExecutionError(str(error)) from error

    def run(self) -> Iterator[Row]:
        """The findings of this file, none if it mentions neither torch nor a configured word."""
        try:
            rows = self._rows()
        except Exception as error:
            rows = [(1, 0, failure(error), type(self))]
        yield from rows

    def _rows(self) -> list[Row]:
        source = SourceFile.from_lines(self._filename, self._lines)
        if not source.mentions(self.settings.gate_words):
            return []
        from flake8_tensorbranch.check import check_source

        found = check_source(source, self.settings, self._tree)
        return [(*source.position(item.line, item.column), f"{item.code} {item.message}", type(self)) for item in found]


def failure(error: Exception) -> str:
    """The one-line TBR000 text for an analysis that raised `error`, even one whose own text cannot be had."""
    try:
        words = " ".join(str(error).split())
    except Exception:
        words = ""
    if len(words) > 60:
        words = words[:57] + "..."
    reason = type(error).__name__ + (f": {words}" if words else "")
    return f"TBR000 analysis of this file failed ({reason}); please report it"
