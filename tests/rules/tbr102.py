# options: --tbr-enable=TBR102,TBR103,TBR105
"""TBR102: a tensor's value decides how often a loop turns."""

import torch
import torch as th
from torch import Tensor, nn


# --- graph code -----------------------------------------------------------------------------------
def halve_until_small(x: Tensor) -> Tensor:
    while x.norm() > 1.0:  # error: [TBR102]
        x = x / 2
    return x


def repeat(x: th.Tensor, times: th.Tensor) -> th.Tensor:
    for _ in range(int(times)):  # error: [TBR102]
        x = x + x.tanh()
    count = times.item()
    for _ in range(count):  # error: [TBR102]
        x = x * 2
    return x


def per_length(x: Tensor, lengths: Tensor) -> Tensor:
    parts = []
    start = 0
    for length in lengths.tolist():  # error: [TBR102]
        parts.append(x[start : start + length].mean(0))
        start += length
    return torch.stack(parts)


class Halting(nn.Module):
    def __init__(self, steps: int = 4) -> None:
        super().__init__()
        self.steps = steps
        self.cell = nn.Linear(8, 8)
        self.halt = nn.Linear(8, 1)

    def should_stop(self, h: Tensor) -> bool:
        return bool(self.halt(h).sigmoid().mean() > 0.9)

    def forward(self, h: Tensor) -> Tensor:
        for _ in range(self.steps):
            h = self.cell(h).tanh()
            if self.should_stop(h):  # error: [TBR102]
                break
        return h


class DropStack(nn.Module):
    def __init__(self, depth: int = 3) -> None:
        super().__init__()
        self.layers = nn.ModuleList([nn.Linear(8, 8) for _ in range(depth)])

    def forward(self, x):
        for layer in self.layers:
            if self.training:
                dice = torch.rand([])
                if dice < 0.3:  # error: [TBR102]
                    continue
            x = x + layer(x).tanh()
        return x


def first_good(x: Tensor, layers: list[nn.Linear]) -> Tensor:
    for layer in layers:
        y = layer(x)
        if torch.isfinite(y).all():  # error: [TBR102]
            return y.relu()
    return x


def newton(x: Tensor, target: Tensor) -> Tensor:
    error = float("inf")
    steps = 0
    while error > 1e-3 and steps < 50:  # error: [TBR102]
        x = x - (x * x - target) / (2 * x)
        error = (x * x - target).abs().max().item()
        steps += 1
    return x


def endless(x: Tensor) -> Tensor:
    while True:
        x = x / 2
        if x.max() < 1:  # error: [TBR102]
            break
    return x


# --- driver code: opt-in --------------------------------------------------------------------------
@torch.inference_mode()
def greedy(net: nn.Module, tokens: Tensor, eos: int, limit: int = 20) -> Tensor:
    while tokens.shape[1] < limit:  # ok: [TBR102] a size, which grows by one each turn
        following = net(tokens)[:, -1].argmax(-1, keepdim=True)
        tokens = torch.cat([tokens, following], 1)
        if (following == eos).all():  # error: [TBR102]
            break
    return tokens


def fit(net: nn.Module, loader, optimizer: torch.optim.Optimizer) -> int:
    steps = 0
    for x, y in loader:
        loss = nn.functional.mse_loss(net(x), y)
        if not torch.isfinite(loss):  # error: [TBR102]
            continue
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        steps += 1
    return steps


# --- tempting, and rightly silent -----------------------------------------------------------------
class Schedule:
    def __init__(self, steps: int) -> None:
        self.steps, self.done = steps, 0

    def finished(self) -> bool:
        self.done += 1
        return self.done > self.steps


def python_loops(x: Tensor, schedule: Schedule, names: list[str], n: int = 3) -> Tensor:
    while not schedule.finished():  # ok: [TBR102] a helper that counts in Python
        x = x * 2
    for _ in range(n):  # ok: [TBR102] an int
        x = x + 1
    for i in range(x.shape[0]):  # ok: [TBR102] a size, in code that nobody compiles
        x = x + i
    for name in names:
        if name == "stop":  # ok: [TBR102] a string
            break
        x = x.roll(1, 0)
    return x


def over_tensors(x: Tensor, layers: nn.ModuleList) -> Tensor:
    total = torch.zeros(())
    for row in x:  # ok: [TBR102] as many turns as rows: a size
        total = total + row.sum()
    for layer in layers:  # ok: [TBR102] a Python list of modules
        total = total + layer(x).mean()
    for chunk in x.chunk(2):  # ok: [TBR102] a fixed number of pieces
        total = total * chunk.mean()
    return total


