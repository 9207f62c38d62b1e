"""One run of `check`: for each file its settings, text, findings, suppressions and repairs; then the exit status."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from flake8_tensorbranch.cli import flags, suppress
from flake8_tensorbranch.cli.console import CLEAN, FOUND, Console
from flake8_tensorbranch.cli.findings import findings
from flake8_tensorbranch.cli.repair import Repairs
from flake8_tensorbranch.config.effective import FileSettings
from flake8_tensorbranch.diagnostic import Diagnostic
from flake8_tensorbranch.files import STDIN, Unreadable, read
from flake8_tensorbranch.source import SourceFile
from flake8_tensorbranch.walk import Walk


class Outcome(NamedTuple):
    """What a run made of one file.

    `source` is the text as it is now, `findings` those left to report in it, sorted; `fixed` counts by code what was
    repaired, in which case `before` is the text as read. `source.path` is the name shown, `-` for a nameless input.
    """

    source: SourceFile
    findings: tuple[Diagnostic, ...]
    settings: FileSettings
    before: SourceFile | None = None
    fixed: tuple[tuple[str, int], ...] = ()


class Run:
    """The options of one run, the configuration around its files, and the console.

    `settings` are the options that a configuration file may have set too: ask these, not `options`, about `--fix` and
    its kin and the format.
    """

    def __init__(self, options: argparse.Namespace) -> None:
        """Raises `SettingsError` for options and configuration that cannot be used."""
        self.options = options
        self.resolver = flags.resolver(options)
        self.settings = self.resolver.run
        self.repairs = Repairs(self)
        self.console = self.repairs.console(Console.of(options), self.given)
        for path in options.paths if options.stdin_filename else ():
            if path != STDIN:
                self.console.warn(f"Ignoring file {path} in favor of standard input.")

    @property
    def given(self) -> list[str]:
        """The paths of the command line."""
        if self.options.stdin_filename:
            return [STDIN]
        return self.options.paths or ["."]

    def paths(self) -> Iterator[str]:
        """The files to look at, in order, once each; `-` for standard input."""
        yield from Walk(self.resolver, self.console.warn, self.options.stdin_filename).files(self.given)

    def outcome(self, path: str) -> Outcome:
        """The whole way of one file."""
        name = (self.options.stdin_filename or STDIN) if path == STDIN else path
        settings = self.resolver.for_file(name)
        data = sys.stdin.buffer.read() if path == STDIN else None
        source = read(path, self.options.stdin_filename, data)
        if isinstance(source, Unreadable):
            self.repairs.give(path, data)
            return Outcome(SourceFile(source.path, ""), (source.reason,), settings)
        return self.repairs.repaired(path, source, settings, data)

    def look(self, source: SourceFile, settings: FileSettings) -> tuple[Diagnostic, ...]:
        """The findings to report in a text: analysed, selected, not suppressed. Repairs look again after each round."""
        withheld: list[Diagnostic] = []
        everything = findings(source, settings.analysis, withheld, settings.target_version)
        found = [item for item in everything if settings.reports(item.code)]
        kept = suppress.unsuppressed(self, source, settings, found, withheld)
        return tuple(sorted(self.repairs.judged(item, settings) for item in kept))

    def status(self, outcomes: Sequence[Outcome]) -> int:
        """The exit status of a run whose outcomes these are."""
        decided = self.repairs.status(outcomes)
        if decided is not None:
            return decided
        return FOUND if any(outcome.findings for outcome in outcomes) else CLEAN
