"""Formats of one line for each finding: `concise`, `grouped` by file, `pylint`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from flake8_tensorbranch.output.marks import fixable, footer, star
from flake8_tensorbranch.output.report import START, Options, Report, absolute, in_cell, relative
from flake8_tensorbranch.output.styles import BOLD, CODE, SEPARATOR, UNDERLINE, Paint


def concise(reports: Sequence[Report], options: Options) -> Iterator[str]:
    """`path:row:column: CODE message`, then the footer."""
    paint = Paint(options.colour)
    colon = paint(":", SEPARATOR)
    for report in reports:
        cell = report.source.cell_at(report.start.row)
        within = f"cell {cell.number}{colon}" if cell else ""
        row, column = in_cell(report.source, report.start)
        place = f"{paint(relative(report.source.path), BOLD)}{colon}{within}{row}{colon}{column}{colon}"
        yield f"{place} {_title(report, options, paint)}\n"
    yield from footer(options)


def grouped(reports: Sequence[Report], options: Options) -> Iterator[str]:
    """The findings of each file below its path, then the footer."""
    paint = Paint(options.colour)
    colon = paint(":", SEPARATOR)
    for path, group in by_file(reports).items():
        yield f"{paint(relative(path), UNDERLINE)}:\n"
        # As in ruff, places in notebooks are not aligned: they are told by cell.
        aligned = [START if report.is_notebook else report.start for report in group]
        rows = max(len(str(place.row)) for place in aligned)
        columns = max(len(str(place.column)) for place in aligned)
        for report, place in zip(group, aligned, strict=True):
            cell = report.source.cell_at(report.start.row)
            within = f"cell {cell.number}{colon}" if cell else ""
            row, column = in_cell(report.source, report.start)
            before, after = " " * (rows - len(str(place.row))), " " * (columns - len(str(place.column)))
            yield f"  {before}{within}{row}{colon}{column}{after} {_title(report, options, paint)}\n"
        yield "\n"
    yield from footer(options)


def pylint(reports: Sequence[Report], _options: Options) -> Iterator[str]:
    """`path:row: [CODE] message`; findings in notebooks are all on row 1."""
    for report in reports:
        row = 1 if report.is_notebook else report.start.row
        yield f"{relative(report.source.path)}:{row}: [{report.found.code}] {report.found.message}\n"


def by_file(reports: Sequence[Report]) -> dict[str, list[Report]]:
    """The findings of each path as it was given, ordered by absolute path."""
    groups: dict[str, list[Report]] = {}
    for report in reports:
        groups.setdefault(report.source.path, []).append(report)
    return dict(sorted(groups.items(), key=lambda item: absolute(item[0])))


def _title(report: Report, options: Options, paint: Paint) -> str:
    """Code, mark and message; what is not a rule's has a colon, as ruff writes it."""
    mark = f"{star(paint)} " if fixable(report, options) else ""
    colon = "" if report.is_rule else ":"
    return f"{paint(report.found.code, CODE)}{colon} {mark}{report.found.message}"
