"""TBR606: any earlier draw changes the order, unless the loader has a generator of its own."""

from __future__ import annotations

import pytest

from tests.oracle.support import loaded, page, require_torch, tell

torch = require_torch()
pytestmark = [pytest.mark.oracle, pytest.mark.usefixtures("switched_back")]


def test_an_earlier_draw_changes_the_order() -> None:
    with loaded(page("TBR606").example) as module:
        tell("three draws before the loader", f"the order stays the same: {module.order(0) == module.order(3)}")
        assert module.order(0) == module.order(0)
        assert module.order(0) != module.order(3)


def test_a_generator_of_its_own_keeps_it() -> None:
    with loaded(page("TBR606").repair) as module:
        assert module.order(0) == module.order(3)
