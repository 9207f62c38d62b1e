"""The `tensorbranch` command: the same analysis as the flake8 plugin, without flake8."""

from __future__ import annotations

import contextlib
import signal
from collections.abc import Iterator, Sequence

__all__ = ["main"]


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command and give its exit status; an interrupt ends it quietly from the first import on."""
    try:
        with _terminable():
            from flake8_tensorbranch.cli.entry import main as run

            return run(argv)
    except KeyboardInterrupt:
        return 130


@contextlib.contextmanager
def _terminable() -> Iterator[None]:
    """End by way of an exception when the process is told to end, so that no temporary file stays."""
    kept = {}
    for name in ("SIGTERM", "SIGHUP"):
        number = getattr(signal, name, None)
        if number is not None and signal.getsignal(number) is signal.SIG_DFL:
            with contextlib.suppress(ValueError):  # not in the main thread
                kept[number] = signal.signal(number, _end)
    try:
        yield
    finally:
        for number, handler in kept.items():
            signal.signal(number, handler)


def _end(number: int, _frame: object) -> None:
    raise SystemExit(128 + number)
