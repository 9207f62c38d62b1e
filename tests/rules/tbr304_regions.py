"""TBR304 where the compiled region is entered or reached by a form that hides it."""

import functools
from functools import partial

import torch
from torch import Tensor, nn

eager_compile = partial(torch.compile, backend="eager")
DEBUG_BACKEND = "eager"


# --- entries --------------------------------------------------------------------------------------
@eager_compile
def by_partial(x: Tensor) -> Tensor:
    if x.sum() > 0:  # error: [TBR304]
        x = x.sin()
    return x


def compiled(**options):
    def decorate(function):
        return torch.compile(function, **options)

    return decorate


@compiled(backend=DEBUG_BACKEND)
def by_factory(x: Tensor) -> Tensor:
    return x.sin() if x.max() > 1 else x  # error: [TBR304]


class Layer(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.fc = nn.Linear(4, 4)

    def forward(self, x):
        h = self.fc(x)
        if h.norm() > 1:  # error: [TBR304]
            h = h / h.norm()
        return h


class Model(nn.Module):
    def __init__(self, depth: int = 2) -> None:
        super().__init__()
        self.layers = nn.ModuleList(Layer() for _ in range(depth))

    def forward(self, x):
        for layer in self.layers:
            x = layer(x)
        return x


def compile_layers(model: Model) -> Model:
    for index, layer in enumerate(model.layers):
        model.layers[index] = torch.compile(layer, backend="eager")
    return model


class Swapped(nn.Module):
    def forward(self, x: Tensor) -> Tensor:
        if torch.isnan(x).any():  # error: [TBR304]
            x = torch.nan_to_num(x)
        return x


def swapped() -> nn.Module:
    module = Swapped()
    module.forward = torch.compile(module.forward, backend="eager")
    return module


class Helper:
    @staticmethod
    def sign(x: Tensor) -> int:
        return 1 if x.sum() > 0 else -1  # error: [TBR304]

    @classmethod
    def scaled(cls, x: Tensor) -> Tensor:
        return x * cls.sign(x)


@torch.compile(backend="eager")
def through_methods(x: Tensor) -> Tensor:
    return Helper.scaled(x)


# --- Python's own control flow inside of the region -----------------------------------------------
@torch.compile(backend="eager")
def busy(x: Tensor, mask: Tensor) -> Tensor:
    if (total := mask.sum()) > 2:  # error: [TBR304]
        x = x / total
    try:
        if x.max() > 1:  # error: [TBR305]
            x = x.sin()
    finally:
        x = x.cos()
    if mask.any() and x.min() < 0:  # error: [TBR304]
        x = x.abs()
    kept = [row for row in x if row.sum() > 0]  # error: [TBR304]
    return x + len(kept)


def outer(x: Tensor) -> Tensor:
    limit = x.std()

    def inner(h: Tensor) -> Tensor:
        if limit > 0.1:  # error: [TBR304]
            h = h.sin()
        return h

    return inner(x)


run_outer = torch.compile(outer, backend="eager")


# --- tempting, and rightly silent -----------------------------------------------------------------
def cached(function):
    store: dict[str, Tensor] = {}

    @functools.wraps(function)
    def wrapper(name: str, x: Tensor) -> Tensor:
        if name not in store:  # ok: [TBR304] membership in a dict of tensors
            store[name] = function(x)
        return store[name]

    return wrapper


@cached
def looked_up(x: Tensor) -> Tensor:
    return x.sin()


@torch.compile(backend="eager")
def through_cache(x: Tensor, parts: list[Tensor]) -> Tensor:
    if not parts:  # ok: [TBR304] truthiness of a list
        return x
    if parts[0] is x:  # ok: [TBR304] identity
        return x.cos()
    return x + sum(part.sum() for part in parts)


def before_and_after(x: Tensor) -> Tensor:
    if x.sum() > 0:  # error: [TBR101]
        x = x.sin()
    y = torch.compile(torch.cos, backend="eager")(x)  # ok: [TBR304] the branches stand around the compiled call
    return y if y.sum() > 0 else y.neg()  # error: [TBR101]


class Off(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.compiled = False

    def compile_later(self) -> None:
        self.compiled = True

    def forward(self, x: Tensor) -> Tensor:
        if self.compiled:  # ok: [TBR304] a flag that is named compiled
            x = x * 2
        return x


class Child(nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return x if x.norm() > 3 else -x  # error: [TBR304]


class Parent(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.layers = nn.ModuleDict({str(i): Child() for i in range(2)})


def compile_children(model: Parent) -> None:
    for name, child in model.layers.named_children():
        model.layers.register_module(name, torch.compile(child))
