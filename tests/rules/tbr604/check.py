# options: --tbr-enable=TBR604
"""Comparisons of what the file beside this one computes."""

import torch
from torch import Tensor

from .server import Plain, Server, golden


def changed(server: Server, ids: Tensor) -> None:
    assert torch.equal(server.logits(ids), torch.load("golden.pt"))  # error: [TBR604]
    assert torch.equal(server.logits(ids).cpu(), golden("golden.pt"))  # error: [TBR604]


def close(server: Server, ids: Tensor) -> None:
    assert torch.allclose(server.logits(ids), golden("golden.pt"), rtol=1e-3)  # ok: [TBR604] a tolerance


def eager(plain: Plain, ids: Tensor) -> None:
    assert torch.equal(plain.logits(ids), golden("golden.pt"))  # ok: [TBR604] the other file compiles nothing here
