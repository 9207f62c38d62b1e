"""Configuration files: which one governs a path, what it says, and what it inherits.

Read by the flake8 plugin too, in a process that may live for days: what is kept is kept under a file's time and size.
"""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Iterator, Mapping
from typing import Any, Final, NamedTuple

from flake8_tensorbranch.config.keys import BY_NAME, TARGETS, unknown, value
from flake8_tensorbranch.settings import SettingsError

OURS: Final = "tensorbranch"
RUFF: Final = "ruff"
NAMES: Final = {tool: (f".{tool}.toml", f"{tool}.toml", "pyproject.toml") for tool in (OURS, RUFF)}
SHARED: Final = ("target-version", "src", "exclude", "extend-exclude")  # the keys taken from ruff's configuration
_KEPT: Final = 64
# A bound of `requires-python`: the operator of one from below, then major and minor number.
_BOUND: Final = re.compile(r"(?:(===|==|~=|>=|>)|!=|<=|<)\s*(\d+)(?:\.(\d+))?(?:[.\w+*-]*)")


class Layer(NamedTuple):
    """What one source says: validated values by key, `folder` being what its relative paths and globs start from.

    `name` is what the user knows the source by: a path, an option; empty for the options of the command line.
    """

    name: str
    folder: str
    values: Mapping[str, Any]


class Parsed(NamedTuple):
    """What one TOML file says about us, or about ruff; `section` is None where it says nothing."""

    path: str
    section: Mapping[str, Any] | None


_parsed: dict[tuple[str, str], tuple[tuple[int, int, int], Parsed]] = {}


def governing(folder: str, tool: str = OURS) -> Parsed | None:
    """The closest file that configures `tool` for what is in `folder`, an absolute path.

    Raises `SettingsError` for a file of ours on the way that cannot be read or is not TOML; ruff's are ruff's affair.
    """
    for above in ancestors(folder):
        for name in NAMES[tool]:
            parsed = parse(os.path.join(above, name), tool)
            if parsed is not None and parsed.section is not None:
                return parsed
    return None


def ancestors(folder: str) -> Iterator[str]:
    """The folder and those around it, the closest first."""
    while True:
        yield folder
        above = os.path.dirname(folder)
        if above == folder:
            return
        folder = above


def parse(path: str, tool: str = OURS) -> Parsed | None:
    """What the file at `path` says about `tool`; None if there is no such file."""
    try:
        stat = os.stat(path)
    except OSError:
        return None
    stamp = (stat.st_mtime_ns, stat.st_size, stat.st_ino)
    kept = _parsed.get((path, tool))
    if kept is None or kept[0] != stamp:
        if len(_parsed) >= _KEPT:
            _parsed.clear()
        kept = _parsed[path, tool] = (stamp, _parse(path, tool))
    return kept[1]


def _parse(path: str, tool: str) -> Parsed:
    is_project = os.path.basename(path) == "pyproject.toml"
    try:
        with open(path, "rb") as stream:
            data = stream.read()
        if is_project and tool.encode() not in data:
            return Parsed(path, None)
        table = loads(data.decode("utf-8-sig"))
    except FileNotFoundError:  # gone since it was looked for
        return Parsed(path, None)
    except (OSError, ValueError) as error:
        if tool == RUFF:
            return Parsed(path, None if is_project else {})
        raise SettingsError(f"{shown(path)}: {error}") from error
    if not is_project:
        return Parsed(path, table)
    tools = table.get("tool")
    section = tools.get(tool) if isinstance(tools, dict) else None
    if section is None or isinstance(section, dict):
        return Parsed(path, section)
    if tool == RUFF:
        return Parsed(path, None)
    raise SettingsError(f"{shown(path)}: tool.{tool} is not a table")


