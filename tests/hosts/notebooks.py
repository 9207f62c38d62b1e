"""Notebooks as hosts store them, and what their cells hold."""

from __future__ import annotations

import json
from typing import Any

Cell = dict[str, Any]

OUTPUT = {"data": {"text/plain": ["tensor(1.5000)", "\n", "é\u2028"]}, "metadata": {"b": 1, "a": 2}, "output_type": "x"}


def code(source: str | list[str], *, language: str | None = None, outputs: list[Any] | None = None) -> Cell:
    metadata = {} if language is None else {"vscode": {"languageId": language}}
    return {
        "cell_type": "code",
        "execution_count": None,
        "metadata": metadata,
        "outputs": outputs or [],
        "source": source,
    }


def lines(source: str) -> list[str]:
    """Source as notebooks usually store it: a list of lines with their breaks."""
    return source.splitlines(keepends=True)


def markdown(source: str | list[str]) -> Cell:
    return {"cell_type": "markdown", "metadata": {"tags": []}, "source": source}


def raw(source: str) -> Cell:
    return {"cell_type": "raw", "metadata": {}, "source": source}


def notebook(*cells: Cell, metadata: dict[str, Any] | None = None, form: int = 4) -> dict[str, Any]:
    return {"cells": list(cells), "metadata": metadata or {}, "nbformat": form, "nbformat_minor": 4}


def stored(value: object, *, ascii_only: bool = False, indent: int | None = 1, end: str = "\n") -> bytes:
    return (json.dumps(value, indent=indent, ensure_ascii=ascii_only) + end).encode()
