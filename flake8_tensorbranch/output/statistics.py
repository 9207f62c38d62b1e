"""How often each code was found, as text or JSON."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterator, Sequence

from flake8_tensorbranch.output.marks import fixable, footer
from flake8_tensorbranch.output.report import SYNTAX, Options, Report
from flake8_tensorbranch.output.styles import BOLD, CODE, SEPARATOR, Paint
from flake8_tensorbranch.pages import rule_name


def statistics(reports: Sequence[Report], options: Options) -> Iterator[str]:
    """A row for each code, the most frequent first, then the footer; nothing for a clean run.

    Where any finding can be repaired, a mark says of which codes all (`*`), some (`-`) or none can.
    """
    groups = _grouped(reports)
    if not groups:
        return
    paint = Paint(options.colour)
    count_width = max(len(str(len(group))) for group in groups)
    code_width = max(len(_code(group) or "") for group in groups)
    any_fixable = any(_fixable(group, options) for group in groups)
    for group in groups:
        number = _fixable(group, options)
        sign = " " if not number else paint("*", SEPARATOR) if number == len(group) else paint("-", SEPARATOR)
        mark = f"[{sign}] " if any_fixable else ""
        count = paint(f"{len(group):>{count_width}}", BOLD)
        code = paint(f"{_code(group) or '':<{code_width}}", CODE)
        yield f"{count}\t{code}\t{mark}{rule_name(group[0].found.code)}\n"
    yield from footer(options)


def statistics_json(reports: Sequence[Report], options: Options) -> Iterator[str]:
    """The rows as a list of objects with ruff's keys; nothing for a clean run."""
    rows = [
        {
            "code": _code(group),
            "name": rule_name(group[0].found.code),
            "count": len(group),
            "fixable": _fixable(group, options) > 0,
            "fixable_count": _fixable(group, options),
        }
        for group in _grouped(reports)
    ]
    if rows:
        yield json.dumps(rows, indent=2)


def _grouped(reports: Sequence[Report]) -> list[list[Report]]:
    groups = defaultdict(list)
    for report in reports:
        groups[report.found.code].append(report)
    return sorted(groups.values(), key=lambda group: (-len(group), rule_name(group[0].found.code)))


def _code(group: list[Report]) -> str | None:
    """The code; what is no rule of any linter has none here, as in ruff."""
    code = group[0].found.code
    return None if code == SYNTAX else code


def _fixable(group: list[Report], options: Options) -> int:
    return sum(fixable(report, options) for report in group)