def logged(x: Tensor, steps: int) -> Tensor:
    for step in range(steps):
        x = x.sin()
        print(step, x.max().item())  # ok: [TBR102] printed each turn, decides none of them
    return x


def masked(x: Tensor) -> Tensor:
    for _ in range(16):
        x = torch.where(x.norm() > 1.0, x / 2, x)  # ok: [TBR102] a fixed number of turns
    return x


def skipped(xs: list[Tensor], limit: Tensor) -> list[Tensor]:
    kept = []
    for x in xs:
        if x.sum() > limit:  # error: [TBR102]
            continue
        kept.append(x * 2)
    return kept


def converged(x: Tensor) -> Tensor:
    for _ in range(10):
        x = x * 0.5
        if x.norm() < 1e-3:  # error: [TBR102]
            break
    return x


def scaled_in_place(x: Tensor, stop: Tensor) -> None:
    while stop.any():  # error: [TBR102]
        torch.nn.init.normal_(x)


def stops_early_in_eager(x: Tensor) -> Tensor:
    compiling = torch.compiler.is_compiling()
    for _ in range(10):
        x = x * 0.5
        if not compiling and x.norm() < 1e-3:  # error: [TBR102]
            break
    return x


# --- whether something is selected by an id that occurs ----------------------------------------------
def rows_of_each(x: Tensor, ids: Tensor):
    out = x.clone()
    for g in ids.unique(sorted=True):  # error: [TBR102]
        rows = torch.nonzero(ids == g, as_tuple=True)[0]
        if rows.numel() == 0:  # ok: [TBR102] `g` is one of `ids`
            continue
        out[rows] = x[rows].mean()
    return out


def means_of_each(x: Tensor, ids: Tensor):
    out = x.clone()
    for g in torch.unique(ids).tolist():  # error: [TBR102]
        mask = ids == g
        if mask.any():  # ok: [TBR101] the same
            out[mask] = x[mask].mean()
        if mask.sum() > 1:  # error: [TBR101]
            out = out * 2
    return out


def chosen_experts(x: Tensor, top: Tensor):
    mask = torch.nn.functional.one_hot(top, num_classes=4).permute(2, 1, 0)
    hit = torch.greater(mask.sum(dim=(-1, -2)), 0).nonzero(as_tuple=False)
    out = x.clone()
    for e in hit:  # error: [TBR102]
        i = int(e.item())
        slot, token = torch.where(mask[i].squeeze(0))
        if token.numel() == 0:  # ok: [TBR102] `hit` holds those with tokens
            continue
        out = out + x[token].sum()
    return out


def all_experts(x: Tensor, top: Tensor):
    mask = torch.nn.functional.one_hot(top, num_classes=4).permute(2, 1, 0)
    hit = torch.greater(mask.sum(dim=(0, 2)), 0).nonzero(as_tuple=False)
    out = x.clone()
    for i in range(4):
        slot, token = torch.where(mask[i])
        if token.numel() == 0:  # error: [TBR102]
            continue
        out = out + x[token].sum()
    for e in hit:  # error: [TBR102]
        slot, tok = torch.where(mask[e])
        if tok.shape[0] == 0:  # error: [TBR102]
            continue
        out = out + x[tok].sum()
    return out


def parts_of_each(x: Tensor, ids: Tensor) -> Tensor:
    parts = []
    for v in ids.unique():  # error: [TBR102]
        v = v.item()
        part = x[ids == v]
        if len(part) == 0:  # ok: [TBR102] `v` is one of `ids`
            continue
        parts.append(part.mean())
    for v in ids.unique():  # error: [TBR102]
        v = v + 1
        part = x[ids == v]
        if len(part) == 0:  # error: [TBR102]
            continue
        parts.append(part.mean())
    for v in ids.unique():  # error: [TBR102]
        mask = ids == v
        mask[0] = False
        if mask.any():  # error: [TBR101]
            parts.append(x[mask].mean())
    return torch.stack(parts)


def ids_of_another(x: Tensor, ids: Tensor, more: Tensor):
    out = x.clone()
    for g in ids.unique():  # error: [TBR102]
        rows = (more == g).nonzero()
        if len(rows) == 0:  # error: [TBR102]
            continue
        out = out + x[rows].sum()
    return out


@torch.compile
def kept_out_of_its_graph(x: Tensor) -> Tensor:
    if not torch.compiler.is_compiling():
        while (x.abs() > 1).any():  # error: [TBR102] "reads a tensor's value and decides how often the loop runs"
            x = x / 2
    while x.norm() > 8:  # error: [TBR304] "a graph break"
        x = x / 2
    return x
