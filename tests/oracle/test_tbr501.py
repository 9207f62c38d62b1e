"""TBR501: a reentrant checkpoint none of whose inputs requires grad."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from tests.oracle.support import loaded, observe, page, require_torch, silent, tell

torch = require_torch()
pytestmark = pytest.mark.oracle

NO_GRAD_INPUT = "None of the inputs have requires_grad=True. Gradients will be None"
NO_GRAPH = "element 0 of tensors does not require grad and does not have a grad_fn"
DRAFT = {"layer.weight", "layer.bias"}


def missing_gradients(model: Any) -> set[str]:
    """Names of the trainable parameters that got no gradient from one step."""
    torch.manual_seed(0)
    ids = torch.randint(16, (32,))
    loss = torch.nn.functional.cross_entropy(model(ids), ids)
    loss.backward()
    assert torch.isfinite(loss)
    return {name for name, parameter in model.named_parameters() if parameter.requires_grad and parameter.grad is None}


def backward_through(*args: Any, reentrant: bool = True) -> Any:
    """Checkpoint a linear layer over `args`, the tensor being last or nested, and return its weight's gradient."""
    from torch.utils.checkpoint import checkpoint

    layer = torch.nn.Linear(4, 4)

    def region(value: Any, *rest: Any) -> Any:
        tensor = value["x"] if isinstance(value, dict) else value
        return layer(tensor)

    checkpoint(region, *args, use_reentrant=reentrant).sum().backward()
    return layer.weight.grad


def test_example_trains_on_without_the_region() -> None:
    with loaded(page("TBR501").example) as bad:
        outcome = observe(missing_gradients, bad.Draft())
    tell("one step", silent(outcome, f"no gradient for {', '.join(sorted(outcome.value or ()))}"))
    assert (outcome.error, outcome.value, outcome.warnings) == (None, DRAFT, [NO_GRAD_INPUT])


@pytest.mark.parametrize("reentrant", [False, True])
def test_repair_reaches_every_parameter(reentrant: bool) -> None:
    with loaded(page("TBR501").repair) as good:
        outcome = observe(missing_gradients, good.Draft(reentrant))
    assert (outcome.error, outcome.value, outcome.warnings) == (None, set(), [])


def test_nothing_else_trains_raises() -> None:
    outcome = observe(backward_through, torch.ones(2, 4))
    tell("nothing else trains", outcome)
    assert (outcome.kind, outcome.first_line) == ("RuntimeError", NO_GRAPH)
    assert outcome.warnings == [NO_GRAD_INPUT]


def test_a_tensor_in_a_dict_does_not_count() -> None:
    nested = {"x": torch.ones(2, 4, requires_grad=True)}
    assert observe(backward_through, nested).warnings == [NO_GRAD_INPUT]
    assert observe(backward_through, nested, reentrant=False).value is not None


INPUTS: dict[str, Callable[[], tuple[Any, ...]]] = {
    "trainable producer": lambda: (torch.nn.Linear(4, 4)(torch.ones(2, 4)),),
    "grad beside a frozen one": lambda: (torch.ones(2, 4), torch.ones(1, requires_grad=True)),
    "grad beside a number and None": lambda: (torch.ones(2, 4, requires_grad=True), 2.0, None),
}


@pytest.mark.parametrize("name", sorted(INPUTS))
def test_one_direct_tensor_that_requires_grad_is_enough(name: str) -> None:
    outcome = observe(backward_through, *INPUTS[name]())
    assert (outcome.error, outcome.warnings) == (None, [])
    assert outcome.value is not None


def test_segments_of_a_chain_but_the_last_get_nothing() -> None:
    checkpoint_sequential = torch.utils.checkpoint.checkpoint_sequential
    chain = torch.nn.Sequential(torch.nn.Linear(4, 4), torch.nn.Linear(4, 4))
    outcome = observe(lambda: checkpoint_sequential(chain, 2, torch.ones(2, 4), use_reentrant=True).sum().backward())
    assert (outcome.error, outcome.warnings) == (None, [NO_GRAD_INPUT])
    assert chain[0].weight.grad is None
    assert chain[1].weight.grad is not None
