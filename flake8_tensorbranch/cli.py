"""The `tensorbranch` command: the same analysis as the flake8 plugin, without flake8."""

from __future__ import annotations

import argparse
import ast
import json
import os
import re
import sys
import warnings
from collections.abc import Iterable, Sequence

from flake8_tensorbranch import __version__, render
from flake8_tensorbranch.diagnostic import Diagnostic, analysis_failed
from flake8_tensorbranch.files import STDIN, Unreadable, discover, read
from flake8_tensorbranch.gate import analyse
from flake8_tensorbranch.pages import Page, pages
from flake8_tensorbranch.selection import Selection
from flake8_tensorbranch.settings import OPTIONS, Settings, SettingsError
from flake8_tensorbranch.source import SourceFile

CLEAN, FOUND, USAGE, INTERRUPTED = 0, 1, 2, 130
PLACE = re.compile(r"(?P<file>.*?):(?P<line>[0-9]{1,9})(:(?P<column>[0-9]{1,9}))?", re.DOTALL)


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command and give its exit status: 0 clean, 1 something found, 2 a wrong command line."""
    given = sys.argv[1:] if argv is None else argv
    # A place in standard input begins with a dash, which argparse would take for an option.
    options = parser().parse_args([part[1:] if re.fullmatch("-:[0-9:]+", part) else part for part in given])
    try:
        status = int(options.run(options))
        sys.stdout.flush()
        return status
    except SettingsError as error:
        print(f"tensorbranch: error: {error}", file=sys.stderr)
        return USAGE
    except KeyboardInterrupt:
        return INTERRUPTED
    except BrokenPipeError:
        # The reader of our output has gone; point it elsewhere so that the interpreter's last flush is silent.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return FOUND


def parser() -> argparse.ArgumentParser:
    """The whole command line."""
    top = argparse.ArgumentParser(prog="tensorbranch", description="Find hazards in PyTorch code, without running it.")
    commands = top.add_subparsers(required=True, metavar="COMMAND")

    command = commands.add_parser("check", help="look at files and folders (default: the current folder)")
    command.set_defaults(run=check)
    command.add_argument("paths", nargs="*", metavar="PATH", help="a file, a folder, or - for standard input")
    command.add_argument("--select", action="append", default=[], metavar="CODES", help="codes to report, or prefixes")
    command.add_argument("--ignore", action="append", default=[], metavar="CODES", help="codes not to report")
    command.add_argument("--output-format", choices=render.FORMATS, default="full")
    command.add_argument("--statistics", action="store_true", help="show counts for each code instead of findings")
    command.add_argument("-e", "--exit-zero", action="store_true", help="exit with 0 even when something was found")
    command.add_argument("--stdin-filename", metavar="NAME", help="the path that standard input is known by")
    _add_options(command)

    command = commands.add_parser("reveal", help="show what the analysis believes at one place of a file")
    command.set_defaults(run=reveal)
    command.add_argument("place", metavar="FILE:LINE[:COL]", help="a file, or - for standard input, and a place in it")
    command.add_argument("--stdin-filename", metavar="NAME", help="the path that standard input is known by")
    _add_options(command)

    command = commands.add_parser("rule", help="show the page of a rule")
    command.set_defaults(run=rule)
    which = command.add_mutually_exclusive_group(required=True)
    which.add_argument("code", nargs="?", metavar="CODE")
    which.add_argument("--all", action="store_true", help="every page, in the order of the codes")
    command.add_argument("--output-format", choices=("text", "json"), default="text")

    command = commands.add_parser("version", help="show the version")
    command.set_defaults(run=version)
    return top


def _add_options(command: argparse.ArgumentParser) -> None:
    for option in OPTIONS:
        command.add_argument(
            option.flag,
            action="append" if option.is_list else "store",
            default=option.default,
            metavar=option.metavar,
            help=option.help,
        )


def check(options: argparse.Namespace) -> int:
    """Report the findings in the files that the paths name."""
    selection = Selection.parse(options.select, options.ignore, known=pages())
    settings = Settings.from_options(options)
    settings = settings._replace(enable=(*settings.enable, *selection.select))
    paths = options.paths or [STDIN if options.stdin_filename else "."]
    reports: list[render.Report] = []
    any_file = False
    for path in discover(paths):
        any_file = True
        source = read(path, options.stdin_filename)
        if isinstance(source, Unreadable):
            reports.append(render.Report(SourceFile(source.path, ""), source.reason))
        else:
            found = findings(source, settings)
            reports.extend(render.Report(source, item) for item in found if selection.reports(item.code))
    if not any_file:
        print("warning: No Python files found under the given path(s)", file=sys.stderr)
    formats = render.STATISTICS if options.statistics else render.FORMATS
    _print(formats[options.output_format](reports))
    return FOUND if reports and not options.exit_zero else CLEAN


def findings(source: SourceFile, settings: Settings) -> list[Diagnostic]:
    """What the analysis finds in `source`, or the one finding that says why it could not look."""
    try:
        if not source.mentions(settings.gate_words):
            return []
        tree = _parse(source)
    except SyntaxError as error:
        line, column = error.lineno or 1, max((error.offset or 1) - 1, 0)
        text = source.lines[line - 1] if line <= len(source.lines) else ""
        column = len(text[:column].encode("utf-8", "surrogatepass"))
        return [Diagnostic(line, column, line, column + 1, "invalid-syntax", error.msg)]
    except ValueError as error:
        return [Diagnostic(1, 0, 1, 1, "invalid-syntax", str(error))]
    except (RecursionError, MemoryError) as error:
        return [analysis_failed(error)]
    try:
        return analyse(source, settings, tree)
    except Exception as error:
        return [analysis_failed(error)]


def reveal(options: argparse.Namespace) -> int:
    """Print the expressions at one place, each with its abstract value, its regions and the way of the value.

    Raises `SettingsError` for a place that does not exist and for a file that cannot be read or analysed.
    """
    settings = Settings.from_options(options)
    target = PLACE.fullmatch(options.place)
    if target is None:
        raise SettingsError(f"{options.place!r} is not FILE:LINE or FILE:LINE:COL, such as model.py:20:8")
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
    _print(lines or [f"{source.path}:{line}: no expression that a path reaches is here"])
    return CLEAN


def _unanalysed(source: SourceFile, error: Exception) -> str:
    """Why a file cannot be looked at: its own syntax, else the fault of ours."""
    try:
        _parse(source)
    except (SyntaxError, ValueError) as wrong:
        where = f"line {wrong.lineno}: " if isinstance(wrong, SyntaxError) and wrong.lineno else ""
        return f"{where}{wrong.msg if isinstance(wrong, SyntaxError) else wrong}"
    except (RecursionError, MemoryError):
        pass
    return analysis_failed(error).message


def _parse(source: SourceFile) -> ast.Module:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return ast.parse(source.text)


def rule(options: argparse.Namespace) -> int:
    """Show one page, or all."""
    known = pages()
    if options.all:
        chosen = list(known.values())
    elif options.code in known:
        chosen = [known[options.code]]
    else:
        raise SettingsError(f"unknown rule {options.code!r}; the rules are {', '.join(known)}")
    if options.output_format == "json":
        objects = [_as_object(page) for page in chosen]
        _print([json.dumps(objects if options.all else objects[0], indent=2)])
    else:
        _print("\n".join(page.text for page in chosen).splitlines())
    return CLEAN


def _as_object(page: Page) -> dict[str, str]:
    return {
        "name": page.name,
        "code": page.code,
        "linter": "flake8-tensorbranch",
        "summary": page.summary,
        "class": page.rule_class,
        "explanation": page.text,
    }


def version(_options: argparse.Namespace) -> int:
    """Show the version."""
    _print([f"tensorbranch {__version__}"])
    return CLEAN


def _print(lines: Iterable[str]) -> None:
    """Write lines to standard output; what its encoding cannot hold is escaped."""
    encoding = sys.stdout.encoding or "utf-8"
    for line in lines:
        print(line if line.isascii() else line.encode(encoding, "backslashreplace").decode(encoding))
