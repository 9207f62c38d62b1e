"""What ruff's own configuration says about our codes: `lint.external` must hold them, no selector may.

Ruff deletes suppressions of codes it does not know unless they are external to it. As ruff reads it: the closest file
governs; `lint.external` of a file replaces what the file extends; a code is external if it begins with an entry.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, NamedTuple

from flake8_tensorbranch.config.files import NAMES, RUFF, ancestors, joined, loads, shown
from flake8_tensorbranch.settings import SettingsError

PREFIX = "TBR"
SELECTORS = tuple(
    """
    select ignore extend-select extend-ignore fixable unfixable extend-fixable extend-safe-fixes extend-unsafe-fixes
    """.split()
)
TABLES = ("per-file-ignores", "extend-per-file-ignores")


class RuffFile(NamedTuple):
    """One configuration file of ruff; `section` is what ruff reads of it."""

    path: str
    section: Mapping[str, Any]

    @property
    def is_project(self) -> bool:
        """Whether ruff's section is a part of the file only."""
        return os.path.basename(self.path) == "pyproject.toml"

    @property
    def external(self) -> list[str] | None:
        """The entries it sets; None if it sets none. `lint.external` hides the deprecated `external`."""
        for table in (self._lint, self.section):
            given = table.get("external")
            if isinstance(given, list):
                return [entry for entry in given if isinstance(entry, str)]
        return None

    @property
    def is_deprecated(self) -> bool:
        """Whether the entries that count are set beside the section `lint`, not in it."""
        return "external" in self.section and "external" not in self._lint

    def misplaced(self) -> Iterator[str]:
        """The keys whose selectors name our codes, at which ruff stops."""
        for prefix, table in (("lint.", self._lint), ("", self.section)):
            for key in SELECTORS:
                if any(_is_ours(code) for code in _list(table.get(key))):
                    yield prefix + key
            for key in TABLES:
                found = table.get(key)
                codes = found.values() if isinstance(found, dict) else ()
                if any(_is_ours(code) for listed in codes for code in _list(listed)):
                    yield prefix + key

    @property
    def _lint(self) -> Mapping[str, Any]:
        lint = self.section.get("lint")
        return lint if isinstance(lint, dict) else {}


class Verdict(NamedTuple):
    """What ruff makes of our codes under one configuration: `chain` is the file that governs and what it extends."""

    chain: tuple[RuffFile, ...]

    @property
    def says(self) -> RuffFile | None:
        """The file whose `external` counts; None if none sets it."""
        return next((file for file in self.chain if file.external is not None), None)

    def lost(self, codes: Iterable[str]) -> list[str]:
        """Those of `codes` whose suppressions ruff does not keep."""
        entries = (self.says.external if self.says else None) or []
        return [code for code in codes if not any(code.startswith(entry) for entry in entries)]


def governing(folder: str) -> RuffFile | None:
    """Ruff's configuration for what is in an absolute folder, that of the user if no project has any.

    Raises `SettingsError` for a file that ruff could not read either.
    """
    for above in ancestors(folder):
        found = _in_folder(above)
        if found is not None:
            return found
    return _in_folder(user_folder())


def user_folder() -> str:
    """Where ruff looks when no project configures it."""
    base = os.environ.get("XDG_CONFIG_HOME") or os.path.join(os.path.expanduser("~"), ".config")
    return os.path.join(base, "ruff")


def verdict(file: RuffFile) -> Verdict:
    """What a configuration says with all it extends; raises `SettingsError` for an `extend` that leads nowhere."""
    chain = [file]
    while True:
        extended = chain[-1].section.get("extend")
        if not isinstance(extended, str):
            return Verdict(tuple(chain))
        path = joined(os.path.dirname(chain[-1].path), extended)
        if path in [known.path for known in chain]:
            raise SettingsError(f"{shown(chain[-1].path)}: extend: {extended!r} leads in a circle")
        following = _read(path)
        if following is None:
            raise SettingsError(f"{shown(chain[-1].path)}: extend: {extended!r}: no such file")
        chain.append(following)


def wanted(file: RuffFile, inherited: Iterable[str] = ()) -> list[str]:
    """The entries that `file` should set: those it has, or inherits, and ours."""
    entries = file.external if file.external is not None else list(inherited)
    return [*entries, PREFIX]


def lines(file: RuffFile, entries: Iterable[str]) -> list[str]:
    """The lines of TOML that give a file these entries."""
    value = ", ".join(f'"{entry}"' for entry in entries)
    if file.is_deprecated:
        return [*(["[tool.ruff]"] if file.is_project else []), f"external = [{value}]"]
    return ["[tool.ruff.lint]" if file.is_project else "[lint]", f"external = [{value}]"]


def edited(text: str, file: RuffFile, entries: list[str]) -> str:
    """The text of `file` with these entries, everything else as it is.

    Raises `SettingsError` where that cannot be done, or tomlkit is not installed.
    """
    try:
        import tomlkit
    except ImportError as error:
        raise SettingsError("--write needs tomlkit: pip install 'flake8-tensorbranch[cli]'") from error
    windows = "\r\n" in text
    path = [*(("tool", "ruff") if file.is_project else ()), *(() if file.is_deprecated else ("lint",))]
    try:
        document = tomlkit.parse(text.replace("\r\n", "\n"))
        table: Any = document
        for name in path:
            if name not in table:
                inline = isinstance(table, tomlkit.items.InlineTable)
                table[name] = tomlkit.inline_table() if inline else tomlkit.table(is_super_table=name == "tool")
            table = table[name]
        if "external" in table:
            for entry in entries[len(table["external"]) :]:
                table["external"].append(entry)
        else:
            table["external"] = entries
        new = tomlkit.dumps(document)
        same = _with(loads(text), path, entries) == loads(new)
    except ValueError:
        same = False
    if not same:
        raise SettingsError(f"{shown(file.path)}: cannot be edited without changing more; add the lines by hand")
    return new.replace("\n", "\r\n") if windows else new


def _with(data: dict[str, Any], path: list[str], entries: list[str]) -> dict[str, Any]:
    table = data
    for name in path:
        table = table.setdefault(name, {})
    table["external"] = entries
    return data


def _in_folder(folder: str) -> RuffFile | None:
    for name in NAMES[RUFF]:
        found = _read(os.path.join(folder, name), needs_section=True)
        if found is not None:
            return found
    return None


def _read(path: str, needs_section: bool = False) -> RuffFile | None:
    try:
        with open(path, encoding="utf-8") as stream:
            table = loads(stream.read())
    except FileNotFoundError:
        return None
    except (OSError, ValueError) as error:
        raise SettingsError(f"{shown(path)}: {error}") from error
    if os.path.basename(path) != "pyproject.toml":
        return RuffFile(path, table)
    tools = table.get("tool")
    section = tools.get("ruff") if isinstance(tools, dict) else None
    if not isinstance(section, dict):
        return None if needs_section else RuffFile(path, {})
    return RuffFile(path, section)


def _list(value: object) -> list[object]:
    return value if isinstance(value, list) else []


def _is_ours(code: object) -> bool:
    return isinstance(code, str) and code.startswith(PREFIX)
