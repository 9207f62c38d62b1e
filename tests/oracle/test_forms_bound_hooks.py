"""TBR509: hooks that `partial` binds to what they fill: reported where its tensors reach the loss without a graph."""

from __future__ import annotations

import pytest

from tests.oracle.agree import HEAD, agree, functions, require_torch

require_torch()
pytestmark = pytest.mark.oracle

PARTS = (
    HEAD
    + """
from functools import partial

KEPT = []


def keep(store, module, given, out):
    store.append(out)


def keep_cut(store, module, given, out):
    store.append(out.detach())


def keep_under(store, key, module, given, out):
    store[key] = out


def keep_named(module, given, out, store):
    store.append(out)


def keep_shape(store, module, given, out):
    store.append(out.shape)
"""
)
FORM = """
handle = {on}.register_forward_hook({hook})
y = checkpoint(lambda h: B(A(h)).tanh(), {given}, use_reentrant={reentrant})
handle.remove()
return {result}
"""
CASES = {
    "positional": ("store = []", "partial(keep, store)", "y + store[0].sum()"),
    "cut": ("store = []", "partial(keep_cut, store)", "y + store[0].sum()"),
    "under": ("store = {}", "partial(keep_under, store, 'a')", "y + store['a'].sum()"),
    "named": ("store = []", "functools.partial(keep_named, store=store)", "y + store[0].sum()"),
    "unread": ("store = []", "partial(keep, store)", "y"),
    "shape": ("store = []", "partial(keep_shape, store)", "y * len(store[0])"),
    "shared": ("KEPT.clear()", "partial(keep, KEPT)", "y + KEPT[0].sum()"),
}
FORMS = {
    f"{name}{way}": before + FORM.format(on="A", hook=hook, given="x", reentrant=way == "", result=result)
    for name, (before, hook, result) in CASES.items()
    for way in ("", "_one")
}
FORMS["outside"] = "store = []" + FORM.format(
    on="C", hook="partial(keep, store)", given="C(x)", reentrant=True, result="y + store[0].sum()"
)
PROGRAM = PARTS + functions(FORMS)


def test_what_bound_hooks_keep_is_reported() -> None:
    agree(PROGRAM, "TBR509")
