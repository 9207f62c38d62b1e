"""TBR308: what contradicts a dimension declared dynamic, and what the tracer takes."""

from __future__ import annotations

from typing import Any

import pytest

from tests.oracle.support import Outcome, compiling, loaded, observe, page, require_torch, shortened, tell

torch = require_torch()
pytestmark = pytest.mark.oracle

X = torch.linspace(0.1, 1.0, 12).reshape(4, 3)

# As text: see test_tbr304.
FORMS = """
import torch
from torch import nn


class Exported(nn.Module):
    def __init__(self, function):
        super().__init__()
        self.function = function

    def forward(self, x):
        return self.function(x)


def plain(x):
    return x.sin() * x.shape[0]


def greater(x):
    return x.sin() if x.shape[0] > 3 else x.cos()


def equal(x):
    return x.sin() if x.shape[0] == 4 else x.cos()


def one(x):
    return x.sin() if x.shape[0] == 1 else x.cos()


def bounded(x):
    if x.shape[0] > 64:
        raise ValueError("too many")
    return x.sin()


def looped(x):
    total = x.sum()
    for i in range(x.shape[0]):
        total = total + x[i].sum()
    return total


def rows(x):
    return sum(row.sum() for row in x)


def viewed(x):
    return x.view(2, 2, 3)


def added(x):
    return x + torch.zeros(4, 3)


def broadcast(x):
    return x + torch.zeros(1, 3)


def open_view(x):
    return x.view(-1, 3)
"""


FIXING = {
    "greater": "`x.shape[0] > 3`",
    "equal": "`x.shape[0] == 4`",
    "looped": "`range(x.shape[0])`",
    "rows": "`for row in x`",
    "viewed": "`view` to three numbers",
    "added": "adding a tensor of 4 rows",
}


def export(name: str, dim: Any, example: Any = X) -> Outcome:
    with loaded(FORMS) as forms:
        module = forms.Exported(getattr(forms, name))
        return observe(torch.export.export, module, (example,), dynamic_shapes={"x": {0: dim}})


def compiled(name: str, mark: Any) -> Outcome:
    x = X.clone()
    mark(x, 0)
    with compiling(FORMS) as forms:
        return observe(torch.compile(getattr(forms, name), backend="eager"), x)


def test_example_is_refused_and_repair_exports() -> None:
    head = torch.nn.Linear(4, 4)
    with loaded(page("TBR308").example) as bad, loaded(page("TBR308").repair) as good:
        refused = observe(bad.export_head, head)
        tell("an export with a named dimension", shortened(refused, "!"))
        assert refused.first_line.startswith("Constraints violated (batch)!")
        program = good.export_head(head).module()
        for size in (2, 5):
            x = torch.ones(size, 4)
            assert torch.allclose(program(x), head(x))


@pytest.mark.parametrize("size", [0, 1])
def test_sizes_0_and_1_are_refused_unless_the_dimension_gives_way(size: int) -> None:
    example, Dim = torch.zeros(size, 3), torch.export.Dim
    assert export("plain", Dim("b"), example).kind == "UserError"
    assert export("plain", Dim("b", min=1), example).kind == "UserError"
    assert export("plain", Dim.DYNAMIC, example).kind == "ValueError"
    assert export("plain", Dim.AUTO, example).error is None


@pytest.mark.parametrize(
    ("name", "named", "dynamic"),
    [
        ("plain", True, True),
        ("one", True, True),
        ("greater", False, True),
        ("bounded", False, True),
        ("equal", False, False),
        ("looped", False, False),
        ("rows", False, False),
        ("viewed", False, False),
        ("added", False, False),
        ("broadcast", True, True),
        ("open_view", True, True),
    ],
)
def test_what_fixes_a_dimension(name: str, named: bool, dynamic: bool) -> None:
    Dim = torch.export.Dim
    assert (export(name, Dim("b")).error is None) is named
    assert (export(name, Dim.DYNAMIC).error is None) is dynamic
    marked = compiled(name, torch._dynamo.mark_dynamic)
    if name in FIXING:
        exported = export(name, Dim.DYNAMIC).kind or "exports"
        tell(FIXING[name], f"`mark_dynamic`: {marked.kind or 'compiles'}; `Dim.DYNAMIC`: {exported}")
    assert (marked.error is None) is dynamic
    assert dynamic or marked.kind == "ConstraintViolationError"
    assert compiled(name, torch._dynamo.maybe_mark_dynamic).error is None
    assert export(name, Dim.AUTO).error is None


def test_bounds_answer_a_test() -> None:
    assert export("bounded", torch.export.Dim("b", max=64)).error is None
    assert export("greater", torch.export.Dim("b", min=4)).error is None
