"""The rewritten programs of TBR308 and TBR314 raise on torch as they are, and run once they are repaired."""

from __future__ import annotations

import pytest

from tests.oracle.support import compiling, observe, require_torch
from tests.rules import cells_of_checkpoints, cells_of_dimensions
from tests.rules.rewriting import alternatives

torch = require_torch()
pytestmark = pytest.mark.oracle

DIMENSIONS = {way: text for way, text in cells_of_dimensions.PAIRS["TBR308"].items() if "# ==" not in text}
REGIONS = {way: text for way, text in cells_of_checkpoints.PAIRS["TBR314"].items() if "# ==" not in text}


def outcome(source: str) -> str:
    """The class of what a program raises when it is run once, empty when it returns."""
    with compiling(source) as module:
        if "def main" in source:
            layers = [torch.nn.Linear(4, 4)] if "head: nn.Linear" in source else []
            return observe(module.main, *layers).kind
        run = module.net if "net = " in source else module.f
        return observe(run, torch.ones(4, 4, requires_grad=True)).kind


@pytest.mark.parametrize("way", DIMENSIONS)
def test_a_fixed_dimension_raises_by_any_way(way: str) -> None:
    bad, good = alternatives(cells_of_dimensions.HEAD + DIMENSIONS[way])
    assert outcome(bad) in ("ConstraintViolationError", "UserError")
    assert outcome(good) == ""


@pytest.mark.parametrize("way", REGIONS)
def test_a_compiled_checkpoint_raises_by_any_way(way: str) -> None:
    bad, good = alternatives(cells_of_checkpoints.HEAD + REGIONS[way].replace('os.environ.get("FAST")', "True"))
    assert outcome(bad) != ""
    assert outcome(good) == ""
