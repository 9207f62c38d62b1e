"""TBR305: where a break on a value loses the whole frame, and where it only cuts it."""

from __future__ import annotations

import pytest

from tests.oracle.support import compiling, graphs_compiled, graphs_of, loaded, observe, page, require_torch, tell

torch = require_torch()
pytestmark = pytest.mark.oracle

X = torch.linspace(0.1, 2.0, 4)

# As text: see test_tbr304.
FORMS = """
import contextlib

import torch


def in_while(x):
    rounds = 0
    while rounds < 2:
        if x.sum() > 0:
            x = x.sin()
        rounds += 1
    return x


def in_try(x):
    x = x.cos()
    try:
        if x.sum() > 0:
            x = x.sin()
    except ValueError:
        pass
    return x


def in_suppress(x):
    x = x.cos()
    with contextlib.suppress(ValueError):
        if x.sum() > 0:
            x = x.sin()
    return x


def in_generator(x):
    return x.sin() if any(row > 9 for row in x) else x.cos()


def in_tensor(x):
    return x.sin() if 3.0 in x else x.cos()


def in_for(x):
    for _ in range(2):
        x = x.sin() if x.sum() > 0 else x.cos()
    return x


def while_test(x):
    while x.norm() > 1:
        x = x / 2
    return x


def in_no_grad(x):
    with torch.no_grad():
        if x.sum() > 0:
            x = x.sin()
    return x


def in_list(x):
    return torch.stack([row for row in x if row > -1])


def checked(x):
    for _ in range(2):
        torch._assert_async(x.isfinite().all(), "not finite")
        x = x.sin()
    return x


def after_for(x):
    for _ in range(2):
        x = x.sin()
    else:
        if x.sum() > 0:
            x = x.cos()
    return x
"""


def test_example_has_no_graph_and_repair_has_one() -> None:
    with loaded(page("TBR305").example) as bad, loaded(page("TBR305").repair) as good:
        tell("one call", graphs_compiled(lambda: bad.settle(X)))
        assert graphs_compiled(lambda: bad.settle(X)) == 0
        assert graphs_compiled(lambda: good.settle(X)) == 1
        assert torch.allclose(torch._dynamo.disable(good.settle)(X), torch._dynamo.disable(bad.settle)(X))


@pytest.mark.parametrize("name", ["in_for", "in_while", "in_try", "in_suppress", "in_generator", "in_tensor"])
def test_the_frame_is_lost(name: str) -> None:
    with loaded(FORMS) as forms:
        tell(
            f"the branch {name.replace('_', ' a ').replace('in a', 'in', name == 'in_tensor')}",
            graphs_of(getattr(forms, name), [(X,)]),
        )
        assert graphs_of(getattr(forms, name), [(X,)]) == 0


@pytest.mark.parametrize("name", ["while_test", "in_no_grad", "in_list", "after_for"])
def test_the_frame_is_cut(name: str) -> None:
    with loaded(FORMS) as forms:
        assert graphs_of(getattr(forms, name), [(X,)]) >= 2


def test_fullgraph_makes_it_an_error() -> None:
    with compiling(FORMS) as forms:
        outcome = observe(graphs_of, forms.in_for, [(X,)], fullgraph=True)
    assert outcome.kind == "Unsupported"


def test_a_check_by_an_operation_stays_in_the_graph() -> None:
    with compiling(FORMS) as forms:
        assert graphs_of(forms.checked, [(X,)], fullgraph=True) == 1
        outcome = observe(graphs_of, forms.checked, [(X / 0,)], fullgraph=True)
    assert (outcome.kind, outcome.first_line) == ("RuntimeError", "not finite")
