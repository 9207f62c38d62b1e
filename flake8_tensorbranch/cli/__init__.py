"""The `tensorbranch` command: the same analysis as the flake8 plugin, without flake8."""

from __future__ import annotations

from flake8_tensorbranch.cli.entry import main

__all__ = ["main"]
