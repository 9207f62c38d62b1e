"""What scopes, contexts and transformations do to a checkpoint (TBR401 to TBR407), each with its repair."""

from __future__ import annotations

from tests.rewrites.core import Core

CORES = (
    Core(
        "TBR401",
        "with",
        """
hidden = proj(hidden).view(-1, 2, 4, 2)
return F.scaled_dot_product_attention(hidden, hidden, hidden).sin()
""",
        at="step",
        step="""
from torch.nn.attention import SDPBackend, sdpa_kernel
def train_step(batch, optimizer):
    with sdpa_kernel(SDPBackend.MATH):  #: here
        out = run(batch)
    out.mean().backward()
    optimizer.step()
""",
        mended_step="""
from torch.nn.attention import SDPBackend, sdpa_kernel
def train_step(batch, optimizer):
    with sdpa_kernel(SDPBackend.MATH):
        out = run(batch)
        out.mean().backward()
    optimizer.step()
""",
    ),
    Core(
        "TBR402",
        "own",
        """
hidden = proj(hidden) * Mode.bits
return torch.tanh(hidden).sin()
""",
        state="""
class Mode:
    bits = 8
@contextlib.contextmanager
def quantized(bits):
    before = Mode.bits
    Mode.bits = bits
    try:
        yield
    finally:
        Mode.bits = before
""",
        at="step",
        step="""
def train_step(batch, optimizer):
    with quantized(4):  #: here
        out = run(batch)
    out.mean().backward()
    optimizer.step()
""",
        mended_step="""
def train_step(batch, optimizer):
    with quantized(4):
        out = run(batch)
        out.mean().backward()
    optimizer.step()
""",
    ),
    Core(
        "TBR402",
        "dtype",
        """
hidden = proj(hidden) * torch.full((16,), 0.5)
return torch.tanh(hidden).sin()
""",
        at="step",
        step="""
def train_step(batch, optimizer):
    torch.set_default_dtype(torch.float64)  #: here
    out = run(batch)
    torch.set_default_dtype(torch.float32)
    out.mean().backward()
    optimizer.step()
""",
        mended_step="""
def train_step(batch, optimizer):
    torch.set_default_dtype(torch.float64)
    out = run(batch)
    out.mean().backward()
    torch.set_default_dtype(torch.float32)
    optimizer.step()
""",
    ),
    Core(
        "TBR403",
        "twice",
        """
hidden = proj(hidden).view(-1, 2, 4, 2)
return F.scaled_dot_product_attention(hidden, hidden, hidden).sin()
""",
        state="""
from torch.nn.attention import SDPBackend, sdpa_kernel
def ctx():
    scope = sdpa_kernel(SDPBackend.MATH)
    return scope, scope
def ctx2():
    return sdpa_kernel(SDPBackend.MATH), sdpa_kernel(SDPBackend.MATH)
""",
        options="use_reentrant=False, context_fn=ctx",
        mended="use_reentrant=False, context_fn=ctx2",
        at="call",
    ),
    Core(
        "TBR404",
        "mismatch",
        """
hidden = proj(hidden).view(-1, 2, 4, 2)
return F.scaled_dot_product_attention(hidden, hidden, hidden).sin()
""",
        state="""
from torch.nn.attention import SDPBackend, sdpa_kernel
def ctx():
    return sdpa_kernel(SDPBackend.MATH), contextlib.nullcontext()
def ctx2():
    return sdpa_kernel(SDPBackend.MATH), sdpa_kernel(SDPBackend.MATH)
""",
        options="use_reentrant=False, context_fn=ctx",
        mended="use_reentrant=False, context_fn=ctx2",
        at="call",
    ),
    Core(
        "TBR404",
        "lambda",
        """
hidden = proj(hidden).view(-1, 2, 4, 2)
return F.scaled_dot_product_attention(hidden, hidden, hidden).sin()
""",
        state="""
from torch.nn.attention import SDPBackend, sdpa_kernel
""",
        options="use_reentrant=False, context_fn=lambda: (sdpa_kernel(SDPBackend.MATH), contextlib.nullcontext())",
        mended="use_reentrant=False, context_fn=lambda: (sdpa_kernel(SDPBackend.MATH), sdpa_kernel([SDPBackend.MATH]))",
        at="call",
    ),
    Core(
        "TBR405",
        "ctxfn",
        """
hidden = proj(hidden)
return torch.tanh(hidden).sin()
""",
        state="""
from torch.utils.checkpoint import create_selective_checkpoint_contexts
keep_mm = functools.partial(create_selective_checkpoint_contexts, [torch.ops.aten.mm.default])
""",
        options="use_reentrant=True, context_fn=keep_mm",
        mended="use_reentrant=False, context_fn=keep_mm",
        at="call",
    ),
    Core(
        "TBR405",
        "debug",
        """
hidden = proj(hidden)
return torch.tanh(hidden).sin()
""",
        options="use_reentrant=True, debug=True",
        mended="use_reentrant=False, debug=True",
        at="call",
    ),
    Core(
        "TBR406",
        "called",
        """
hidden = proj(hidden)
return torch.tanh(hidden).sin()
""",
        state="""
from torch.utils.checkpoint import create_selective_checkpoint_contexts
keep_mm = create_selective_checkpoint_contexts([torch.ops.aten.mm.default])
""",
        options="use_reentrant=False, context_fn=keep_mm",
        mended="use_reentrant=False",
        at="call",
    ),
    Core(
        "TBR406",
        "one",
        """
hidden = proj(hidden)
return torch.tanh(hidden).sin()
""",
        state="""
def ctx():
    return torch.autocast('cpu')
def ctx2():
    return torch.autocast('cpu'), torch.autocast('cpu')
""",
        options="use_reentrant=False, context_fn=ctx",
        mended="use_reentrant=False, context_fn=ctx2",
        at="call",
    ),
    Core(
        "TBR407",
        "grad",
        """
hidden = proj(hidden)
return torch.tanh(hidden).sin()
""",
        at="step",
        step="""
def sensitivity(batch):
    return torch.func.grad(lambda t: run(t).sum())(batch)  #: here
""",
        mended_step="""
def sensitivity(batch):
    batch.requires_grad_()
    return torch.autograd.grad(run(batch).sum(), batch)
""",
    ),
)
