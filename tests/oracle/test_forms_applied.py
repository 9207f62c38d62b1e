"""TBR212: functions whose backward unpacks twice, applied in a region by any spelling: reported where torch raises."""

from __future__ import annotations

import pytest

from tests.oracle.agree import HEAD, raised, reported, require_torch

require_torch()
pytestmark = pytest.mark.oracle

FUNCTIONS = (
    HEAD
    + """
class Twice(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x * 2
    @staticmethod
    def backward(ctx, g):
        a, = ctx.saved_tensors
        b, = ctx.saved_tensors
        return g * 2 + 0 * a + 0 * b
class Once(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x * 2
    @staticmethod
    def backward(ctx, g):
        a, = ctx.saved_tensors
        return g * 2 + 0 * a
class Index(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, y):
        ctx.save_for_backward(x, y)
        return x * y
    @staticmethod
    def backward(ctx, g):
        return g * ctx.saved_tensors[1], g * ctx.saved_tensors[0]
class Branch(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x * 2
    @staticmethod
    def backward(ctx, g):
        if g.dim() > 5:
            a, = ctx.saved_tensors
        else:
            a, = ctx.saved_tensors
        return g * 2 + 0 * a
class Helper(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x * 2
    @staticmethod
    def pick(ctx):
        return ctx.saved_tensors[0]
    @staticmethod
    def backward(ctx, g):
        a = Helper.pick(ctx)
        return g * 2 + 0 * a + 0 * ctx.saved_tensors[0]
class Kept(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x * 2
    @staticmethod
    def backward(ctx, g):
        saved = ctx.saved_tensors
        return g * 2 + 0 * saved[0] + 0 * saved[0]
class Loop(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, y):
        ctx.save_for_backward(x, y)
        return x * y
    @staticmethod
    def backward(ctx, g):
        out = 0
        for i in range(2):
            out = out + 0 * ctx.saved_tensors[i]
        return g + out, g + out
class Getattr(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x * 2
    @staticmethod
    def backward(ctx, g):
        a = getattr(ctx, "saved_tensors")[0]
        b = getattr(ctx, "saved_tensors")[0]
        return g * 2 + 0 * a + 0 * b
class Lenned(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x * 2
    @staticmethod
    def backward(ctx, g):
        n = len(ctx.saved_tensors)
        a, = ctx.saved_tensors
        return g * 2 + 0 * a * n
class Lambda(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x * 2
    @staticmethod
    def backward(ctx, g):
        get = lambda: ctx.saved_tensors[0]
        return g * 2 + 0 * get() + 0 * get()
class Comp(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, y):
        ctx.save_for_backward(x, y)
        return x * y
    @staticmethod
    def backward(ctx, g):
        a, b = [ctx.saved_tensors[i] for i in range(2)]
        return g * b, g * a
class Sub(Twice): pass
apply = Twice.apply
class Layer(nn.Module):
    def forward(self, h): return Twice.apply(A(h)).tanh()
LAYER = Layer()
def twice(h): return Twice.apply(h)
"""
)
REGIONS = {
    "c_twice": """
def c_twice(x): return checkpoint(lambda h: Twice.apply(A(h)).tanh(), x, use_reentrant=False)
""",
    "c_once": """
def c_once(x): return checkpoint(lambda h: Once.apply(A(h)).tanh(), x, use_reentrant=False)
""",
    "c_re": """
def c_re(x): return checkpoint(lambda h: Twice.apply(A(h)).tanh(), x, use_reentrant=True)
""",
    "c_index": """
def c_index(x): return checkpoint(lambda h: Index.apply(A(h), h).tanh(), x, use_reentrant=False)
""",
    "c_branch": """
def c_branch(x): return checkpoint(lambda h: Branch.apply(A(h)).tanh(), x, use_reentrant=False)
""",
    "c_helper": """
def c_helper(x): return checkpoint(lambda h: Helper.apply(A(h)).tanh(), x, use_reentrant=False)
""",
    "c_kept": """
def c_kept(x): return checkpoint(lambda h: Kept.apply(A(h)).tanh(), x, use_reentrant=False)
""",
    "c_loop": """
def c_loop(x): return checkpoint(lambda h: Loop.apply(A(h), h).tanh(), x, use_reentrant=False)
""",
    "c_getattr": """
def c_getattr(x): return checkpoint(lambda h: Getattr.apply(A(h)).tanh(), x, use_reentrant=False)
""",
    "c_lenned": """
def c_lenned(x): return checkpoint(lambda h: Lenned.apply(A(h)).tanh(), x, use_reentrant=False)
""",
    "c_lambda": """
def c_lambda(x): return checkpoint(lambda h: Lambda.apply(A(h)).tanh(), x, use_reentrant=False)
""",
    "c_comp": """
def c_comp(x): return checkpoint(lambda h: Comp.apply(A(h), h).tanh(), x, use_reentrant=False)
""",
    "c_sub": """
def c_sub(x): return checkpoint(lambda h: Sub.apply(A(h)).tanh(), x, use_reentrant=False)
""",
    "c_alias": """
def c_alias(x): return checkpoint(lambda h: apply(A(h)).tanh(), x, use_reentrant=False)
""",
    "c_direct": """
def c_direct(x): return checkpoint(Twice.apply, x, use_reentrant=False)
""",
    "c_layer": """
def c_layer(x): return checkpoint(LAYER, x, use_reentrant=False)
""",
    "c_func": """
def c_func(x): return checkpoint(lambda h: twice(A(h)).tanh(), x, use_reentrant=False)
""",
    "c_outside": """
def c_outside(x): return Twice.apply(checkpoint(lambda h: A(h).tanh(), x, use_reentrant=False))
""",
    "c_local": """
def c_local(x):
    f = Twice.apply
    return checkpoint(lambda h: f(A(h)).tanh(), x, use_reentrant=False)
""",
    "c_partial": """
def c_partial(x): return checkpoint(functools.partial(Twice.apply), x, use_reentrant=False)
""",
}


@pytest.mark.parametrize("name", REGIONS)
def test_what_cannot_be_unpacked_again_is_reported(name: str) -> None:
    source = FUNCTIONS + REGIONS[name]
    wrong = raised(source, name).error is not None
    assert bool(reported(source, "TBR212")) is wrong
