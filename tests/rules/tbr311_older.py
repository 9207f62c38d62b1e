# options: --tbr-torch=2.6
"""TBR311 on torch 2.6: the exporter to ONNX traces unless told otherwise."""

import torch
from torch import Tensor, nn


class Signed(nn.Module):
    def forward(self, x: Tensor) -> Tensor:
        return x.sin() if x.sum() > 0 else x.cos()  # error: [TBR311]


class Captured(nn.Module):
    def forward(self, x: Tensor) -> Tensor:
        return x.sin() if x.sum() > 0 else x.cos()  # error: [TBR310]  # ok: [TBR311] dynamo=True exports


def export(x: Tensor) -> None:
    torch.onnx.export(Signed(), (x,), "signed.onnx")
    torch.onnx.export(Captured(), (x,), "captured.onnx", dynamo=True)
