"""Nothing is promised: a seed alone asks for no equal runs."""

import torch

torch.manual_seed(0)
torch.backends.cudnn.benchmark = True  # ok: [TBR601] fast, and not said to be deterministic
