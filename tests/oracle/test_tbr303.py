"""TBR303: one graph per value of what a compiled function is specialised on, and what is not."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from tests.oracle.support import compiling, graphs_compiled, loaded, observe, page, require_torch, tell

torch = require_torch()
pytestmark = pytest.mark.oracle

X = torch.linspace(0.1, 1.0, 8).reshape(2, 4)
CALLS = 12

# As text: see test_tbr304.
FORMS = """
import torch
from torch import nn


def compiled(module):
    return torch.compile(module, backend="eager")


class Grown(nn.Module):
    def __init__(self):
        super().__init__()
        self.seen = []

    def forward(self, x):
        self.seen.append(x)
        return x.sin()


class Longest(nn.Module):
    def __init__(self):
        super().__init__()
        self.longest = 0

    def forward(self, x):
        self.longest = max(self.longest, x.shape[0])
        return x * self.longest


class Read(nn.Module):
    def __init__(self, index=0):
        super().__init__()
        self.index = index

    def forward(self, x):
        return x * self.index


class Rate(nn.Module):
    def __init__(self):
        super().__init__()
        self.rate = 0.0

    def forward(self, x):
        self.rate += 0.5
        return x * self.rate


class Anew(nn.Module):
    def __init__(self):
        super().__init__()
        self.parts = []
        self.count = 0

    def forward(self, x):
        self.parts = []
        self.count = 0
        for _ in range(3):
            self.parts.append(x)
            self.count += 1
        return x * self.count


class Stack(nn.Module):
    def __init__(self, depth):
        super().__init__()
        self.layers = nn.ModuleList([Read(i) for i in range(depth)])

    def forward(self, x):
        for layer in self.layers:
            x = layer(x)
        return x


class Kept:
    def __init__(self):
        self.at = 0


class Holder(nn.Module):
    def __init__(self):
        super().__init__()
        self.kept = Kept()

    def forward(self, x):
        self.kept.at += 1
        return x * self.kept.at


def moved(x, kept):
    kept.at += 1
    return x * kept.at


COUNT = 0


def counted(x):
    global COUNT
    COUNT += 1
    return x * COUNT


def reshaped(state):
    hidden, *skips = state
    return (hidden + skips[-1], *skips[:-1])


def concatenated(x, past):
    return torch.cat(past).sum(0) + x


def repeated(x, rounds):
    for _ in range(rounds):
        x = x.sin()
    return x.cos()


def indexed(x, at):
    return x * [0.1 * i for i in range(20)][at]


def scaled(x, by):
    return x * by
"""


def graphs(call: Callable[[int], object]) -> int:
    def action() -> None:
        for number in range(CALLS):
            call(number)

    return graphs_compiled(action)


def test_example_compiles_eight_values_and_gives_up() -> None:
    with loaded(page("TBR303").example) as bad, loaded(page("TBR303").repair) as good:
        warming, buffered = bad.warmup(), good.warmup()
        tell(f"{CALLS} steps", graphs(lambda _: warming(X)))
        warming = bad.warmup()
        assert graphs(lambda _: warming(X)) == 8
        assert graphs(lambda _: buffered(X)) == 1
        first, second = bad.Warmup(), good.Warmup()
        for _ in range(3):
            assert torch.equal(first(X), second(X))


@pytest.mark.parametrize(("name", "expected"), [("Grown", 8), ("Holder", 8), ("Rate", 2), ("Anew", 1)])
def test_state_of_modules(name: str, expected: int) -> None:
    with loaded(FORMS) as forms:
        module = forms.compiled(getattr(forms, name)())
        assert graphs(lambda _: module(X)) == expected


def test_an_int_set_from_a_growing_size() -> None:
    with loaded(FORMS) as forms:
        module = forms.compiled(forms.Longest())
        assert graphs(lambda number: module(torch.ones(number + 2, 4))) == 8


def test_an_int_set_between_calls() -> None:
    with loaded(FORMS) as forms:
        module = forms.Read()
        compiled = forms.compiled(module)

        def call(number: int) -> None:
            module.index = number
            compiled(X)

        assert graphs(call) == 8


def test_instances_cost_a_graph_each_unless_compiled_whole() -> None:
    with loaded(FORMS) as forms:
        assert graphs(lambda number: forms.compiled(forms.Read(number))(X)) == 8
        assert graphs(lambda _: forms.compiled(forms.Read(3))(X)) == 1
        whole = forms.compiled(forms.Stack(12))
        assert graphs(lambda _: whole(X)) == 1


def test_globals_and_objects_that_are_arguments() -> None:
    with loaded(FORMS) as forms:
        counted, moved, kept = forms.compiled(forms.counted), forms.compiled(forms.moved), forms.Kept()
        assert graphs(lambda _: counted(X)) == 8
        assert graphs(lambda _: moved(X, kept)) == 2


def test_lengths_and_ints_of_arguments() -> None:
    with loaded(FORMS) as forms:
        make: Callable[[Any], Any] = forms.compiled
        reshaped, cat, repeated = make(forms.reshaped), make(forms.concatenated), make(forms.repeated)
        indexed, scaled = make(forms.indexed), make(forms.scaled)
        assert graphs(lambda number: reshaped((X,) * (number + 2))) == 8
        assert graphs(lambda number: cat(X, [X] * (number + 1))) == 8
        assert graphs(lambda number: repeated(X, number + 2)) == 8
        assert graphs(lambda number: indexed(X, number)) == 8
        assert graphs(lambda number: scaled(X, number)) == 2


def test_the_setting_that_makes_ints_of_modules_dynamic() -> None:
    with loaded(page("TBR303").example) as bad, torch._dynamo.config.patch(allow_unspec_int_on_nn_module=True):
        warming = bad.warmup()
        assert graphs(lambda _: warming(X)) <= 3


def test_fullgraph_stops_at_the_limit() -> None:
    with compiling(page("TBR303").example) as bad:
        module = torch.compile(bad.Warmup(), backend="eager", fullgraph=True)
        outcome = observe(lambda: [module(X) for _ in range(CALLS)])
    tell(f"{CALLS} steps, `fullgraph=True`", outcome.kind or "no error")
    assert outcome.kind == "FailOnRecompileLimitHit"
