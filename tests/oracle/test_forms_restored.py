"""What a region's recompute finds as its forward did, by what stands before: reported if, and only if, it does not."""

from __future__ import annotations

import pytest

from tests.oracle.agree import HEAD, agree, forms, reported, require_torch, step
from tests.oracle.support import loaded, observe

torch = require_torch()
pytestmark = pytest.mark.oracle

# --- TBR203: generators put into a state, and what is added at the end ---------------------------------------------
DRAWS = (
    HEAD
    + """
import numpy as np
GEN = torch.Generator(); GEN.manual_seed(0)
RNG = random.Random(0)
NP = np.random.default_rng(0)
RS = np.random.RandomState(0)
KEPT = NP.bit_generator.state
G0 = torch.Generator().manual_seed(7)

def clone(x: Tensor) -> Tensor:
    def region(h: Tensor) -> Tensor:
        g = GEN.clone_state()
        return torch.tanh(A(h)) * torch.rand(4, generator=g)
    return checkpoint(region, x, use_reentrant=False)

def bitstate(x: Tensor) -> Tensor:
    def region(h: Tensor) -> Tensor:
        NP.bit_generator.state = KEPT
        return torch.sin(torch.tanh(A(h)) * float(NP.random()))
    return checkpoint(region, x, use_reentrant=False)

def bitstate_back(x: Tensor) -> Tensor:
    def region(h: Tensor) -> Tensor:
        state = NP.bit_generator.state
        r = float(NP.random())
        NP.bit_generator.state = state
        return torch.sin(torch.tanh(A(h)) * r)
    return checkpoint(region, x, use_reentrant=False)

def setstate_new(x: Tensor) -> Tensor:
    def region(h: Tensor) -> Tensor:
        np.random.set_state(np.random.RandomState(1).get_state())
        return torch.sin(torch.tanh(A(h)) * float(np.random.rand()))
    return checkpoint(region, x, use_reentrant=False)

def setstate_new_py(x: Tensor) -> Tensor:
    def region(h: Tensor) -> Tensor:
        random.setstate(random.Random(1).getstate())
        return torch.sin(torch.tanh(A(h)) * random.random())
    return checkpoint(region, x, use_reentrant=False)

def setstate_new_obj(x: Tensor) -> Tensor:
    def region(h: Tensor) -> Tensor:
        RS.set_state(np.random.RandomState(1).get_state())
        return torch.sin(torch.tanh(A(h)) * float(RS.rand()))
    return checkpoint(region, x, use_reentrant=False)

def setstate_torch(x: Tensor) -> Tensor:
    def region(h: Tensor) -> Tensor:
        GEN.set_state(torch.Generator().manual_seed(3).get_state())
        return torch.tanh(A(h)) * torch.rand(4, generator=GEN)
    return checkpoint(region, x, use_reentrant=False)

def setstate_other(x: Tensor) -> Tensor:
    def region(h: Tensor) -> Tensor:
        GEN.set_state(G0.get_state())
        return torch.tanh(A(h)) * torch.rand(4, generator=GEN)
    return checkpoint(region, x, use_reentrant=False)

def setstate_own(x: Tensor) -> Tensor:
    def region(h: Tensor) -> Tensor:
        GEN.set_state(GEN.get_state())
        return torch.tanh(A(h)) * torch.rand(4, generator=GEN)
    return checkpoint(region, x, use_reentrant=False)

def setstate_new_unseeded(x: Tensor) -> Tensor:
    def region(h: Tensor) -> Tensor:
        np.random.set_state(np.random.RandomState().get_state())
        return torch.sin(torch.tanh(A(h)) * float(np.random.rand()))
    return checkpoint(region, x, use_reentrant=False)

def array_added_last(x: Tensor) -> Tensor:
    def region(h: Tensor) -> Tensor:
        h = torch.tanh(A(h)).sin()
        return h + torch.from_numpy(np.random.rand(4)).float()
    return checkpoint(region, x, use_reentrant=False)

def array_mul_last(x: Tensor) -> Tensor:
    def region(h: Tensor) -> Tensor:
        h = torch.tanh(A(h)).sin()
        return h * torch.from_numpy(np.random.rand(4)).float()
    return checkpoint(region, x, use_reentrant=False)

def array_added_then(x: Tensor) -> Tensor:
    def region(h: Tensor) -> Tensor:
        h = torch.tanh(A(h)).sin()
        h = h + torch.from_numpy(np.random.rand(4)).float()
        return h.cos()
    return checkpoint(region, x, use_reentrant=False)

def tensor_added_last(x: Tensor) -> Tensor:
    def region(h: Tensor) -> Tensor:
        h = torch.tanh(A(h)).sin()
        return h + torch.rand(4, generator=GEN)
    return checkpoint(region, x, use_reentrant=False)

def tensor_sub_last(x: Tensor) -> Tensor:
    def region(h: Tensor) -> Tensor:
        h = torch.tanh(A(h)).sin()
        noise = torch.rand(4, generator=GEN)
        return h - noise
    return checkpoint(region, x, use_reentrant=False)

def tensor_added_re(x: Tensor) -> Tensor:
    def region(h: Tensor) -> Tensor:
        h = torch.tanh(A(h)).sin()
        return h + torch.rand(4, generator=GEN)
    return checkpoint(region, x, use_reentrant=True)

def tensor_added_re_then(x: Tensor) -> Tensor:
    def region(h: Tensor) -> Tensor:
        h = torch.tanh(A(h)).sin()
        return (h + torch.rand(4, generator=GEN)).cos()
    return checkpoint(region, x, use_reentrant=True)

def tensor_aug_last(x: Tensor) -> Tensor:
    def region(h: Tensor) -> Tensor:
        h = torch.tanh(A(h)).sin()
        h += torch.rand(4, generator=GEN)
        return h
    return checkpoint(region, x, use_reentrant=False)

def torch_add_last(x: Tensor) -> Tensor:
    def region(h: Tensor) -> Tensor:
        h = torch.tanh(A(h)).sin()
        return torch.add(h, torch.rand(4, generator=GEN))
    return checkpoint(region, x, use_reentrant=False)

def list_added_last(x: Tensor) -> Tensor:
    def region(h: Tensor) -> Tensor:
        h = torch.tanh(A(h)).sin()
        return h + torch.tensor([random.random(), random.random(), 1.0, 2.0])
    return checkpoint(region, x, use_reentrant=False)

def scaled_noise_last(x: Tensor) -> Tensor:
    def region(h: Tensor) -> Tensor:
        h = torch.tanh(A(h)).sin()
        return h + 0.1 * torch.rand(4, generator=GEN)
    return checkpoint(region, x, use_reentrant=False)

def scaled_std_last(x: Tensor) -> Tensor:
    def region(h: Tensor) -> Tensor:
        h = torch.tanh(A(h)).sin()
        return h + h.std() * torch.rand(4, generator=GEN)
    return checkpoint(region, x, use_reentrant=False)
"""
)


