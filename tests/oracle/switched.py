"""Whether a set-up leaves torch's benchmark and its determinism on together."""

from __future__ import annotations

from typing import Any

from tests.oracle.support import loaded, require_torch

torch = require_torch()


def both_on(source: str) -> bool:
    """True when both were on at a step of the training, which calls `work`, or are when `setup` has ended.

    The calling test uses `switched_back`.
    """
    seen: list[bool] = []

    def look() -> None:
        deterministic = torch.are_deterministic_algorithms_enabled() or torch.backends.cudnn.deterministic
        seen.append(bool(deterministic and torch.backends.cudnn.benchmark))

    torch.backends.cudnn.benchmark = torch.backends.cudnn.deterministic = False
    torch.use_deterministic_algorithms(False)
    with loaded(source) as module:
        held: Any = module
        held.work = look
        held.setup()
    look()
    return any(seen)
