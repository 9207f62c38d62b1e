# options: --tbr-torch=2.10
"""A torch without the check."""

import torch

torch.use_deterministic_algorithms(True)  # ok: [TBR603] this torch asks for nothing
x = torch.ones(2, device="cuda")
