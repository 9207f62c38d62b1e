"""Oracle tests are marked by their folder, and a run that must have torch cannot silently go without."""

from __future__ import annotations

import os
from importlib.util import find_spec
from pathlib import Path

import pytest

ORACLE = Path(__file__).parent / "oracle"
HAS_TORCH = find_spec("torch") is not None


def pytest_configure(config: pytest.Config) -> None:
    if os.environ.get("TBR_REQUIRE_TORCH") == "1" and not HAS_TORCH:
        raise pytest.UsageError("TBR_REQUIRE_TORCH=1, but torch is not installed: pip install '.[oracle]'")


def pytest_report_header() -> str:
    return "oracle tests: run" if HAS_TORCH else "oracle tests: skipped, torch is not installed"


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if ORACLE in item.path.parents:
            item.add_marker(pytest.mark.oracle)
            if not HAS_TORCH:
                item.add_marker(pytest.mark.skip(reason="torch is not installed"))
