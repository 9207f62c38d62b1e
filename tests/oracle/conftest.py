"""What each oracle test tells of its observations is held against the committed table, or written down for it.

With `TBR_ORACLE_RECORD=FILE` nothing is compared: one JSON object a test is written there (`tools/oracle.py` reads it).
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

import pytest

from tests.oracle.support import Told, require_gloo, require_torch, telling
from tools.oracle import Row, read, record_of

RECORD = os.environ.get("TBR_ORACLE_RECORD")
_REPORTS: list[dict[str, object]] = []


@pytest.fixture(scope="session")
def committed() -> list[Row] | None:
    """What the committed table says of this torch; None for a torch without one, and while one is written."""
    try:
        path = record_of(version("torch"))
    except PackageNotFoundError:
        return None
    return None if RECORD or not path.exists() else read(path)


@pytest.fixture(autouse=True)
def _telling(request: pytest.FixtureRequest, committed: list[Row] | None) -> Iterator[None]:
    rule = request.path.stem.removeprefix("test_").upper()
    wanted = None if committed is None else {(row.rule, row.situation): row.observed for row in committed}
    told = Told(rule, wanted)
    with telling(told):
        yield
    for situation, text in told.rows:
        request.node.user_properties.append(("told", [told.rule, situation, text]))
    test = f"{request.path.name}::{request.node.name}"
    rows = {row.situation for row in committed or () if row.test == test}
    assert rows <= {situation for situation, _ in told.rows}, "the committed table has rows that nothing tells any more"


@pytest.fixture
def switched_back() -> Iterator[None]:
    """Leave torch's switches of determinism as they are at the start of a process."""
    yield
    torch = require_torch()
    torch.use_deterministic_algorithms(False)
    torch.backends.cudnn.benchmark = torch.backends.cudnn.deterministic = False


@pytest.fixture
def group(tmp_path: Path) -> Iterator[None]:
    """A process group of this one process; a torch without gloo skips, but where torch is required."""
    require_gloo()
    dist = require_torch().distributed
    dist.init_process_group("gloo", init_method=f"file://{tmp_path}/store", rank=0, world_size=1)
    yield
    dist.destroy_process_group()


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    # Under xdist this runs in the controller too, with what the workers sent. `teardown` has the properties of all.
    if RECORD and (report.when == "teardown" or report.failed):
        crash = getattr(report.longrepr, "reprcrash", None)
        _REPORTS.append(
            {
                "test": report.nodeid.removeprefix("tests/oracle/"),
                "told": [value for name, value in report.user_properties if name == "told"],
                "failed": (crash.message.splitlines() or [""])[0] if crash else "",
            }
        )


def pytest_sessionfinish(session: pytest.Session) -> None:
    if RECORD and not hasattr(session.config, "workerinput"):
        lines = [json.dumps(item) for item in _REPORTS if item["told"] or item["failed"]]
        Path(RECORD).write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
