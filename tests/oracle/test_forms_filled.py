"""TBR209: caches that a region fills, by any spelling: reported where gradients or saved tensors change."""

from __future__ import annotations

import pytest

from tests.oracle.agree import HEAD, agree, require_torch

require_torch()
pytestmark = pytest.mark.oracle

FORMS = (
    HEAD
    + """
class Base(nn.Module):
    def __init__(self):
        super().__init__()
        self.w = nn.Parameter(torch.full((4,), 0.5))
        self.cache = None
        self.table = {}
    def use(self, h, w): return (A(h) * w).tanh()
class None1(Base):
    def run(self, h):
        if self.cache is None:
            self.cache = self.w * 2
        return self.use(h, self.cache)
class NoneDet(Base):
    def run(self, h):
        if self.cache is None:
            self.cache = (self.w * 2).detach()
        return self.use(h, self.cache)
class NoneConst(Base):
    def run(self, h):
        if self.cache is None:
            self.cache = torch.ones(4) * 2
        return self.use(h, self.cache)
class NoneNoGrad(Base):
    def run(self, h):
        if self.cache is None:
            with torch.no_grad():
                self.cache = self.w * 2
        return self.use(h, self.cache)
class Not1(Base):
    def run(self, h):
        if not self.table:
            self.table["w"] = self.w.exp()
        return self.use(h, self.table["w"])
class In1(Base):
    def run(self, h):
        if "w" not in self.table:
            self.table["w"] = self.w.exp()
        return self.use(h, self.table["w"])
class Setdef(Base):
    def run(self, h):
        w = self.table.setdefault("w", self.w.exp())
        return self.use(h, w)
class GetOr(Base):
    def run(self, h):
        w = self.table.get("w")
        if w is None:
            w = self.w.exp()
            self.table["w"] = w
        return self.use(h, w)
class TryKey(Base):
    def run(self, h):
        try:
            w = self.table["w"]
        except KeyError:
            w = self.table["w"] = self.w.exp()
        return self.use(h, w)
class Has(Base):
    def run(self, h):
        if not hasattr(self, "kept"):
            self.kept = self.w.exp()
        return self.use(h, self.kept)
class Prop(Base):
    @property
    def scaled(self):
        if self.cache is None:
            self.cache = self.w.exp()
        return self.cache
    def run(self, h): return self.use(h, self.scaled)
class CProp(Base):
    @functools.cached_property
    def scaled(self): return self.w.exp()
    def run(self, h): return self.use(h, self.scaled)
class LruM(Base):
    @functools.lru_cache(maxsize=None)
    def scaled(self): return self.w.exp()
    def run(self, h): return self.use(h, self.scaled())
class CacheM(Base):
    @functools.cache
    def scaled(self): return self.w.exp()
    def run(self, h): return self.use(h, self.scaled())
class Method(Base):
    def scaled(self):
        if self.cache is None:
            self.cache = self.w.exp()
        return self.cache
    def run(self, h): return self.use(h, self.scaled())
class Every(Base):
    def run(self, h):
        self.cache = self.w.exp()
        return self.use(h, self.cache)
class Walrus(Base):
    def run(self, h):
        if (w := self.cache) is None:
            w = self.cache = self.w.exp()
        return self.use(h, w)
class OrElse(Base):
    def run(self, h):
        self.cache = self.cache if self.cache is not None else self.w.exp()
        return self.use(h, self.cache)
class Early(Base):
    def scaled(self):
        if self.cache is not None:
            return self.cache
        self.cache = self.w.exp()
        return self.cache
    def run(self, h): return self.use(h, self.scaled())
class Flag(Base):
    ready = False
    def run(self, h):
        if not self.ready:
            self.cache = self.w.exp()
            self.ready = True
        return self.use(h, self.cache)
class Unread(Base):
    def run(self, h):
        if self.cache is None:
            self.cache = self.w.exp()
        return self.use(h, self.w)
class Shape(Base):
    def run(self, h):
        if self.cache is None:
            self.cache = self.w.shape[0]
        return self.use(h, self.w) * self.cache
class Buffer(Base):
    def __init__(self):
        super().__init__()
        self.register_buffer("b", torch.ones(4))
    def run(self, h):
        if self.cache is None:
            self.cache = self.b * 2
        return self.use(h, self.cache)
class Frozen(Base):
    def __init__(self):
        super().__init__()
        self.w.requires_grad_(False)
    def run(self, h):
        if self.cache is None:
            self.cache = self.w * 2
        return self.use(h, self.cache)
class Layer(Base):
    def __init__(self):
        super().__init__()
        self.l = nn.Linear(4, 4)
    def run(self, h):
        if self.cache is None:
            self.cache = self.l(torch.ones(4))
        return self.use(h, self.cache)
class Weight(Base):
    def __init__(self):
        super().__init__()
        self.l = nn.Linear(4, 4)
    def run(self, h):
        if self.cache is None:
            self.cache = self.l.weight.t()
        return (A(h) @ self.cache).tanh()
GLOBAL = {}
class Glob(Base):
    def run(self, h):
        if "w" not in GLOBAL:
            GLOBAL["w"] = self.w.exp()
        return self.use(h, GLOBAL["w"])
NONE1 = None1()
NONEDET = NoneDet()
NONECONST = NoneConst()
NONENOGRAD = NoneNoGrad()
NOT1 = Not1()
IN1 = In1()
SETDEF = Setdef()
GETOR = GetOr()
TRYKEY = TryKey()
HAS = Has()
PROP = Prop()
CPROP = CProp()
LRUM = LruM()
CACHEM = CacheM()
METHOD = Method()
EVERY = Every()
WALRUS = Walrus()
ORELSE = OrElse()
EARLY = Early()
FLAG = Flag()
UNREAD = Unread()
SHAPE = Shape()
BUFFER = Buffer()
FROZEN = Frozen()
LAYER = Layer()
WEIGHT = Weight()
GLOB = Glob()
def f_none1(x):
    NONE1.cache = None
    NONE1.table.clear()
    return checkpoint(NONE1.run, x, use_reentrant=False)
def f_nonedet(x):
    NONEDET.cache = None
    NONEDET.table.clear()
    return checkpoint(NONEDET.run, x, use_reentrant=False)
def f_noneconst(x):
    NONECONST.cache = None
    NONECONST.table.clear()
    return checkpoint(NONECONST.run, x, use_reentrant=False)
def f_nonenograd(x):
    NONENOGRAD.cache = None
    NONENOGRAD.table.clear()
    return checkpoint(NONENOGRAD.run, x, use_reentrant=False)
def f_not1(x):
    NOT1.cache = None
    NOT1.table.clear()
    return checkpoint(NOT1.run, x, use_reentrant=False)
def f_in1(x):
    IN1.cache = None
    IN1.table.clear()
    return checkpoint(IN1.run, x, use_reentrant=False)
def f_setdef(x):
    SETDEF.cache = None
    SETDEF.table.clear()
    return checkpoint(SETDEF.run, x, use_reentrant=False)
def f_getor(x):
    GETOR.cache = None
    GETOR.table.clear()
    return checkpoint(GETOR.run, x, use_reentrant=False)
def f_trykey(x):
    TRYKEY.cache = None
    TRYKEY.table.clear()
    return checkpoint(TRYKEY.run, x, use_reentrant=False)
def f_has(x):
    HAS.cache = None
    HAS.table.clear()
    return checkpoint(HAS.run, x, use_reentrant=False)
def f_prop(x):
    PROP.cache = None
    PROP.table.clear()
    return checkpoint(PROP.run, x, use_reentrant=False)
def f_cprop(x):
    CPROP.cache = None
    CPROP.table.clear()
    return checkpoint(CPROP.run, x, use_reentrant=False)
def f_lrum(x):
    LRUM.cache = None
    LRUM.table.clear()
    return checkpoint(LRUM.run, x, use_reentrant=False)
def f_cachem(x):
    CACHEM.cache = None
    CACHEM.table.clear()
    return checkpoint(CACHEM.run, x, use_reentrant=False)
def f_method(x):
    METHOD.cache = None
    METHOD.table.clear()
    return checkpoint(METHOD.run, x, use_reentrant=False)
def f_every(x):
    EVERY.cache = None
    EVERY.table.clear()
    return checkpoint(EVERY.run, x, use_reentrant=False)
def f_walrus(x):
    WALRUS.cache = None
    WALRUS.table.clear()
    return checkpoint(WALRUS.run, x, use_reentrant=False)
def f_orelse(x):
    ORELSE.cache = None
    ORELSE.table.clear()
    return checkpoint(ORELSE.run, x, use_reentrant=False)
def f_early(x):
    EARLY.cache = None
    EARLY.table.clear()
    return checkpoint(EARLY.run, x, use_reentrant=False)
def f_flag(x):
    FLAG.cache = None
    FLAG.table.clear()
    return checkpoint(FLAG.run, x, use_reentrant=False)
def f_unread(x):
    UNREAD.cache = None
    UNREAD.table.clear()
    return checkpoint(UNREAD.run, x, use_reentrant=False)
def f_shape(x):
    SHAPE.cache = None
    SHAPE.table.clear()
    return checkpoint(SHAPE.run, x, use_reentrant=False)
def f_buffer(x):
    BUFFER.cache = None
    BUFFER.table.clear()
    return checkpoint(BUFFER.run, x, use_reentrant=False)
def f_frozen(x):
    FROZEN.cache = None
    FROZEN.table.clear()
    return checkpoint(FROZEN.run, x, use_reentrant=False)
def f_layer(x):
    LAYER.cache = None
    LAYER.table.clear()
    return checkpoint(LAYER.run, x, use_reentrant=False)
def f_weight(x):
    WEIGHT.cache = None
    WEIGHT.table.clear()
    return checkpoint(WEIGHT.run, x, use_reentrant=False)
def f_glob(x):
    GLOB.cache = None
    GLOB.table.clear()
    return checkpoint(GLOB.run, x, use_reentrant=False)
"""
)


def test_caches_of_parameters_are_reported() -> None:
    agree(FORMS, "TBR209")
