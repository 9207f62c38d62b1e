"""The flake8 adapter: options into `Settings`, the gate, `Diagnostic` into the tuple flake8 takes.

Imports neither astroid nor torch; the analysis is imported for the first file that passes the gate.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any, ClassVar

from flake8_tensorbranch import __version__
from flake8_tensorbranch.config.analysis import configured
from flake8_tensorbranch.diagnostic import Diagnostic, analysis_failed, misconfigured
from flake8_tensorbranch.gate import analyse, begin_run, passes
from flake8_tensorbranch.settings import OPTIONS, Settings, SettingsError, checked
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
    given: ClassVar[Mapping[str, Any]] = {}  # what flake8's options say, by key; None where they say nothing
    isolated: ClassVar[bool] = False  # whether no configuration file is to be read
    options: ClassVar[argparse.Namespace | None] = None

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
                metavar=option.metavar,
                help=option.help,
                parse_from_config=True,
                comma_separated_list=option.is_list,
            )
        manager.add_option(
            "--tbr-isolated",
            action="store_true",
            default=False,
            help="Read no tensorbranch.toml and no [tool.tensorbranch]; flake8 does not say when it is --isolated",
            parse_from_config=True,
        )

    @classmethod
    def parse_options(cls, manager: OptionManager, options: argparse.Namespace, args: list[str]) -> None:
        """Keep the options of this run, and look at the configuration that holds in the current folder.

        A bad value in either ends the run with flake8's own error, which names the option or the file and its key.
        """
        begin_run()
        try:
            values = vars(options)
            cls.given = {option.key: checked(option.key, values.get(option.dest), option.flag) for option in OPTIONS}
            cls.isolated = bool(values.get("tbr_isolated"))
            cls.options = options
            cls._settings("-")
        except SettingsError as error:
            from flake8.exceptions import ExecutionError

            raise ExecutionError(str(error)) from error

    def run(self) -> Iterator[Row]:
        """The findings of this file, none if it mentions neither torch nor a configured word.

        Left out is what a comment beginning with `ruff:` hides, which flake8 does not know; `noqa` it applies itself.
        """
        try:
            source = SourceFile.from_lines(self._filename, self._lines)
            settings = self._settings(self._filename)
            found = []
            if passes(source, settings):
                found = self._found(source, self._settings(self._filename, beside_ruff=True))
            rows = [self._row(source, item) for item in found]
        except SettingsError as error:
            rows = [self._first(misconfigured(error))]
        except Exception as error:
            rows = [self._first(analysis_failed(error))]
        yield from rows

    @classmethod
    def _settings(cls, path: str, beside_ruff: bool = False) -> Settings:
        if cls.isolated:
            return Settings.from_keys(cls.given)
        return configured(path, cls.given, beside_ruff)

    def _found(self, source: SourceFile, settings: Settings) -> list[Diagnostic]:
        withheld: list[Diagnostic] = []
        try:
            found = analyse(source, settings, self._tree, withheld)
        except Exception as error:
            found = [analysis_failed(error)]
        if self.options is not None and self.options.disable_noqa:
            return found
        from flake8_tensorbranch.suppressions import Host, settle

        return settle(source, found, withheld, settings, Host.FLAKE8, self._is_selected)

    def _is_selected(self, code: str) -> bool:
        """Whether flake8 reports `code` in this run, per-file ignores aside."""
        if self.options is None:
            return True
        from flake8.style_guide import Decision, DecisionEngine

        return DecisionEngine(self.options).decision_for(code) is Decision.Selected

    def _first(self, found: Diagnostic) -> Row:
        """A finding about the file as a whole, which needs nothing of the file."""
        return 1, 0, f"{found.code} {found.message}", type(self)

    def _row(self, source: SourceFile, found: Diagnostic) -> Row:
        return (*source.position(found.line, found.column), f"{found.code} {found.message}", type(self))
