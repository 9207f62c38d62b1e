"""`tensorbranch version`."""

from __future__ import annotations

import argparse

from flake8_tensorbranch import __version__
from flake8_tensorbranch.cli.console import CLEAN, write

NAME = "version"
HELP = "show the version"


def add_flags(command: argparse.ArgumentParser) -> None:
    """None of its own."""


def run(_options: argparse.Namespace) -> int:
    """Show the version."""
    write([f"tensorbranch {__version__}"])
    return CLEAN
