# options: --tbr-torch=2.6
"""The variable is nowhere in the file."""

import torch


def seed_all(seed: int, strict: bool = True) -> None:
    torch.cuda.manual_seed_all(seed)
    torch.use_deterministic_algorithms(strict)  # error: [TBR603]


def main() -> None:
    seed_all(1)
    torch.use_deterministic_algorithms(False)  # ok: [TBR603] switched off
    torch.set_deterministic_debug_mode("error")  # error: [TBR603]