def required(folder: str) -> list[Layer]:
    """What `requires-python` of the closest project around `folder` says: a layer of `target-version`, or none.

    As for ruff the target is the oldest version, to the minor number, that a bound from below names.
    """
    for above in ancestors(folder):
        path = os.path.join(above, "pyproject.toml")
        try:
            with open(path, "rb") as stream:
                data = stream.read()
            project = loads(data.decode("utf-8")).get("project") if b"requires-python" in data else None
        except (OSError, ValueError):
            continue
        wanted = project.get("requires-python") if isinstance(project, dict) else None
        if isinstance(wanted, str):
            parts = [_BOUND.fullmatch(part.strip()) for part in wanted.split(",")]
            bounds = [(int(part[2]), int(part[3] or 0)) for part in parts if part is not None and part[1]]
            oldest = "py{}{}".format(*min(bounds)) if bounds and all(parts) else ""
            return [Layer(shown(path), above, {"target-version": oldest})] if oldest in TARGETS else []
    return []


def loads(text: str) -> dict[str, Any]:
    """TOML as a dictionary; raises `ValueError`."""
    if sys.version_info >= (3, 11):
        import tomllib
    else:
        import tomli as tomllib
    return tomllib.loads(text)


def chain(parsed: Parsed, folder: str | None = None) -> list[Layer]:
    """The file with all that it extends, the last in the list counting most.

    `folder` replaces each file's own as the start of its relative globs and folders, as ruff has it for a file that the
    command line names. Raises `SettingsError` for an unknown key, a
    bad value, and for an `extend` that leads nowhere or in a circle; each with the file's name.
    """
    layers: list[Layer] = []
    seen = {os.path.realpath(parsed.path)}
    while True:
        where = shown(parsed.path)
        start = folder or os.path.dirname(parsed.path)
        layer = Layer(where, start, validated(parsed.section or {}, where))
        layers.insert(0, layer)
        extended = layer.values.get("extend")
        if extended is None:
            return layers
        path = joined(os.path.dirname(parsed.path), extended)
        if os.path.realpath(path) in seen:
            raise SettingsError(f"{where}: extend: {extended!r} leads in a circle")
        seen.add(os.path.realpath(path))
        parsed = named(path, f"{where}: extend: {extended!r}")


def named(path: str, where: str) -> Parsed:
    """The configuration in a file that the user names, whatever its name; raises `SettingsError` if there is none."""
    parsed = parse(path)
    if parsed is None:
        raise SettingsError(f"{where}: no such file")
    return parsed


def validated(values: Mapping[str, Any], where: str) -> dict[str, Any]:
    """Known keys with values as they are used; raises `SettingsError` with `where` and the key."""
    for name in values:
        if name not in BY_NAME:
            raise SettingsError(f"{where}: {unknown(name)}")
    return {name: value(name, given, f"{where}: {name}") for name, given in values.items()}


def inherited(parsed: Parsed, start: str | None = None) -> list[Layer]:
    """What ruff's configuration, with all it extends, says about files and Python; what does not fit is left out.

    `start` is as `folder` of `chain`.
    """
    layers: list[Layer] = []
    seen: set[str] = set()
    following: Parsed | None = parsed
    while following is not None and following.path not in seen:
        seen.add(following.path)
        section = following.section or {}
        folder = os.path.dirname(following.path)
        values = {}
        for name in SHARED:
            try:
                if name in section:
                    values[name] = value(name, section[name], name)
            except SettingsError:
                continue
        layers.insert(0, Layer(shown(following.path), start or folder, values))
        extended = section.get("extend")
        following = parse(joined(folder, extended), RUFF) if isinstance(extended, str) else None
    return layers


def joined(folder: str, path: str) -> str:
    """A path of a configuration, relative to `folder`, with `~` and variables of the environment replaced."""
    return os.path.normpath(os.path.join(folder, os.path.expanduser(os.path.expandvars(path))))


def shown(path: str) -> str:
    """A path as a message shows it: relative where it is inside the current folder."""
    try:
        relative = os.path.relpath(path)
    except (OSError, ValueError):
        return path
    return path if relative.startswith("..") else relative
