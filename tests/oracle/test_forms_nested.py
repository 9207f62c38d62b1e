"""TBR312: nested `in_dims`, layers that draw, writes into what is not mapped: reported if, and only if, vmap raises."""

from __future__ import annotations

import pytest

from tests.oracle.agree import HEAD, reported
from tests.oracle.support import indented, loaded, observe, require_torch

torch = require_torch()
pytestmark = pytest.mark.oracle

HEAD_OF_MAPS = (
    HEAD
    + """
from torch import vmap
from torch.func import grad

W = torch.ones(4)


def fill(out: Tensor, v: Tensor) -> Tensor:
    out[0] = v
    return out


class Dropped(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.drop = nn.Dropout(0.5)

    def forward(self, row: Tensor) -> Tensor:
        return self.drop(row)
"""
)
# --- of nested arguments: which parts of them are mapped over ----------------------------------
NESTED = [
    "def f(d): return d['a'].sin() if d['b'].sum() > 0 else d['a']\n"
    "return vmap(f, in_dims=({'a': 0, 'b': None},))({'a': x, 'b': W})",
    "def f(d): return d['a'].sin() if d['a'].sum() > 0 else d['a']\n"
    "return vmap(f, in_dims=({'a': 0, 'b': None},))({'a': x, 'b': W})",
    "def f(d): return d['a'].sin() if d['b'].sum() > 0 else d['a']\n"
    "return vmap(f, in_dims=({'a': 0, 'b': 0},))({'a': x, 'b': x})",
    "def f(d): return d['a'].sin() if d['b'].sum() > 0 else d['a']\nreturn vmap(f)({'a': x, 'b': x})",
    "def f(p): return p[0].sin() if p[1].sum() > 0 else p[0]\nreturn vmap(f, in_dims=((0, None),))((x, W))",
    "def f(p): return p[0].sin() if p[0].sum() > 0 else p[0]\nreturn vmap(f, in_dims=((0, None),))((x, W))",
    "def f(p):\n    a, b = p\n    return a.sin() if b.sum() > 0 else a\nreturn vmap(f, in_dims=((0, None),))((x, W))",
    "def f(p):\n    a, b = p\n    return a.sin() if a.sum() > 0 else a\nreturn vmap(f, in_dims=((0, None),))((x, W))",
    "def f(p, q): return p[0].sin() if q.sum() > 0 else p[0]\nreturn vmap(f, in_dims=((0, None), None))((x, W), W)",
    "def f(p, q): return p[0].sin() if q.sum() > 0 else p[0]\nreturn vmap(f, in_dims=((0, None), 0))((x, W), x)",
    "def f(p, q): return p[0] + q if p[1].sum() > 0 else p[0] * q\nreturn vmap(f, in_dims=(None, 0))((W, W), x)",
    "def f(p, q): return p[0] + q if p[1].sum() > 0 else p[0] * q\n"
    "return vmap(f, in_dims=((None, None), 0))((W, W), x)",
    "def f(p, row):\n    y = row * p['w']\n    return y.sin() if p['w'].sum() > 0 else y\n"
    "return vmap(f, in_dims=({'w': None}, 0))({'w': W}, x)",
    "def f(p, row):\n    y = row * p['w']\n    return y.sin() if y.sum() > 0 else y\n"
    "return vmap(f, in_dims=({'w': None}, 0))({'w': W}, x)",
    "def f(row): return row.sin() if row.sum() > 0 else row\nreturn vmap(f, in_dims=-1, out_dims=-1)(x)",
    "def f(row, w): return row.sin() if w.sum() > 0 else row\nreturn vmap(f, in_dims=tuple([0, None]))(x, W)",
    # sizes of what is mapped are no values of it
    "def f(row): return row.sin() if torch.zeros(row.shape[0]).sum() > 0 else row\nreturn vmap(f)(x)",
    "def f(row): return row.sin() if torch.ones(len(row), dtype=row.dtype).sum() > 2 else row\nreturn vmap(f)(x)",
    "def f(row): return row.sin() if torch.ones(row.size(0)).sum() > row.sum() else row\nreturn vmap(f)(x)",
]
# --- of layers that draw --------------------------------------------------------------------------------------------
DRAWN = [
    "return vmap(nn.Dropout(0.5))(x)",
    'return vmap(nn.Dropout(0.5), randomness="same")(x)',
    "drop = nn.Dropout(0.5)\nreturn vmap(drop)(x)",
    "drop = nn.Dropout(0.5)\nreturn vmap(lambda row: drop(row))(x)",
    'drop = nn.Dropout(0.5)\nreturn vmap(lambda row: drop(row), randomness="different")(x)',
    "return vmap(nn.Dropout(0.0))(x)",
    "return vmap(nn.Dropout(p=0))(x)",
    "return vmap(nn.Sequential(nn.Linear(4, 4), nn.Dropout(0.5)))(x)",
    "return vmap(nn.Sequential(nn.Linear(4, 4), nn.ReLU()))(x)",
    "return vmap(nn.AlphaDropout(0.5))(x)",
    "return vmap(nn.Linear(4, 4))(x)",
]
EVALUATED = [
    "return vmap(nn.Dropout(0.5).eval())(x)",
    "drop = nn.Dropout(0.5).eval()\nreturn vmap(drop)(x)",
    "chain = nn.Sequential(nn.Linear(4, 4), nn.Dropout(0.5))\nchain.eval()\nreturn vmap(chain)(x)",
    "m = Dropped().eval()\nreturn vmap(m)(x)",
    "drop = nn.Dropout(0.3)\ndrop.train(False)\nreturn vmap(lambda row: drop(row))(x)",
    "drop = nn.Dropout(0.3)\ndrop.train(False)\nreturn vmap(nn.Dropout(0.5))(x)",
]
# --- bodies of functions of one `row`: what they write into ----------------------------------------------------------
WRITTEN = [
    "out = torch.zeros(4)\nout.add_(row)\nreturn out.sin()",
    "out = torch.zeros(4)\nout[0] = row.sum()\nreturn out.sin()",
    "out = torch.zeros(4)\nout += row\nreturn out.sin()",
    "out = torch.zeros(row.shape)\nout[0] = row[0]\nreturn out",
    "out = torch.zeros(4, dtype=row.dtype, device=row.device)\nout[0] = row[0]\nreturn out",
    "out = torch.zeros(row.size(0))\nout[:2].add_(row[:2])\nreturn out",
    "out = torch.zeros(4)\nout.copy_(row)\nreturn out",
    "out = torch.zeros(4)\nout.fill_(row.sum())\nreturn out",
    "out = torch.zeros(4)\nout.clamp_(max=row.sum())\nreturn out",
    "out = torch.zeros(4)\nout.data[0] = row.sum()\nreturn out",
    "out = torch.zeros(4)\ny = out.view(2, 2)\ny[0] = row[:2]\nreturn out",
    "out = torch.zeros(4)\ntorch.Tensor.add_(out, row)\nreturn out",
    "out = torch.zeros(4)\nout[row.long().abs() % 4] = 1.0\nreturn out",
    "out = torch.zeros(4).scatter_(0, torch.tensor([1]), row[:1])\nreturn out",
    "return torch.zeros(4).index_add_(0, torch.tensor([1]), row[:1])",
    "out = W.clone()\nout -= row\nreturn out",
    "t = torch.zeros(())\nfor i in range(4):\n    t += row[i]\nreturn t",
    "out = torch.empty(4)\ntorch.sin(row, out=out)\nreturn out",
    "out = torch.empty_like(row)\ntorch.sin(row, out=out)\nreturn out",
    "return fill(torch.zeros(4), row.sum())",
    "W.add_(row)\nreturn row",
    "out = torch.zeros_like(row)\nout += row\nreturn out.sin()",
    "out = torch.zeros_like(row)\nout[0] = row.sum()\nreturn out.sin()",
    "out = row.new_zeros(4)\nout[1:] = row[1:]\nreturn out.sin()",
    "out = torch.zeros(4)\nout[0] = 1.0\nreturn out * row",
    "out = torch.zeros(4)\nout.mul_(2)\nreturn out * row",
    "out = torch.zeros(4)\nF.relu_(out)\nreturn out + row",
    "out = torch.zeros(4)\nout[0] = row.shape[0]\nreturn out * row",
    "out = torch.eye(4)\nout = out * row\nout[0] = row\nreturn out",
    "out = torch.zeros(4)\nout = out + row\nreturn out",
    "t = 0\nt += row.sum()\nreturn t",
    "t = 0.0\nfor i in range(4):\n    t += row[i]\nreturn t",
    "outs = []\nouts.append(row)\nreturn torch.stack(outs)",
    "kept = {}\nkept['a'] = row\nreturn kept['a']",
    "row.add_(1)\nreturn row.sin()",
    "y = row.clone()\ny[0] = row.sum()\nreturn y",
    "return fill(torch.zeros_like(row), row.sum())",
    "return torch.zeros(4).index_add(0, torch.tensor([1]), row[:1])",
    "out = torch.zeros(4)\nwith torch.no_grad():\n    out[1] = 2.0\nreturn (out * row).sum()",
]


BODIES = [*NESTED, *DRAWN, *EVALUATED, "return vmap(Dropped())(x)"]
BODIES += [f"def f(row):\n{indented(body)}return vmap(f)(x)" for body in WRITTEN]


@pytest.mark.parametrize("body", BODIES)
def test_what_vmap_refuses(body: str) -> None:
    source = f"{HEAD_OF_MAPS}\n\ndef form(x: Tensor):\n{indented(body)}"
    with loaded(source) as module:
        outcome = observe(module.form, torch.linspace(-1.0, 2.0, 12).reshape(3, 4))
    assert bool(reported(source, "TBR312")) is (outcome.error is not None)
