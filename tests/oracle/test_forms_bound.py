"""Checkpoints behind partials, class attributes and `staticmethod`: TBR506, 507, 511, 512 speak where torch does."""

from __future__ import annotations

import pytest

from tests.oracle.agree import HEAD, forms, raised, reported, require_torch, unsaid

require_torch()
pytestmark = pytest.mark.oracle

FLAGS = (
    HEAD
    + """
ck = functools.partial(checkpoint, use_reentrant=False)
ckr = functools.partial(checkpoint, use_reentrant=True)
bound = functools.partial(checkpoint, A, use_reentrant=False)
alias = checkpoint
def f(h): return A(h)
def g(h, flag=None): return A(h)
def m_partial(x): return ck(f, x, False)
def m_partial_r(x): return ckr(f, x, True)
def m_partial_ok(x): return ck(f, x)
def m_bound(x): return bound(x, False)
def m_bound_ok(x): return bound(x)
def m_alias(x): return alias(f, x, False, use_reentrant=False)
def m_alias_ok(x): return alias(f, x, use_reentrant=False)
def m_g_ok(x): return ck(g, x, False)
def local(x):
    c = functools.partial(checkpoint, f, use_reentrant=False)
    return c(x, False)
def local_ok(x):
    c = functools.partial(checkpoint, f, use_reentrant=False)
    return c(x)
def local_direct(x): return functools.partial(checkpoint, use_reentrant=False)(f, x, False)
def local_direct_ok(x): return functools.partial(checkpoint, use_reentrant=False)(f, x)
class Mm(nn.Module):
    ck = staticmethod(checkpoint)
    def __init__(self):
        super().__init__()
        self.l = nn.Linear(4, 4)
        self.run = functools.partial(checkpoint, use_reentrant=False)
    def forward(self, x): return self.run(self.l, x, False)
class MOk(nn.Module):
    def __init__(self):
        super().__init__()
        self.l = nn.Linear(4, 4)
        self.run = functools.partial(checkpoint, use_reentrant=False)
    def forward(self, x): return self.run(self.l, x)
class Ss(nn.Module):
    ck = staticmethod(checkpoint)
    def __init__(self):
        super().__init__()
        self.l = nn.Linear(4, 4)
    def forward(self, x): return self.ck(self.l, x, False, use_reentrant=False)
class SOk(nn.Module):
    ck = staticmethod(checkpoint)
    def __init__(self):
        super().__init__()
        self.l = nn.Linear(4, 4)
    def forward(self, x): return self.ck(self.l, x, use_reentrant=False)
class Pp(nn.Module):
    ck = staticmethod(functools.partial(checkpoint, use_reentrant=False))
    def __init__(self):
        super().__init__()
        self.l = nn.Linear(4, 4)
    def forward(self, x): return self.ck(self.l, x, False)
class P2p(nn.Module):
    ck = functools.partial(checkpoint, use_reentrant=False)
    def __init__(self):
        super().__init__()
        self.l = nn.Linear(4, 4)
    def forward(self, x): return self.ck(self.l, x, False)
class Kept(nn.Module):
    def __init__(self):
        super().__init__()
        self.l = nn.Linear(4, 4)
        self.run = functools.partial(checkpoint, self.l, use_reentrant=False)
    def forward(self, x): return self.run(x, False)
class Lazy(nn.Module):
    def __init__(self, fn=checkpoint):
        super().__init__()
        self.l = nn.Linear(4, 4)
        self.fn = fn
    def forward(self, x): return self.fn(self.l, x, False, use_reentrant=False)
MM, MOK, SS, SOK, PP, P2P, KEPT, LAZY = Mm(), MOk(), Ss(), SOk(), Pp(), P2p(), Kept(), Lazy()
def c_mm(x): return MM(x)
def c_mok(x): return MOK(x)
def c_ss(x): return SS(x)
def c_sok(x): return SOK(x)
def c_pp(x): return PP(x)
def c_p2p(x): return P2P(x)
def c_kept(x): return KEPT(x)
def c_lazy(x): return LAZY(x)
"""
)
SEGMENTS = (
    HEAD
    + """
from torch.utils.checkpoint import checkpoint_sequential
S2 = nn.Sequential(A, B)
seq = functools.partial(checkpoint_sequential, use_reentrant=False)
bound = functools.partial(checkpoint_sequential, S2, 3, use_reentrant=False)
boundok = functools.partial(checkpoint_sequential, S2, 2, use_reentrant=False)
seg = functools.partial(checkpoint_sequential, segments=3, use_reentrant=False)
alias = checkpoint_sequential
def a_partial(x): return seq(S2, 3, x)
def a_partial_ok(x): return seq(S2, 2, x)
def a_bound(x): return bound(x)
def a_bound_ok(x): return boundok(x)
def a_seg(x): return seg(S2, input=x)
def a_alias(x): return alias(S2, 3, x, use_reentrant=False)
def a_alias_ok(x): return alias(S2, 1, x, use_reentrant=False)
def a_local(x):
    run = functools.partial(checkpoint_sequential, S2, use_reentrant=False)
    return run(3, x)
def a_local_ok(x):
    run = functools.partial(checkpoint_sequential, S2, use_reentrant=False)
    return run(2, x)
def a_direct(x): return functools.partial(checkpoint_sequential, S2, 0)(x, use_reentrant=False)
class Attr(nn.Module):
    def __init__(self):
        super().__init__()
        self.s = nn.Sequential(nn.Linear(4, 4), nn.Linear(4, 4))
        self.run = functools.partial(checkpoint_sequential, use_reentrant=False)
    def forward(self, x): return self.run(self.s, 3, x)
class AttrOk(nn.Module):
    def __init__(self):
        super().__init__()
        self.s = nn.Sequential(nn.Linear(4, 4), nn.Linear(4, 4))
        self.run = functools.partial(checkpoint_sequential, use_reentrant=False)
    def forward(self, x): return self.run(self.s, 2, x)
class Held(nn.Module):
    def __init__(self):
        super().__init__()
        self.s = nn.Sequential(nn.Linear(4, 4), nn.Linear(4, 4))
        self.run = functools.partial(checkpoint_sequential, self.s, 3, use_reentrant=False)
    def forward(self, x): return self.run(x)
class Stat(nn.Module):
    run = staticmethod(checkpoint_sequential)
    def __init__(self):
        super().__init__()
        self.s = nn.Sequential(nn.Linear(4, 4), nn.Linear(4, 4))
    def forward(self, x): return self.run(self.s, 3, x, use_reentrant=False)
class Cls(nn.Module):
    run = functools.partial(checkpoint_sequential, use_reentrant=False)
    def __init__(self):
        super().__init__()
        self.s = nn.Sequential(nn.Linear(4, 4), nn.Linear(4, 4))
    def forward(self, x): return self.run(self.s, 3, x)
ATTR, ATTROK, HELD, STAT, CLS = Attr(), AttrOk(), Held(), Stat(), Cls()
def c_attr(x): return ATTR(x)
def c_attrok(x): return ATTROK(x)
def c_held(x): return HELD(x)
def c_stat(x): return STAT(x)
def c_cls(x): return CLS(x)
"""
)
SAVED = (
    HEAD
    + """
class Recompute(torch.autograd.Function):
    @staticmethod
    def forward(ctx, run, x, *params):
        ctx.run = run
        ctx.save_for_backward(x, *params)
        with torch.no_grad():
            return run(x)
    @staticmethod
    def backward(ctx, g):
        x, *params = ctx.saved_tensors
        x = x.detach().requires_grad_()
        with torch.enable_grad():
            y = ctx.run(x)
        torch.autograd.backward(y, g)
        return (None, x.grad, *[None for _ in params])
def f(h): return A(h).tanh()
run = functools.partial(Recompute.apply, f)
app = Recompute.apply
def two(h): return A(h), 3
def a_ok(x): return Recompute.apply(f, x)
def a_none(x): return Recompute.apply(f, x, None)
def a_int(x): return Recompute.apply(f, x, 3)
def a_str(x): return Recompute.apply(f, x, "s")
def a_list(x): return Recompute.apply(f, x, [x])
def a_slice(x):
    out = (x, x, 3)
    return Recompute.apply(f, *out[1:])
def a_slice_ok(x):
    out = (x, x, 3)
    return Recompute.apply(f, *out[:2])
def a_part(x): return run(x, 3)
def a_part_ok(x): return run(x)
def a_lpart(x):
    r = functools.partial(Recompute.apply, f)
    return r(x, 3)
def a_lpart_ok(x):
    r = functools.partial(Recompute.apply, f)
    return r(x)
def a_alias(x): return app(f, x, 3)
def a_alias_ok(x): return app(f, x)
def a_out(x): return Recompute.apply(f, *two(x))
def a_out_ok(x): return Recompute.apply(f, *two(x)[:1])
def a_outs(x):
    outs = two(x)
    return Recompute.apply(f, *outs[0:])
def a_outs_ok(x):
    outs = two(x)
    return Recompute.apply(f, *outs[:-1])
def a_params(x): return Recompute.apply(f, x, *A.parameters())
def many(h): return A(h), B(h), [C(h)]
def a_many(x): return Recompute.apply(f, *many(x)[1:])
def a_many_ok(x): return Recompute.apply(f, *many(x)[:2])
def a_many_item(x):
    o = many(x)
    return Recompute.apply(f, o[0], o[2])
def a_many_item_ok(x):
    o = many(x)
    return Recompute.apply(f, o[0], o[1])
def a_tuple(x):
    o = many(x)[1:]
    return Recompute.apply(f, o[0], o[1])
def a_tuple_ok(x):
    o = many(x)[:2]
    return Recompute.apply(f, o[0], o[1])
def a_name(x):
    o = many(x)[1:]
    return Recompute.apply(f, x, o)
"""
)
UNSAID = (
    HEAD
    + """
import torch.utils.checkpoint as cp
from functools import partial
from torch.utils.checkpoint import checkpoint_sequential

L = nn.Linear(4, 4)
ck = functools.partial(checkpoint)
ckp = partial(checkpoint, preserve_rng_state=True)
ckok = partial(checkpoint, use_reentrant=False)
bound = partial(checkpoint, L)
boundok = partial(checkpoint, L, use_reentrant=True)
alias = checkpoint
TABLE = {"a": checkpoint}
LIST = [checkpoint]
RUN = checkpoint if True else None
def w_partial(x): return ck(L, x)
def w_partial_pres(x): return ckp(L, x)
def w_partial_ok(x): return ckok(L, x)
def w_ck_ok(x): return ck(L, x, use_reentrant=False)
def w_bound(x): return bound(x)
def w_bound_ok(x): return boundok(x)
def w_alias(x): return alias(L, x)
def w_module(x): return cp.checkpoint(L, x)
def w_long(x): return torch.utils.checkpoint.checkpoint(L, x)
def w_seq(x): return checkpoint_sequential(nn.Sequential(L, nn.Tanh()), 2, x)
def w_table(x): return TABLE["a"](L, x)
def w_list(x): return LIST[0](L, x)
def w_run(x): return RUN(L, x)
def w_getattr(x): return getattr(cp, "checkpoint")(L, x)
def w_kw(x):
    kw = {"preserve_rng_state": False}
    return checkpoint(L, x, **kw)
def w_kw_ok(x):
    kw = {"use_reentrant": False}
    return checkpoint(L, x, **kw)
def w_none(x): return checkpoint(L, x, use_reentrant=None)
def w_direct(x): return partial(checkpoint, L)(x)
def w_loop(x):
    for f in (checkpoint,):
        x = f(L, x)
    return x
class Mm(nn.Module):
    ck = staticmethod(checkpoint)
    def __init__(self):
        super().__init__()
        self.l = nn.Linear(4, 4)
    def forward(self, x): return self.ck(self.l, x)
class Attr(nn.Module):
    def __init__(self):
        super().__init__()
        self.l = nn.Linear(4, 4)
        self.run = checkpoint
    def forward(self, x): return self.run(self.l, x)
class AttrP(nn.Module):
    def __init__(self):
        super().__init__()
        self.l = nn.Linear(4, 4)
        self.run = partial(checkpoint, self.l)
    def forward(self, x): return self.run(x)
class ClsP(nn.Module):
    ck = partial(checkpoint)
    def __init__(self):
        super().__init__()
        self.l = nn.Linear(4, 4)
    def forward(self, x): return self.ck(self.l, x)
MM, ATTR, ATTRP, CLSP = Mm(), Attr(), AttrP(), ClsP()
def c_mm(x): return MM(x)
def c_attr(x): return ATTR(x)
def c_attrp(x): return ATTRP(x)
def c_clsp(x): return CLSP(x)
class Holder:
    ck = staticmethod(checkpoint)
class Typed(nn.Module):
    ck = checkpoint
    def __init__(self):
        super().__init__()
        self.l = nn.Linear(4, 4)
    def forward(self, x): return type(self).ck(self.l, x)
class TypedOk(nn.Module):
    ck = checkpoint
    def __init__(self):
        super().__init__()
        self.l = nn.Linear(4, 4)
    def forward(self, x): return type(self).ck(self.l, x, use_reentrant=False)
class Classed(nn.Module):
    ck = checkpoint
    def __init__(self):
        super().__init__()
        self.l = nn.Linear(4, 4)
    def forward(self, x): return self.__class__.ck(self.l, x)
class ClassedOk(nn.Module):
    ck = checkpoint
    def __init__(self):
        super().__init__()
        self.l = nn.Linear(4, 4)
    def forward(self, x): return self.__class__.ck(self.l, x, use_reentrant=False)
class Above(Holder, nn.Module):
    def __init__(self):
        super().__init__()
        self.l = nn.Linear(4, 4)
    def forward(self, x): return super().ck(self.l, x)
class AboveOk(Holder, nn.Module):
    def __init__(self):
        super().__init__()
        self.l = nn.Linear(4, 4)
    def forward(self, x): return super().ck(self.l, x, use_reentrant=False)
class Asked(Holder, nn.Module):
    def __init__(self):
        super().__init__()
        self.l = nn.Linear(4, 4)
    def forward(self, x): return getattr(type(self), "ck")(self.l, x)
class AskedOk(Holder, nn.Module):
    def __init__(self):
        super().__init__()
        self.l = nn.Linear(4, 4)
    def forward(self, x): return getattr(type(self), "ck")(self.l, x, use_reentrant=False)
TYPED, TYPEDOK, CLASSED, CLASSEDOK = Typed(), TypedOk(), Classed(), ClassedOk()
ABOVE, ABOVEOK, ASKED, ASKEDOK = Above(), AboveOk(), Asked(), AskedOk()
def c_typed(x): return TYPED(x)
def c_typedok(x): return TYPEDOK(x)
def c_classed(x): return CLASSED(x)
def c_classedok(x): return CLASSEDOK(x)
def c_above(x): return ABOVE(x)
def c_aboveok(x): return ABOVEOK(x)
def c_asked(x): return ASKED(x)
def c_askedok(x): return ASKEDOK(x)
"""
)


@pytest.mark.parametrize(("source", "code"), [(FLAGS, "TBR507"), (SEGMENTS, "TBR511"), (SAVED, "TBR512")])
def test_what_torch_refuses_is_reported(source: str, code: str) -> None:
    places = forms(source)
    wrong = {place for name, place in places.items() if raised(source, name).error is not None}
    assert 0 < len(wrong) < len(places)
    assert set(reported(source, code)) == wrong


def test_what_torch_warns_of_is_reported() -> None:
    places = forms(UNSAID)
    wrong = {place for name, place in places.items() if unsaid(UNSAID, name)}
    assert 0 < len(wrong) < len(places)
    assert set(reported(UNSAID, "TBR506")) == wrong
