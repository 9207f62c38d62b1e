"""The tables of what saves its input against the installed torch: that tensor itself, alone or before others."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from flake8_tensorbranch.knowledge import tensors
from tests.oracle.support import require_torch, resolve

torch = require_torch()
pytestmark = pytest.mark.oracle
_ARGUMENTS = {"pow": (3,), "threshold": (0.1, 0.2), "layer_norm": ((3,),), "clamp": (0.1,)}
_ARGUMENTS |= {"clamp_min": (0.1,), "clamp_max": (0.1,)}


def given(word: str = "") -> Any:
    """What requires grad and is no leaf, within the domain of all functions, or of one that begins at 1."""
    x = torch.linspace(0.2, 0.7, 6).reshape(2, 3)
    return (x + 1 if word == "acosh" else x).requires_grad_().clone()


def saved(run: Callable[[Any], Any], x: Any) -> list[bool]:
    """Of each tensor that a run saves, whether it is the one that it was given."""
    found: list[bool] = []

    def keep(tensor: Any) -> Any:
        found.append(tensor.data_ptr() == x.data_ptr() and tensor.shape == x.shape)
        return tensor

    with torch.autograd.graph.saved_tensors_hooks(keep, lambda tensor: tensor):
        run(x)
    return found


@pytest.mark.parametrize("word", sorted(tensors.SAVES_INPUT | tensors.SAVES_INPUT_FIRST))
def test_operations_that_save_their_input(word: str) -> None:
    ways = [getattr(m, word) for m in (torch, torch.nn.functional, torch.Tensor) if hasattr(m, word)]
    assert ways
    for way in ways:
        found = saved(lambda x, way=way: way(x, *_ARGUMENTS.get(word, ())), given(word))
        assert found[0]
        assert (len(found) == 1) == (word in tensors.SAVES_INPUT)


@pytest.mark.parametrize("name", sorted(tensors.INPUT_SAVING_LAYERS))
def test_layers_that_save_their_input(name: str) -> None:
    assert saved(resolve(name)(), given()) == [True]
