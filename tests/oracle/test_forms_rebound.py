"""TBR206: names that calls bind anew, by `global` and `nonlocal`: reported where the recompute reads another value."""

from __future__ import annotations

import pytest

from tests.oracle.agree import HEAD, agree, require_torch

require_torch()
pytestmark = pytest.mark.oracle

FORMS = (
    HEAD
    + """
scale = 1.0
layer = A
def _set_layer():
    global layer
    layer = B
def _back():
    global layer
    layer = A
def g_call(x):
    _back()
    y = checkpoint(lambda h: layer(h).tanh(), x, use_reentrant=False)
    _set_layer()
    return y
def g_before(x):
    _set_layer()
    y = checkpoint(lambda h: layer(h).tanh(), x, use_reentrant=False)
    return y
def g_direct(x):
    global layer
    layer = A
    y = checkpoint(lambda h: layer(h).tanh(), x, use_reentrant=False)
    layer = B
    return y
def g_unread(x):
    _back()
    y = checkpoint(lambda h: C(h).tanh(), x, use_reentrant=False)
    _set_layer()
    return y
def n_call(x):
    own = A
    def change():
        nonlocal own
        own = B
    y = checkpoint(lambda h: own(h).tanh(), x, use_reentrant=False)
    change()
    return y
def n_before(x):
    own = A
    def change():
        nonlocal own
        own = B
    change()
    return checkpoint(lambda h: own(h).tanh(), x, use_reentrant=False)
def n_never(x):
    own = A
    def change():
        nonlocal own
        own = B
    return checkpoint(lambda h: own(h).tanh(), x, use_reentrant=False)
def n_bound(x):
    own = A
    def change():
        nonlocal own
        own = B
    y = checkpoint(lambda h, own=own: own(h).tanh(), x, use_reentrant=False)
    change()
    return y
def n_factor(x):
    factor = 2.0
    def change():
        nonlocal factor
        factor = 3.0
    y = checkpoint(lambda h: A(h).tanh() * factor, x, use_reentrant=False)
    change()
    return y
def n_same(x):
    factor = 2.0
    def change():
        nonlocal factor
        factor = 2.0
    y = checkpoint(lambda h: A(h).tanh() * factor, x, use_reentrant=False)
    change()
    return y
def n_def(x):
    own = A
    def region(h):
        return own(h).tanh()
    def change():
        nonlocal own
        own = B
    y = checkpoint(region, x, use_reentrant=False)
    change()
    return y
def n_argument(x):
    own = A
    def change(to):
        nonlocal own
        own = to
    y = checkpoint(lambda h: own(h).tanh(), x, use_reentrant=False)
    change(B)
    return y
def n_loop(x):
    own = A
    def region(h):
        return own(h).tanh()
    def turn():
        nonlocal own
        own = B if own is A else A
    for _ in range(3):
        x = checkpoint(region, x, use_reentrant=False)
        turn()
    return x
def n_backward(x):
    own = A
    def change():
        nonlocal own
        own = B
    y = checkpoint(lambda h: own(h).tanh(), x, use_reentrant=False)
    y.sum().backward(retain_graph=True)
    change()
    return y.detach() + x
def n_two(x):
    own = A
    def change():
        nonlocal own
        own = B
    def more():
        change()
    y = checkpoint(lambda h: own(h).tanh(), x, use_reentrant=False)
    more()
    return y
def g_method(x):
    return SETTER(x)
class Setter(nn.Module):
    def forward(self, x):
        _back()
        y = checkpoint(self.run, x, use_reentrant=False)
        self.switch()
        return y
    def run(self, h):
        return layer(h).tanh()
    def switch(self):
        global layer
        layer = B
SETTER = Setter()
def g_reset(x):
    _back()
    y = checkpoint(lambda h: layer(h).tanh(), x, use_reentrant=False)
    _set_layer()
    _back()
    return y
def n_reset(x):
    own = A
    def change(to):
        nonlocal own
        own = to
    y = checkpoint(lambda h: own(h).tanh(), x, use_reentrant=False)
    change(B)
    change(A)
    return y
def g_re(x):
    _back()
    y = checkpoint(lambda h: layer(h).tanh(), x, use_reentrant=True)
    _set_layer()
    return y

def n_loop_same(x):
    own = A
    def region(h):
        return own(h).tanh()
    def turn():
        nonlocal own
        own = A
    for _ in range(3):
        x = checkpoint(region, x, use_reentrant=False)
        turn()
    return x
def n_lazy(x):
    own = None
    def region(h):
        return own(h).tanh()
    def make():
        nonlocal own
        if own is None:
            own = A
    make()
    x = checkpoint(region, x, use_reentrant=False)
    make()
    return x
def n_either(x):
    own = A
    def change():
        nonlocal own
        own = B
    if x.shape[0] > 99:
        change()
        return own(x)
    else:
        y = checkpoint(lambda h: own(h).tanh(), x, use_reentrant=False)
    return y
cached = None
def g_cached(x):
    y = checkpoint(lambda h: A(h).tanh(), x, use_reentrant=False)
    _keep(y)
    return y
def _keep(y):
    global cached
    cached = y.detach()
"""
)


def test_names_bound_anew_by_calls_are_reported() -> None:
    agree(FORMS, "TBR206")
