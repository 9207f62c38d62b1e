"""`tensorbranch config`: the keys of the configuration, each with its default and meaning; and `config ruff`."""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator

from flake8_tensorbranch.cli import beside_ruff
from flake8_tensorbranch.cli.console import CLEAN, write
from flake8_tensorbranch.config.keys import BY_NAME, KEYS, Key, unknown
from flake8_tensorbranch.settings import SettingsError

NAME = "config"
HELP = "list or describe the configuration's keys; or `config ruff`: check that ruff keeps our suppressions"


def add_flags(command: argparse.ArgumentParser) -> None:
    """A key, if only one is asked about; or `ruff`, and the paths to ask about."""
    command.add_argument("key", nargs="?", metavar="KEY|ruff", help="a key to describe (default: list all), or ruff")
    command.add_argument("paths", nargs="*", metavar="PATH", help="with ruff: files and folders to ask about")
    command.add_argument("--output-format", dest="shape", choices=("text", "json"), default="text")
    command.add_argument("--write", action="store_true", help="with ruff: add what is missing to ruff's configuration")


def run(options: argparse.Namespace) -> int:
    """List the keys, describe one, or look at ruff's configuration; raises `SettingsError` for an unknown key."""
    if options.key == "ruff":
        if options.shape != "text":
            raise SettingsError("config ruff: there is no output format but text")
        return beside_ruff.run(options)
    if options.paths or options.write:
        raise SettingsError("config: paths and --write go with `config ruff` alone")
    if options.key is not None and options.key not in BY_NAME:
        raise SettingsError(f"config: {unknown(options.key)}")
    keys = KEYS if options.key is None else (BY_NAME[options.key],)
    if options.shape == "json":
        found = {key.name: _as_object(key) for key in keys}
        write([json.dumps(found if options.key is None else found[options.key], indent=2)])
    elif options.key is None:
        width = max(len(key.name) for key in keys)
        write(f"{key.name:<{width}}  {key.meaning} (default: {key.default})" for key in keys)
    else:
        write(described(keys[0]))
    return CLEAN


def described(key: Key) -> Iterator[str]:
    """One key as `ruff config KEY` shows it."""
    yield f"{key.meaning}."
    yield ""
    yield f"Default value: {key.default}"
    yield f"Type: {key.type}"
    if key.flag is not None:
        yield f"Command line: {key.flag}"
    yield "Example usage:"
    yield "```toml"
    yield f"{key.name} = {key.example}"
    yield "```"


def _as_object(key: Key) -> dict[str, object]:
    return {
        "doc": f"{key.meaning}.",
        "default": key.default,
        "value_type": key.type,
        "scope": None,
        "example": f"{key.name} = {key.example}",
        "deprecated": None,
    }
