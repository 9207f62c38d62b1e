"""From the arguments of the process to its exit status."""

from __future__ import annotations

import contextlib
import os
import re
import sys
from collections.abc import Sequence
from pathlib import Path

from flake8_tensorbranch.cli.console import FOUND, USAGE, failed
from flake8_tensorbranch.cli.parser import parser
from flake8_tensorbranch.cli.suppress import spelled
from flake8_tensorbranch.settings import SettingsError


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command and give its exit status: 0 clean, 1 something found, 2 a wrong command line or configuration."""
    given = sys.argv[1:] if argv is None else argv
    _open_streams()
    # A place in standard input begins with a dash, which argparse would take for an option.
    given = [part[1:] if re.fullmatch("-:[0-9:]+", part) else spelled(part) for part in given]
    options = parser().parse_args(given)
    try:
        status = int(options.run(options))
        sys.stdout.flush()
        return status
    except SettingsError as error:
        failed(str(error))
        return USAGE
    except BrokenPipeError:
        _give_up_output()
        return FOUND
    except OSError as error:  # of output alone: files that cannot be read are findings
        _give_up_output()
        failed(str(error))
        return USAGE


def _open_streams() -> None:
    """Give the process the standard streams that its parent has closed, empty ones."""
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:
            setattr(sys, name, Path(os.devnull).open(mode, encoding="utf-8"))  # noqa: SIM115


def _give_up_output() -> None:
    """Point standard output, which takes no more, elsewhere, so that the interpreter's last flush is silent."""
    with contextlib.suppress(OSError):  # it may be no file
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
