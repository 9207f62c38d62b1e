# options: --tbr-enable=TBR102,TBR103,TBR105
"""TBR103: a tensor's value decides a result, and no graph work."""

import json
import logging
from dataclasses import dataclass
from pathlib import Path

import torch
import torch as th
from torch import Tensor, nn

log = logging.getLogger(__name__)


# --- thresholds, filters, counts ------------------------------------------------------------------
@torch.no_grad()
def accepted(scores: Tensor) -> list[int]:
    keep = []
    for i in range(scores.shape[0]):
        if scores[i] > 0.9:  # error: [TBR103]
            keep.append(i)
    return keep


@th.inference_mode()
def confident(net: nn.Module, x: th.Tensor) -> list[int]:
    rows = net(x).softmax(-1)
    return [i for i, row in enumerate(rows) if row.max() > 0.9]  # error: [TBR103]


def label(logits: Tensor) -> str:
    return "positive" if logits.mean().item() > 0 else "negative"  # error: [TBR103]


def verdict(output: Tensor, reference: Tensor) -> int:
    if torch.allclose(output, reference, rtol=1e-4):  # error: [TBR103]
        return 0
    return 1


def accuracy(logits: Tensor, labels: Tensor) -> float:
    return float((logits.argmax(-1) == labels).float().mean())


# --- best so far, kept in a loop ------------------------------------------------------------------
@dataclass
class Best:
    score: float = 0.0
    epoch: int = -1


def evaluate(net: nn.Module, loader, path: str) -> Best:
    best = Best()
    hits = 0
    for epoch, (x, y) in enumerate(loader):
        with torch.no_grad():
            score = accuracy(net(x), y)
        if score > best.score:  # error: [TBR103]
            best.score, best.epoch = score, epoch
            torch.save(net.state_dict(), path)
        if score > 0.5:  # error: [TBR103]
            hits += 1
    log.info("hits: %d", hits)
    return best


def is_close(a: Tensor, b: Tensor) -> bool:
    return bool((a - b).abs().max() < 1e-3)


def compare(runs: list[Tensor]) -> dict[str, int]:
    outcome = {"same": 0, "different": 0}
    for run in runs[1:]:
        key = "same" if is_close(runs[0], run) else "different"  # error: [TBR103]
        outcome[key] += 1
    return outcome


# --- tempting, and rightly silent -----------------------------------------------------------------
def report(net: nn.Module, loader, history: list[float]) -> None:
    with torch.no_grad():
        for step, (x, y) in enumerate(loader):
            loss = nn.functional.mse_loss(net(x), y)
            history.append(loss.item())  # ok: [TBR103] stored each turn, decides nothing
            if step % 10 == 0:  # ok: [TBR103] a Python counter
                log.info("loss %.3f", loss.item())
            if loss > 10:  # ok: [TBR103] decides what is logged and no more
                log.info("high loss at step %d", step)


class Stopper:
    """Keeps the best value of a metric, as callbacks do: no tensor is computed under its tests."""

    def __init__(self) -> None:
        self.best = torch.tensor(float("inf"))
        self.bad = 0

    def judge(self, current: Tensor) -> bool:
        if not torch.isfinite(current):  # error: [TBR103] "decides what `stop` is"
            stop = True
        elif current < self.best:  # error: [TBR103] "decides what `stop` is"
            self.best = current
            stop = False
        else:
            self.bad += 1
            stop = self.bad > 3
        return stop


class Tracker:
    def __init__(self) -> None:
        self.loss, self.state = torch.tensor(float("inf")), torch.zeros(3)

    def update(self, loss: Tensor, state: Tensor) -> str:
        if loss < self.loss:  # error: [TBR103]
            self.loss, self.state = loss.detach(), state.clone()
        return f"best {self.loss - 1:.3f}"


class Penalty:
    """What it keeps is computed with: graph work, though it is no module."""

    def __init__(self) -> None:
        self.cap = torch.ones(())

    def __call__(self, x: Tensor) -> Tensor:
        norm = x.norm()
        if norm > 3:  # error: [TBR101] "decides what `self.cap` is"
            self.cap = norm
        return (x / self.cap).sum()


def best_of(path: Path) -> float:
    best = 0.0
    for record in json.loads(path.read_text()):
        if record["score"] > best:  # ok: [TBR103] numbers from a file, never a tensor
            best = record["score"]
    return best


def read_score(path: Path) -> float:
    return float(path.read_text())


def passed(path: Path) -> bool:
    return read_score(path) > 0.5  # ok: [TBR103] a comparison across a call, of a number that was no tensor


@torch.no_grad()
def as_data(scores: Tensor) -> tuple[Tensor, Tensor]:
    return scores > 0.9, (scores - 0.9).abs() < 1e-5  # ok: [TBR103] the verdict stays a tensor


def returned(scores: Tensor) -> bool:
    return scores.max().item() > 0.5  # ok: [TBR103] read and returned: the caller decides


def sized(outputs: list[Tensor]) -> int:
    if len(outputs) == 0 or outputs[0].shape[0] < 2:  # ok: [TBR103] lengths and sizes
        return 0
    return len(outputs)
