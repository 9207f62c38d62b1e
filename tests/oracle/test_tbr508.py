"""TBR508: a reentrant checkpoint under DDP marks a parameter ready twice."""

from __future__ import annotations

from typing import Any

import pytest

from tests.oracle.support import loaded, observe, page, require_torch, shortened, tell

torch = require_torch()
pytestmark = pytest.mark.oracle


def rows(*shape: int) -> Any:
    """The same small random tensor every time."""
    return torch.randn(*(shape or (2, 4)), generator=torch.Generator().manual_seed(0))


@pytest.mark.usefixtures("group")
def test_example_raises_in_backward() -> None:
    with loaded(page("TBR508").example) as bad:
        outcome = observe(bad.step, rows())
    tell("DDP with `find_unused_parameters=True`", shortened(outcome, " once."))
    assert outcome.kind == "RuntimeError"
    assert outcome.first_line.startswith("Expected to mark a variable ready only once.")


@pytest.mark.usefixtures("group")
def test_repair_is_clean() -> None:
    with loaded(page("TBR508").repair) as good:
        assert observe(good.step, rows()).error is None


@pytest.mark.usefixtures("group")
@pytest.mark.parametrize(("options", "kind"), [({}, ""), ({"static_graph": True}, "")])
def test_one_run_without_the_search_is_clean(options: dict[str, bool], kind: str) -> None:
    with loaded(page("TBR508").example) as bad:
        model = torch.nn.parallel.DistributedDataParallel(bad.Net(), **options)
        assert observe(lambda: model(rows()).sum().backward()).kind == kind


@pytest.mark.usefixtures("group")
@pytest.mark.parametrize(("reentrant", "kind"), [(True, "RuntimeError"), (False, "")])
def test_one_module_twice_a_step(reentrant: bool, kind: str) -> None:
    from torch.utils.checkpoint import checkpoint

    class Twice(torch.nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.stem, self.body = torch.nn.Linear(4, 4), torch.nn.Linear(4, 4)

        def forward(self, x: Any) -> Any:
            h = self.stem(x)
            return sum(checkpoint(self.body, h, use_reentrant=reentrant).mean() for _ in range(2))

    model = torch.nn.parallel.DistributedDataParallel(Twice())
    assert observe(lambda: model(rows()).backward()).kind == kind
