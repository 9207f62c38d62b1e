"""TBR206: names that a checkpointed closure binds late: reported if, and only if, torch goes wrong with them."""

from __future__ import annotations

import pytest

from tests.oracle.agree import HEAD, agree, require_torch

torch = require_torch()
pytestmark = pytest.mark.oracle

LATE = (
    HEAD
    + """
def by_lambda(x: Tensor) -> Tensor:
    for layer in [A, B, C]:
        x = checkpoint(lambda h: torch.tanh(layer(h)), x, use_reentrant=False)
    return x


def bound(x: Tensor) -> Tensor:
    for layer in [A, B, C]:
        x = checkpoint(lambda h, layer=layer: torch.tanh(layer(h)), x, use_reentrant=False)
    return x


def partial(x: Tensor) -> Tensor:

    def run(layer, h):
        return torch.tanh(layer(h))
    for layer in [A, B, C]:
        x = checkpoint(functools.partial(run, layer), x, use_reentrant=False)
    return x


def by_def(x: Tensor) -> Tensor:
    for layer in [A, B]:
        def run(h: Tensor) -> Tensor:
            return torch.tanh(layer(h))
        x = checkpoint(run, x, use_reentrant=False)
    return x


def index(x: Tensor) -> Tensor:
    layers = [A, B, C]
    for i in range(3):
        x = checkpoint(lambda h: torch.tanh(layers[i](h)), x, use_reentrant=False)
    return x


def by_enumerate(x: Tensor) -> Tensor:
    for i, layer in enumerate([A, B]):
        x = checkpoint(lambda h: torch.tanh(layer(h)) * (i + 1), x, use_reentrant=False)
    return x


def by_while(x: Tensor) -> Tensor:
    i = 0
    while i < 2:
        layer = [A, B][i]
        x = checkpoint(lambda h: torch.tanh(layer(h)), x, use_reentrant=False)
        i += 1
    return x


def reassigned(x: Tensor) -> Tensor:
    layer = A
    y = checkpoint(lambda h: torch.tanh(layer(h)), x, use_reentrant=False)
    layer = B
    return y + layer(x)


def listcomp(x: Tensor) -> Tensor:
    return torch.stack([checkpoint(lambda h: torch.tanh(layer(h)), x, use_reentrant=False) for layer in [A, B]])


def listcomp_bound(x: Tensor) -> Tensor:
    layers = [A, B]
    outs = [checkpoint(lambda h, layer=layer: torch.tanh(layer(h)), x, use_reentrant=False) for layer in layers]
    return torch.stack(outs)


def listed(x: Tensor) -> Tensor:
    runs = [lambda h: torch.tanh(layer(h)) for layer in [A, B]]
    for run in runs:
        x = checkpoint(run, x, use_reentrant=False)
    return x


def make(layer):

    def run(h: Tensor) -> Tensor:
        return torch.tanh(layer(h))
    return run


def made(x: Tensor) -> Tensor:
    for layer in [A, B]:
        x = checkpoint(make(layer), x, use_reentrant=False)
    return x


def walrus(x: Tensor) -> Tensor:
    for i in range(2):
        if (layer := [A, B][i]) is not None:
            x = checkpoint(lambda h: torch.tanh(layer(h)), x, use_reentrant=False)
    return x


def by_with(x: Tensor) -> Tensor:
    for layer in [A, B]:
        with contextlib.nullcontext(layer) as inner:
            x = checkpoint(lambda h: torch.tanh(inner(h)), x, use_reentrant=False)
    return x


def reentrant(x: Tensor) -> Tensor:
    for layer in [A, B]:
        x = checkpoint(lambda h: torch.tanh(layer(h)), x, use_reentrant=True)
    return x


def same_round(x: Tensor) -> Tensor:
    for layer in [A, B]:
        checkpoint(lambda h: torch.tanh(layer(h)), x, use_reentrant=False).sum().backward()
    return x


def tensor(x: Tensor) -> Tensor:
    scale = torch.ones(4)
    for i in range(2):
        scale = scale * 2
        x = checkpoint(lambda h: torch.tanh(A(h) * scale), x, use_reentrant=False)
    return x


def passed(x: Tensor) -> Tensor:
    for layer in [A, B]:
        x = checkpoint(lambda h, m: torch.tanh(m(h)), x, layer, use_reentrant=False)
    return x
"""
)


def test_names_that_are_bound_anew_before_backward() -> None:
    agree(LATE, "TBR206")
