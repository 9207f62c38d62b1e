"""IPython's additions to Python inside notebook cells, masked so that the text parses and every line keeps its place.

A cell whose magic makes another language of it is no Python; a line that IPython takes for itself (`%magic`, `!shell`,
`name?`, `x = !shell`) becomes a statement without effect that shows what stood there. Which cells and lines those are
follows ruff 0.17.6, as its reports on such cells tell.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from flake8_tensorbranch.source import MASKED

# Cell magics whose cell is Python all the same, and shares its names with the other cells.
PYTHON_MAGICS: Final = frozenset("capture debug ipytest prun pypy python python3 time timeit".split())
# Magics that IPython also takes without their percent sign, when one begins a cell.
AUTOMAGICS: Final = frozenset(
    """
    alias alias_magic autoawait autocall automagic bookmark cd code_wrap colors conda config debug dhist dirs
    doctest_mode edit env gui history killbgscripts load load_ext loadpy logoff logon logstart logstate logstop lsmagic
    macro magic mamba matplotlib micromamba notebook page pastebin pdb pdef pdoc pfile pinfo pinfo2 pip popd pprint
    precision prun psearch psource pushd pwd pycat pylab quickref recall rehashx reload_ext rerun reset reset_selective
    run save sc set_env sx system tb time timeit unalias unload_ext who who_ls whos xdel xmode
    """.split()
)
ASSIGNMENTS: Final = frozenset("= += -= *= /= //= %= **= &= |= ^=".split())

# What may make a cell no plain Python; without any of these nothing is scanned.
_SUSPECT: Final = re.compile(r"^[ \t\f]*[%!?,;/]|=[ \t]*[%!]|\?", re.MULTILINE)
_COMMAND: Final = re.compile(r"[ \t\f]*[%!?,;/]")
_HELP: Final = re.compile(r"[ \t\f]*(?!\d)[\w*]+(?:\.\w+|\[[^\]\n]*\])*[ \t]*\?\??[ \t]*(?=#|\n|$)")
_PIECE: Final = re.compile(
    r"""
    (?P<string> \"\"\" (?: \\. | [^\\] )*? (?: \"\"\" | \Z ) | ''' (?: \\. | [^\\] )*? (?: ''' | \Z )
              | "(?: \\. | [^"\\\n] )* "? | '(?: \\. | [^'\\\n] )* '? )
    | (?P<comment> \#[^\n]* )
    | (?P<open> [(\[{] ) | (?P<close> [)\]}] )
    | (?P<joined> \\\n )
    | (?P<newline> \n )
    | (?P<assigned> (?<![=!<>:+\-*/%&|^@]) = [ \t]* (?=[%!]) (?!!=) )
    | .
    """,
    re.VERBOSE | re.DOTALL,
)
_REST: Final = re.compile(r"(?:[^\n]*\\\n)*[^\n]*")


class MaskError(ValueError):
    """A line that only IPython understands was changed, so that its text cannot be put back."""


def is_python(cell: str) -> bool:
    """Whether the text of a code cell is Python, lines of IPython's own aside."""
    lines = cell.split("\n")
    first, second, *_ = (*lines[0].split(None, 2), "", "")
    if first in AUTOMAGICS and second not in ASSIGNMENTS:
        return False
    words = [line.split(None, 1)[0] for line in lines if line.lstrip().startswith("%%")]
    return all(word[2:] in PYTHON_MAGICS for word in words)


def mask(cell: str) -> str:
    """The cell with IPython's lines masked: as many lines, and the others unchanged."""
    rows = cell.split("\n")
    for first, last, column in _escapes(cell):
        start = "pass" if column == 0 else "get_ipython()"
        rows[first] = _covered(rows[first], column, start)
        for number in range(first + 1, last + 1):
            rows[number] = _covered(rows[number], 0, "")
    return "\n".join(rows)


def unmask(cell: str, original: str) -> str:
    """The changed text of a masked cell with the lines of IPython put back as the original cell had them.

    Raises `MaskError` if one of those lines is missing or changed.
    """
    if not _SUSPECT.search(original):
        return cell
    hidden: dict[str, list[str]] = {}
    for masked, row in zip(mask(original).split("\n"), original.split("\n"), strict=True):
        if masked != row:
            hidden.setdefault(masked.lstrip(), []).append(row.lstrip())
    rows = cell.split("\n")
    for number, row in enumerate(rows):
        text = row.lstrip()
        if hidden.get(text):
            rows[number] = row[: len(row) - len(text)] + hidden[text].pop(0)
    if any(hidden.values()):
        raise MaskError("a change touches a line that is IPython's, not Python's")
    return "\n".join(rows)


def _covered(row: str, column: int, instead: str) -> str:
    """The row up to `column` or its first character, then `instead`, then a comment that is no linter's directive."""
    kept = row[: column or len(row) - len(row.lstrip())]
    shown = row[len(kept) :].strip().replace("#", "\N{MUSIC SHARP SIGN}")
    return f"{kept}{instead}{'  ' if instead else ''}# {MASKED}{shown}"


def _escapes(cell: str) -> Iterator[tuple[int, int, int]]:
    """First and last row (0-based) of each run of lines that is IPython's, and the column where it begins.

    The column is 0 for whole lines, and behind the `=` of an assignment.
    """
    if not _SUSPECT.search(cell):
        return
    at = row = depth = begin = 0
    starts = True  # a logical line begins here
    while at < len(cell):
        if starts:
            command = _COMMAND.match(cell, at) or _HELP.match(cell, at)
            if command:
                rest = _REST.match(cell, at)
                assert rest is not None
                last = row + rest[0].count("\n")
                yield row, last, 0
                at, row, begin = rest.end() + 1, last + 1, rest.end() + 1
                continue
            starts = False
        piece = _PIECE.match(cell, at)
        assert piece is not None
        kind, at = piece.lastgroup, piece.end()
        if kind == "open":
            depth += 1
        elif kind == "close":
            depth = max(depth - 1, 0)
        elif kind == "assigned" and not depth:
            rest = _REST.match(cell, at)
            assert rest is not None
            last = row + rest[0].count("\n")
            yield row, last, at - begin
            at, row = rest.end(), last
        elif kind in ("string", "joined", "newline"):
            breaks = piece[0].count("\n")
            row += breaks
            if breaks:
                begin = piece.start() + piece[0].rfind("\n") + 1
            starts = kind == "newline" and not depth
