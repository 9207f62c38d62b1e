"""The flake8 adapter: options into `Settings`, the gate, `Diagnostic` into the tuple flake8 takes.

Imports neither astroid nor torch; the analysis is imported for the first file that passes the gate.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, ClassVar

from flake8_tensorbranch import __version__
from flake8_tensorbranch.diagnostic import Diagnostic, analysis_failed
from flake8_tensorbranch.gate import analyse
from flake8_tensorbranch.settings import OPTIONS, Settings, SettingsError
from flake8_tensorbranch.source import SourceFile

if TYPE_CHECKING:
    import argparse
    import ast

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
            cls.settings = Settings.from_options(vars(options))
        except SettingsError as error:
            from flake8.exceptions import ExecutionError

            raise ExecutionError(str(error)) from error

    def run(self) -> Iterator[Row]:
        """The findings of this file, none if it mentions neither torch nor a configured word."""
        try:
            source = SourceFile.from_lines(self._filename, self._lines)
            rows = [self._row(source, found) for found in analyse(source, self.settings, self._tree)]
        except Exception as error:
            rows = [self._row(SourceFile(self._filename, ""), analysis_failed(error))]
        yield from rows

    def _row(self, source: SourceFile, found: Diagnostic) -> Row:
        return (*source.position(found.line, found.column), f"{found.code} {found.message}", type(self))
