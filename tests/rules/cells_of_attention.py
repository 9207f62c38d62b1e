"""Flex attention outside of compiled code, written in many ways: TBR313."""

from __future__ import annotations

from typing import Final

from tests.rules.rewriting import DATA_HEAD

HEAD: Final = DATA_HEAD
PAIRS: Final[dict[str, dict[str, str]]] = {
    "TBR313": {
        "plain": """
from torch.nn.attention.flex_attention import flex_attention
{{||@torch.compile
}}def attend(q, k, v):
    return flex_attention(q, k, v)  #!
""",
        "alias": """
from torch.nn.attention.flex_attention import flex_attention
attention = {{flex_attention||torch.compile(flex_attention)}}
def attend(q, k, v):
    return attention(q, k, v)  #!
""",
        "import_as": """
from torch.nn.attention.flex_attention import flex_attention as flex
{{||flex = torch.compile(flex)
}}def attend(q, k, v):
    return flex(q, k, v)  #!
""",
        "module": """
import torch.nn.attention.flex_attention as fa
{{||@torch.compile
}}def attend(q, k, v):
    return fa.flex_attention(q, k, v)  #!
""",
        "module2": """
from torch.nn.attention import flex_attention as fa
{{||@torch.compile
}}def attend(q, k, v):
    return fa.flex_attention(q, k, v)  #!
""",
        "partial": """
from torch.nn.attention.flex_attention import flex_attention
attend = functools.partial({{flex_attention||torch.compile(flex_attention)}}, scale=0.5)
def f(q, k, v):
    return attend(q, k, v)  #!
""",
        "lambda": """
from torch.nn.attention.flex_attention import flex_attention
attend = lambda q, k, v: flex_attention(q, k, v, scale=0.5)  #!
{{||attend = torch.compile(attend)
}}def f(q, k, v):
    return attend(q, k, v)
""",
        "method": """
from torch.nn.attention.flex_attention import flex_attention
class Attn(nn.Module):
    def _attend(self, q, k, v):
        return flex_attention(q, k, v)  #!
    def forward(self, x):
        return self._attend(x, x, x)
attn = {{Attn()||torch.compile(Attn())}}
""",
        "self_fn": """
from torch.nn.attention.flex_attention import flex_attention
class Attn(nn.Module):
    def __init__(self):
        super().__init__()
        self.attend = {{flex_attention||torch.compile(flex_attention)}}
    def forward(self, x):
        return self.attend(x, x, x)  #!
""",
        "class_attr": """
from torch.nn.attention.flex_attention import flex_attention
class Attn(nn.Module):
    attend = staticmethod({{flex_attention||torch.compile(flex_attention)}})
    def forward(self, x):
        return self.attend(x, x, x)  #!
""",
        "deco": """
from torch.nn.attention.flex_attention import flex_attention
def logged(f):
    @functools.wraps(f)
    def run(*a):
        return f(*a)
    return run
{{||@torch.compile
}}@logged
def attend(q, k, v):
    return flex_attention(q, k, v)  #!
""",
        "helper": """
from torch.nn.attention.flex_attention import flex_attention
def score(q, k, v):
    return flex_attention(query=q, key=k, value=v)  #!
{{||@torch.compile
}}def attend(x):
    return score(x, x, x)
""",
        "kwargs": """
from torch.nn.attention.flex_attention import flex_attention
{{||@torch.compile
}}def attend(q, k, v, **kw):
    return flex_attention(**dict(query=q, key=k, value=v))  #!
""",
        "stack": """
from torch.nn.attention.flex_attention import flex_attention
{{||@torch.compile
}}def attend(q, k, v):
    with contextlib.ExitStack() as stack:
        stack.enter_context(torch.no_grad())
        return flex_attention(q, k, v)  #!
""",
        "try": """
from torch.nn.attention.flex_attention import flex_attention
{{||@torch.compile
}}def attend(q, k, v):
    try:
        return flex_attention(q, k, v)  #!
    finally:
        print("x")
""",
        "table": """
from torch.nn.attention.flex_attention import flex_attention
ATT = {"flex": {{flex_attention||torch.compile(flex_attention)}}, "sdpa": F.scaled_dot_product_attention}
def attend(kind, q, k, v):
    return ATT["flex"](q, k, v)  #!
""",
        "other_file": """
from kernels import attend
def f(x):
    return attend(x, x, x)  #!
# == kernels.py
import torch
from torch.nn.attention.flex_attention import flex_attention as attend{{||er
attend = torch.compile(attender)}}
""",
        "reexport": """
from kernels import flex_attention
def f(x):
    return flex_attention(x, x, x)  #!
# == kernels/__init__.py
from .flex import flex_attention
# == kernels/flex.py
import torch
from torch.nn.attention.flex_attention import flex_attention
{{||flex_attention = torch.compile(flex_attention)
}}
""",
        "method_compile": """
from torch.nn.attention.flex_attention import flex_attention
class Attn(nn.Module):
    def forward(self, x):
        return flex_attention(x, x, x)  #!
attn = Attn()
{{attn.eval||attn.compile}}()
""",
        "flag_false": """
from torch.nn.attention.flex_attention import flex_attention
def attend(q, k, v):
    return flex_attention(q, k, v)  #!
def main(compile: bool = {{False||True}}):
    f = torch.compile(attend) if compile else attend
    return f
""",
        "override": """
from torch.nn.attention.flex_attention import flex_attention
class Base(nn.Module):
    def attend(self, x):
        return x
    def forward(self, x):
        return self.attend(x)
class Attn(Base):
    def attend(self, x):
        return flex_attention(x, x, x)  #!
attn = {{Attn()||torch.compile(Attn())}}
""",
    },
}
"""Programs with `{{bad||good}}` in them."""

SILENT: Final[dict[str, dict[str, str]]] = {
    "TBR313": {
        "deco_file": """
from torch.nn.attention.flex_attention import flex_attention
from fast import compiled
@compiled
def attend(q, k, v):
    return flex_attention(q, k, v)
# == fast.py
import torch
def compiled(f):
    return torch.compile(f, dynamic=False)
""",
        "from_import": """
from torch.nn.attention.flex_attention import flex_attention
from torch import compile
@compile
def attend(q, k, v):
    return flex_attention(q, k, v)
""",
        "from_import_as": """
from torch.nn.attention.flex_attention import flex_attention
from torch import compile as tc
attend = tc(flex_attention)
def f(q, k, v):
    return attend(q, k, v)
""",
    },
}
"""Programs that are not."""
