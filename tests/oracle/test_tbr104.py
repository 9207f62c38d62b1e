"""TBR104: a rank that skips a collective leaves the other waiting in it; a flag that was reduced first does not."""

from __future__ import annotations

import re
from typing import Any

import pytest

from tests.oracle.processes import on_two_ranks
from tests.oracle.support import loaded, page, require_gloo, require_torch, tell

torch = require_torch()
require_gloo()
pytestmark = pytest.mark.oracle


def _example(rank: int) -> str:
    return _run_page(page("TBR104").example, rank)


def _repair(rank: int) -> str:
    return _run_page(page("TBR104").repair, rank)


def _run_page(source: str, rank: int) -> str:
    with loaded(source) as module:
        return str(module.step(torch.tensor(float("nan") if rank == 1 else 1.0), torch.ones(1)))


def _layer(rank: int) -> str:
    nn = torch.nn

    class Layered(nn.Module):  # type: ignore[misc, name-defined]
        def __init__(self) -> None:
            super().__init__()
            self.first, self.second = nn.Linear(2, 2), nn.Linear(2, 2)

        def forward(self, x: Any) -> Any:
            h = self.first(x)
            return self.second(h) if h.sum() > 1e9 * (1 - 2 * rank) else h

    model = nn.parallel.DistributedDataParallel(Layered())
    for _ in range(2):
        model(torch.ones(1, 2)).sum().backward()
    return "two steps"


def _alone(rank: int) -> str:
    if torch.distributed.get_rank() == 0:
        torch.distributed.barrier()
        return "passed"
    return "skipped"


def test_the_other_rank_waits_in_vain() -> None:
    said = on_two_ranks(_example)
    timeout = next(iter(re.findall(r"Timed out waiting \d+ms for recv operation to complete", said[0])), "")
    tell("a NaN on one of two ranks (gloo)", f"that rank: {said[1]}; the other: RuntimeError: {timeout}")
    assert said[1] == "skipped"
    assert said[0].startswith("RuntimeError")
    assert "Timed out waiting" in said[0]


def test_ranks_that_agreed_skip_together() -> None:
    assert on_two_ranks(_repair) == {0: "skipped", 1: "skipped"}


def test_a_layer_of_one_rank_stops_the_reducer() -> None:
    said = on_two_ranks(_layer)
    reducer = re.findall(r"Expected to have finished reduction in the prior iteration", " ".join(said.values()))
    tell("DDP with a layer that one of two ranks runs", f"RuntimeError: {next(iter(reducer), '')}")
    assert any("Expected to have finished reduction in the prior iteration" in text for text in said.values())


def test_a_barrier_under_a_test_of_the_rank_is_waited_in_alone() -> None:
    said = on_two_ranks(_alone)
    assert said[1] == "skipped"
    assert said[0].startswith("RuntimeError")
