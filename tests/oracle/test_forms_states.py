"""TBR203: generators that a region seeds, restores or puts back, and numbers that are drawn at its end: reported if,
and only if, torch goes wrong with them.
"""

from __future__ import annotations

import pytest

from tests.oracle.agree import HEAD, agree, require_torch

torch = require_torch()
pytestmark = pytest.mark.oracle

STATES = (
    HEAD
    + """
import numpy as np
G = torch.Generator()
GSTATE = G.get_state()
R = np.random.RandomState(0)
N = np.random.default_rng(0)
PY = random.Random(0)
PYSTATE = PY.getstate()


def restored(x: Tensor) -> Tensor:
    state = random.getstate()
    def region(h: Tensor) -> Tensor:
        random.setstate(state)
        return torch.tanh(A(h)) * random.random() * torch.sin(h)
    return checkpoint(region, x, use_reentrant=False)


def kept_inside(x: Tensor) -> Tensor:
    def region(h: Tensor) -> Tensor:
        state = random.getstate()
        y = torch.sin(torch.tanh(A(h)) * random.random())
        random.setstate(state)
        return y.cos()
    return checkpoint(region, x, use_reentrant=False)


def kept_try(x: Tensor) -> Tensor:
    def region(h: Tensor) -> Tensor:
        state = random.getstate()
        try:
            y = torch.sin(torch.tanh(A(h)) * random.random())
        finally:
            random.setstate(state)
        return y.cos()
    return checkpoint(region, x, use_reentrant=False)


def kept_late(x: Tensor) -> Tensor:
    def region(h: Tensor) -> Tensor:
        state = random.getstate()
        y = torch.sin(torch.tanh(A(h)) * random.random())
        y = y.cos()
        random.setstate(state)
        return y
    return checkpoint(region, x, use_reentrant=False)


def two_draws_kept_first(x: Tensor) -> Tensor:
    def region(h: Tensor) -> Tensor:
        state = random.getstate()
        a = random.random()
        random.setstate(state)
        y = torch.sin(torch.tanh(A(h)) * a)
        return (y * random.random()).cos()
    return checkpoint(region, x, use_reentrant=False)


def numpy_kept(x: Tensor) -> Tensor:
    def region(h: Tensor) -> Tensor:
        state = np.random.get_state()
        a = np.random.rand()
        np.random.set_state(state)
        return torch.sin(torch.tanh(A(h)) * a)
    return checkpoint(region, x, use_reentrant=False)


def numpy_restored(x: Tensor) -> Tensor:
    state = np.random.get_state()
    def region(h: Tensor) -> Tensor:
        np.random.set_state(state)
        return torch.sin(torch.tanh(A(h)) * np.random.rand())
    return checkpoint(region, x, use_reentrant=False)


def numpy_plain(x: Tensor) -> Tensor:
    def region(h: Tensor) -> Tensor:
        return torch.sin(torch.tanh(A(h)) * np.random.rand())
    return checkpoint(region, x, use_reentrant=False)


def gen_kept(x: Tensor) -> Tensor:
    def region(h: Tensor) -> Tensor:
        state = G.get_state()
        a = torch.rand(4, generator=G)
        G.set_state(state)
        return torch.sin(torch.tanh(A(h)) * a)
    return checkpoint(region, x, use_reentrant=False)


def gen_restored(x: Tensor) -> Tensor:
    state = G.get_state()
    def region(h: Tensor) -> Tensor:
        G.set_state(state)
        return torch.sin(torch.tanh(A(h)) * torch.rand(4, generator=G))
    return checkpoint(region, x, use_reentrant=False)


def gen_global_state(x: Tensor) -> Tensor:
    def region(h: Tensor) -> Tensor:
        G.set_state(GSTATE)
        return torch.sin(torch.tanh(A(h)) * torch.rand(4, generator=G))
    return checkpoint(region, x, use_reentrant=False)


def gen_plain(x: Tensor) -> Tensor:
    def region(h: Tensor) -> Tensor:
        return torch.sin(torch.tanh(A(h)) * torch.rand(4, generator=G))
    return checkpoint(region, x, use_reentrant=False)


def gen_fresh_from_state(x: Tensor) -> Tensor:
    def region(h: Tensor) -> Tensor:
        g = torch.Generator()
        g.set_state(GSTATE)
        return torch.sin(torch.tanh(A(h)) * torch.rand(4, generator=g))
    return checkpoint(region, x, use_reentrant=False)


def gen_fresh(x: Tensor) -> Tensor:
    def region(h: Tensor) -> Tensor:
        g = torch.Generator()
        return torch.sin(torch.tanh(A(h)) * torch.rand(4, generator=g))
    return checkpoint(region, x, use_reentrant=False)


def fork_rng(x: Tensor) -> Tensor:
    def region(h: Tensor) -> Tensor:
        with torch.random.fork_rng():
            return torch.sin(torch.tanh(A(h)) * torch.rand(4))
    return checkpoint(region, x, use_reentrant=False, preserve_rng_state=False)


def torch_kept(x: Tensor) -> Tensor:
    def region(h: Tensor) -> Tensor:
        state = torch.get_rng_state()
        a = torch.rand(4)
        torch.set_rng_state(state)
        return torch.sin(torch.tanh(A(h)) * a)
    return checkpoint(region, x, use_reentrant=False, preserve_rng_state=False)


def end_state(x: Tensor) -> Tensor:
    def region(h: Tensor) -> Tensor:
        return torch.tanh(A(h)) * R.rand()
    return checkpoint(region, x, use_reentrant=False)


def end_generator(x: Tensor) -> Tensor:
    def region(h: Tensor) -> Tensor:
        return torch.tanh(A(h)) * N.random()
    return checkpoint(region, x, use_reentrant=False)


def end_float(x: Tensor) -> Tensor:
    def region(h: Tensor) -> Tensor:
        return torch.tanh(A(h)) * float(R.rand())
    return checkpoint(region, x, use_reentrant=False)


def end_uniform(x: Tensor) -> Tensor:
    def region(h: Tensor) -> Tensor:
        return torch.tanh(A(h)) * np.random.uniform(0.5, 1.5)
    return checkpoint(region, x, use_reentrant=False)


def end_py(x: Tensor) -> Tensor:
    def region(h: Tensor) -> Tensor:
        return torch.tanh(A(h)) * PY.random()
    return checkpoint(region, x, use_reentrant=False)


def end_array(x: Tensor) -> Tensor:
    def region(h: Tensor) -> Tensor:
        return torch.tanh(A(h)) * torch.from_numpy(R.rand(4)).float()
    return checkpoint(region, x, use_reentrant=False)


def end_state_size(x: Tensor) -> Tensor:
    def region(h: Tensor) -> Tensor:
        return torch.tanh(A(h)) * R.rand(4).tolist()[0]
    return checkpoint(region, x, use_reentrant=False)


def mid_state(x: Tensor) -> Tensor:
    def region(h: Tensor) -> Tensor:
        return torch.tanh(A(h) * R.rand())
    return checkpoint(region, x, use_reentrant=False)


def py_kept(x: Tensor) -> Tensor:
    def region(h: Tensor) -> Tensor:
        state = PY.getstate()
        a = PY.random()
        PY.setstate(state)
        return torch.sin(torch.tanh(A(h)) * a)
    return checkpoint(region, x, use_reentrant=False)


def py_restored(x: Tensor) -> Tensor:
    def region(h: Tensor) -> Tensor:
        PY.setstate(PYSTATE)
        return torch.sin(torch.tanh(A(h)) * PY.random())
    return checkpoint(region, x, use_reentrant=False)


def py_fresh(x: Tensor) -> Tensor:
    def region(h: Tensor) -> Tensor:
        return torch.sin(torch.tanh(A(h)) * random.Random(3).random())
    return checkpoint(region, x, use_reentrant=False)


class Own:
    def __init__(self) -> None: self.g = torch.Generator()
    def noise(self):
        state = self.g.get_state()
        a = torch.rand(4, generator=self.g)
        self.g.set_state(state)
        return a
    def run(self, h):
        return torch.sin(torch.tanh(A(h)) * self.noise())
OWN = Own()
def own_kept(x: Tensor) -> Tensor:
    return checkpoint(OWN.run, x, use_reentrant=False)


@contextlib.contextmanager
def seeded(seed):
    state = random.getstate()
    random.seed(seed)
    try:
        yield
    finally:
        random.setstate(state)


def by_context(x: Tensor) -> Tensor:
    def region(h: Tensor) -> Tensor:
        with seeded(3):
            a = random.random()
        return torch.sin(torch.tanh(A(h)) * a)
    return checkpoint(region, x, use_reentrant=False)


@contextlib.contextmanager
def kept_state():
    state = random.getstate()
    try:
        yield
    finally:
        random.setstate(state)


def by_kept_context(x: Tensor) -> Tensor:
    def region(h: Tensor) -> Tensor:
        with kept_state():
            a = random.random()
        return torch.sin(torch.tanh(A(h)) * a)
    return checkpoint(region, x, use_reentrant=False)


def other_state(x: Tensor) -> Tensor:
    def region(h: Tensor) -> Tensor:
        state = random.getstate()
        a = np.random.rand()
        random.setstate(state)
        return torch.sin(torch.tanh(A(h)) * a)
    return checkpoint(region, x, use_reentrant=False)


def reseed():
    random.seed(3)


def by_helper(x: Tensor) -> Tensor:
    def region(h: Tensor) -> Tensor:
        reseed()
        return torch.sin(torch.tanh(A(h)) * random.random())
    return checkpoint(region, x, use_reentrant=False)


def maybe_reseed(flag):
    if flag:
        random.seed(3)


def by_maybe(x: Tensor) -> Tensor:
    def region(h: Tensor) -> Tensor:
        maybe_reseed(STATE.get("never"))
        return torch.sin(torch.tanh(A(h)) * random.random())
    return checkpoint(region, x, use_reentrant=False)


def helper_late(x: Tensor) -> Tensor:
    def region(h: Tensor) -> Tensor:
        y = torch.sin(torch.tanh(A(h)) * random.random())
        reseed()
        return y
    return checkpoint(region, x, use_reentrant=False)


def conditional_put(x: Tensor) -> Tensor:
    def region(h: Tensor) -> Tensor:
        state = random.getstate()
        a = random.random()
        if STATE.get("never"):
            random.setstate(state)
        return torch.sin(torch.tanh(A(h)) * a)
    return checkpoint(region, x, use_reentrant=False)


def branch_kept(x: Tensor) -> Tensor:
    def region(h: Tensor) -> Tensor:
        state = random.getstate()
        a = random.random()
        random.setstate(state)
        h = torch.tanh(A(h))
        if a < 0.5:
            h = h.sin()
        return h.cos()
    return checkpoint(region, x, use_reentrant=False)


def end_named(x: Tensor) -> Tensor:
    def region(h: Tensor) -> Tensor:
        scale = N.uniform(0.5, 1.5)
        return torch.tanh(A(h)) * scale
    return checkpoint(region, x, use_reentrant=False)


def end_power(x: Tensor) -> Tensor:
    def region(h: Tensor) -> Tensor:
        return torch.sigmoid(A(h)) ** R.rand()
    return checkpoint(region, x, use_reentrant=False)
"""
)


def test_states_of_generators() -> None:
    agree(STATES, "TBR203")
