"""`tensorbranch rule`: the page of one rule, or of all."""

from __future__ import annotations

import argparse
import json

from flake8_tensorbranch.cli.console import CLEAN, write
from flake8_tensorbranch.pages import pages
from flake8_tensorbranch.settings import SettingsError

NAME = "rule"
HELP = "show the page of a rule"


def add_flags(command: argparse.ArgumentParser) -> None:
    """A code or `--all`, and the format."""
    which = command.add_mutually_exclusive_group(required=True)
    which.add_argument("code", nargs="?", metavar="CODE")
    which.add_argument("--all", action="store_true", help="every page, in the order of the codes")
    command.add_argument("--output-format", choices=("text", "json"), default="text")


def run(options: argparse.Namespace) -> int:
    """Show one page, or all; raises `SettingsError` for an unknown code."""
    codes = list(pages()) if options.all else [options.code]
    if not options.all and options.code not in pages():
        raise SettingsError(f"unknown rule {options.code!r}; the rules are {', '.join(pages())}")
    from flake8_tensorbranch import catalogue

    if options.output_format == "json":
        objects = [catalogue.described(code) for code in codes]
        write([json.dumps(objects if options.all else objects[0], indent=2)])
    else:
        write("\n".join(map(catalogue.text, codes)).splitlines())
    return CLEAN
