"""`tensorbranch linter`: where the codes come from, in the shape of `ruff linter`."""

from __future__ import annotations

import argparse
import json

from flake8_tensorbranch.cli.console import CLEAN, write

NAME = "linter"
HELP = "show the prefix of the codes and the linter it stands for"


def add_flags(command: argparse.ArgumentParser) -> None:
    """The format."""
    command.add_argument("--output-format", choices=("text", "json"), default="text")


def run(options: argparse.Namespace) -> int:
    """Show the one linter there is."""
    from flake8_tensorbranch.catalogue import linters

    found = linters()
    if options.output_format == "json":
        write([json.dumps(found, indent=2)])
    else:
        write(f"{linter['prefix']:>4} {linter['name']}" for linter in found)
    return CLEAN
