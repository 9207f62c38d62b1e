"""TBR407: functional_call on a module that checkpoints inside."""

from __future__ import annotations

from typing import Any

import pytest

from tests.oracle.support import loaded, observe, page, require_torch, silent, tell, wrong_by

torch = require_torch()
pytestmark = pytest.mark.oracle


def rows(*shape: int) -> Any:
    """The same small random tensor every time."""
    return torch.randn(*(shape or (2, 4)), generator=torch.Generator().manual_seed(0))


def gradients(module: Any) -> list[Any]:
    """The gradients of the given parameters, all of them 0.5."""
    torch.manual_seed(0)
    net = module.Net()
    given = {name: torch.full_like(value, 0.5).requires_grad_() for name, value in net.named_parameters()}
    module.step(net, given, rows())
    return [value.grad for value in given.values()]


def expected() -> list[Any]:
    """What the same step gives without a checkpoint."""
    weight, bias = torch.full((4, 4), 0.5).requires_grad_(), torch.full((4,), 0.5).requires_grad_()
    inner = torch.nn.functional.linear(rows(), weight, bias).tanh()
    torch.nn.functional.linear(inner, weight, bias).sum().backward()
    return [weight.grad, bias.grad]


def test_example_is_silent_and_wrong() -> None:
    with loaded(page("TBR407").example) as bad:
        outcome = observe(gradients, bad)
    tell("the non-reentrant variant", silent(outcome, wrong_by(outcome.value[0], expected()[0])))
    assert (outcome.error, outcome.warnings) == (None, [])
    assert not all(torch.allclose(a, b) for a, b in zip(outcome.value, expected(), strict=True))


def test_repair_is_right() -> None:
    with loaded(page("TBR407").repair) as good:
        assert all(torch.allclose(a, b) for a, b in zip(gradients(good), expected(), strict=True))


@pytest.mark.parametrize("reentrant", [True])
def test_reentrant_gives_the_parameters_nothing(reentrant: bool) -> None:
    source = page("TBR407").example.replace("use_reentrant=False", f"use_reentrant={reentrant}")
    with loaded(source.replace("(x,)).sum()", "(x.requires_grad_(),)).sum()")) as bad:
        given = gradients(bad)
        tell("the reentrant variant", f"no error: {wrong_by(given[0], expected()[0])}")
        assert given == [None, None]


@pytest.mark.filterwarnings("ignore:.torch.jit.script. is deprecated:DeprecationWarning")  # torch.func's own imports
@pytest.mark.parametrize("reentrant", [False, True])
def test_reverse_transformations_refuse_a_checkpoint_inside(reentrant: bool) -> None:
    from torch.utils.checkpoint import checkpoint

    def inner(x: Any) -> Any:
        return checkpoint(torch.sin, x, use_reentrant=reentrant).sum()

    x = torch.ones(3)
    for transform in (torch.func.grad, torch.func.grad_and_value, torch.func.jacrev, torch.func.hessian):
        with pytest.raises(RuntimeError, match=r"saved tensor hooks|setup_context"):
            transform(inner)(x)
    with pytest.raises(RuntimeError, match=r"saved tensor hooks|setup_context"):
        torch.func.vjp(inner, x)
    if not reentrant:
        assert torch.equal(torch.func.jacfwd(inner)(x), x.cos())


@pytest.mark.parametrize(("form", "right"), [("outside", True), ("handed", True), ("read", False)])
def test_only_what_the_region_reads_is_lost(form: str, right: bool) -> None:
    """A parameter that is used outside of the region, or handed to it, is the given one in the recompute, too."""
    from torch.utils.checkpoint import checkpoint

    class Net(torch.nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.weight = torch.nn.Parameter(torch.ones(4))

        def forward(self, x: Any) -> Any:
            if form == "outside":
                return checkpoint(torch.sin, x * self.weight, use_reentrant=False)
            if form == "handed":
                return checkpoint(lambda h, w: torch.sin(h * w), x, self.weight, use_reentrant=False)
            return checkpoint(lambda h: torch.sin(h * self.weight), x, use_reentrant=False)

    given, plain = (torch.full((4,), 0.5).requires_grad_() for _ in range(2))
    torch.func.functional_call(Net(), {"weight": given}, (rows(),)).sum().backward()
    torch.sin(rows() * plain).sum().backward()
    assert torch.allclose(given.grad, plain.grad) == right


@pytest.mark.parametrize("inner", [False, True])
def test_a_checkpoint_around_is_right_only_alone(inner: bool) -> None:
    from torch.utils.checkpoint import checkpoint

    class Net(torch.nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.weight = torch.nn.Parameter(torch.ones(4))

        def forward(self, x: Any) -> Any:
            def region(h: Any) -> Any:
                return torch.sin(h * self.weight)

            return checkpoint(region, x, use_reentrant=False) if inner else region(x)

    net = Net()
    given, plain = (torch.full((4,), 0.5).requires_grad_() for _ in range(2))
    out = checkpoint(
        lambda x: torch.func.functional_call(net, {"weight": given}, (x,)), rows().requires_grad_(), use_reentrant=False
    )
    out.sum().backward()
    torch.sin(rows() * plain).sum().backward()
    assert torch.allclose(given.grad, plain.grad) == (not inner)


def test_own_parameters_are_recomputed_with() -> None:
    with loaded(page("TBR407").example) as bad:
        net = bad.Net()
        torch.func.functional_call(net, dict(net.named_parameters()), (rows(),)).sum().backward()
        found = [p.grad.clone() for p in net.parameters()]
        weight, bias = (p.detach().clone().requires_grad_() for p in net.parameters())
    inner = torch.nn.functional.linear(rows(), weight, bias).tanh()
    torch.nn.functional.linear(inner, weight, bias).sum().backward()
    assert all(torch.allclose(a, b) for a, b in zip(found, (weight.grad, bias.grad), strict=True))
