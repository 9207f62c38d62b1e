"""TBR310: a tensor's value decides control flow in an exported function."""

import random

import math

import torch
import torch.export
from torch import Tensor, nn
from torch.export import export as export_program


def overflowed(x: Tensor) -> Tensor:
    return torch.isinf(x).any()


class Inner(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.register_buffer("limit", torch.tensor(2.0))

    def forward(self, h: Tensor) -> Tensor:
        if h.dtype == torch.float16 and overflowed(h):  # error: [TBR310]
            h = h.clamp(-1000, 1000)
        if self.limit > 1:  # error: [TBR310]
            h = h * 2
        return h


class Model(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.inner = Inner()

    def forward(self, x: Tensor, grid: Tensor) -> Tensor:
        x = self.inner(x)
        count = int(grid.max())  # error: [TBR310]
        for _ in range(count):  # error: [TBR310]
            x = x.sin()
        if x.isnan().any():  # error: [TBR310] "use `torch._assert_async`"
            raise ValueError("nan")
        assert x.sum() > 0, "positive"  # error: [TBR310]
        found = x.nonzero()
        if found.shape[0] == 0:  # error: [TBR310]
            return x
        return x.cos() if x.max().item() > 3 else x  # error: [TBR310]


program = torch.export.export(Model(), (torch.rand(4), torch.tensor([2])))


class Strict(nn.Module):
    def forward(self, x: Tensor) -> Tensor:
        assert x.sum() > 0  # ok: [TBR310] strict export records an assert
        while x.norm() > 1:  # error: [TBR310]
            x = x / 2
        return x


strict = export_program(Strict(), (torch.rand(4),), strict=True)


class ToOnnx(nn.Module):
    def forward(self, x: Tensor) -> Tensor:
        assert x.sum() > 0  # ok: [TBR310] recorded: `torch.onnx` tries the strict export, too
        return x.sin() if x.sum() > 0 else x.cos()  # error: [TBR310] "`torch.onnx` fails"


torch.onnx.export(ToOnnx(), (torch.rand(4),), "model.onnx")


# --- tempting, and rightly silent -----------------------------------------------------------------
class Calm(nn.Module):
    def __init__(self, gate: bool = True) -> None:
        super().__init__()
        self.gate = gate

    def forward(self, x: Tensor, steps: Tensor, mask: Tensor | None = None) -> Tensor:
        if self.gate and x.dim() == 1:  # ok: [TBR310] Python state and the rank
            x = x * 2
        if mask is not None:  # ok: [TBR310] identity
            x = x.masked_fill(mask, 0.0)
        n = steps.sum().item()
        torch._check(n > 0)
        if n > 0:  # ok: [TBR310] promised just before
            x = x.sin()
        for step in steps.tolist():  # ok: [TBR310] as many rounds as there are elements
            x = x + step
        if not torch.compiler.is_exporting() and x.max() > 1:  # ok: [TBR310] not in the exported program
            x = x / x.max()
        return self.picked(x) * x.sum().item()  # ok: [TBR310] a scalar in arithmetic

    def picked(self, x: Tensor) -> Tensor:
        return torch.where(x.sum() > 0, x.sin(), x)  # ok: [TBR310] no Python branch


calm = torch.export.export(Calm(), (torch.rand(4), torch.tensor([1, 2])))


def export(module: nn.Module, args: tuple) -> nn.Module:
    return module


class NotExported(nn.Module):
    def forward(self, x: Tensor) -> Tensor:
        if x.sum() > 0:  # error: [TBR101]
            x = x.sin()
        return x


other = export(NotExported(), (torch.rand(4),))  # ok: [TBR310] another function of that name


class Bare(nn.Module):
    def forward(self, x, low=0, cut=True):  # type: ignore[no-untyped-def]
        if x.sum() > low:  # error: [TBR310]
            x = -x
        return x[1:] if cut else x


def export_bare() -> None:
    torch.export.export(Bare(), (torch.randn(3),), kwargs={"low": torch.zeros(()), "cut": False})


class Coin(nn.Module):
    def forward(self, x: Tensor) -> Tensor:
        return x if random.random() > 0.5 else -x  # error: [TBR310]


class StrictCoin(nn.Module):
    def forward(self, x: Tensor) -> Tensor:
        return x if random.random() > 0.5 else -x  # ok: [TBR310] a strict export stops, and says so


def export_coins() -> None:
    torch.export.export(Coin(), (torch.randn(3),))
    torch.export.export(StrictCoin(), (torch.randn(3),), strict=True)


class Converting(nn.Module):
    def forward(self, x: Tensor) -> Tensor:
        x = x * float(x.max())  # error: [TBR310] "asks for the number behind a tensor"
        x = x * math.sqrt(x.sum())  # error: [TBR310]
        x = x * int(x.long().sum().item())  # error: [TBR310]
        x = x * bool(x.max() > 0)  # error: [TBR310]
        x = x * x.min().item()  # ok: [TBR310] a symbol
        return x.reshape(int(x.shape[0]), -1) * math.sqrt(x.shape[-1])  # ok: [TBR310] sizes


converting = torch.export.export(Converting(), (torch.rand(4, 4),))


class Strictly(nn.Module):
    def forward(self, x: Tensor) -> Tensor:
        return x * float(x.max())  # ok: [TBR310] a strict export traces the conversion


strictly = torch.export.export(Strictly(), (torch.rand(4, 4),), strict=True)


@torch.jit.script
def scripted(x: Tensor) -> Tensor:
    if x.sum() > 0:  # error: [TBR310]
        return x.sin()
    if x.shape[0] > 1:  # ok: [TBR310] a size
        return x.tan()
    return x.cos()


class Scripting(nn.Module):
    def forward(self, x: Tensor) -> Tensor:
        return scripted(x)


scripting = torch.export.export(Scripting(), (torch.rand(4, 4),))
