"""TBR605: a stored generator draws the same in every worker and every epoch; one made in the worker does not."""

from __future__ import annotations

from typing import Any

import pytest

from tests.oracle.support import loaded, page, require_torch

torch = require_torch()
pytestmark = pytest.mark.oracle


def _epochs(source: str) -> list[list[Any]]:
    """Two epochs of two batches; with two workers, each batch is one worker's."""
    torch.manual_seed(0)
    with loaded(source) as module:
        loader = module.loader()
        return [[batch.tolist() for batch in loader] for _ in range(2)]


def test_every_worker_and_epoch_draws_the_same() -> None:
    first, second = _epochs(page("TBR605").example)
    assert first[0] == first[1]
    assert first == second


def test_made_in_the_worker_they_differ() -> None:
    first, second = _epochs(page("TBR605").repair)
    assert first[0] != first[1]
    assert first != second
