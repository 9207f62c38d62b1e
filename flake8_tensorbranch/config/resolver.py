"""From a path to the settings of its file: the closest configuration file, under what the command line says."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any, NamedTuple

from flake8_tensorbranch.config.effective import Effective, FileSettings
from flake8_tensorbranch.config.files import (
    OURS,
    RUFF,
    Layer,
    chain,
    governing,
    inherited,
    loads,
    named,
    parse,
    required,
    validated,
)
from flake8_tensorbranch.settings import SettingsError


class Overrides(NamedTuple):
    """What a command line says, over every configuration file.

    `values` are those of its options, by key, as `config.keys.value` gives them; `config` the texts of `--config`.
    """

    values: Mapping[str, Any] = {}
    config: tuple[str, ...] = ()
    isolated: bool = False


class Resolver:
    """Finds the settings of files, and keeps them for a run: files are asked about once for each folder."""

    def __init__(self, overrides: Overrides | None = None) -> None:
        """Raises `SettingsError` for what cannot be used in `overrides` or in the current folder's configuration."""
        overrides = overrides or Overrides()
        cwd = os.getcwd()
        files = [text for text in overrides.config if os.path.isfile(text) or "=" not in text]
        pairs = [text for text in overrides.config if text not in files]
        if len(files) > 1:
            raise SettingsError(f"--config: more than one configuration file: {', '.join(files)}")
        if files and overrides.isolated:
            raise SettingsError(f"--config={files[0]} cannot be used with --isolated")
        self._over = [*(_pair(text, cwd) for text in reversed(pairs)), Layer("", cwd, overrides.values)]
        # As in ruff, the first `--config KEY=VALUE` counts most.
        self._isolated = overrides.isolated
        self._fixed: Effective | None = None
        self._folders: dict[str, Effective] = {}
        self._files: dict[tuple[str | None, ...], Effective] = {}
        if files:
            path = os.path.abspath(files[0])
            layers = chain(named(path, f"--config: {files[0]!r}"), cwd)
            about = parse(path, RUFF) if os.path.basename(path) == "pyproject.toml" else None
            low = [*required(os.path.dirname(path)), *(inherited(about, cwd) if about else ())]
            self._fixed = Effective([*low, *layers, *self._over], path)
        elif overrides.isolated:
            self._fixed = Effective(self._over)
        self.run = self.for_folder(cwd).run()

    def for_file(self, path: str) -> FileSettings:
        """The settings of the file at `path`, which need not exist; `-` is in the current folder.

        Raises `SettingsError` for a configuration file that cannot be used.
        """
        path = os.path.abspath(path)
        return self.for_folder(os.path.dirname(path)).for_file(path)

    def for_folder(self, folder: str) -> Effective:
        """What holds in an absolute folder; raises `SettingsError` as `for_file`."""
        if self._fixed is not None:
            return self._fixed
        known = self._folders.get(folder)
        if known is None:
            known = self._folders[folder] = self._governed(folder)
        return known

    def _governed(self, folder: str) -> Effective:
        own, ruff = governing(folder, OURS), governing(folder, RUFF)
        governor = own or ruff
        project = required(os.path.dirname(governor.path) if governor else folder)
        key = (own and own.path, ruff and ruff.path, *(layer.name for layer in project))
        if key not in self._files:
            layers = [*project, *(inherited(ruff) if ruff else ()), *(chain(own) if own else ()), *self._over]
            self._files[key] = Effective(layers, own and own.path)
        return self._files[key]


def _pair(text: str, folder: str) -> Layer:
    """One setting given as `--config KEY=VALUE`; raises `SettingsError` if it is not TOML or not a setting."""
    where = f"--config {text!r}"
    try:
        table = loads(text)
    except ValueError as error:
        raise SettingsError(f"{where} is neither a file nor TOML: {error}") from error
    if "extend" in table:
        raise SettingsError(f"{where}: extend is for configuration files; give --config FILE")
    return Layer(where, folder, validated(table, where))
