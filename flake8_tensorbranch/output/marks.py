"""What the formats for people have in common: the mark of a finding that can be fixed, and the lines at the end."""

from __future__ import annotations

from collections.abc import Iterator

from flake8_tensorbranch.fixes.safety import applied
from flake8_tensorbranch.output.report import Options, Report
from flake8_tensorbranch.output.styles import SEPARATOR, Paint, Style


def fixable(report: Report, options: Options) -> bool:
    """Whether `--fix`, with the options of this run about unsafe fixes, repairs a finding."""
    return applied(report.found, options.unsafe_fixes)


def star(paint: Paint, style: Style = SEPARATOR) -> str:
    """The mark of a finding that `--fix` repairs."""
    return f"[{paint('*', style)}]"


def footer(options: Options) -> Iterator[str]:
    """The lines at the end, marks in them painted."""
    plain = star(Paint(False))
    for line in options.footer:
        marked = line.startswith(plain)
        yield f"{star(Paint(options.colour)) + line[len(plain) :] if marked else line}\n"
