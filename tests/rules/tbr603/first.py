# options: --tbr-torch=2.6
"""Set before anything runs."""

import os

os.environ.setdefault("CUBLAS_WORKSPACE_CONFIG", ":4096:8")  # ok: [TBR603] before the first use

import torch


def run() -> None:
    torch.use_deterministic_algorithms(True)  # ok: [TBR603] the variable is set above
    a = torch.randn(8, 8, device="cuda")
    torch.mm(a, a)
