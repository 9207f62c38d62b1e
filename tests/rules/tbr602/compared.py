"""Every spelling of the mode, and a comparison in another function."""

import torch


def prepare() -> None:
    torch.use_deterministic_algorithms(True, warn_only=True)  # error: [TBR602]
    torch.set_deterministic_debug_mode("warn")  # error: [TBR602]
    torch.set_deterministic_debug_mode(1)  # error: [TBR602]


def prepare_for_errors() -> None:
    torch.use_deterministic_algorithms(True, warn_only=False)  # ok: [TBR602] an error, not a warning
    torch.use_deterministic_algorithms(False, warn_only=True)  # ok: [TBR602] switched off
    torch.set_deterministic_debug_mode("error")  # ok: [TBR602] an error


def prepare_by_name(warn: bool = True) -> None:
    torch.use_deterministic_algorithms(mode=True, warn_only=warn)  # error: [TBR602]


def compare(x: torch.Tensor, y: torch.Tensor) -> bool:
    return torch.equal(x, y)


def repeatable(model: torch.nn.Module, x: torch.Tensor) -> None:
    prepare()
    assert compare(model(x), model(x))
