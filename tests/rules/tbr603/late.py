# options: --tbr-torch=2.6
"""Set by a helper that is called after CUDA has multiplied."""

import os

import torch


def warm_up(device: torch.device) -> None:
    a = torch.randn(8, 8, device=device)
    torch.mm(a, a)


def enable() -> None:
    os.environ["CUBLAS_WORKSPACE_CONFIG"] = ":4096:8"  # error: [TBR603] "after CUDA work"
    torch.use_deterministic_algorithms(True)


def run() -> None:
    device = torch.device("cuda", 0)
    warm_up(device)
    enable()
