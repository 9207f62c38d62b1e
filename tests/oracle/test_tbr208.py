"""TBR208: what the recompute reads is changed before backward."""

from __future__ import annotations

from typing import Any

import pytest

from tests.oracle.support import loaded, observe, page, require_torch, shortened, silent, tell, wrong_by

torch = require_torch()
pytestmark = pytest.mark.oracle


def trained(train: Any, net: Any) -> list[Any]:
    torch.manual_seed(1)
    train(net, torch.randn(2, 4), torch.randn(2, 4))
    return [p.grad.clone() for p in net.parameters()]


def build(module: Any) -> Any:
    torch.manual_seed(0)
    return module.Net()


def test_example_is_silent_and_without_the_checkpoint_autograd_raises() -> None:
    with loaded(page("TBR208").example) as bad, loaded(page("TBR208").repair) as good:
        checkpointed = observe(trained, bad.train, build(bad))
        right = trained(good.train, build(good))
        plain = build(bad)
        plain.forward = plain.body.forward
        outcome = observe(trained, bad.train, plain)
    tell("checkpointed", silent(checkpointed, wrong_by(checkpointed.value[0], right[0])))
    tell("the same step without the checkpoint", shortened(outcome, "operation"))
    assert (checkpointed.error, checkpointed.warnings) == (None, [])
    assert not all(torch.allclose(a, b) for a, b in zip(checkpointed.value, right, strict=True))
    assert outcome.kind == "RuntimeError"
    assert "modified by an inplace operation" in outcome.first_line


def test_a_changed_mode_raises_only_where_the_region_asks_for_it() -> None:
    from torch import nn
    from torch.utils.checkpoint import checkpoint

    def step(net: Any) -> None:
        loss = checkpoint(net, torch.ones(2, 4, requires_grad=True), use_reentrant=False).sum()
        net.eval()
        loss.backward()

    assert observe(step, nn.Sequential(nn.Linear(4, 4), nn.Dropout(0.5), nn.Tanh())).kind == "CheckpointError"
    assert observe(step, nn.Sequential(nn.Linear(4, 4), nn.Tanh())).error is None


@pytest.mark.parametrize(("changes", "same"), [(True, False), (False, True)])
def test_a_removed_hook_matters_only_if_it_changed_the_output(changes: bool, same: bool) -> None:
    from torch.utils.checkpoint import checkpoint

    def gradient(run: Any) -> Any:
        torch.manual_seed(0)
        layer = torch.nn.Linear(4, 4)
        hook = layer.register_forward_hook(lambda module, args, out: out * 3 if changes else None)
        loss = run(lambda x: layer(x).sin(), torch.ones(2, 4, requires_grad=True)).sum()
        hook.remove()
        loss.backward()
        return layer.weight.grad

    plain = gradient(lambda f, x: f(x))
    outcome = observe(gradient, lambda f, x: checkpoint(f, x, use_reentrant=False))
    assert (outcome.error is None and torch.allclose(outcome.value, plain)) is same


def test_a_replicated_module_recomputes_with_the_moved_parameters_too() -> None:
    """`nn.DataParallel` runs the module itself where there is no device to replicate it to."""
    with loaded(page("TBR208").example) as bad, loaded(page("TBR208").repair) as good:
        right = trained(good.train, torch.nn.DataParallel(build(good)))
        outcome = observe(trained, bad.train, torch.nn.DataParallel(build(bad)))
    assert outcome.error is None
    assert not all(torch.allclose(a, b) for a, b in zip(outcome.value, right, strict=True))


@pytest.mark.parametrize(
    "store",
    [
        lambda net: setattr(net, "scale", 2.0),
        lambda net: object.__setattr__(net, "scale", 2.0),
        lambda net: net.__dict__.__setitem__("scale", 2.0),
        lambda net: net.register_buffer("shift", torch.ones(4)),
        lambda net: net.add_module("act", torch.nn.Sigmoid()),
        lambda net: net.register_parameter("weight", torch.nn.Parameter(torch.full((4,), 3.0))),
        lambda net: net.layers.__setitem__(0, torch.nn.Sigmoid()),
    ],
)
def test_every_spelling_of_a_store_reaches_the_recompute(store: Any) -> None:
    from torch.utils.checkpoint import checkpoint

    class Net(torch.nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.scale = 1.0
            self.act = torch.nn.Tanh()
            self.layers = torch.nn.ModuleList([torch.nn.Tanh()])
            self.weight = torch.nn.Parameter(torch.ones(4))
            self.register_buffer("shift", torch.zeros(4))

        def forward(self, x: Any) -> Any:
            return self.layers[0](self.act(x * self.weight + self.shift) * self.scale).square()

    def gradient(change: Any) -> Any:
        x = torch.linspace(0.1, 1, 4).requires_grad_()
        net = Net()
        out = checkpoint(net, x, use_reentrant=False)
        change(net)
        out.sum().backward()
        return x.grad

    assert not torch.equal(gradient(store), gradient(lambda net: None))
