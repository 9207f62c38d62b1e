"""TBR312: functions under vmap in many spellings: reported if, and only if, vmap refuses what they do."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.oracle.agree import HEAD, reported
from tests.oracle.support import indented, loaded, observe, require_torch

torch = require_torch()
pytestmark = pytest.mark.oracle

HEAD_OF_MAPS = (
    HEAD
    + """
import math
from functools import partial, wraps

import torch.func as tf
from torch import vmap
from torch.func import grad, vmap as fvmap


@contextlib.contextmanager
def own():
    yield


class M(nn.Module):
    def forward(self, row):
        return row.sin() if row.max() > 0.5 else row.cos()


class N(nn.Module):
    def __init__(self):
        super().__init__()
        self.w = nn.Parameter(torch.ones(4))

    def forward(self, row):
        return row * self.w if self.w.sum() > 0 else row.cos()


NN = N()
"""
)

# --- bodies of functions of one `row` that are mapped over three rows ----------------------------------------------
ROWS = [
    "return torch.as_tensor([row[0], row[1]])",
    "return torch.as_tensor(row)",
    "return torch.full_like(row, row.sum())",
    "return torch.full((4,), 2.0) * row",
    "return torch.full((row.shape[0],), 2.0) * row",
    "if any(e > 0 for e in row): return row.sin()\nreturn row",
    "if any([row[0] > 0]): return row.sin()\nreturn row",
    "if all(e is not None for e in [row]): return row.sin()\nreturn row",
    "return torch.zeros(row.abs().argmax()) .sum()",
    "return row.new_full((4,), row.sum())",
    "return row.new_tensor([row[0], 1.0])",
    "s = '%.2f' % row.sum()\nreturn row * len(s)",
    "s = '%s' % row.sum()\nreturn row.sin()",
    "s = '{:.2f}'.format(row.sum())\nreturn row * len(s)",
    "s = str(row.sum())\nreturn row.sin()",
    "return abs(row)",
    "return pow(2.0, row)",
    "return row.sin() if torch.is_nonzero(row[0]) else row",
    "return row.sin() if row[0].__bool__() else row",
    "return sum([e for e in row if e > 0], torch.zeros(()))",
    "return sum([e * 2 for e in row], torch.zeros(()))",
    "return sorted([row[0], row[1]], key=lambda t: t)[0]",
    "return row.sin() if row[0] in [1.0, 2.0] else row",
    "if row is not None: return row.sin()\nreturn row",
    "if isinstance(row, torch.Tensor): return row.sin()\nreturn row",
    "if row.dtype == torch.float32: return row.sin()\nreturn row",
    "if row.requires_grad: return row.sin()\nreturn row.cos()",
    "if row.numel() > 2: return row.sin()\nreturn row",
    "if len(row) > 2: return row.sin()\nreturn row",
    "with own():\n    if row.sum() > 0: return row.sin()\nreturn row",
    "try:\n    return row.sin() if row.sum() > 0 else row\nfinally:\n    pass",
    "if (s := row.sum()) > 0: return row * s\nreturn row",
    "r = row\nf = r.sum\nif f() > 0: return row.sin()\nreturn row",
    "ok = bool(row.sum() > 0)\nreturn row.sin() if ok else row",
    "return torch.cond(row.sum() > 0, lambda r: r.sin(), lambda r: r.cos(), (row,))",
    "n = 0\nwhile True:\n    n += 1\n    if row.sum() > 0 or n > 3: break\nreturn row * n",
    "if row.sum() > 0: print(end='')\nreturn row.sin()",
    "if row.sum() > 0: pass\nreturn row.sin()",
    "return functools.reduce(lambda a, b: a + b, row)",
    "return torch.stack(list(map(lambda e: e.sin() if e > 0 else e, row)))",
    "return torch.stack(list(map(torch.sin, row)))",
    "def g(*a):\n    return a[0] if a[0] > a[1] else a[1]\nreturn g(*row)",
    "return torch.linspace(0, row.sum(), 4)",
    "return row[row.argsort()]",
    "return torch.zeros(4).index_add(0, row.long() % 4, row)",
    "return F.embedding(row.long() % 4, torch.eye(4))",
    "return F.one_hot(row.abs().long() % 4, 4)",
    "return F.one_hot(row.abs().long() % 4)",
    "return torch.histc(row, 4)",
    "return torch.masked_select(row, row > 0).sum()",
    "return row.masked_fill(row > 0, 0.0)",
    "return row.masked_fill(row > 0, row.sum())",
    "return torch.where(row > 0)[0]",
    "return torch.where(row > 0, row, 0.0)",
    "return torch.argwhere(row > 0)",
    "return torch.unique(row)",
    "return row.sin() if torch.allclose(torch.ones(2), torch.ones(2)) else row",
    "return torch.count_nonzero(row)",
    "return row[:2]",
    "return torch.clip(row, max=row.mean())",
    "return torch.clip(row, max=row.mean().item())",
    "return torch.zeros(4).scatter(0, row.long() % 4, row)",
    "return [torch.sin, torch.cos][int(row.sum() > 0)](row)",
    "return {True: row.sin(), False: row.cos()}[bool(row.sum() > 0)]",
    "return {True: row.sin()}.get(row.sum() > 0, row)",
    "return torch.roll(row, row.argmax())",
    "return row.index_select(0, row.argmax())",
    "return torch.take(row, row.argmax())",
    "return row.topk(row.argmax()).values.sum()",
    "return torch.multinomial(row.abs(), 1)",
    "return torch.bernoulli(row.sigmoid())",
    "return F.scaled_dot_product_attention(row.view(1,4), row.view(1,4), row.view(1,4), dropout_p=0.1)",
    "return F.rrelu(row, training=True)",
    "return torch.empty(4).normal_()",
    "return row.clone().uniform_()",
    "return F.gumbel_softmax(row)",
    "return row[torch.randperm(4)]",
    "return row * torch.randn(4, generator=torch.Generator())",
    "def deep(e):\n    return e.sin() if e > 0 else e\nreturn torch.vmap(deep)(row)",
    "t = row.sum()\ndef deep(e):\n    return e.sin() if t > 0 else e\nreturn torch.vmap(deep)(row)",
    "if row.shape[0] > 2 and row.dim() == 1: return row.sin()\nreturn row",
    "n = 0\nwhile row.sum() > 100: row = row / 2\nreturn row",
    "t = 0\nfor e in row: t = t + e.sin()\nreturn t",
    "t = row\nfor i in range(int(row.abs().max())): t = t + i\nreturn t",
    "assert row.sum() > -100\nreturn row.sin()",
    'if torch.isnan(row).any(): raise ValueError("nan")\nreturn row.sin()',
    "if torch.allclose(row, row): return row.sin()\nreturn row",
    "if torch.equal(row, row): return row.sin()\nreturn row",
    "return row * sum(row.tolist())",
    "return row * torch.from_numpy(row.detach().numpy())",
    "return row * max(row[0], row[1])",
    "ok = row.sum() > 0 and row.max() > 1\nreturn torch.where(ok, row, row.sin())",
    "bad = not (row.sum() > 0)\nreturn row * bad",
    "return row[row.argmax()]",
    "return row[int(row.argmax())]",
    "fs = [torch.sin, torch.cos]\nreturn fs[row.argmax() % 2](row)",
    "return row[row > 0].sum()",
    "try:\n    if row.sum() > 0: return row.sin()\nexcept ValueError: pass\nreturn row.cos()",
    "if row.detach().sum() > 0: return row.sin()\nreturn row.cos()",
    "w = torch.ones(3)\nif w.sum() > 0: return row.sin()\nreturn row.cos()",
    "w = torch.ones_like(row)\nif w.sum() > 0: return row.sin()\nreturn row.cos()",
    "w = row.new_zeros(3)\nif w.sum() > 0: return row.sin()\nreturn row.cos()",
    "match (row.sum() > 0).item():\n    case True: return row.sin()\n    case _: return row",
    's = f"{row.sum():.2f}"\nreturn row * len(s)',
    's = f"{row}"\nreturn row.sin()',
    "return row.sin() if 1.0 in row else row",
    "a = sorted([row[0], row[1]])\nreturn a[0]",
    "return row * any([row[0] > 0, row[1] > 0])",
    "return row.repeat_interleave(row.abs().long() + 1).sum()",
    "return torch.full((4,), row.sum())",
    "return torch.arange(row.abs().max()).sum()",
    "return torch.tensor([row[0], row[1]])",
    "return row.clamp(min=row.mean())",
    "k = row.argmax()\nreturn row[:k].sum()",
    "a, b = row.chunk(2)\nreturn a + b",
    "return row.topk(2).values.sum()",
    "return math.sqrt(row.square().sum()) * row",
    "y = row.clone()\ny[row > 0] = 0.0\nreturn y",
    "return row.sin()",
]

# --- bodies of functions of a batch `x` that map themselves ----------------------------------------------------------
BATCHES = [
    "return torch.vmap(lambda row: row.sin() if row.sum() > 0 else row.cos())(x)",
    "return torch.vmap(lambda row: torch.where(row.sum() > 0, row.sin(), row.cos()))(x)",
    "return torch.vmap(lambda row: row * row.sum().item())(x)",
    "return torch.vmap(lambda row: row * float(row.sum()))(x)",
    "return torch.vmap(M())(x)",
    "return torch.vmap(NN)(x)",
    """\
