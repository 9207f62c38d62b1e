"""The benchmark at the top, the switch in a helper that main calls."""

import torch
from torch.backends import cudnn as backend

backend.benchmark = True  # error: [TBR601]


def seed_all(seed: int, strict: bool) -> None:
    torch.manual_seed(seed)
    torch.use_deterministic_algorithms(strict)


def main() -> None:
    seed_all(0, True)


def slow_path() -> None:
    backend.benchmark = False  # ok: [TBR601] switched off
