"""Values out of a record's defaults; a run that says it is reproducible."""

from dataclasses import dataclass

import numpy as np
import torch


@dataclass
class Config:
    seed: int = 1
    benchmark: bool = True
    reproducible: bool = True


def setup(config: Config) -> None:
    if config.reproducible:
        np.random.seed(config.seed)
        torch.manual_seed(config.seed)
    torch.backends.cudnn.benchmark = config.benchmark  # error: [TBR601] "seeded to be reproducible"