def inner(row):
    if row.sum() > 0: return row.sin()
    return row
return vmap(inner)(x)
""",
    """\
def inner(row):
    if row.sum() > 0: return row.sin()
    return row
return fvmap(inner)(x)
""",
    """\
def inner(row):
    if row.sum() > 0: return row.sin()
    return row
return tf.vmap(inner)(x)
""",
    """\
v = torch.vmap
def inner(row):
    if row.sum() > 0: return row.sin()
    return row
return v(inner)(x)
""",
    """\
@torch.vmap
def inner(row):
    if row.sum() > 0: return row.sin()
    return row
return inner(x)
""",
    """\
@partial(torch.vmap, in_dims=(0, None))
def inner(row, w):
    if w.sum() > 0: return row.sin()
    return row
return inner(x, torch.ones(3))
""",
    """\
@partial(torch.vmap, in_dims=(0, 0))
def inner(row, w):
    if w.sum() > 0: return row.sin()
    return row
return inner(x, x)
""",
    """\
def inner(w, row):
    if w.sum() > 0: return row.sin()
    return row
return torch.vmap(partial(inner, torch.ones(3)))(x)
""",
    """\
def inner(w, row):
    if row.sum() > 0: return row.sin()
    return row
return torch.vmap(partial(inner, torch.ones(3)))(x)
""",
    """\
