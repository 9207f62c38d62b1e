"""TBR504: tensors in a list or dict leave a reentrant checkpoint detached."""

from __future__ import annotations

from typing import Any

import pytest

from tests.oracle.support import loaded, page, require_torch, tell

torch = require_torch()
pytestmark = pytest.mark.oracle


def rows(*shape: int) -> Any:
    """The same small random tensor every time."""
    return torch.randn(*(shape or (2, 4)), generator=torch.Generator().manual_seed(0))


def trained(source: str) -> bool:
    with loaded(source) as module:
        net = module.Net()
        net(rows()).sum().backward()
    assert net.stem.weight.grad is not None
    return net.body.weight.grad is not None


@pytest.mark.parametrize("made", ['{"hidden": self.body(x)}', "[self.body(x)]"])
def test_example_gives_the_region_no_gradient(made: str) -> None:
    source = page("TBR504").example.replace('{"hidden": self.body(x)}', made)
    reached = trained(source if "{" in made else source.replace('["hidden"]', "[0]"))
    kind = "dict" if "{" in made else "list"
    tell(f"a {kind} as output", f"no error: the region gets {'its gradient' if reached else 'no gradient (None)'}")
    assert not reached


def test_tuple_is_connected() -> None:
    source = page("TBR504").example.replace('{"hidden": self.body(x)}', "(self.body(x), None)")
    assert trained(source.replace('["hidden"]', "[0]"))


def test_repair_trains_the_region() -> None:
    assert trained(page("TBR504").repair)


def test_a_dataclass_is_not_looked_into() -> None:
    from dataclasses import dataclass

    from torch.utils.checkpoint import checkpoint

    @dataclass
    class Record:
        a: Any

    x = torch.ones(3, requires_grad=True) * 2
    assert not checkpoint(lambda x: Record(x.sin()), x, use_reentrant=True).a.requires_grad
    assert checkpoint(lambda x: Record(x.sin()), x, use_reentrant=False).a.requires_grad


@pytest.mark.parametrize("reentrant", [True, False])
def test_a_list_inside_the_tuple_is_detached_too(reentrant: bool) -> None:
    from torch.utils.checkpoint import checkpoint

    stem, layer, aux = (torch.nn.Linear(4, 4) for _ in range(3))

    def region(x: Any) -> Any:
        x = layer(x)
        return x, [aux(x)]

    out, extra = checkpoint(region, stem(rows()), use_reentrant=reentrant)
    (out.sum() + extra[0].sum()).backward()
    assert layer.weight.grad is not None
    assert (aux.weight.grad is None) is reentrant


@pytest.mark.parametrize("reentrant", [True, False])
def test_a_tuple_inside_the_tuple_is_detached_too(reentrant: bool) -> None:
    from torch.utils.checkpoint import checkpoint

    x = torch.ones(3, requires_grad=True) * 2
    out, (inner,) = checkpoint(lambda x: (x.sin(), (x.cos(),)), x, use_reentrant=reentrant)
    assert out.requires_grad
    assert inner.requires_grad is not reentrant
