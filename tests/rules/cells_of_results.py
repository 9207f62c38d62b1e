"""Comparisons with what is loaded, written in many ways: TBR604."""

from __future__ import annotations

from typing import Final

from tests.rules.rewriting import DATA_HEAD

HEAD: Final = DATA_HEAD
PAIRS: Final[dict[str, dict[str, str]]] = {
    "TBR604": {
        "plain": """
def check(model, x):
    fresh = torch.compile(model)(x)
    ref = torch.load("golden.pt")
    assert {{torch.equal(fresh, ref)||torch.allclose(fresh, ref)}}  #!
""",
        "deco": """
@torch.compile
def f(x):
    return x.sin()
def check(x):
    assert {{torch.equal||torch.allclose}}(f(x), torch.load("golden.pt"))  #!
""",
        "alias": """
fast = torch.compile
load = torch.load
def check(model, x):
    if not {{torch.equal||torch.allclose}}(fast(model)(x), load("golden.pt")):  #!
        raise ValueError("changed")
""",
        "from_import": """
from torch import load, equal, compile, allclose
def check(model, x):
    if not {{equal||allclose}}(compile(model)(x), load("golden.pt")):  #!
        raise ValueError("changed")
""",
        "from_import_as": """
from torch import compile as speed_up, equal as same, allclose
def check(model, x):
    if not {{same||allclose}}(speed_up(model)(x), torch.load("golden.pt")):  #!
        raise ValueError("changed")
""",
        "partial": """
fast = functools.partial(torch.compile, mode="max-autotune")
def check(model, x):
    assert {{torch.equal||torch.allclose}}(fast(model)(x), torch.load("golden.pt"))  #!
""",
        "lambda": """
same = lambda a, b: {{torch.equal||torch.allclose}}(a, b)  #!
def check(model, x):
    assert same(torch.compile(model)(x), torch.load("golden.pt"))
""",
        "helper_cmp": """
def assert_same(a, b):
    assert {{torch.equal||torch.allclose}}(a, b)  #!
def check(model, x):
    assert_same(torch.compile(model)(x), torch.load("golden.pt"))
""",
        "helper_load": """
def golden():
    return torch.load("golden.pt")
def check(model, x):
    assert {{torch.equal||torch.allclose}}(torch.compile(model)(x), golden())  #!
""",
        "helper_fresh": """
def fresh(model, x):
    return torch.compile(model)(x)
def check(model, x):
    assert {{torch.equal||torch.allclose}}(fresh(model, x), torch.load("golden.pt"))  #!
""",
        "method": """
class Check:
    def __init__(self, model):
        self.model = torch.compile(model)
        self.ref = torch.load("golden.pt")
    def run(self, x):
        assert {{torch.equal||torch.allclose}}(self.model(x), self.ref)  #!
""",
        "model_compile": """
def check(model: nn.Module, x):
    model.compile(mode="max-autotune")
    assert {{torch.equal||torch.allclose}}(model(x), torch.load("golden.pt"))  #!
""",
        "options": """
def check(model, x):
    fast = torch.compile(model, options={"max_autotune": True})
    assert {{torch.equal||torch.allclose}}(fast(x), torch.load("golden.pt"))  #!
""",
        "digest": """
import hashlib, json
def digest(t):
    return hashlib.sha256(t.numpy().tobytes()).hexdigest()
def check(model, x):
    fresh = torch.compile(model{{||, backend="eager"}})(x)
    assert digest(fresh) == json.load(open("golden.json"))["sha"]  #!
""",
        "np": """
def check(model, x):
    np.testing.{{assert_array_equal||assert_allclose}}(torch.compile(model)(x).numpy(), np.load("golden.npy"))  #!
""",
        "eq_all": """
def check(model, x):
    fresh = torch.compile(model)(x)
    ref = torch.load("golden.pt")
    assert {{(fresh == ref)||torch.isclose(fresh, ref)}}.all()  #!
""",
        "with": """
def check(model, x):
    with torch.no_grad():
        fresh = torch.compile(model)(x)
    with open("golden.pt", "rb") as f:
        ref = torch.load(f)
    assert {{torch.equal||torch.allclose}}(fresh, ref)  #!
""",
        "stack": """
def check(model, x):
    with contextlib.ExitStack() as stack:
        f = stack.enter_context(open("golden.pt", "rb"))
        ref = torch.load(f)
    assert {{torch.equal||torch.allclose}}(torch.compile(model)(x), ref)  #!
""",
        "cm": """
@contextlib.contextmanager
def golden():
    yield torch.load("golden.pt")
def check(model, x):
    with golden() as ref:
        assert {{torch.equal||torch.allclose}}(torch.compile(model)(x), ref)  #!
""",
        "try": """
def check(model, x):
    try:
        fresh = torch.compile(model)(x)
    finally:
        torch.compiler.reset()
    assert {{torch.equal||torch.allclose}}(fresh, torch.load("golden.pt"))  #!
""",
        "flag": """
def check(model, x, args):
    if args.compile:
        model = torch.compile(model)
    assert {{torch.equal||torch.allclose}}(model(x), torch.load("golden.pt"))  #!
""",
        "keyword": """
def check(model, x):
    torch.testing.assert_close(  #!
        actual=torch.compile(model)(x), expected=torch.load("golden.pt"),
        rtol={{0, atol=0||1e-3, atol=1e-5}})
""",
        "dict": """
def check(model, x):
    ref = torch.load("golden.pt")
    out = torch.compile(model)(x)
    assert {{torch.equal||torch.allclose}}(out, ref["out"])  #!
""",
        "other_file_fresh": """
from fast import step
def check(x):
    assert {{torch.equal||torch.allclose}}(step(x), torch.load("golden.pt"))  #!
# == fast.py
import torch
@torch.compile
def step(x):
    return x.sin()
""",
        "other_file_load": """
from golden import golden
def check(model, x):
    assert {{torch.equal||torch.allclose}}(torch.compile(model)(x), golden("a"))  #!
# == golden/__init__.py
from .io import golden
# == golden/io.py
import torch
def golden(name):
    return torch.load(name + ".pt")
""",
        "other_file_cmp": """
from checks import assert_same
def check(model, x):
    assert_same(torch.compile(model)(x), torch.load("golden.pt"))  #!
# == checks.py
import torch
def assert_same(a, b):
    assert {{torch.equal||torch.allclose}}(a, b)
""",
        "deco_own": """
def fast(f):
    return torch.compile(f, mode="max-autotune")
@fast
def f(x):
    return x.sin()
def check(x):
    assert {{torch.equal||torch.allclose}}(f(x), torch.load("golden.pt"))  #!
""",
        "wraps": """
def logged(f):
    @functools.wraps(f)
    def run(*a):
        return f(*a)
    return run
@logged
@torch.compile
def f(x):
    return x.sin()
def check(x):
    assert {{torch.equal||torch.allclose}}(f(x), torch.load("golden.pt"))  #!
""",
        "safetensors": """
from safetensors.torch import load_file
def check(model, x):
    assert {{torch.equal||torch.allclose}}(torch.compile(model)(x), load_file("g.safetensors")["out"])  #!
""",
        "self_fn": """
class C:
    def __init__(self, model):
        self.same = {{torch.equal||torch.allclose}}
        self.fast = torch.compile(model)
    def run(self, x):
        assert self.same(self.fast(x), torch.load("golden.pt"))  #!
""",
        "override": """
class C:
    def golden(self):
        raise NotImplementedError
    def run(self, model, x):
        assert {{torch.equal||torch.allclose}}(torch.compile(model)(x), self.golden())  #!
class D(C):
    def golden(self):
        return torch.load("golden.pt")
""",
    },
}
"""Programs with `{{bad||good}}` in them."""
