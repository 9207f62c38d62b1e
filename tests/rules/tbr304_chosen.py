"""TBR304 where a decorator is chosen: by constants it is settled, by what nobody knows it may compile."""

import os

import torch
from torch import Tensor

NEVER = False
ALWAYS = True


def same(function):
    return function


def table(kind):
    return {"fast": torch.compile, "plain": same}[kind]


def numbered(level):
    return torch.compile if level == 2 else same


@(torch.compile if NEVER else same)
def never(x: Tensor) -> Tensor:
    if x.sum() > 0:  # error: [TBR101]
        return x.sin()
    return x.cos()


@(torch.compile if ALWAYS else same)
def always(x: Tensor) -> Tensor:
    if x.sum() > 0:  # error: [TBR304]
        return x.sin()
    return x.cos()


@table("plain")
def plain(x: Tensor) -> Tensor:
    if x.sum() > 0:  # error: [TBR101]
        return x.sin()
    return x.cos()


@table("fast")
def fast(x: Tensor) -> Tensor:
    if x.sum() > 0:  # error: [TBR304]
        return x.sin()
    return x.cos()


@table(kind="plain")
def named(x: Tensor) -> Tensor:
    if x.sum() > 0:  # error: [TBR101]
        return x.sin()
    return x.cos()


@table(os.environ.get("KIND", "fast"))
def asked(x: Tensor) -> Tensor:
    if x.sum() > 0:  # error: [TBR304]
        return x.sin()
    return x.cos()


@numbered(2)
def second(x: Tensor) -> Tensor:
    if x.sum() > 0:  # error: [TBR304]
        return x.sin()
    return x.cos()


@numbered(1)
def first(x: Tensor) -> Tensor:
    if x.sum() > 0:  # error: [TBR101]
        return x.sin()
    return x.cos()


@(torch.compile if os.environ.get("FAST") else same)
def by_environment(x: Tensor) -> Tensor:
    if x.sum() > 0:  # error: [TBR304]
        return x.sin()
    return x.cos()
