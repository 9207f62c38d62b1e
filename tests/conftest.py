"""Oracle tests are marked by their folder, a run that must have torch cannot silently go without; properties repeat.

The same examples every time, whatever the machine's speed: `TBR_SEARCH=1` looks for new ones.
"""

from __future__ import annotations

import os
from importlib.util import find_spec
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

ORACLE = Path(__file__).parent / "oracle"
HAS_TORCH = find_spec("torch") is not None

settings.register_profile(
    "steady",
    deadline=None,
    derandomize=os.environ.get("TBR_SEARCH") != "1",
    suppress_health_check=[HealthCheck.too_slow],
)
settings.load_profile("steady")


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
