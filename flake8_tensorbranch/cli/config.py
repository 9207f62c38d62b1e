"""`tensorbranch config`: the keys of the configuration, each with its default and meaning."""

from __future__ import annotations

import argparse

from flake8_tensorbranch.settings import SettingsError

NAME = "config"
HELP = "list or describe the configuration's keys"


def add_flags(command: argparse.ArgumentParser) -> None:
    """A key, if only one is asked about."""
    command.add_argument("key", nargs="?", metavar="KEY")


def run(_options: argparse.Namespace) -> int:
    """Raises `SettingsError`: the keys are not listed yet."""
    raise SettingsError("config: not available yet")
