"""TBR304: a value branch cuts a compiled graph, or the whole function out of it."""

from __future__ import annotations

from typing import Any

import pytest

from tests.oracle.support import compiling, graphs_compiled, graphs_of, loaded, observe, page, require_torch, tell

torch = require_torch()
pytestmark = pytest.mark.oracle

X = torch.linspace(0.1, 1.0, 4)


def test_example_is_two_graphs_and_repair_one() -> None:
    with loaded(page("TBR304").example) as bad, loaded(page("TBR304").repair) as good:
        tell("one call", graphs_compiled(lambda: bad.signed(X)))
        assert graphs_compiled(lambda: bad.signed(X)) == 2
        assert graphs_compiled(lambda: good.signed(X)) == 1


def test_repair_computes_the_same() -> None:
    with loaded(page("TBR304").example) as bad, loaded(page("TBR304").repair) as good:
        for x in (X, -X):
            assert torch.equal(torch._dynamo.disable(bad.signed)(x), torch._dynamo.disable(good.signed)(x))


def test_fullgraph_makes_the_example_an_error() -> None:
    with compiling(page("TBR304").example.replace('backend="eager"', 'backend="eager", fullgraph=True')) as bad:
        outcome = observe(bad.signed, X)
    tell("`fullgraph=True`", outcome)
    assert (outcome.kind, outcome.first_line) == ("Unsupported", "Data-dependent branching")


def test_inside_a_loop_the_whole_function_runs_eagerly() -> None:
    def looped(x: Any) -> Any:
        for _ in range(2):
            if x.sum() > 0:
                x = x.sin()
        return x

    assert graphs_of(looped, [(X,)]) == 0


# As text: pytest rewrites the asserts of a test module, and the rewritten form is another program to TorchDynamo.
SILENT = """
import torch


def asserted(x):
    assert x.sum() > 0, "positive"
    return x.sin()


def eager_only(x):
    if not torch.compiler.is_compiling() and x.sum() > 0:
        return x.cos()
    return x.sin()
"""


def test_assert_and_is_compiling_are_one_graph() -> None:
    with loaded(SILENT) as module:
        assert graphs_of(module.asserted, [(X,)], fullgraph=True) == 1
        assert graphs_of(module.eager_only, [(X,)], fullgraph=True) == 1


ORDERS = """
import torch


def plain(a, b):
    return sorted([a, b])[0] * 2


def keyed(a, b):
    return max([a, b], key=lambda t: t.norm()) * 2


def in_place(a, b):
    both = [a, b]
    both.sort(key=torch.sum)
    return both[0] * 2


def larger(a, b):
    return max(a, b) * 2


def pairs(a, b):
    return sorted([(a.sum(), 1), (b.sum(), 2)])[0][0] * 2


def first_of_pairs(a, b):
    return min([(a.sum(), 1), (b.sum(), 2)])[0] * 2


def counted(a, b):
    return max(enumerate([a, b]), key=lambda pair: pair[1].norm())[1] * 2
"""
A, B = torch.tensor(3.0), torch.tensor(1.0)


@pytest.mark.parametrize(
    ("name", "recorded"),
    [
        ("plain", False),
        ("keyed", False),
        ("in_place", False),
        ("larger", True),
        ("pairs", False),
        ("first_of_pairs", False),
        ("counted", False),
    ],
)
def test_ordering_tensors_on_the_host(name: str, recorded: bool) -> None:
    with loaded(ORDERS) as module:
        order = getattr(module, name)
        assert (observe(graphs_of, order, [(A, B)], fullgraph=True).error is None) is recorded
        exported = type("Exported", (torch.nn.Module,), {"forward": lambda self, a, b: order(a, b)})()
        assert (observe(torch.export.export, exported, (A, B)).error is None) is recorded
        assert observe(torch.vmap(order), torch.stack([A, B]), torch.stack([B, A])).kind == "RuntimeError"
