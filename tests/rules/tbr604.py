# options: --tbr-enable=TBR604
"""TBR604: results that are held to what another run or machine left behind."""

from pathlib import Path

import numpy as np
import torch
from torch import nn

GOLDEN = Path("golden.pt")


class Server:
    def __init__(self, model: nn.Module) -> None:
        self.model = torch.compile(model.eval(), mode="max-autotune-no-cudagraphs")
        self.plain = model

    def logits(self, ids: torch.Tensor) -> torch.Tensor:
        return self.model(ids)


def through_an_object(server: Server, ids: torch.Tensor) -> bool:
    got = server.logits(ids).cpu()
    want = torch.load(GOLDEN)
    return torch.equal(got, want)  # error: [TBR604] "autotuned kernels"


def as_an_array(model: nn.Module, x: torch.Tensor) -> None:
    compiled = torch.compile(model)
    want = np.load("x.npy")
    np.testing.assert_array_equal(compiled(x).numpy(), want)  # error: [TBR604] "compiled kernels"


def by_elements(model: nn.Module, x: torch.Tensor) -> None:
    if not (torch.compile(model)(x) == torch.load(GOLDEN)).all():  # error: [TBR604]
        raise RuntimeError("changed")


def sample(steps: int, generator=None) -> torch.Tensor:
    x = torch.ones(4)
    for t in range(steps):
        x = 0.9 * x + 0.1 * torch.randn(x.shape, generator=generator)
    return x


def total(steps: int) -> float:
    return sample(steps).abs().sum().item()


def check_the_total() -> None:
    assert abs(total(10) - 3.2217) < 1e-2  # error: [TBR604] "draws without a seed"


# --- one run, a tolerance, no draw ----------------------------------------------------------------
def one_run(model: nn.Module, x: torch.Tensor) -> None:
    compiled = torch.compile(model, mode="max-autotune")
    assert torch.equal(compiled(x), compiled(x))  # ok: [TBR604] both sides are of this run


def with_a_tolerance(server: Server, ids: torch.Tensor) -> bool:
    return torch.allclose(server.logits(ids), torch.load(GOLDEN), rtol=1e-3)  # ok: [TBR604] a tolerance


def eager(model: nn.Module, x: torch.Tensor) -> None:
    assert torch.equal(model(x), torch.load(GOLDEN))  # ok: [TBR604] nothing picks kernels by timing


def round_trip(model: nn.Module, x: torch.Tensor) -> None:
    out = torch.compile(model)(x)
    torch.save(out, GOLDEN)
    assert torch.equal(out, torch.load(GOLDEN))  # ok: [TBR604] written by this run


def written_numbers() -> None:
    assert abs(torch.ones(4).sum().item() * 0.805 - 3.2201) < 1e-3  # ok: [TBR604] nothing is drawn


def within_bounds() -> None:
    assert torch.randn(4).abs().max() < 10.0  # ok: [TBR604] a bound, not a copied result
