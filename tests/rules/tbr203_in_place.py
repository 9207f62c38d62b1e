"""TBR203 where a method draws into a tensor."""

import random
import time

import torch
from torch import Tensor
from torch.utils.checkpoint import checkpoint

own = torch.Generator()


def masked(x: Tensor) -> Tensor:
    mask = torch.empty(4).bernoulli_(0.5, generator=own)
    return x * mask  # error: [TBR203]


def noisy(x: Tensor) -> Tensor:
    return x * torch.empty(4).normal_(generator=own)  # error: [TBR203]


def noisy_last(x: Tensor) -> Tensor:
    return x.sin() + torch.empty(4).normal_(generator=own)  # ok: [TBR203] a sum saves nothing, and nothing follows


def replayed(x: Tensor) -> Tensor:
    return x * torch.empty(4).bernoulli_(0.5)  # ok: [TBR203] the default generator is restored


def run(x: Tensor) -> Tensor:
    x = checkpoint(masked, x, use_reentrant=False)
    x = checkpoint(noisy, x, use_reentrant=False)
    x = checkpoint(noisy_last, x, use_reentrant=False)
    return checkpoint(replayed, x, use_reentrant=False)


def filled(x: Tensor) -> Tensor:
    mask = torch.empty_like(x)
    mask.uniform_(generator=own)  # error: [TBR203]
    return x * mask


def filled_like(x: Tensor) -> Tensor:
    return torch.empty_like(x).normal_(generator=own) * x  # error: [TBR203]


def bare(x):  # type: ignore[no-untyped-def]
    noise = torch.randn(x.shape, generator=own)
    return x * noise  # error: [TBR203]


def seeded(x: Tensor) -> Tensor:
    order = torch.randperm(3, generator=torch.Generator().manual_seed(0))
    mask = torch.empty_like(x)
    mask.uniform_(generator=torch.Generator().manual_seed(1))  # ok: [TBR203] the same numbers in every run
    return x[order] * mask  # ok: [TBR203] and the same order


def cloned(x: Tensor) -> Tensor:
    return x * torch.rand(4, generator=own.clone_state())  # ok: [TBR203] as `own` was in the forward


def put_back(x: Tensor) -> Tensor:
    own.set_state(torch.Generator().manual_seed(3).get_state())
    return x * torch.rand(4, generator=own)  # ok: [TBR203] the state of a generator made alike


def put_back_to_itself(x: Tensor) -> Tensor:
    own.set_state(own.get_state())
    return x * torch.rand(4, generator=own)  # error: [TBR203]


def run_more(x: Tensor) -> Tensor:
    x = checkpoint(filled, x, use_reentrant=False)
    x = checkpoint(filled_like, x, use_reentrant=False)
    x = checkpoint(bare, x, use_reentrant=False)
    x = checkpoint(cloned, x, use_reentrant=False)
    x = checkpoint(put_back, x, use_reentrant=False)
    x = checkpoint(put_back_to_itself, x, use_reentrant=False)
    return checkpoint(seeded, x, use_reentrant=False)


def scaled(x):  # type: ignore[no-untyped-def]
    h = x * 2
    return (h * random.random()).sin()  # error: [TBR203]


def scaled_last(x: Tensor) -> Tensor:
    return x.sin() * random.random()  # ok: [TBR203] the recompute has stopped before: nothing is saved after it


def from_the_default(x: Tensor) -> Tensor:
    return (x * torch.rand(1, generator=torch.default_generator)).sin()  # ok: [TBR203] that one is replayed


def seeding(x: Tensor) -> Tensor:
    DRAWS.manual_seed(3)
    coin.seed(1)
    if coin.random() < 0.5:  # ok: [TBR203] seeded alike in the recompute
        x = x.sin()
    return (x * torch.rand(1, generator=DRAWS)).sin()  # ok: [TBR203] seeded alike too


DRAWS = torch.Generator()
coin = random.Random(0)


def run_seeding(x: Tensor) -> Tensor:
    x = checkpoint(scaled_last, x, use_reentrant=False)
    x = checkpoint(from_the_default, x, use_reentrant=False)
    return checkpoint(seeding, x, use_reentrant=False)


def timed(x, begin):  # type: ignore[no-untyped-def]
    y = x.sin()
    print(time.time() - begin)  # ok: [TBR203] only said
    return y


def run_bare(x):  # type: ignore[no-untyped-def]
    x = checkpoint(timed, x, time.time(), use_reentrant=False)
    return checkpoint(scaled, x, use_reentrant=False)
