"""TBR203: draws that enter a result, and draws that go nowhere: reported if, and only if, the gradients change."""

from __future__ import annotations

import pytest

from tests.oracle.agree import HEAD, agree, require_torch

require_torch()
pytestmark = pytest.mark.oracle

FORMS = (
    HEAD
    + """
import numpy as np
def r_factor(x): return checkpoint(lambda h: A(h).tanh() * random.random(), x, use_reentrant=False)
def r_factor_mid(x): return checkpoint(lambda h: (A(h).tanh() * random.random()).sin(), x, use_reentrant=False)
def r_detached_mid(x):
    return checkpoint(lambda h: (A(h).tanh() + (h.detach() * random.random())).sin(), x, use_reentrant=False)
def r_detached_end(x): return checkpoint(lambda h: A(h).tanh() + (h.detach() * random.random()), x, use_reentrant=False)
def r_log(x):
    def region(h):
        y = A(h).tanh()
        noise = h.detach() * random.random()
        STATE["seen"] = 1
        return y.sin()
    return checkpoint(region, x, use_reentrant=False)
def r_unused(x):
    def region(h):
        y = A(h).tanh()
        noise = y * random.random()
        return y.sin()
    return checkpoint(region, x, use_reentrant=False)
def r_unused_det(x):
    def region(h):
        y = A(h).tanh()
        noise = (y * random.random()).detach()
        return y.sin()
    return checkpoint(region, x, use_reentrant=False)
def r_det_factor(x):
    def region(h):
        y = A(h).tanh()
        return (y * (h.detach() * random.random())).sin()
    return checkpoint(region, x, use_reentrant=False)
def r_det_factor_end(x):
    def region(h):
        y = A(h).tanh()
        return y * (h.detach() * random.random())
    return checkpoint(region, x, use_reentrant=False)
def r_nograd(x):
    def region(h):
        y = A(h).tanh()
        with torch.no_grad():
            z = y * random.random()
        return (y + z).sin()
    return checkpoint(region, x, use_reentrant=False)
def r_nograd_unused(x):
    def region(h):
        y = A(h).tanh()
        with torch.no_grad():
            z = y * random.random()
        return y.sin()
    return checkpoint(region, x, use_reentrant=False)
def r_nograd_log(x):
    def region(h):
        y = A(h).tanh()
        with torch.no_grad():
            z = (y * random.random()).mean().item()
        print(end="")
        return y.sin()
    return checkpoint(region, x, use_reentrant=False)
def r_add(x): return checkpoint(lambda h: A(h) + random.random(), x, use_reentrant=False)
def r_add_mid(x): return checkpoint(lambda h: (A(h) + random.random()).tanh(), x, use_reentrant=False)
def r_add_end(x): return checkpoint(lambda h: A(h).tanh() + random.random(), x, use_reentrant=False)
def r_mul_lin(x): return checkpoint(lambda h: B(A(h) * random.random()), x, use_reentrant=False)
def r_re_add_end(x): return checkpoint(lambda h: A(h).tanh() + random.random(), x, use_reentrant=True)
def r_re_mul_end(x): return checkpoint(lambda h: A(h).tanh() * random.random(), x, use_reentrant=True)
def r_np(x): return checkpoint(lambda h: (A(h) * float(np.random.rand())).tanh(), x, use_reentrant=False)
def r_tensor(x): return checkpoint(lambda h: (A(h) * torch.tensor(random.random())).tanh(), x, use_reentrant=False)
def r_tensor_end(x): return checkpoint(lambda h: A(h).tanh() * torch.tensor(random.random()), x, use_reentrant=False)
def r_detach_all(x):
    return checkpoint(lambda h: A(h).tanh() + (A(h) * random.random()).detach(), x, use_reentrant=False)
def r_detach_all_mid(x):
    return checkpoint(lambda h: B(A(h).tanh() + (A(h) * random.random()).detach()), x, use_reentrant=False)
def r_st(x):
    def region(h):
        y = A(h)
        noisy = y + random.random()
        return (y + (noisy - y).detach())
    return checkpoint(region, x, use_reentrant=False)
def r_st_mid(x):
    def region(h):
        y = A(h)
        noisy = y + random.random()
        return (y + (noisy - y).detach()).tanh()
    return checkpoint(region, x, use_reentrant=False)
def r_list(x):
    def region(h):
        STATE.setdefault("noise", [])
        n = [random.random() for _ in range(2)]
        return A(h).tanh()
    return checkpoint(region, x, use_reentrant=False)
def r_index(x): return checkpoint(lambda h: A(h)[:, [random.randrange(4)]].tanh(), x, use_reentrant=False)
def r_before(x):
    f = random.random()
    return checkpoint(lambda h: (A(h) * f).tanh(), x, use_reentrant=False)
def r_arg(x): return checkpoint(lambda h, f: (A(h) * f).tanh(), x, random.random(), use_reentrant=False)
def r_default(x): return checkpoint(lambda h, f=random.random(): (A(h) * f).tanh(), x, use_reentrant=False)
def r_seeded(x):
    def region(h):
        random.seed(0)
        return (A(h) * random.random()).tanh()
    return checkpoint(region, x, use_reentrant=False)
def r_gen(x):
    g = torch.Generator().manual_seed(0)
    return checkpoint(lambda h: (A(h) * torch.rand(4, generator=g)).tanh(), x, use_reentrant=False)
def r_gen_in(x):
    def region(h):
        g = torch.Generator().manual_seed(0)
        return (A(h) * torch.rand(4, generator=g)).tanh()
    return checkpoint(region, x, use_reentrant=False)
def r_torch(x): return checkpoint(lambda h: (A(h) * torch.rand(4)).tanh(), x, use_reentrant=False)
def r_len(x): return checkpoint(lambda h: A(h).tanh() if len(str(random.random())) > 0 else h, x, use_reentrant=False)
def _noise(): return random.random()
def r_helper(x): return checkpoint(lambda h: (A(h) * _noise()).tanh(), x, use_reentrant=False)
def r_partial(x):
    draw = functools.partial(random.uniform, 0.5, 1.5)
    return checkpoint(lambda h: (A(h) * draw()).tanh(), x, use_reentrant=False)
RNG = random.Random(0)
def r_rng(x): return checkpoint(lambda h: (A(h) * RNG.random()).tanh(), x, use_reentrant=False)
NRNG = np.random.default_rng(0)
def r_nrng(x): return checkpoint(lambda h: (A(h) * float(NRNG.random())).tanh(), x, use_reentrant=False)
from random import random as rnd
def r_from(x): return checkpoint(lambda h: (A(h) * rnd()).tanh(), x, use_reentrant=False)
def r_method(x): return DRAWS(x)
class Draws(nn.Module):
    def run(self, h): return (A(h) * self.noise()).tanh()
    def noise(self): return random.random()
    def forward(self, x): return checkpoint(self.run, x, use_reentrant=False)
DRAWS = Draws()

def r_unused_chain(x):
    def region(h):
        y = A(h).tanh()
        noise = y * random.random()
        more = noise + 1
        print(more.mean().item(), end="")
        return y.sin()
    return checkpoint(region, x, use_reentrant=False)
def r_used_chain(x):
    def region(h):
        y = A(h).tanh()
        noise = y * random.random()
        more = noise + 1
        return (y * more).sin()
    return checkpoint(region, x, use_reentrant=False)
def r_used_inplace(x):
    def region(h):
        y = A(h).sin() + 1
        noise = y * random.random()
        y += noise
        return y.sin()
    return checkpoint(region, x, use_reentrant=False)
def r_used_nested(x):
    def region(h):
        y = A(h).tanh()
        noise = y * random.random()
        return (lambda v: v * noise)(y).sin()
    return checkpoint(region, x, use_reentrant=False)
def r_used_list(x):
    def region(h):
        y = A(h).tanh()
        parts = [y]
        noise = y * random.random()
        parts.append(noise)
        return torch.stack(parts).sin().sum(0)
    return checkpoint(region, x, use_reentrant=False)
"""
)


def test_draws_that_change_the_gradients_are_reported() -> None:
    agree(FORMS, "TBR203")