def inner(row, w):
    if w.sum() > 0: return row.sin()
    return row
return torch.vmap(inner, in_dims=(0, None))(x, torch.ones(3))
""",
    """\
def inner(row, w):
    if w.sum() > 0: return row.sin()
    return row
return torch.vmap(inner, (0, None))(x, torch.ones(3))
""",
    """\
dims = (0, None)
def inner(row, w):
    if w.sum() > 0: return row.sin()
    return row
return torch.vmap(inner, in_dims=dims)(x, torch.ones(3))
""",
    """\
def inner(row, w=None):
    if w.sum() > 0: return row.sin()
    return row
return torch.vmap(inner)(x, w=x)
""",
    """\
def inner(row):
    s = row.sum()
    if s > 0: return s
    return s * 2
return torch.vmap(grad(inner))(x)
""",
    """\
def inner(row):
    s = row.sin().sum()
    return s * 2
return torch.vmap(grad(inner))(x)
""",
    """\
def inner(row, w):
    if w is None: return row.sin()
    return row * w
return torch.vmap(inner, in_dims=(0, None))(x, None)
""",
    """\
def inner(row):
    if row.sum() > 0: return row.sin()
    return row.cos()
return tf.jacrev(inner)(x)
""",
    """\
def inner(row):
    if row.sum() > 0: return row.sin()
    return row.cos()
