"""Checkpoint calls: what reaches them, which scopes are open, which backward recomputes them."""

from __future__ import annotations

from collections.abc import Iterator

from flake8_tensorbranch.engine.program import Program
from flake8_tensorbranch.engine.region import Regions
from flake8_tensorbranch.engine.sink import CheckpointSite, ScopeSite


def sites(program: Program, regions: Regions) -> Iterator[CheckpointSite | ScopeSite]:
    """The sites of a program that rules about checkpoint calls and scopes look at."""
    return iter(())
