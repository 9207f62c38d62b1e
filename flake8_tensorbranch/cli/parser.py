"""The whole command line: the commands, and the options that all of them take."""

from __future__ import annotations

import argparse

from flake8_tensorbranch import __version__
from flake8_tensorbranch.cli import check, config, linter, reveal, rules, version
from flake8_tensorbranch.cli.console import Level


def parser() -> argparse.ArgumentParser:
    """The parser; each command stores the function that runs it as `run`."""
    top = argparse.ArgumentParser(
        prog="tensorbranch", description="Find hazards in PyTorch code, without running it.", allow_abbrev=False
    )
    top.add_argument("-V", "--version", action="version", version=f"tensorbranch {__version__}")
    _add_common(top, fallback=True)
    commands = top.add_subparsers(required=True, metavar="COMMAND", parser_class=_Command)
    for module in (check, rules, linter, reveal, config, version):
        command = commands.add_parser(module.NAME, help=module.HELP, allow_abbrev=False)
        command.set_defaults(run=module.run)
        module.add_flags(command)
        _add_common(command, fallback=False)
    return top


class _Command(argparse.ArgumentParser):
    """The parser of one command, which takes its paths anywhere between the options."""

    _parses_parts = False

    def parse_known_args(self, args=None, namespace=None):  # type: ignore[no-untyped-def]
        """As the parser it extends, but for paths behind an option that follows a path."""
        paths = any(action.nargs == "*" for action in self._get_positional_actions())
        if self._parses_parts or not paths:
            return super().parse_known_args(args, namespace)
        self._parses_parts = True
        try:
            return self.parse_known_intermixed_args(args, namespace)
        finally:
            self._parses_parts = False


def _add_common(command: argparse.ArgumentParser, fallback: bool) -> None:
    """The options that may stand before or after the command's name; only the first place has defaults."""

    def default(value: object) -> object:
        return value if fallback else argparse.SUPPRESS

    levels = command.add_argument_group("log levels").add_mutually_exclusive_group()
    for short, name, level, text in (
        ("-v", "--verbose", Level.VERBOSE, "say what is done, on standard error"),
        ("-q", "--quiet", Level.QUIET, "write findings, but nothing else"),
        ("-s", "--silent", Level.SILENT, "write nothing; the exit status remains"),
    ):
        levels.add_argument(
            short, name, dest="level", action="store_const", const=level, default=default(Level.NORMAL), help=text
        )
    group = command.add_argument_group("global options")
    group.add_argument(
        "--config",
        action="append",
        # argparse would let the second place replace what the first was given.
        dest="config" if fallback else "config_after",
        metavar="FILE|KEY=VALUE",
        help="a configuration file to use instead of those found, or one setting as TOML, such as 'select=[\"TBR2\"]'",
    )
    group.add_argument("--isolated", action="store_true", default=default(False), help="read no configuration file")
    group.add_argument(
        "--color",
        choices=("auto", "always", "never"),
        default=default("auto"),
        metavar="WHEN",
        help="auto (the default), always or never",
    )