def test_draws_by_the_states_of_generators() -> None:
    agree(DRAWS, "TBR203")


# --- TBR211: the segments that are checkpointed, and layers in evaluation mode -------------------------------------
STATISTICS = (
    HEAD
    + """
import torch.utils.checkpoint as ck
from torch.utils.checkpoint import checkpoint_sequential
class Plain(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.bn = nn.BatchNorm1d(4)
    def forward(self, x: Tensor) -> Tensor:
        return torch.tanh(self.bn(A(x)))

P1 = nn.Sequential(nn.Linear(4, 4), nn.BatchNorm1d(4), nn.Tanh())
P2 = nn.Sequential(nn.Linear(4, 4), nn.BatchNorm1d(4), nn.Tanh())
P3 = nn.Sequential(nn.Linear(4, 4), nn.Tanh(), nn.BatchNorm1d(4))
P4 = nn.Sequential(nn.Linear(4, 4), nn.Tanh(), nn.Linear(4,4), nn.BatchNorm1d(4), nn.Tanh())
P5 = nn.Sequential(nn.Linear(4, 4), nn.Tanh(), nn.Linear(4,4), nn.BatchNorm1d(4), nn.Tanh())
P6 = nn.Sequential(nn.BatchNorm1d(4), nn.Linear(4, 4), nn.Tanh(), nn.Linear(4,4), nn.Tanh())
E1, E2, E5, E6 = Plain(), Plain(), Plain(), Plain()

def one_segment(x: Tensor) -> Tensor:
    return checkpoint_sequential(P1, 1, x, use_reentrant=False)

def one_segment_kw(x: Tensor) -> Tensor:
    return ck.checkpoint_sequential(functions=P2, segments=1, input=x, use_reentrant=False)

def last_of_three(x: Tensor) -> Tensor:
    return checkpoint_sequential(P3, 3, x, use_reentrant=False)

def last_of_two(x: Tensor) -> Tensor:
    return checkpoint_sequential(P4, 2, x, use_reentrant=False)

def four_of_five(x: Tensor) -> Tensor:
    return checkpoint_sequential(P5, 5, x, use_reentrant=False)

def first_of_two(x: Tensor) -> Tensor:
    return checkpoint_sequential(P6, 2, x, use_reentrant=False)

def eval_before(x: Tensor) -> Tensor:
    E1.eval()
    return checkpoint(E1, x, use_reentrant=False)

def eval_bn_before(x: Tensor) -> Tensor:
    E2.bn.eval()
    return checkpoint(E2, x, use_reentrant=False)

def eval_then_train(x: Tensor) -> Tensor:
    E5.eval()
    E5.train()
    return checkpoint(E5, x, use_reentrant=False)

def eval_other(x: Tensor) -> Tensor:
    E1.eval()
    return checkpoint(E6, x, use_reentrant=False)

class Frozen(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.bn = nn.BatchNorm1d(4).eval()
    def train(self, mode=True):
        super().train(mode)
        self.bn.eval()
        return self
    def forward(self, x: Tensor) -> Tensor:
        return torch.tanh(self.bn(A(x)))
FROZEN = Frozen()
def kept(x: Tensor) -> Tensor:
    return checkpoint(FROZEN, x, use_reentrant=False)
"""
)


def _twice(source: str, name: str) -> bool:
    """True when a step of a form counts a batch twice."""
    with loaded(source) as module:
        observe(step, module, name)
        roots = [value for value in vars(module).values() if isinstance(value, torch.nn.Module)]
        counts = [getattr(part, "num_batches_tracked", None) for root in roots for part in root.modules()]
    return any(count is not None and int(count) > 1 for count in counts)


MADE = (
    HEAD
    + """
LAYER = nn.BatchNorm1d(4).eval()
OTHER = nn.BatchNorm1d(4)


def made(x: Tensor) -> Tensor:
    return checkpoint(LAYER, x, use_reentrant=False)


def other(x: Tensor) -> Tensor:
    return checkpoint(OTHER, x, use_reentrant=False)
"""
)


@pytest.mark.parametrize("source", [STATISTICS, MADE])
def test_statistics_that_advance_twice(source: str) -> None:
    places = forms(source)
    wrong = {place for name, place in places.items() if _twice(source, name)}
    assert 0 < len(wrong) < len(places)
    assert set(reported(source, "TBR211")) == wrong
