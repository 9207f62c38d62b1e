"""The `tensorbranch` command: the same analysis as the flake8 plugin, without flake8."""

from __future__ import annotations

from collections.abc import Sequence

__all__ = ["main"]


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command and give its exit status; an interrupt ends it quietly from the first import on."""
    try:
        from flake8_tensorbranch.cli.entry import main as run

        return run(argv)
    except KeyboardInterrupt:
        return 130
