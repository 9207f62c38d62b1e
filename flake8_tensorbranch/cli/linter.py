"""`tensorbranch linter`: where the codes come from, in the shape of `ruff linter`."""

from __future__ import annotations

import argparse
import json

from flake8_tensorbranch.cli.console import CLEAN, write

NAME = "linter"
HELP = "show the prefix of the codes and the linter it stands for"
PREFIX, LINTER = "TBR", "flake8-tensorbranch"


def add_flags(command: argparse.ArgumentParser) -> None:
    """The format."""
    command.add_argument("--output-format", choices=("text", "json"), default="text")


def run(options: argparse.Namespace) -> int:
    """Show the one linter there is."""
    if options.output_format == "json":
        write([json.dumps([{"prefix": PREFIX, "name": LINTER}], indent=2)])
    else:
        write([f"{PREFIX:>4} {LINTER}"])
    return CLEAN
