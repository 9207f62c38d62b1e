"""Deterministic mode that only warns, written in many ways: TBR602."""

from __future__ import annotations

from typing import Final

from tests.rules.rewriting import SWITCHES_HEAD

HEAD: Final = SWITCHES_HEAD
PAIRS: Final[dict[str, dict[str, str]]] = {
    "TBR602": {
        "plain": """
def same(model, x):
    first, second = model(x), model(x)
    assert torch.equal(first, second)

def setup():
    torch.use_deterministic_algorithms({{True, warn_only=True||True}})  #!
""",
        "alias": """
def same(model, x):
    first, second = model(x), model(x)
    assert torch.equal(first, second)

deterministic = torch.use_deterministic_algorithms
def setup():
    deterministic({{True, warn_only=True||True, warn_only=False}})  #!
""",
        "from_import": """
def same(model, x):
    first, second = model(x), model(x)
    assert torch.equal(first, second)

from torch import use_deterministic_algorithms
use_deterministic_algorithms({{mode=True, warn_only=True||mode=True}})  #!
""",
        "debug": """
def same(model, x):
    first, second = model(x), model(x)
    assert torch.equal(first, second)

torch.set_deterministic_debug_mode({{"warn"||"error"}})  #!
""",
        "debug_int": """
def same(model, x):
    first, second = model(x), model(x)
    assert torch.equal(first, second)

def setup():
    torch.set_deterministic_debug_mode({{1||2}})  #!
""",
        "partial": """
def same(model, x):
    first, second = model(x), model(x)
    assert torch.equal(first, second)

repeatable = functools.partial(torch.use_deterministic_algorithms, {{warn_only=True||warn_only=False}})
def setup():
    repeatable(True)  #!
""",
        "lambda": """
def same(model, x):
    first, second = model(x), model(x)
    assert torch.equal(first, second)

repeatable = lambda: torch.use_deterministic_algorithms({{True, warn_only=True||True}})  #!
repeatable()
""",
        "decorator": """
def same(model, x):
    first, second = model(x), model(x)
    assert torch.equal(first, second)

def deterministic(fn):
    @functools.wraps(fn)
    def run(*args, **kwargs):
        torch.use_deterministic_algorithms({{True, warn_only=True||True}})  #!
        try:
            return fn(*args, **kwargs)
        finally:
            torch.use_deterministic_algorithms(False)
    return run
@deterministic
def check(model, x):
    same(model, x)
""",
        "method": """
def same(model, x):
    first, second = model(x), model(x)
    assert torch.equal(first, second)

class Checker:
    def _strict(self):
        torch.use_deterministic_algorithms({{True, warn_only=True||True}})  #!
    def run(self, model, x):
        self._strict()
        same(model, x)
""",
        "helper_arg": """
def same(model, x):
    first, second = model(x), model(x)
    assert torch.equal(first, second)

def setup(warn):
    torch.use_deterministic_algorithms(True, warn_only=warn)  #!
setup({{True||False}})
""",
        "helper_kw_default": """
def same(model, x):
    first, second = model(x), model(x)
    assert torch.equal(first, second)

def setup(warn_only={{True||False}}):
    torch.use_deterministic_algorithms(True, warn_only=warn_only)  #!
def main(model, x):
    setup()
    same(model, x)
""",
        "other_file_mode": """
def same(model, x):
    first, second = model(x), model(x)
    assert torch.equal(first, second)

from seeding import setup
def main(model, x):
    setup()  #!
    same(model, x)
# == seeding.py
import torch
def setup():
    torch.use_deterministic_algorithms({{True, warn_only=True||True}})
""",
        "other_file_cmp": """
from checks import same
def main(model, x):
    torch.use_deterministic_algorithms({{True, warn_only=True||True}})  #!
    same(model(x), model(x))
# == checks.py
import torch
def same(a, b):
    assert torch.equal(a, b)
""",
        "reexport": """
def same(model, x):
    first, second = model(x), model(x)
    assert torch.equal(first, second)

from tools import deterministic
def main(model, x):
    deterministic()  #!
    same(model, x)
# == tools/__init__.py
from .seed import setup as deterministic
# == tools/seed.py
import torch
def setup():
    torch.use_deterministic_algorithms({{True, warn_only=True||True}})
""",
        "own_cm": """
def same(model, x):
    first, second = model(x), model(x)
    assert torch.equal(first, second)

@contextlib.contextmanager
def deterministic():
    torch.use_deterministic_algorithms({{True, warn_only=True||True}})  #!
    yield
    torch.use_deterministic_algorithms(False)
def main(model, x):
    with deterministic():
        same(model, x)
""",
        "exit_stack": """
def same(model, x):
    first, second = model(x), model(x)
    assert torch.equal(first, second)

@contextlib.contextmanager
def deterministic():
    before = torch.are_deterministic_algorithms_enabled()
    torch.use_deterministic_algorithms({{True, warn_only=True||True}})  #!
    try:
        yield
    finally:
        torch.use_deterministic_algorithms(before)
def main(model, x):
    with contextlib.ExitStack() as stack:
        stack.enter_context(deterministic())
        same(model, x)
""",
        "try_finally": """
def same(model, x):
    first, second = model(x), model(x)
    assert torch.equal(first, second)

def main(model, x):
    torch.use_deterministic_algorithms({{True, warn_only=True||True}})  #!
    try:
        same(model, x)
    finally:
        torch.use_deterministic_algorithms(False)
""",
        "config_flag": """
def same(model, x):
    first, second = model(x), model(x)
    assert torch.equal(first, second)

def main(args, model, x):
    if args.deterministic:
        torch.use_deterministic_algorithms({{True, warn_only=True||True}})  #!
    same(model, x)
""",
        "kwdict": """
def same(model, x):
    first, second = model(x), model(x)
    assert torch.equal(first, second)

OPTIONS = dict({{warn_only=True||warn_only=False}})
def setup():
    torch.use_deterministic_algorithms(True, **OPTIONS)  #!
""",
        "const": """
def same(model, x):
    first, second = model(x), model(x)
    assert torch.equal(first, second)

WARN_ONLY = {{True||False}}
def setup():
    torch.use_deterministic_algorithms(True, warn_only=WARN_ONLY)  #!
""",
        "self_fn": """
def same(model, x):
    first, second = model(x), model(x)
    assert torch.equal(first, second)

class Runner:
    def __init__(self):
        self.strict = torch.use_deterministic_algorithms
    def run(self, model, x):
        self.strict({{True, warn_only=True||True}})  #!
        same(model, x)
""",
        "class_attr": """
def same(model, x):
    first, second = model(x), model(x)
    assert torch.equal(first, second)

class Runner:
    strict = staticmethod(torch.use_deterministic_algorithms)
    def run(self, model, x):
        self.strict({{True, warn_only=True||True}})  #!
        same(model, x)
""",
        "self_value": """
def same(model, x):
    first, second = model(x), model(x)
    assert torch.equal(first, second)

class Runner:
    warn_only = {{True||False}}
    def run(self, model, x):
        torch.use_deterministic_algorithms(True, warn_only=self.warn_only)  #!
        same(model, x)
""",
    },
}
"""Programs with `{{bad||good}}` in them."""

COMPARISONS: Final = [
    "assert torch.equal(a, b)",
    "assert (a == b).all()",
    "assert bool(torch.all(a == b))",
    "assert torch.eq(a, b).all().item()",
    "assert not (a != b).any()",
    "torch.testing.assert_close(a, b, rtol=0, atol=0)",
    "assert a.equal(b)",
    "assert (a - b).abs().max() == 0",
    "assert a.tolist() == b.tolist()",
    "assert torch.allclose(a, b, rtol=0.0, atol=0.0)",
    "np.testing.assert_array_equal(a.numpy(), b.numpy())",
    "assert np.array_equal(a.numpy(), b.numpy())",
    """
if not torch.equal(a, b):
        raise ValueError("differs")
""",
    """
same = torch.equal(a, b)
    return same
""",
    "return all(torch.equal(p, q) for p, q in zip(a, b))",
    "return all(map(torch.equal, a, b))",
    """
equal = torch.equal
    assert equal(a, b)
""",
    "assert torch.max(torch.abs(a - b)) == 0",
    "assert torch.dist(a, b) == 0",
    "unittest.TestCase().assertTrue(torch.equal(a, b))",
]
"""Exact comparisons of `a` and `b`."""
