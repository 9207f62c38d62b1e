"""Findings as text: every format that ruff has, and statistics.

A format takes reports and options and yields pieces of text, line breaks included; `write` puts them into a stream.
Each is imported when it is first used. The shapes are those of ruff 0.17, so that what reads ruff reads us.
"""

from __future__ import annotations

import codecs
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from importlib import import_module
from typing import TextIO

from flake8_tensorbranch.output.report import Options, Report

__all__ = ["FORMATS", "STATISTICS", "Format", "Options", "Report", "write"]

Format = Callable[[Sequence[Report], Options], Iterator[str]]


def _late(module: str, name: str) -> Format:
    """The format `name` of a module, imported when it is called."""

    def call(reports: Sequence[Report], options: Options) -> Iterator[str]:
        found: Format = getattr(import_module(f"{__name__}.{module}"), name)
        return found(reports, options)

    return call


FORMATS: Mapping[str, Format] = {
    "concise": _late("lines", "concise"),
    "full": _late("full", "full"),
    "json": _late("objects", "as_json"),
    "json-lines": _late("objects", "json_lines"),
    "junit": _late("junit", "junit"),
    "grouped": _late("lines", "grouped"),
    "github": _late("services", "github"),
    "gitlab": _late("services", "gitlab"),
    "pylint": _late("lines", "pylint"),
    "rdjson": _late("objects", "rdjson"),
    "azure": _late("services", "azure"),
    "sarif": _late("sarif", "sarif"),
}
# The formats that statistics can have; any other is a wrong command line, as it is for ruff.
STATISTICS: Mapping[str, Format] = {
    "concise": _late("statistics", "statistics"),
    "full": _late("statistics", "statistics"),
    "json": _late("statistics", "statistics_json"),
}


def write(pieces: Iterable[str], stream: TextIO) -> None:
    """Write a format's text; what the stream's encoding cannot hold becomes `\\uXXXX`, which JSON reads back."""
    encoding = stream.encoding or "utf-8"
    for piece in pieces:
        stream.write(piece if piece.isascii() else piece.encode(encoding, "tensorbranch-escape").decode(encoding))


def _escaped(error: UnicodeError) -> tuple[str, int]:
    if not isinstance(error, UnicodeEncodeError):
        raise error
    units = error.object[error.start : error.end].encode("utf-16-be", "surrogatepass")
    return "".join(f"\\u{units[at]:02x}{units[at + 1]:02x}" for at in range(0, len(units), 2)), error.end


codecs.register_error("tensorbranch-escape", _escaped)
