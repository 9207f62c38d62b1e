"""`tensorbranch reveal`: what the analysis believes at one place of a file."""

from __future__ import annotations

import argparse
import re

from flake8_tensorbranch.cli import flags
from flake8_tensorbranch.cli.console import CLEAN, write
from flake8_tensorbranch.cli.findings import parse
from flake8_tensorbranch.diagnostic import analysis_failed
from flake8_tensorbranch.files import STDIN, Unreadable, read
from flake8_tensorbranch.settings import SettingsError
from flake8_tensorbranch.source import SourceFile

NAME = "reveal"
HELP = "show what the analysis believes at one place of a file"
PLACE = re.compile(r"(?P<file>.*?):(?P<line>[0-9]{1,9})(:(?P<column>[0-9]{1,9}))?", re.DOTALL)


def add_flags(command: argparse.ArgumentParser) -> None:
    """The place, and the options of the analysis."""
    command.add_argument("place", metavar="FILE:LINE[:COL]", help="a file, or - for standard input, and a place in it")
    flags.stdin_filename(command)
    flags.analysis(command)


def run(options: argparse.Namespace) -> int:
    """Print the expressions at one place, each with its abstract value, its regions and the way of the value.

    Raises `SettingsError` for a place that does not exist and for a file that cannot be read or analysed.
    """
    resolver = flags.resolver(options)
    target = PLACE.fullmatch(options.place)
    if target is None:
        raise SettingsError(f"{options.place!r} is not FILE:LINE or FILE:LINE:COL, such as model.py:20:8")
    settings = resolver.for_file(target["file"] or options.stdin_filename or STDIN).analysis
    source = read(target["file"] or STDIN, options.stdin_filename)
    if isinstance(source, Unreadable):
        raise SettingsError(f"{source.path}: {source.reason.message}")
    line, column = int(target["line"]), int(target["column"] or 0)
    if not 1 <= line <= len(source.lines):
        raise SettingsError(f"{source.path} has no line {line}: it has {len(source.lines)}")
    width = len(source.lines[line - 1])
    if target["column"] is not None and not 1 <= column <= width:
        raise SettingsError(f"{source.path}:{line} has no column {column}: the line has {width}")
    from flake8_tensorbranch import reveal as core

    try:
        found = core.reveal(source, settings, line, column - 1 if column else None)
    except Exception as error:
        raise SettingsError(f"{source.path}: {_unanalysed(source, error)}") from error
    lines = [row for item in core.render(found) for row in item.splitlines()]
    write(lines or [f"{source.path}:{line}: no expression that a path reaches is here"])
    return CLEAN


def _unanalysed(source: SourceFile, error: Exception) -> str:
    """Why a file cannot be looked at: its own syntax, else the fault of ours."""
    try:
        parse(source)
    except (SyntaxError, ValueError) as wrong:
        where = f"line {wrong.lineno}: " if isinstance(wrong, SyntaxError) and wrong.lineno else ""
        return f"{where}{wrong.msg if isinstance(wrong, SyntaxError) else wrong}"
    except (RecursionError, MemoryError):
        pass
    return analysis_failed(error).message
