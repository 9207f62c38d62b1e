"""`tensorbranch config ruff`: which configuration of ruff governs which file, and whether it keeps our codes."""

from __future__ import annotations

import argparse
import os
from collections.abc import Iterator
from pathlib import Path

from flake8_tensorbranch import ruffside
from flake8_tensorbranch.cli import flags
from flake8_tensorbranch.cli.console import CLEAN, FOUND, Console, Level
from flake8_tensorbranch.config.files import ancestors, shown
from flake8_tensorbranch.files import STDIN
from flake8_tensorbranch.fixes import store
from flake8_tensorbranch.pages import pages
from flake8_tensorbranch.ruffside import RuffFile
from flake8_tensorbranch.settings import SettingsError
from flake8_tensorbranch.walk import Walk

FEW = 3  # names of files in a line


def run(options: argparse.Namespace) -> int:
    """Say it for each configuration, with `--write` add what is missing; 0 if all is well at the end, else 1.

    Raises `SettingsError` for a configuration that cannot be read or edited.
    """
    console = Console.of(options)
    paths = options.paths or ["."]
    if "" in paths:
        raise SettingsError("config ruff: a path is empty, as from an unset variable")
    if STDIN in paths:
        raise SettingsError("config ruff: standard input is governed by the current folder's configuration: give .")
    governed = by_config(Walk(flags.resolver(options), console.warn).files(paths))
    if not governed:
        console.warn("No Python files found under the given path(s)")
        governed = [(ruffside.governing(os.path.abspath(paths[0])), [])]
    for file, _ in governed:  # what cannot be read is said before anything else
        if file is not None:
            ruffside.verdict(file)
    sound = True
    edited: set[str] = set()
    for file, names in governed:
        head = shown(file.path) if file else "no configuration of ruff"
        console.out([f"{head} governs {_listed(names, console.level >= Level.VERBOSE)}"])
        sound &= _nothing(console, names, options.write) if file is None else _one(console, file, options.write, edited)
    return CLEAN if sound else FOUND


def _one(console: Console, file: RuffFile, may_write: bool, edited: set[str]) -> bool:
    """Whether all is well with one configuration, at least afterwards."""
    judged = ruffside.verdict(file)
    sound = True
    for part in judged.chain:
        for key in part.misplaced():
            sound = False
            console.out([f"  {shown(part.path)}: {key} names TBR codes, which ruff does not know: take them out"])
    lost = judged.lost(pages())
    where = judged.says or file
    if not lost:
        console.out([f"  external of {shown(where.path)} keeps TBR codes"])
        return sound
    if where.path in edited:
        console.out([f"  {shown(where.path)} was written above"])
        return sound
    what = "TBR codes" if len(lost) == len(pages()) else ", ".join(lost)
    entries = ruffside.wanted(where)
    if may_write and os.path.dirname(where.path) != ruffside.user_folder():  # that is not the project's to edit
        _edit(where, entries)
        edited.add(where.path)
        console.out([f"  {shown(where.path)}: external now keeps TBR codes"])
        return sound
    console.out([f"  external does not keep {what}: ruff may delete their suppressions", *_needed(where, entries)])
    return False


def _nothing(console: Console, names: list[str], may_write: bool) -> bool:
    """Whether all is well where ruff has no configuration, at least afterwards.

    Its new place is the closest `pyproject.toml` around the files, else the current folder if they are in it.
    """
    folder = os.path.commonpath([os.path.dirname(os.path.abspath(name)) for name in names] or [os.getcwd()])
    projects = [os.path.join(above, "pyproject.toml") for above in ancestors(folder)]
    start = os.getcwd() if os.getcwd() in ancestors(folder) else folder
    path = next(filter(os.path.isfile, projects), os.path.join(start, "ruff.toml"))
    file = RuffFile(path, {})
    entries = ruffside.wanted(file)
    if may_write:
        _edit(file, entries)
        console.out([f"  {shown(path)}: external now keeps TBR codes"])
        return True
    console.out(
        ["  ruff's defaults do not keep TBR codes: ruff may delete their suppressions", *_needed(file, entries)]
    )
    return False


def _needed(file: RuffFile, entries: list[str]) -> list[str]:
    verb = "change" if file.external is not None else "add"
    title = f"  {verb} in {shown(file.path)} (or run with --write):"
    return [title, "", *(f"    {line}" for line in ruffside.lines(file, entries)), ""]


def _edit(file: RuffFile, entries: list[str]) -> None:
    """Write a configuration with these entries; raises `SettingsError` if that cannot be."""
    path = Path(file.path)
    try:
        if path.exists():
            text = path.read_bytes().decode("utf-8")
            store.write(file.path, ruffside.edited(text, file, entries).encode("utf-8"))
        else:
            path.write_text("\n".join([*ruffside.lines(file, entries), ""]), encoding="utf-8")
    except OSError as error:
        raise SettingsError(f"{shown(file.path)}: {error.strerror or error}") from error


def _listed(names: list[str], everything: bool) -> str:
    if everything or len(names) <= FEW:
        return ", ".join(names) or "the current folder"
    return f"{', '.join(names[:FEW])} and {len(names) - FEW} more files"


def by_config(paths: Iterator[str]) -> list[tuple[RuffFile | None, list[str]]]:
    """The files under each configuration of ruff; None for those that no configuration governs."""
    found: dict[str | None, tuple[RuffFile | None, list[str]]] = {}
    folders: dict[str, RuffFile | None] = {}
    for path in paths:
        folder = os.path.dirname(os.path.abspath(path))
        if folder not in folders:
            folders[folder] = ruffside.governing(folder)
        file = folders[folder]
        found.setdefault(file and file.path, (file, []))[1].append(path)
    return list(found.values())
