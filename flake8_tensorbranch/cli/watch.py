"""`--watch`: the same run again whenever a file changes, until it is interrupted."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable, Iterable, Mapping

from flake8_tensorbranch.cli.console import failed, write
from flake8_tensorbranch.config.files import NAMES, OURS, RUFF, ancestors
from flake8_tensorbranch.gate import begin_run
from flake8_tensorbranch.settings import SettingsError

EVERY = 0.4  # seconds between two looks at the files, at least
SPARE = 4  # times as long as a look takes is waited before the next, so that large trees cost little
CLEAR = "\x1b[2J\x1b[3J\x1b[1;1H"

Stamps = Mapping[str, tuple[int, int]]


def watch(once: Callable[[], int], paths: Callable[[], Iterable[str]]) -> int:
    """Run `once` now and after each change in the files of `paths`; ends with KeyboardInterrupt alone."""
    say("Starting linter in watch mode...", clear=True)
    while True:
        seen = stamps(paths)
        try:
            once()
        except SettingsError as error:
            failed(str(error))
        say("Watching for file changes.")
        while True:
            started = time.monotonic()
            if stamps(paths) != seen:
                break
            time.sleep(max(EVERY, SPARE * (time.monotonic() - started)))
        begin_run()
        say("File change detected...", clear=True)


def stamps(paths: Callable[[], Iterable[str]]) -> Stamps:
    """When the files, and those that could configure them, were last changed; of a configuration in error, nothing."""
    try:
        found = [os.path.abspath(path) for path in paths()]
    except SettingsError:
        found = []
    folders = {above for folder in {os.getcwd(), *map(os.path.dirname, found)} for above in ancestors(folder)}
    found += [os.path.join(folder, name) for folder in folders for tool in (OURS, RUFF) for name in NAMES[tool]]
    known = {}
    for path in found:
        try:
            stat = os.stat(path)
        except OSError:
            continue
        known[path] = (stat.st_mtime_ns, stat.st_size)
    return known


def say(text: str, clear: bool = False) -> None:
    """A line with the time of day, as ruff has it; on a terminal the screen is emptied first if `clear`."""
    if clear and sys.stdout.isatty():
        sys.stdout.write(CLEAR)
    write([f"[{time.strftime('%I:%M:%S %p')}] {text}", ""])
    sys.stdout.flush()
