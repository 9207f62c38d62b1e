"""Attention kernels chosen around compiled code, written in many ways: TBR309."""

from __future__ import annotations

from typing import Final

from tests.rules.rewriting import DATA_HEAD

HEAD: Final = DATA_HEAD
BAD: Final[dict[str, dict[str, str]]] = {
    "TBR309": {
        "plain": """
from torch.nn.attention import SDPBackend, sdpa_kernel
@torch.compile(backend="aot_eager")
def attend(q):
    return F.scaled_dot_product_attention(q, q, q)
def main(q):
    a = attend(q)
    with sdpa_kernel(SDPBackend.MATH):  #!
        return a, attend(q)
""",
        "alias": """
from torch.nn.attention import SDPBackend, sdpa_kernel
@torch.compile(backend="aot_eager")
def attend(q):
    return F.scaled_dot_product_attention(q, q, q)
kernels = sdpa_kernel
def main(q):
    a = attend(q)
    with kernels(SDPBackend.MATH):  #!
        return a, attend(q)
""",
        "module": """
from torch.nn.attention import SDPBackend, sdpa_kernel
@torch.compile(backend="aot_eager")
def attend(q):
    return F.scaled_dot_product_attention(q, q, q)
import torch.nn.attention as A
def main(q):
    a = attend(q)
    with A.sdpa_kernel(A.SDPBackend.MATH):  #!
        return a, attend(q)
""",
        "partial": """
from torch.nn.attention import SDPBackend, sdpa_kernel
@torch.compile(backend="aot_eager")
def attend(q):
    return F.scaled_dot_product_attention(q, q, q)
math = functools.partial(sdpa_kernel, SDPBackend.MATH)
def main(q):
    a = attend(q)
    with math():  #!
        return a, attend(q)
""",
        "lambda": """
from torch.nn.attention import SDPBackend, sdpa_kernel
@torch.compile(backend="aot_eager")
def attend(q):
    return F.scaled_dot_product_attention(q, q, q)
math = lambda: sdpa_kernel(SDPBackend.MATH)
def main(q):
    a = attend(q)
    with math():  #!
        return a, attend(q)
""",
        "stack": """
from torch.nn.attention import SDPBackend, sdpa_kernel
@torch.compile(backend="aot_eager")
def attend(q):
    return F.scaled_dot_product_attention(q, q, q)
def main(q):
    a = attend(q)
    with contextlib.ExitStack() as stack:
        stack.enter_context(sdpa_kernel(SDPBackend.MATH))  #!
        return a, attend(q)
""",
        "cm": """
from torch.nn.attention import SDPBackend, sdpa_kernel
@torch.compile(backend="aot_eager")
def attend(q):
    return F.scaled_dot_product_attention(q, q, q)
@contextlib.contextmanager
def exact():
    with sdpa_kernel(SDPBackend.MATH):  #!
        yield
def main(q):
    a = attend(q)
    with exact():
        return a, attend(q)
""",
        "deco": """
from torch.nn.attention import SDPBackend, sdpa_kernel
@torch.compile(backend="aot_eager")
def attend(q):
    return F.scaled_dot_product_attention(q, q, q)
@sdpa_kernel(SDPBackend.MATH)  #!
def exact(q):
    return attend(q)
def main(q):
    return attend(q), exact(q)
""",
        "own_deco": """
from torch.nn.attention import SDPBackend, sdpa_kernel
@torch.compile(backend="aot_eager")
def attend(q):
    return F.scaled_dot_product_attention(q, q, q)
def exact(f):
    @functools.wraps(f)
    def run(*a):
        with sdpa_kernel(SDPBackend.MATH):  #!
            return f(*a)
    return run
@exact
def slow(q):
    return attend(q)
def main(q):
    return attend(q), slow(q)
""",
        "method": """
from torch.nn.attention import SDPBackend, sdpa_kernel
@torch.compile(backend="aot_eager")
def attend(q):
    return F.scaled_dot_product_attention(q, q, q)
class R:
    def exact(self, q):
        with sdpa_kernel(SDPBackend.MATH):  #!
            return attend(q)
    def fast(self, q):
        return attend(q)
""",
        "helper": """
from torch.nn.attention import SDPBackend, sdpa_kernel
@torch.compile(backend="aot_eager")
def attend(q):
    return F.scaled_dot_product_attention(q, q, q)
def run(q):
    return attend(q)
def main(q):
    a = run(q)
    with sdpa_kernel(SDPBackend.MATH):  #!
        return a, run(q)
""",
        "flag": """
from torch.nn.attention import SDPBackend, sdpa_kernel
@torch.compile(backend="aot_eager")
def attend(q):
    return F.scaled_dot_product_attention(q, q, q)
def main(q, exact):
    a = attend(q)
    with sdpa_kernel(SDPBackend.MATH) if exact else contextlib.nullcontext():  #!
        return a, attend(q)
""",
        "toggle": """
from torch.nn.attention import SDPBackend, sdpa_kernel
@torch.compile(backend="aot_eager")
def attend(q):
    return F.scaled_dot_product_attention(q, q, q)
def main(q):
    a = attend(q)
    torch.backends.cuda.enable_flash_sdp(False)  #!
    try:
        return a, attend(q)
    finally:
        torch.backends.cuda.enable_flash_sdp(True)
""",
        "self_fn": """
from torch.nn.attention import SDPBackend, sdpa_kernel
@torch.compile(backend="aot_eager")
def attend(q):
    return F.scaled_dot_product_attention(q, q, q)
class R:
    def __init__(self):
        self.kernel = sdpa_kernel
    def go(self, q):
        a = attend(q)
        with self.kernel(SDPBackend.MATH):  #!
            return a, attend(q)
""",
        "class_attr": """
from torch.nn.attention import SDPBackend, sdpa_kernel
@torch.compile(backend="aot_eager")
def attend(q):
    return F.scaled_dot_product_attention(q, q, q)
class R:
    kernel = staticmethod(sdpa_kernel)
    def go(self, q):
        a = attend(q)
        with self.kernel(SDPBackend.MATH):  #!
            return a, attend(q)
""",
        "keyword": """
from torch.nn.attention import SDPBackend, sdpa_kernel
@torch.compile(backend="aot_eager")
def attend(q):
    return F.scaled_dot_product_attention(q, q, q)
def main(q):
    a = attend(q)
    with sdpa_kernel(backends=[SDPBackend.MATH], set_priority=True):  #!
        return a, attend(q)
""",
        "scope_var": """
from torch.nn.attention import SDPBackend, sdpa_kernel
@torch.compile(backend="aot_eager")
def attend(q):
    return F.scaled_dot_product_attention(q, q, q)
def main(q):
    a = attend(q)
    scope = sdpa_kernel(SDPBackend.MATH)
    with scope:  #!
        return a, attend(q)
""",
        "other_cm": """
from torch.nn.attention import SDPBackend, sdpa_kernel
@torch.compile(backend="aot_eager")
def attend(q):
    return F.scaled_dot_product_attention(q, q, q)
from scopes import exact
def main(q):
    a = attend(q)
    with exact():  #!
        return a, attend(q)
# == scopes.py
import contextlib
from torch.nn.attention import SDPBackend, sdpa_kernel
@contextlib.contextmanager
def exact():
    with sdpa_kernel(SDPBackend.MATH):
        yield
""",
        "reexport_attend": """
from torch.nn.attention import SDPBackend, sdpa_kernel
@torch.compile(backend="aot_eager")
def attend(q):
    return F.scaled_dot_product_attention(q, q, q)
from kernels import attention
def main(q):
    a = attention(q)
    with sdpa_kernel(SDPBackend.MATH):  #!
        return a, attention(q)
# == kernels/__init__.py
from .k import attention
# == kernels/k.py
import torch
import torch.nn.functional as F
@torch.compile(backend="aot_eager")
def attention(q):
    return F.scaled_dot_product_attention(q, q, q)
""",
        "model_compile": """
from torch.nn.attention import SDPBackend, sdpa_kernel
@torch.compile(backend="aot_eager")
def attend(q):
    return F.scaled_dot_product_attention(q, q, q)
class A(nn.Module):
    def forward(self, q):
        return F.scaled_dot_product_attention(q, q, q)
def main(q):
    m = A()
    m.compile(backend="aot_eager")
    a = m(q)
    with sdpa_kernel(SDPBackend.MATH):  #!
        return a, m(q)
""",
        "model_self": """
from torch.nn.attention import SDPBackend, sdpa_kernel
@torch.compile(backend="aot_eager")
def attend(q):
    return F.scaled_dot_product_attention(q, q, q)
class A(nn.Module):
    def forward(self, q):
        return F.scaled_dot_product_attention(q, q, q)
class T:
    def __init__(self):
        self.model = torch.compile(A(), backend="aot_eager")
    def train(self, q):
        return self.model(q)
    def eval(self, q):
        with sdpa_kernel(SDPBackend.MATH):  #!
            return self.model(q)
""",
        "override": """
from torch.nn.attention import SDPBackend, sdpa_kernel
@torch.compile(backend="aot_eager")
def attend(q):
    return F.scaled_dot_product_attention(q, q, q)
class A(nn.Module):
    def attend(self, q):
        return q
    def forward(self, q):
        return self.attend(q)
class B(A):
    def attend(self, q):
        return F.scaled_dot_product_attention(q, q, q)
m = torch.compile(B(), backend="aot_eager")
def main(q):
    a = m(q)
    with sdpa_kernel(SDPBackend.MATH):  #!
        return a, m(q)
""",
        "from_compile": """
from torch.nn.attention import SDPBackend, sdpa_kernel
@torch.compile(backend="aot_eager")
def attend(q):
    return F.scaled_dot_product_attention(q, q, q)
from torch import compile as tc
def plain(q):
    return F.scaled_dot_product_attention(q, q, q)
m = tc(plain, backend="aot_eager")
def main(q):
    a = m(q)
    with sdpa_kernel(SDPBackend.MATH):  #!
        return a, m(q)
""",
    },
}
"""Programs that are reported."""

