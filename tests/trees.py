"""Folders of files that make a project, written for a test."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path


def put(folder: Path, files: Mapping[str, str] | Mapping[str, str | bytes]) -> None:
    """Write files, with the folders they are in; texts in UTF-8."""
    for name, content in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else content.encode())


def put_project(folder: Path, files: Mapping[str, str] | Mapping[str, str | bytes]) -> None:
    """Write files below the root of a project."""
    folder.joinpath("setup.cfg").touch()
    put(folder, files)
