"""`tensorbranch version`."""

from __future__ import annotations

import argparse
import json

from flake8_tensorbranch import __version__
from flake8_tensorbranch.cli.console import CLEAN, write

NAME = "version"
HELP = "show the version"


def add_flags(command: argparse.ArgumentParser) -> None:
    """The format."""
    command.add_argument("--output-format", choices=("text", "json"), default="text")


def run(options: argparse.Namespace) -> int:
    """Show the version; as JSON with the keys of `ruff version`, of which a release has no commit."""
    if options.output_format == "json":
        write([json.dumps({"version": __version__, "commit_info": None}, indent=2)])
    else:
        write([f"tensorbranch {__version__}"])
    return CLEAN
