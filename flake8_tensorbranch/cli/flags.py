"""Helpers that declare options the way ruff's command line has them: lists, and switches with a `--no-` twin."""

from __future__ import annotations

import argparse

from flake8_tensorbranch.config.resolver import Overrides, Resolver
from flake8_tensorbranch.settings import OPTIONS

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
    return Resolver(Overrides(vars(options)))
