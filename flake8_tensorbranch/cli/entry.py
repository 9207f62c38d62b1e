"""From the arguments of the process to its exit status."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Sequence

from flake8_tensorbranch.cli.console import FOUND, INTERRUPTED, USAGE, failed
from flake8_tensorbranch.cli.parser import parser
from flake8_tensorbranch.cli.suppress import spelled
from flake8_tensorbranch.settings import SettingsError


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command and give its exit status: 0 clean, 1 something found, 2 a wrong command line or configuration."""
    given = sys.argv[1:] if argv is None else argv
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
    except KeyboardInterrupt:
        return INTERRUPTED
    except BrokenPipeError:
        # The reader of our output has gone; point it elsewhere so that the interpreter's last flush is silent.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return FOUND