SILENT: Final[dict[str, dict[str, str]]] = {
    "TBR309": {
        "same": """
from torch.nn.attention import SDPBackend, sdpa_kernel
@torch.compile(backend="aot_eager")
def attend(q):
    return F.scaled_dot_product_attention(q, q, q)
def main(q):
    with sdpa_kernel(SDPBackend.MATH):
        a = attend(q)
    with sdpa_kernel(SDPBackend.MATH):
        return a, attend(q)
""",
        "reset": """
from torch.nn.attention import SDPBackend, sdpa_kernel
@torch.compile(backend="aot_eager")
def attend(q):
    return F.scaled_dot_product_attention(q, q, q)
def main(q):
    a = attend(q)
    torch.compiler.reset()
    with sdpa_kernel(SDPBackend.MATH):
        return a, attend(q)
""",
        "eager": """
from torch.nn.attention import SDPBackend, sdpa_kernel
@torch.compile(backend="eager")
def attend(q):
    return F.scaled_dot_product_attention(q, q, q)
def main(q):
    a = attend(q)
    with sdpa_kernel(SDPBackend.MATH):
        return a, attend(q)
""",
        "inside": """
from torch.nn.attention import SDPBackend, sdpa_kernel
@torch.compile(backend="aot_eager")
def attend(q):
    with sdpa_kernel(SDPBackend.MATH):
        return F.scaled_dot_product_attention(q, q, q)
def main(q):
    return attend(q), attend(q)
""",
    },
}
"""Programs that are not."""
