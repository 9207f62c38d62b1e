"""TBR206: loops, objects that their rounds change, partials and makers of functions: reported if, and only if, torch
goes wrong with them.
"""

from __future__ import annotations

import pytest

from tests.oracle.agree import HEAD, agree, require_torch

torch = require_torch()
pytestmark = pytest.mark.oracle

ROUNDS = (
    HEAD
    + """
LAYERS = [A, B, C]
class Ctx:
    i = 0
    layer = A


def attr_layer(x: Tensor) -> Tensor:
    ctx = Ctx()
    for layer in LAYERS:
        ctx.layer = layer
        x = checkpoint(lambda h: torch.sin(ctx.layer(h)), x, use_reentrant=False)
    return x


def attr_new(x: Tensor) -> Tensor:
    for layer in LAYERS:
        ctx = Ctx()
        ctx.layer = layer
        x = checkpoint(lambda h: torch.sin(ctx.layer(h)), x, use_reentrant=False)
    return x


def attr_new_bound(x: Tensor) -> Tensor:
    for layer in LAYERS:
        ctx = Ctx()
        ctx.layer = layer
        x = checkpoint(lambda h, ctx=ctx: torch.sin(ctx.layer(h)), x, use_reentrant=False)
    return x


def attr_shared_bound(x: Tensor) -> Tensor:
    ctx = Ctx()
    for layer in LAYERS:
        ctx.layer = layer
        x = checkpoint(lambda h, ctx=ctx: torch.sin(ctx.layer(h)), x, use_reentrant=False)
    return x


def item_local(x: Tensor) -> Tensor:
    state = {}
    for layer in LAYERS:
        state["layer"] = layer
        x = checkpoint(lambda h: torch.sin(state["layer"](h)), x, use_reentrant=False)
    return x


def item_by_key(x: Tensor) -> Tensor:
    state = {}
    for i, layer in enumerate(LAYERS):
        state[i] = layer
        x = checkpoint(lambda h, i=i: torch.sin(state[i](h)), x, use_reentrant=False)
    return x


def list_cell(x: Tensor) -> Tensor:
    cell = [None]
    for layer in LAYERS:
        cell[0] = layer
        x = checkpoint(lambda h: torch.sin(cell[0](h)), x, use_reentrant=False)
    return x


def list_append_last(x: Tensor) -> Tensor:
    done = []
    for layer in LAYERS:
        done.append(layer)
        x = checkpoint(lambda h: torch.sin(done[-1](h)), x, use_reentrant=False)
    return x


def setattr_local(x: Tensor) -> Tensor:
    ctx = Ctx()
    for layer in LAYERS:
        setattr(ctx, "layer", layer)
        x = checkpoint(lambda h: torch.sin(ctx.layer(h)), x, use_reentrant=False)
    return x


def update_local(x: Tensor) -> Tensor:
    state = {}
    for layer in LAYERS:
        state.update(layer=layer)
        x = checkpoint(lambda h: torch.sin(state["layer"](h)), x, use_reentrant=False)
    return x


def counted(x: Tensor) -> Tensor:
    ctx = Ctx()
    for _ in range(3):
        x = checkpoint(lambda h: torch.sin(LAYERS[ctx.i](h)), x, use_reentrant=False)
        ctx.i += 1 if ctx.i < 2 else 0
    return x


def last_factor(x: Tensor) -> Tensor:
    for i in range(3):
        x = checkpoint(lambda h: torch.sin(A(h)) * i, x + 1, use_reentrant=False)
    return x


def last_added(x: Tensor) -> Tensor:
    for i in range(3):
        x = checkpoint(lambda h: torch.sin(A(h)) + i, x, use_reentrant=False)
    return x


def first_factor(x: Tensor) -> Tensor:
    for i in range(3):
        x = checkpoint(lambda h: torch.sin(A(h * i)), x, use_reentrant=False)
    return x


def once_range(x: Tensor) -> Tensor:
    for i in range(1):
        x = checkpoint(lambda h: torch.sin(LAYERS[i](h)), x, use_reentrant=False)
    return x


def once_list(x: Tensor) -> Tensor:
    for layer in [A]:
        x = checkpoint(lambda h: torch.sin(layer(h)), x, use_reentrant=False)
    return x


def once_tuple(x: Tensor) -> Tensor:
    for layer in (A,):
        x = checkpoint(lambda h: torch.sin(layer(h)), x, use_reentrant=False)
    return x


def twice_same(x: Tensor) -> Tensor:
    for layer in (A, A):
        x = checkpoint(lambda h: torch.sin(layer(h)), x, use_reentrant=False)
    return x


def once_rebound(x: Tensor) -> Tensor:
    for layer in [A]:
        x = checkpoint(lambda h: torch.sin(layer(h)), x, use_reentrant=False)
    layer = B
    return x + layer(x)


def range_from(x: Tensor) -> Tensor:
    for i in range(2, 3):
        x = checkpoint(lambda h: torch.sin(LAYERS[i](h)), x, use_reentrant=False)
    return x


def sliced_once(x: Tensor) -> Tensor:
    for layer in LAYERS[:1]:
        x = checkpoint(lambda h: torch.sin(layer(h)), x, use_reentrant=False)
    return x


def while_once(x: Tensor) -> Tensor:
    i = 0
    while i < 3:
        x = checkpoint(lambda h: torch.sin(LAYERS[i](h)), x, use_reentrant=False)
        i += 1
        if i == 2:
            break
    return x


def named_def(x: Tensor) -> Tensor:
    for layer in LAYERS:
        def region(h: Tensor) -> Tensor:
            return torch.sin(layer(h))
        x = checkpoint(region, x, use_reentrant=False)
    return x


def default_bound(x: Tensor) -> Tensor:
    for layer in LAYERS:
        def region(h, layer=layer):
            return torch.sin(layer(h))
        x = checkpoint(region, x, use_reentrant=False)
    return x


def partial_late(x: Tensor) -> Tensor:
    for layer in LAYERS:
        x = checkpoint(functools.partial(lambda scale, h: torch.sin(layer(h)) * scale, 2.0), x, use_reentrant=False)
    return x


def factory(x: Tensor) -> Tensor:
    def make(layer):
        return lambda h: torch.sin(layer(h))
    for layer in LAYERS:
        x = checkpoint(make(layer), x, use_reentrant=False)
    return x


def factory_late(x: Tensor) -> Tensor:
    def make():
        return lambda h: torch.sin(layer(h))
    for layer in LAYERS:
        x = checkpoint(make(), x, use_reentrant=False)
    return x


def outer_def(x: Tensor) -> Tensor:
    def region(h: Tensor) -> Tensor:
        return torch.sin(layer(h))
    for layer in LAYERS:
        x = checkpoint(region, x, use_reentrant=False)
    return x


def helper_run(x: Tensor) -> Tensor:
    def run(fn, h):
        return checkpoint(fn, h, use_reentrant=False)
    for layer in LAYERS:
        x = run(lambda h: torch.sin(layer(h)), x)
    return x


def reduce_bound(x: Tensor) -> Tensor:
    def turn(h: Tensor, layer: nn.Module) -> Tensor:
        return checkpoint(lambda y: torch.sin(layer(y)), h, use_reentrant=False)
    return functools.reduce(turn, LAYERS, x)


def list_of(x: Tensor) -> Tensor:
    regions = [lambda h: torch.sin(layer(h)) for layer in LAYERS]
    for region in regions:
        x = checkpoint(region, x, use_reentrant=False)
    return x


def zipped(x: Tensor) -> Tensor:
    for layer, scale in zip(LAYERS, (1.0, 2.0, 3.0)):
        x = checkpoint(lambda h, layer=layer: torch.sin(layer(h) * scale), x, use_reentrant=False)
    return x


def same_value(x: Tensor) -> Tensor:
    for layer in LAYERS:
        scale = 2.0
        x = checkpoint(lambda h, layer=layer: torch.sin(layer(h) * scale), x, use_reentrant=False)
    return x


def same_call(x: Tensor) -> Tensor:
    for layer in LAYERS:
        shift = torch.ones(4)
        x = checkpoint(lambda h, layer=layer: torch.sin(layer(h) + shift), x, use_reentrant=False)
    return x


def breaks(x: Tensor) -> Tensor:
    for layer in LAYERS:
        x = checkpoint(lambda h: torch.sin(layer(h)), x, use_reentrant=False)
        break
    return x


def deleted(x: Tensor) -> Tensor:
    layer = A
    x = checkpoint(lambda h: torch.sin(layer(h)), x, use_reentrant=False)
    del layer
    return x


def global_turned(x: Tensor) -> Tensor:
    global CURRENT
    for layer in LAYERS:
        CURRENT = layer
        x = checkpoint(lambda h: torch.sin(CURRENT(h)), x, use_reentrant=False)
    return x


def with_bound(x: Tensor) -> Tensor:
    for layer in LAYERS:
        with contextlib.nullcontext(layer) as current:
            x = checkpoint(lambda h: torch.sin(current(h)), x, use_reentrant=False)
    return x


def walrus(x: Tensor) -> Tensor:
    i = 0
    while (i := i + 1) < 3:
        x = checkpoint(lambda h: torch.sin(LAYERS[i](h)), x, use_reentrant=False)
    return x
"""
)


def test_what_the_rounds_of_a_loop_change() -> None:
    agree(ROUNDS, "TBR206")
