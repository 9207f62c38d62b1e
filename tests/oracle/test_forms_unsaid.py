"""TBR506: calls of checkpoint by any spelling: reported where torch warns that `use_reentrant` is left out."""

from __future__ import annotations

import pytest

from tests.oracle.agree import HEAD, forms, reported, require_torch, unsaid

require_torch()
pytestmark = pytest.mark.oracle

FORMS = (
    HEAD
    + """
import torch.utils.checkpoint as shortened
from torch.utils import checkpoint as module_of_it
from torch.utils.checkpoint import checkpoint as renamed, checkpoint_sequential

NAMED = shortened.checkpoint
SAYS = functools.partial(checkpoint, use_reentrant=False)
SAYS_ANOTHER = functools.partial(checkpoint, preserve_rng_state=False)
OPTIONS = {"use_reentrant": False}
OTHERS = dict(preserve_rng_state=True)


def body(h: Tensor) -> Tensor:
    return A(h).tanh()


class Kept(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.run = checkpoint

    def forward(self, x: Tensor) -> Tensor:
        return self.run(A, x)


class KeptWithOption(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.run = functools.partial(checkpoint, use_reentrant=False)

    def forward(self, x: Tensor) -> Tensor:
        return self.run(A, x)


KEPT = Kept()
KEPTWITHOPTION = KeptWithOption()


def of_an_attribute(x: Tensor) -> Tensor:
    return KEPT(x)


def of_an_attribute_with_the_option(x: Tensor) -> Tensor:
    return KEPTWITHOPTION(x)


def named_here(x: Tensor) -> Tensor:
    run = checkpoint
    return run(body, x)


def by_lambda(x: Tensor) -> Tensor:
    run = lambda function, *args: checkpoint(function, *args)
    return run(body, x)


def partial_of_the_function(x: Tensor) -> Tensor:
    run = functools.partial(checkpoint, body)
    return run(x)


def partial_with_the_option_later(x: Tensor) -> Tensor:
    run = functools.partial(checkpoint, body)
    return run(x, use_reentrant=False)


def reduced(x: Tensor) -> Tensor:
    return functools.reduce(lambda h, layer: checkpoint(layer, h), [A, B], x)


def set_by_default(x: Tensor, **options) -> Tensor:
    options.setdefault("use_reentrant", False)
    return checkpoint(body, x, **options)


def set_under_a_test(x: Tensor) -> Tensor:
    options = {}
    if x.shape[0] == 3:
        options["use_reentrant"] = False
    return checkpoint(body, x, **options)


def updated(x: Tensor) -> Tensor:
    options = {}
    options.update(use_reentrant=False)
    return checkpoint(body, x, **options)


"""
)
CALLS = {
    "bare": "checkpoint(body, x)",
    "false": "checkpoint(body, x, use_reentrant=False)",
    "true": "checkpoint(body, x, use_reentrant=True)",
    "none": "checkpoint(body, x, use_reentrant=None)",
    "shortened": "shortened.checkpoint(body, x)",
    "of_its_module": "module_of_it.checkpoint(body, x)",
    "renamed": "renamed(body, x)",
    "named": "NAMED(body, x)",
    "by_path": "torch.utils.checkpoint.checkpoint(body, x)",
    "by_getattr": "getattr(torch.utils.checkpoint, 'checkpoint')(body, x)",
    "partial_with_it": "SAYS(body, x)",
    "partial_without": "SAYS_ANOTHER(body, x)",
    "unpacked": "checkpoint(body, x, **OPTIONS)",
    "unpacked_others": "checkpoint(body, x, **OTHERS)",
    "merged": "checkpoint(body, x, **{**OTHERS, 'use_reentrant': False})",
    "united": "checkpoint(body, x, **(OTHERS | OPTIONS))",
    "sequential": "checkpoint_sequential(nn.Sequential(A, B), 2, x)",
    "sequential_with_it": "checkpoint_sequential(nn.Sequential(A, B), 2, x, use_reentrant=False)",
}
FORMS += "\n\n".join(f"def as_{name}(x: Tensor) -> Tensor:\n    return {call}\n" for name, call in CALLS.items())


def test_calls_that_torch_warns_of_are_reported() -> None:
    places = forms(FORMS)
    wrong = {place for name, place in places.items() if unsaid(FORMS, name)}
    assert 0 < len(wrong) < len(places)
    assert set(reported(FORMS, "TBR506")) == wrong