return tf.jacfwd(inner)(x)
""",
    """\
def inner(row):
    s = row.square().sum()
    if s > 0: return s
    return s.cos()
return tf.hessian(inner)(x)
""",
    """\
def inner(row):
    return row.sin().sum()
return tf.jacfwd(inner)(x)
""",
    """\
def inner(row):
    if row.sum() > 0: return row.sin()
    return row.cos()
return torch.vmap(inner, chunk_size=2)(x)
""",
    """\
def inner(d):
    if d["a"].sum() > 0: return d["a"].sin()
    return d["a"].cos()
return torch.vmap(inner)({"a": x})
""",
    """\
class K:
    def go(self, row):
        if row.sum() > 0: return row.sin()
        return row
return torch.vmap(K().go)(x)
""",
    """\
m = nn.Linear(4, 4)
def f(p, row):
    y = torch.func.functional_call(m, p, (row,))
    if y.sum() > 0: return y
    return y * 2
return torch.vmap(f, in_dims=(None, 0))(dict(m.named_parameters()), x)
""",
    """\
def deep(r):
    if r.sum() > 0: return r.sin()
    return r
def inner(row): return deep(row) * 2
return torch.vmap(inner)(x)
""",
    """\
def deep(r, w):
    if w.sum() > 0: return r.sin()
    return r
return torch.vmap(lambda row: deep(row, torch.ones(2)))(x)
""",
    """\
def inner(row):
    if row.sum() > 0: return row.sin()
    return row
f = torch.vmap(inner)
return f(x)
""",
    """\
def deco(f):
    @wraps(f)
    def w(*a): return f(*a)
    return w
@deco
def inner(row):
    if row.sum() > 0: return row.sin()
    return row
return torch.vmap(inner)(x)
""",
    "return torch.vmap(lambda r: F.dropout(r, 0.5))(x)",
    'return torch.vmap(lambda r: F.dropout(r, 0.5), randomness="different")(x)',
    "return torch.vmap(lambda r: F.dropout(r, 0.5, training=False))(x)",
    "return torch.vmap(nn.Dropout(0.5).eval())(x)",
    "return torch.vmap(lambda r: r + torch.randn(4))(x)",
]


def _program() -> Iterator[tuple[str, str]]:
    """Each form's name and source."""
    for number, body in enumerate(ROWS):
        lines = indented(body, 8)
        yield f"row_{number}", f"    def inner(row):\n{lines}\n    return torch.vmap(inner)(x)\n"
    for number, body in enumerate(BATCHES):
        yield f"batch_{number}", indented(body)


FORMS = {name: f"\n\ndef {name}(x: Tensor):\n{body}" for name, body in _program()}
SOURCE = HEAD_OF_MAPS + "".join(FORMS.values())


def test_what_vmap_refuses_is_reported() -> None:
    found = set(reported(SOURCE, "TBR312")) - {"M"}
    refused = set()
    with loaded(SOURCE) as module:
        for name in FORMS:
            outcome = observe(getattr(module, name), torch.linspace(-1.0, 2.0, 12).reshape(3, 4))
            if outcome.error is not None and "M()" not in FORMS[name]:
                refused.add(name)
    assert 0 < len(refused) < len(FORMS)
    assert {name: FORMS[name] for name in sorted(found ^ refused)} == {}
