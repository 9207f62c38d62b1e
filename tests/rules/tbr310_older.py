# options: --tbr-torch=2.6
"""TBR310 on torch 2.6: an export is strict unless told otherwise, and strict export records an assert."""

import torch
from torch import Tensor, nn


class Checked(nn.Module):
    def forward(self, x: Tensor) -> Tensor:
        assert x.sum() > 0, "positive"  # ok: [TBR310] recorded by strict export
        return x.sin() if x.mean() > 0 else x.cos()  # error: [TBR310]


class NonStrict(nn.Module):
    def forward(self, x: Tensor) -> Tensor:
        assert x.sum() > 0, "positive"  # error: [TBR310]
        return x


def export(x: Tensor) -> tuple[object, object]:
    return torch.export.export(Checked(), (x,)), torch.export.export(NonStrict(), (x,), strict=False)
