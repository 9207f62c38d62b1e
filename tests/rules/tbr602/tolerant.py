"""Nothing is compared to the last bit."""

import torch

torch.use_deterministic_algorithms(True, warn_only=True)  # ok: [TBR602] compared with a tolerance


def close(x: torch.Tensor, y: torch.Tensor) -> None:
    torch.testing.assert_close(x, y)
