"""Helpers that declare options the way ruff's command line has them: lists, and switches with a `--no-` twin."""

from __future__ import annotations

import argparse
from collections.abc import Iterable
from typing import Any

from flake8_tensorbranch.config.keys import ANALYSIS, KEYS, value
from flake8_tensorbranch.config.resolver import Overrides, Resolver
from flake8_tensorbranch.settings import OPTIONS, SettingsError, checked

# What options can be added to: a parser or one of its groups.
Group = argparse._ActionsContainer


def switch(group: Group, name: str, text: str, short: str | None = None) -> None:
    """`--name` and `--no-name`, the last one given wins; None when neither is, so that the configuration decides."""
    dest = name.removeprefix("--").replace("-", "_")
    names = (short, name) if short else (name,)
    group.add_argument(*names, dest=dest, action="store_true", default=None, help=f"{text}; --no-{name[2:]} for not")
    group.add_argument(f"--no-{name[2:]}", dest=dest, action="store_false", default=None, help=argparse.SUPPRESS)


def codes(group: Group, name: str, text: str) -> None:
    """A list of rule selectors, separated by commas, the option repeatable; None when not given."""
    group.add_argument(name, action="append", metavar="CODES", help=text)


def globs(group: Group, name: str, text: str, metavar: str = "GLOBS") -> None:
    """A list of globs, or of globs with codes, separated by commas, the option repeatable; None when not given."""
    group.add_argument(name, action="append", metavar=metavar, help=text)


def analysis(group: Group) -> None:
    """The options that the flake8 plugin has too; None when not given."""
    for option in OPTIONS:
        group.add_argument(
            option.flag, action="append" if option.is_list else "store", metavar=option.metavar, help=option.help
        )


def stdin_filename(group: Group) -> None:
    """The name for what is read from standard input."""
    group.add_argument("--stdin-filename", metavar="NAME", help="the path that standard input is known by")


def resolver(options: argparse.Namespace) -> Resolver:
    """What finds the settings of files, under the options given; raises `SettingsError` for those of no use."""
    config = (*(options.config or ()), *(options.config_after or ()))
    return Resolver(Overrides(values(options), config, options.isolated))


def values(options: argparse.Namespace) -> dict[str, Any]:
    """The options given, by the key that each overrides; raises `SettingsError` for a value of no use."""
    given = vars(options)
    found = {}
    for key in KEYS:
        if key.flag is None:
            continue
        text = given.get(key.flag[2:].replace("-", "_"))
        if key.name == "ignore" and given.get("extend_ignore") is not None:
            text = [*(text or ()), *given["extend_ignore"]]
        if text is None:
            continue
        if key.name in ANALYSIS:
            found[key.name] = checked(key.name, text, key.flag)
        elif key.type.startswith("list"):
            parts = _parts(text)  # an empty selector is an error, which tells of an unset variable
            found[key.name] = value(key.name, parts if "Selector" in key.type else [*filter(None, parts)], key.flag)
        elif key.type.startswith("dict"):
            found[key.name] = value(key.name, _pairs(text, key.flag), key.flag)
        else:
            found[key.name] = value(key.name, text, key.flag)
    if "enable" in found and "preview" not in found:
        found["preview"] = False  # an option about opt-in rules has the last word about them
    return {name: item for name, item in found.items() if item is not None}


def _parts(texts: Iterable[str]) -> list[str]:
    return [part.strip() for text in texts for part in text.split(",")]


def _pairs(texts: Iterable[str], flag: str) -> dict[str, list[str]]:
    """`GLOB:CODE` pairs as a table; raises `SettingsError` for what is no pair."""
    found: dict[str, list[str]] = {}
    for part in _parts(texts):
        glob, colon, code = part.rpartition(":")
        if not colon:
            raise SettingsError(f"{flag}: {part!r} is not GLOB:CODE, such as 'tests/*:TBR1'")
        found.setdefault(glob.strip(), []).append(code.strip())
    return found
