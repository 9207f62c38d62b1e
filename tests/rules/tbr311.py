"""TBR311: a value or a size decides a branch in a function that is traced once."""

import random

import torch
import torch.fx
from torch import Tensor, nn
from torch.fx.experimental.proxy_tensor import make_fx


def helper(x: Tensor) -> Tensor:
    return x if x.max() > 1 else x + 1  # error: [TBR311]


class Net(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.fc = nn.Linear(4, 4)

    def forward(self, x: Tensor) -> Tensor:
        x = helper(self.fc(x))
        if x.shape[0] > 2:  # error: [TBR311]
            x = x[:2]
        for i in range(x.size(0)):  # error: [TBR311]
            x = x + x[i]
        if x.sum() > 0:  # error: [TBR311]
            x = x.sin()
        return calm(x)


def calm(x: Tensor) -> Tensor:
    if x.dim() == 1:  # ok: [TBR311] the rank
        x = x.unsqueeze(0)
    if x.isnan().any():  # ok: [TBR311] the trace loses this check, its result stays right
        raise ValueError("nan")
    if not torch.jit.is_tracing() and x.max() > 5:  # ok: [TBR311] not while tracing
        x = x / x.max()
    return scripted(x) + torch.where(x.sum() > 0, x, -x) + x.shape[0]  # ok: [TBR311] recorded as operations


@torch.jit.script
def scripted(x: Tensor) -> Tensor:
    if x.size(0) > 3:  # ok: [TBR311] a scripted function keeps its control flow in a trace
        x = x[:3]
    return x


traced = torch.jit.trace(Net(), torch.rand(3, 4))


def symbolic(x: Tensor) -> Tensor:
    if x.sum() > 0:  # error: [TBR311] "raises"
        x = x.sin()
    if x.shape[0] == 0:  # error: [TBR311] "raises"
        raise ValueError("empty")
    return x


graph = torch.fx.symbolic_trace(symbolic)


def proxied(x: Tensor) -> Tensor:
    if x.shape[0] > 4:  # error: [TBR311] "freezes"
        x = x[:4]
    if x.max() > 1:  # error: [TBR311] "raises"
        x = x / x.max()
    return x


made = make_fx(proxied)(torch.rand(3))


class Baked(nn.Module):
    def forward(self, x: Tensor) -> Tensor:
        if x.sum() > 0:  # error: [TBR311] "`torch.onnx.export` freezes"
            x = x.sin()
        return x


torch.onnx.export(Baked(), (torch.rand(4),), "baked.onnx", dynamo=False)


class OneOfMany(nn.Module):
    def forward(self, x: Tensor) -> Tensor:
        return x[:2] if x.shape[0] > 2 else x  # error: [TBR311]


many = torch.jit.trace_module(OneOfMany(), {"forward": torch.rand(4)})


def bare(x, times):  # type: ignore[no-untyped-def]
    for _ in range(int(times)):  # error: [TBR311]
        x = x * 2
    return x if x.sum() > 0 else -x  # error: [TBR311]


def trace_bare() -> torch.jit.ScriptFunction:
    example = torch.randn(3)
    return torch.jit.trace(bare, example_inputs=(example, torch.tensor(2)))


def untraced(x: Tensor) -> Tensor:
    return helper_of_nobody(x)


def helper_of_nobody(x: Tensor) -> Tensor:
    return x[:2] if x.shape[0] > 2 else x  # ok: [TBR311] in no trace


def coin(x: Tensor) -> Tensor:
    return x if random.random() > 0.5 else -x  # error: [TBR311]


tossed = torch.jit.trace(coin, (torch.rand(3),))


def sizes(x: Tensor) -> str:
    return ", ".join(str(n) for n in x.shape)  # ok: [TBR311] the words of an error


def sizes_after(x: Tensor) -> str:
    return ", ".join(str(n) for n in x.shape)  # ok: [TBR311] runs before a `raise` alone


def one_by_one(x: Tensor) -> Tensor:
    for i in range(x.size(0)):  # error: [TBR311]
        x = x + x[i]
    return x


def worded(x: Tensor) -> Tensor:
    if x.dim() != 2:
        raise ValueError(sizes(x))
    try:
        return x @ x
    except RuntimeError as error:
        told = sizes_after(x)
        raise RuntimeError(told) from error


def second_try(x: Tensor) -> Tensor:
    try:
        return x @ x
    except RuntimeError:
        if x.dim() == 2:
            return one_by_one(x)
        raise


traced_worded = torch.jit.trace(worded, torch.rand(4, 4))
traced_second = torch.jit.trace(second_try, torch.rand(4, 4))


class Numbers(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.scale = nn.Parameter(torch.ones(()))

    def peak(self, x: Tensor) -> float:
        return x.max().item()  # error: [TBR311] "makes a Python number of a tensor, and `trace` freezes it"

    def forward(self, x: Tensor) -> Tensor:
        low = float(x.min())  # error: [TBR311]
        print(x.mean().item())  # ok: [TBR311] only said
        size = int(x.shape[0])  # ok: [TBR311] a size is recorded
        fixed = self.scale.item()  # ok: [TBR311] a parameter is a constant of the trace anyway
        if not torch.jit.is_tracing():
            x = x * x.max().item()  # ok: [TBR311] not while tracing
        return (x - low) / self.peak(x) * size * fixed


numbers = torch.jit.trace(Numbers(), torch.rand(3))


def converted(x: Tensor) -> Tensor:
    return x * float(x.max())  # error: [TBR311] "`symbolic_trace` raises"


def kept_symbolic(x: Tensor) -> Tensor:
    return x * x.max().item()  # ok: [TBR311] a call of a proxy is recorded


symbolic_ones = torch.fx.symbolic_trace(converted), torch.fx.symbolic_trace(kept_symbolic)


def flattened(x: Tensor) -> Tensor:
    rows, columns = x.shape  # ok: [TBR311] a proxy is unpacked
    half = int(columns / 2)  # error: 12 [TBR311] "needs the numbers of a size"
    x = x.reshape(*x.shape[:-1], 1)  # error: [TBR311] "`x.shape[:-1]`"
    for axis in range(x.dim()):  # error: [TBR311] "`range(x.dim())`"
        x = x.flip(axis)
    return x * (rows * columns) + half * len(x.shape)  # error: [TBR311] "`len(x.shape)`"


symbolic_sizes = torch.fx.symbolic_trace(flattened)


class Headed(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.inner = nn.Linear(4, 4)

    def forward(self, x, heads=2, mask=None):  # each parameter is a proxy, whatever it is
        for size in x.shape[1:]:  # error: [TBR311] "`x.shape[1:]`"
            x = x * size
        h = self.inner(x)
        h = h.view(*h.shape[:-1], heads, -1)  # error: [TBR311] "`h.shape[:-1]`"
        return h * int(mask.shape[0])  # ok: [TBR311] filled in below


symbolic_headed = torch.fx.symbolic_trace(Headed(), concrete_args={"mask": torch.ones(2)})
