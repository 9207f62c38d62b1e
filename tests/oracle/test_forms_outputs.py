"""TBR504: what a reentrant region gives beside or inside of its tuple: reported if, and only if, gradients are lost."""

from __future__ import annotations

import ast

import pytest

from tests.oracle.agree import HEAD, differs, reported, require_torch

torch = require_torch()
pytestmark = pytest.mark.oracle

OUTPUTS = (
    HEAD
    + """
def dict_in_tuple(x: Tensor) -> Tensor:
    def region(h: Tensor):
        h = h.tanh()
        return h, {"a": h * 2}
    out, extra = checkpoint(region, x, use_reentrant=True)
    return out + extra["a"]


def list_in_dict_in_tuple(x: Tensor) -> Tensor:
    def region(h: Tensor):
        h = A(h).tanh()
        return h, {"a": [h * 2, h]}
    out, extra = checkpoint(region, x, use_reentrant=True)
    return out + extra["a"][0]


def dict_whole_list(x: Tensor) -> Tensor:
    def region(h: Tensor):
        h = A(h).tanh()
        return {"a": [h * 2, h]}
    return checkpoint(region, x, use_reentrant=True)["a"][0] * 2


def list_in_tuple(x: Tensor) -> Tensor:
    def region(h: Tensor):
        h = A(h).tanh()
        return h, [h * 2]
    out, extra = checkpoint(region, x, use_reentrant=True)
    return out + extra[0]


def index(x: Tensor) -> Tensor:
    def region(h: Tensor):
        h = A(h).tanh()
        return h, {"a": h * 2}
    both = checkpoint(region, x, use_reentrant=True)
    return both[0] + both[1]["a"]


def index_name(x: Tensor) -> Tensor:
    def region(h: Tensor):
        h = A(h).tanh()
        return h, {"a": h * 2}
    both = checkpoint(region, x, use_reentrant=True)
    extra = both[1]
    return both[0] + extra["a"]


def values(x: Tensor) -> Tensor:
    def region(h: Tensor):
        h = A(h).tanh()
        return h, {"a": h * 2}
    out, extra = checkpoint(region, x, use_reentrant=True)
    for value in extra.values():
        out = out + value
    return out


def sum_values(x: Tensor) -> Tensor:
    def region(h: Tensor):
        h = A(h).tanh()
        return h, {"a": h * 2}
    out, extra = checkpoint(region, x, use_reentrant=True)
    return out + sum(extra.values())


def items(x: Tensor) -> Tensor:
    def region(h: Tensor):
        h = A(h).tanh()
        return h, {"a": h * 2}
    out, extra = checkpoint(region, x, use_reentrant=True)
    for name, value in extra.items():
        out = out + value
    return out


def get(x: Tensor) -> Tensor:
    def region(h: Tensor):
        h = A(h).tanh()
        kept = {}
        kept["a"] = h * 2
        return h, kept
    out, extra = checkpoint(region, x, use_reentrant=True)
    return out + extra.get("a")


def kept(x: Tensor) -> Tensor:
    def region(h: Tensor):
        h = A(h).tanh()
        return h, dict(a=h * 2)
    out, extra = checkpoint(region, x, use_reentrant=True)
    kept = extra["a"]
    return out + kept


def unused(x: Tensor) -> Tensor:
    def region(h: Tensor):
        h = A(h).tanh()
        return h, {"a": h * 2}
    out, extra = checkpoint(region, x, use_reentrant=True)
    return out


def detached(x: Tensor) -> Tensor:
    def region(h: Tensor):
        h = A(h).tanh()
        return h, {"a": h * 2}
    out, extra = checkpoint(region, x, use_reentrant=True)
    return out + extra["a"].detach()


def detached_in(x: Tensor) -> Tensor:
    def region(h: Tensor):
        h = A(h).tanh()
        return h, {"a": (h * 2).detach()}
    out, extra = checkpoint(region, x, use_reentrant=True)
    return out + extra["a"]


def nonre(x: Tensor) -> Tensor:
    def region(h: Tensor):
        h = A(h).tanh()
        return h, {"a": h * 2}
    out, extra = checkpoint(region, x, use_reentrant=False)
    return out + extra["a"]


def numbers(x: Tensor) -> Tensor:
    def region(h: Tensor):
        h = A(h).tanh()
        return h, {"a": 2.0}
    out, extra = checkpoint(region, x, use_reentrant=True)
    return out * extra["a"]


def nested_pass(x: Tensor) -> Tensor:
    def region(h: Tensor):
        h = A(h).tanh()
        return h, {"a": h * 2}
    out, extra = checkpoint(region, x, use_reentrant=True)
    return joined(out, extra)


def joined(out: Tensor, extra) -> Tensor:
    return out + extra["a"]


def tuple_tuple(x: Tensor) -> Tensor:
    def region(h: Tensor):
        h = A(h).tanh()
        return h, (h * 2, h * 3)
    out, (one, two) = checkpoint(region, x, use_reentrant=True)
    return out + one


def size(x: Tensor) -> Tensor:
    def region(h: Tensor):
        h = A(h).tanh()
        return h, {"a": h * 2}
    out, extra = checkpoint(region, x, use_reentrant=True)
    return out * extra["a"].shape[0]


def returned(x: Tensor) -> Tensor:
    def region(h: Tensor):
        h = A(h).tanh()
        return h, {"a": h * 2}
    return second(checkpoint(region, x, use_reentrant=True))


def second(both) -> Tensor:
    return both[1]["a"]


def comp(x: Tensor) -> Tensor:
    def region(h: Tensor):
        h = A(h).tanh()
        return h, {"a": h * 2}
    out, extra = checkpoint(region, x, use_reentrant=True)
    return out + torch.stack([v for v in extra.values()]).sum(0)


def aug(x: Tensor) -> Tensor:
    def region(h: Tensor):
        h = A(h).tanh()
        return h, {"a": h * 2}
    out, extra = checkpoint(region, x, use_reentrant=True)
    out = out.sin()
    out += extra["a"]
    return out


def listdict(x: Tensor) -> Tensor:
    def region(h: Tensor):
        h = A(h).tanh()
        return h, [{"a": h * 2}]
    out, extra = checkpoint(region, x, use_reentrant=True)
    return out + extra[0]["a"]
"""
)
HELPERS = {"joined", "second"}
HANDED_ON = "returned"
"""The caller hands the whole tuple to a function: silent, as the page says."""
FORMS = {n.name for n in ast.parse(OUTPUTS).body if isinstance(n, ast.FunctionDef)} - HELPERS


def test_what_loses_its_gradients_is_reported() -> None:
    wrong = {name for name in FORMS if differs(OUTPUTS, name)}
    assert HANDED_ON in wrong
    assert set(reported(OUTPUTS, "TBR504")) == wrong - {HANDED_ON}
