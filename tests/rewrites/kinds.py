"""The scopes that end before backward: a kernel's, a mode's, a switch's, and some of the project's own."""

from __future__ import annotations

from typing import Final

MODES: Final = ("fmode",)
"""Scopes in which backward itself runs without them (observed)."""

KINDS: Final[dict[str, tuple[str, str, str]]] = {
    "att": (
        "TBR401",
        "sdpa_kernel(SDPBackend.MATH)",
        """
from torch.nn.attention import SDPBackend, sdpa_kernel
from torch.utils.checkpoint import checkpoint
qkv = nn.Linear(16, 48)
def attend(x):
    q, k, v = qkv(x).view(2, 4, 2, 24).chunk(3, -1)
    return F.scaled_dot_product_attention(q, k, v)
""",
    ),
    "dict": (
        "TBR402",
        "quantized(4)",
        """
from torch.utils.checkpoint import checkpoint
proj = nn.Linear(16, 16)
mode = {"bits": 8}
@contextlib.contextmanager
def quantized(bits):
    before = mode["bits"]
    mode["bits"] = bits
    try:
        yield
    finally:
        mode["bits"] = before
def attend(x):
    scale = 2.0 ** mode["bits"]
    hidden = proj(x) * scale
    return hidden.sin() / scale
""",
    ),
    "cls": (
        "TBR402",
        "disable_adapter()",
        """
from torch.utils.checkpoint import checkpoint
proj = nn.Linear(16, 16)
class Adapter:
    enabled = True
class disable_adapter:
    def __enter__(self):
        Adapter.enabled = False
    def __exit__(self, *exc):
        Adapter.enabled = True
def attend(x):
    hidden = proj(x)
    if Adapter.enabled:
        hidden = hidden * hidden.sigmoid()
    return hidden.sin()
""",
    ),
    "fmode": (
        "TBR402",
        "HalfMatmul()",
        """
from torch.overrides import TorchFunctionMode
from torch.utils.checkpoint import checkpoint
proj = nn.Linear(16, 16)
class HalfMatmul(TorchFunctionMode):
    def __torch_function__(self, func, types, args=(), kwargs=None):
        if func is F.linear:
            args = (args[0].round(decimals=2), *args[1:])
        return func(*args, **(kwargs or {}))
def attend(x):
    return proj(x).sin()
""",
    ),
    "mkldnn": (
        "TBR402",
        "torch.backends.mkldnn.flags(enabled=False)",
        """
from torch.utils.checkpoint import checkpoint
rnn = nn.LSTM(16, 16)
def attend(x):
    return rnn(x)[0].sin()
""",
    ),
}
"""The code, the scope, and what stands around: `attend` is the region."""
