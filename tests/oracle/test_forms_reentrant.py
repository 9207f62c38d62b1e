"""TBR503 and TBR510: partial backwards and autograd inside of a reentrant checkpoint, by any spelling, on torch."""

from __future__ import annotations

import pytest

from tests.oracle.agree import HEAD, differs, functions, reported, require_torch, trainers

require_torch()
pytestmark = pytest.mark.oracle

PARTS = (
    HEAD
    + """
from contextlib import ExitStack, contextmanager, nullcontext
from functools import partial

from torch.autograd import grad

RE = {"use_reentrant": True}


def plain(h: Tensor) -> Tensor:
    return A(h).sin()


def run(h: Tensor) -> Tensor:
    return checkpoint(plain, h, use_reentrant=True)


def run_non(h: Tensor) -> Tensor:
    return checkpoint(plain, h, use_reentrant=False)


def gradient(y: Tensor, x: Tensor) -> Tensor:
    return torch.autograd.grad(y.sum(), x, create_graph=True)[0]


def tap(h: Tensor) -> Tensor:
    h.register_hook(lambda g: g)
    return h


class Force(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(4, 4)

    def energy(self, x):
        return checkpoint(self.layer, x, use_reentrant=True).sin()

    def forward(self, x):
        e = self.energy(x)
        return torch.autograd.grad(e.sum(), x, create_graph=True)[0] + e


class Calm(Force):
    def energy(self, x):
        return checkpoint(self.layer, x, use_reentrant=False).sin()


FORCE, CALM = Force(), Calm()
"""
)
PARTIAL = {
    "g": (
        "y = checkpoint(plain, x, use_reentrant=True)\n"
        "f, = torch.autograd.grad(y.sum(), x, create_graph=True)\n"
        "return y * f"
    ),
    "g_non": (
        "y = checkpoint(plain, x, use_reentrant=False)\n"
        "f, = torch.autograd.grad(y.sum(), x, create_graph=True)\n"
        "return y * f"
    ),
    "g_from": "y = checkpoint(plain, x, use_reentrant=True)\nf, = grad(y.sum(), x, create_graph=True)\nreturn y * f",
    "g_alias": (
        "y = checkpoint(plain, x, use_reentrant=True)\n"
        "back = torch.autograd.grad\n"
        "f, = back(y.sum(), x, create_graph=True)\n"
        "return y * f"
    ),
    "g_partial": (
        "y = checkpoint(plain, x, use_reentrant=True)\n"
        "back = partial(torch.autograd.grad, create_graph=True)\n"
        "f, = back(y.sum(), x)\n"
        "return y * f"
    ),
    "g_helper": "y = checkpoint(plain, x, use_reentrant=True)\nreturn y * gradient(y, x)",
    "g_helper_non": "y = checkpoint(plain, x, use_reentrant=False)\nreturn y * gradient(y, x)",
    "g_helper_both": "y = run(x)\nreturn y * gradient(y, x)",
    "g_lambda": (
        "force = lambda e: torch.autograd.grad(e.sum(), x, create_graph=True)[0]\n"
        "y = checkpoint(plain, x, use_reentrant=True)\n"
        "return y * force(y)"
    ),
    "g_kw": (
        "y = checkpoint(plain, x, use_reentrant=True)\n"
        "f, = torch.autograd.grad(outputs=y.sum(), inputs=x, create_graph=True)\n"
        "return y * f"
    ),
    "g_list": (
        "y = checkpoint(plain, x, use_reentrant=True)\n"
        "f = torch.autograd.grad([y.sum()], [x], create_graph=True)\n"
        "return y * f[0]"
    ),
    "g_options": (
        "y = checkpoint(plain, x, **RE)\nf, = torch.autograd.grad(y.sum(), x, create_graph=True)\nreturn y * f"
    ),
    "g_ckpt_partial": (
        "again = partial(checkpoint, use_reentrant=True)\n"
        "y = again(plain, x)\n"
        "f, = torch.autograd.grad(y.sum(), x, create_graph=True)\n"
        "return y * f"
    ),
    "g_try": (
        "y = checkpoint(plain, x, use_reentrant=True)\n"
        "try:\n"
        "    f, = torch.autograd.grad(y.sum(), x, create_graph=True)\n"
        "finally:\n"
        "    pass\n"
        "return y * f"
    ),
    "g_enable": (
        "with torch.enable_grad():\n"
        "    y = checkpoint(plain, x, use_reentrant=True)\n"
        "    f, = torch.autograd.grad(y.sum(), x, create_graph=True)\n"
        "return y * f"
    ),
    "g_later": (
        "y = checkpoint(plain, x, use_reentrant=True)\n"
        "z = B(y)\n"
        "f, = torch.autograd.grad(z.sum(), x, create_graph=True)\n"
        "return z * f"
    ),
    "g_out": (
        "y = checkpoint(plain, x, use_reentrant=True)\n"
        "z = B(y).sin()\n"
        "f, = torch.autograd.grad(z.sum(), y, create_graph=True)\n"
        "return y * f"
    ),
    "g_before": (
        "y = A(x).sin()\n"
        "f, = torch.autograd.grad(y.sum(), x, create_graph=True)\n"
        "z = checkpoint(plain, y, use_reentrant=True)\n"
        "return z * f"
    ),
    "g_none": "y = checkpoint(plain, x, use_reentrant=True)\nreturn y",
    "b_inputs": (
        "y = checkpoint(plain, x, use_reentrant=True)\n"
        "y.sum().backward(inputs=[A.weight], retain_graph=True)\n"
        "return y * 1"
    ),
    "b_inputs_kw": (
        "y = checkpoint(plain, x, use_reentrant=True)\n"
        "torch.autograd.backward(y.sum(), inputs=[A.weight], retain_graph=True)\n"
        "return y * 1"
    ),
    "b_full": "y = checkpoint(plain, x, use_reentrant=True)\ny.sum().backward(retain_graph=True)\nreturn y * 1",
    "jac": (
        "j = torch.autograd.functional.jacobian(lambda h: checkpoint(plain, h, use_reentrant=True).sum(0), x)\n"
        "return x * j.sum()"
    ),
    "vjp": (
        "y, f = torch.autograd.functional.vjp(lambda h: checkpoint(plain, h, use_reentrant=True).sum(), x)\n"
        "return x * f"
    ),
    "method": "return FORCE(x)",
    "method_non": "return CALM(x)",
    "loop": (
        "y = x\n"
        "for _ in range(2):\n"
        "    y = checkpoint(plain, y, use_reentrant=True)\n"
        "f, = torch.autograd.grad(y.sum(), x, create_graph=True)\n"
        "return y * f"
    ),
    "cond": (
        "y = checkpoint(plain, x, use_reentrant=True) if x.shape[0] == 3 else plain(x)\n"
        "f, = torch.autograd.grad(y.sum(), x, create_graph=True)\n"
        "return y * f"
    ),
    "listed": (
        "ys = [checkpoint(plain, x, use_reentrant=True)]\n"
        "f, = torch.autograd.grad(sum(v.sum() for v in ys), x, create_graph=True)\n"
        "return ys[0] * f"
    ),
    "nodetach": (
        "y = checkpoint(plain, x, use_reentrant=True)\n"
        "f, = torch.autograd.grad(plain(x).sum(), x, create_graph=True)\n"
        "return y * f"
    ),
}
INNER = {
    "hook": (
        "def r(h):\n"
        "    y = A(h)\n"
        "    y.register_hook(lambda g: g * 2)\n"
        "    return y.sin()\n"
        "return checkpoint(r, x, use_reentrant=True)"
    ),
    "hook_non": (
        "def r(h):\n"
        "    y = A(h)\n"
        "    y.register_hook(lambda g: g * 2)\n"
        "    return y.sin()\n"
        "return checkpoint(r, x, use_reentrant=False)"
    ),
    "retain": (
        "def r(h):\n    y = A(h)\n    y.retain_grad()\n    return y.sin()\nreturn checkpoint(r, x, use_reentrant=True)"
    ),
    "retain_non": (
        "def r(h):\n    y = A(h)\n    y.retain_grad()\n    return y.sin()\nreturn checkpoint(r, x, use_reentrant=False)"
    ),
    "hook_input": (
        "def r(h):\n"
        "    h.register_hook(lambda g: g)\n"
        "    return A(h).sin()\n"
        "return checkpoint(r, x, use_reentrant=True)"
    ),
    "hook_alias": (
        "def r(h):\n"
        "    y = A(h)\n"
        "    add = y.register_hook\n"
        "    add(lambda g: g)\n"
        "    return y.sin()\n"
        "return checkpoint(r, x, use_reentrant=True)"
    ),
    "hook_helper": "def r(h):\n    y = tap(A(h))\n    return y.sin()\nreturn checkpoint(r, x, use_reentrant=True)",
    "hook_weight": (
        "def r(h):\n"
        "    A.weight.register_hook(lambda g: g)\n"
        "    return A(h).sin()\n"
        "return checkpoint(r, x, use_reentrant=True)"
    ),
    "hook_if": (
        "def r(h):\n"
        "    y = A(h)\n"
        "    if y.requires_grad:\n"
        "        y.register_hook(lambda g: g * 2)\n"
        "    return y.sin()\n"
        "return checkpoint(r, x, use_reentrant=True)"
    ),
    "grad_in": (
        "def r(h):\n"
        "    y = A(h).sin()\n"
        "    f, = torch.autograd.grad(y.sum(), h, create_graph=True)\n"
        "    return y * f\n"
        "return checkpoint(r, x, use_reentrant=True)"
    ),
    "grad_in_non": (
        "def r(h):\n"
        "    y = A(h).sin()\n"
        "    f, = torch.autograd.grad(y.sum(), h, create_graph=True)\n"
        "    return y * f\n"
        "return checkpoint(r, x, use_reentrant=False)"
    ),
    "grad_alias": (
        "def r(h):\n"
        "    back = grad\n"
        "    y = A(h).sin()\n"
        "    f, = back(y.sum(), h, create_graph=True)\n"
        "    return y * f\n"
        "return checkpoint(r, x, use_reentrant=True)"
    ),
    "grad_helper": (
        "def r(h):\n    y = A(h).sin()\n    return y * gradient(y, h)\nreturn checkpoint(r, x, use_reentrant=True)"
    ),
    "grad_enabled": (
        "def r(h):\n"
        "    with torch.enable_grad():\n"
        "        h = h.detach().requires_grad_()\n"
        "        y = A(h).sin()\n"
        "        f, = torch.autograd.grad(y.sum(), h)\n"
        "    return A(h) * f.detach()\n"
        "return checkpoint(r, x, use_reentrant=True)"
    ),
    "grad_tracked": (
        "def r(h):\n"
        "    with torch.enable_grad():\n"
        "        k = h.detach().requires_grad_()\n"
        "        f, = torch.autograd.grad(A(k).sin().sum(), k)\n"
        "    return A(h) * f\n"
        "return checkpoint(r, x, use_reentrant=True)"
    ),
    "backward_in": (
        "def r(h):\n"
        "    y = A(h).sin()\n"
        "    y.sum().backward()\n"
        "    return A(h)\n"
        "return checkpoint(r, x, use_reentrant=True)"
    ),
    "func_grad": (
        "def r(h):\n"
        "    f = torch.func.grad(lambda t: A(t).sin().sum())(h)\n"
        "    return A(h) * f.detach()\n"
        "return checkpoint(r, x, use_reentrant=True)"
    ),
    "hook_lambda": "return checkpoint(lambda h: tap(A(h)).sin(), x, use_reentrant=True)",
    "hook_partial": "return checkpoint(partial(tap), A(x), use_reentrant=True)",
    "hook_out": "y = checkpoint(plain, x, use_reentrant=True)\ny.register_hook(lambda g: g)\nreturn y",
    "no_hook": "def r(h):\n    return A(h).sin()\nreturn checkpoint(r, x, use_reentrant=True)",
    "module_hook": (
        "def r(h):\n"
        "    handle = A.register_forward_hook(lambda m, i, o: o)\n"
        "    y = A(h)\n"
        "    handle.remove()\n"
        "    return y\n"
        "return checkpoint(r, x, use_reentrant=True)"
    ),
    "retain_input": (
        "def r(h):\n    h.retain_grad()\n    return A(h).sin()\nreturn checkpoint(r, B(x), use_reentrant=True)"
    ),
}
TABLES = {"TBR503": PARTIAL, "TBR510": INNER}
ELSEWHERE = {
    "method": ("Force",),
    "g_helper_both": ("run",),
    "hook_helper": ("tap",),
    "hook_lambda": ("tap",),
    "grad_helper": ("gradient",),
}
"""Forms whose report may stand in a function or class that they use."""


@pytest.mark.parametrize("code", TABLES)
def test_what_goes_wrong_is_reported(code: str) -> None:
    source = PARTS + functions(TABLES[code]) + trainers(TABLES[code])
    found = reported(source, code)
    wrong = {name for name in TABLES[code] if differs(source, name)}
    assert 5 < len(wrong) < len(TABLES[code]) - 5
    assert {n for n in TABLES[code] if n in found or any(e in found for e in ELSEWHERE.get(n, ()))} == wrong
