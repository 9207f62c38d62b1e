"""TBR204: draws in regions that do not restore the random state: reported if, and only if, gradients change."""

from __future__ import annotations

import pytest

from tests.oracle.agree import HEAD, agree, require_torch

require_torch()
pytestmark = pytest.mark.oracle

FORMS = (
    HEAD
    + """
import logging
from torch.utils.checkpoint import checkpoint_sequential
LOGGER = logging.getLogger("forms")
from torch.nn.functional import scaled_dot_product_attention as SDPA
class Dropping(nn.Module):
    def __init__(self, p=0.5):
        super().__init__()
        self.l = nn.Linear(4, 4)
        self.d = nn.Dropout(p)
    def forward(self, h): return self.d(self.l(h)).tanh()
NET = Dropping()
EVAL = Dropping().eval()
PLAIN = nn.Sequential(nn.Linear(4, 4), nn.Tanh())
KEEP = False
def helper(f, x, keep=True): return checkpoint(f, x, use_reentrant=False, preserve_rng_state=keep)
class Holder(nn.Module):
    def __init__(self, keep=False):
        super().__init__()
        self.net = Dropping()
        self.keep = keep
    def forward(self, x): return checkpoint(self.net, x, use_reentrant=False, preserve_rng_state=self.keep)
HOLDER = Holder()
class HolderOk(nn.Module):
    def __init__(self, keep=True):
        super().__init__()
        self.net = Dropping()
        self.keep = keep
    def forward(self, x): return checkpoint(self.net, x, use_reentrant=False, preserve_rng_state=self.keep)
HOLDEROK = HolderOk()
def r_direct(x):
    return checkpoint(NET, x, use_reentrant=False, preserve_rng_state=False)
def r_true(x):
    return checkpoint(NET, x, use_reentrant=False, preserve_rng_state=True)
def r_eval(x):
    return checkpoint(EVAL, x, use_reentrant=False, preserve_rng_state=False)
def r_plain(x):
    return checkpoint(PLAIN, x, use_reentrant=False, preserve_rng_state=False)
def r_opts_local(x):
    o = dict(use_reentrant=False, preserve_rng_state=False)
    return checkpoint(NET, x, **o)
def r_name(x):
    return checkpoint(NET, x, use_reentrant=False, preserve_rng_state=KEEP)
def r_not(x):
    return checkpoint(NET, x, use_reentrant=False, preserve_rng_state=not True)
def r_holder(x):
    return HOLDER(x)
def r_holderok(x):
    return HOLDEROK(x)
def r_fun(x):
    return checkpoint(lambda h: F.dropout(A(h), 0.5).tanh(), x, use_reentrant=False, preserve_rng_state=False)
def r_fun_off(x):
    return checkpoint(
        lambda h: F.dropout(A(h), 0.5, training=False).tanh(),
        x, use_reentrant=False, preserve_rng_state=False)
def r_rand(x):
    return checkpoint(lambda h: (A(h) * torch.rand(4)).tanh(), x, use_reentrant=False, preserve_rng_state=False)
def r_rand_gen(x):
    def region(h):
        g = torch.Generator().manual_seed(1)
        return (A(h) * torch.rand(4, generator=g)).tanh()
    return checkpoint(region, x, use_reentrant=False, preserve_rng_state=False)
def r_seeded(x):
    def region(h):
        torch.manual_seed(3)
        return (A(h) * torch.rand(4)).tanh()
    return checkpoint(region, x, use_reentrant=False, preserve_rng_state=False)
def r_fork(x):
    def region(h):
        with torch.random.fork_rng():
            torch.manual_seed(3)
            return (A(h) * torch.rand(4)).tanh()
    return checkpoint(region, x, use_reentrant=False, preserve_rng_state=False)
def r_end(x):
    return checkpoint(lambda h: A(h).tanh() + torch.rand(4), x, use_reentrant=False, preserve_rng_state=False)
def r_unused(x):
    def region(h):
        torch.rand(4)
        return A(h).tanh()
    return checkpoint(region, x, use_reentrant=False, preserve_rng_state=False)
def r_re(x):
    return checkpoint(NET, x, use_reentrant=True, preserve_rng_state=False)
def r_seq_last(x):
    return checkpoint_sequential(nn.Sequential(PLAIN, NET), 2, x, use_reentrant=False, preserve_rng_state=False)
def r_method(x):
    return checkpoint(NET.forward, x, use_reentrant=False, preserve_rng_state=False)
def r_lambda(x):
    return checkpoint(lambda h: NET(h), x, use_reentrant=False, preserve_rng_state=False)
def r_before(x):
    return checkpoint(lambda h, m: (A(h) * m).tanh(), x, torch.rand(4), use_reentrant=False, preserve_rng_state=False)
def r_randn_like(x):
    return checkpoint(lambda h: (A(h) + torch.randn_like(h)).tanh(), x, use_reentrant=False, preserve_rng_state=False)
def r_normal_(x):
    return checkpoint(
        lambda h: (A(h) + torch.empty(4).normal_()).tanh(),
        x, use_reentrant=False, preserve_rng_state=False)
def r_bern(x):
    return checkpoint(
        lambda h: (A(h) * torch.bernoulli(torch.full((4,), 0.5))).tanh(),
        x, use_reentrant=False, preserve_rng_state=False)
def r_perm(x):
    return checkpoint(lambda h: A(h)[:, torch.randperm(4)].tanh(), x, use_reentrant=False, preserve_rng_state=False)
def r_gumbel(x):
    return checkpoint(lambda h: F.gumbel_softmax(A(h)), x, use_reentrant=False, preserve_rng_state=False)
def r_attn(x):
    return checkpoint(
        lambda h: SDPA(A(h)[None], h[None], h[None], dropout_p=0.5)[0],
        x, use_reentrant=False, preserve_rng_state=False)
def r_attn_off(x):
    return checkpoint(
        lambda h: SDPA(A(h)[None], h[None], h[None])[0],
        x, use_reentrant=False, preserve_rng_state=False)
def r_sample(x):
    return checkpoint(
        lambda h: (A(h) + torch.distributions.Normal(0.0, 1.0).sample((4,))).tanh(),
        x, use_reentrant=False, preserve_rng_state=False)
def r_sample_n(x):
    return checkpoint(
        lambda h: (A(h) + torch.distributions.Normal(0.0, 1.0).sample_n(4)).tanh(),
        x, use_reentrant=False, preserve_rng_state=False)
def r_told(x):
    def region(h):
        k = torch.rand(())
        LOGGER.debug("%s", k)
        return A(h).tanh()
    return checkpoint(region, x, use_reentrant=False, preserve_rng_state=False)
def r_told_error(x):
    def region(h):
        k = torch.rand(())
        LOGGER.error("%s", k)
        return A(h).tanh()
    return checkpoint(region, x, use_reentrant=False, preserve_rng_state=False)
def r_told_exception(x):
    def region(h):
        k = torch.rand(())
        LOGGER.exception("%s", k)
        return A(h).tanh()
    return checkpoint(region, x, use_reentrant=False, preserve_rng_state=False)
def r_told_and_used(x):
    def region(h):
        k = torch.rand(())
        LOGGER.error("%s", k)
        return (A(h) * k).tanh()
    return checkpoint(region, x, use_reentrant=False, preserve_rng_state=False)
def r_init(x):
    def region(h):
        w = torch.empty(4, 4)
        nn.init.normal_(w)
        return (A(h) @ w).tanh()
    return checkpoint(region, x, use_reentrant=False, preserve_rng_state=False)
"""
)


@pytest.mark.filterwarnings("ignore:.*sample_n:FutureWarning")
def test_draws_that_are_not_replayed_are_reported() -> None:
    agree(FORMS, "TBR204")
