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


SAMPLED = {
    "RandomSampler": lambda data, **own: data.RandomSampler(range(10), **own),
    "WeightedRandomSampler": lambda data, **own: data.WeightedRandomSampler([1.0] * 10, 10, **own),
    "SubsetRandomSampler": lambda data, **own: data.SubsetRandomSampler(range(10), **own),
    "random_split": lambda data, **own: data.random_split(range(10), [5, 5], **own)[0],
}


def drawn(name: str, draws: int, seeded: bool) -> list[int]:
    """The order that a sampler, or the part that a split, takes after so many draws from the global generator."""
    from torch.utils import data

    torch.manual_seed(0)
    torch.rand(draws)
    own = {"generator": torch.Generator().manual_seed(0)} if seeded else {}
    return list(SAMPLED[name](data, **own))


@pytest.mark.parametrize("name", SAMPLED)
def test_samplers_and_splits_draw_from_the_global_generator_too(name: str) -> None:
    assert drawn(name, 0, seeded=False) == drawn(name, 0, seeded=False)
    assert drawn(name, 0, seeded=False) != drawn(name, 3, seeded=False)
    assert drawn(name, 0, seeded=True) == drawn(name, 3, seeded=True)


def test_the_generator_of_a_loader_is_none_of_its_samplers() -> None:
    from torch.utils.data import DataLoader, RandomSampler

    def order(draws: int) -> list[int]:
        torch.manual_seed(0)
        torch.rand(draws)
        own = torch.Generator().manual_seed(0)
        return list(DataLoader(range(10), batch_size=None, sampler=RandomSampler(range(10)), generator=own))

    assert order(0) != order(3)
