"""The configuration around each file: what the command line, a configuration file and the defaults make of it."""

from __future__ import annotations

from flake8_tensorbranch.config.effective import FileSettings
from flake8_tensorbranch.config.resolver import Overrides, Resolver

__all__ = ["FileSettings", "Overrides", "Resolver"]
