"""Generators that workers copy, written in many ways: TBR605."""

from __future__ import annotations

from typing import Final

from tests.rules.rewriting import DATA_HEAD

HEAD: Final = DATA_HEAD
BAD: Final[dict[str, dict[str, str]]] = {
    "TBR605": {
        "init": """
class Jitter(Dataset):
    def __init__(self):
        self.rng = GEN  #!
    def __len__(self):
        return 8
    def __getitem__(self, i):
        return torch.tensor(i + DRAW(self.rng))

def loader():
    return DataLoader(Jitter(), batch_size=4, num_workers=2)
""",
        "helper_make": """
def make_rng():
    return GEN
class Jitter(Dataset):
    def __init__(self):
        self.rng = make_rng()  #!
    def __len__(self):
        return 8
    def __getitem__(self, i):
        return torch.tensor(i + DRAW(self.rng))

def loader():
    return DataLoader(Jitter(), batch_size=4, num_workers=2)
""",
        "method_draw": """
class Jitter(Dataset):
    def __init__(self):
        self.rng = GEN  #!
    def __len__(self):
        return 8
    def _noise(self):
        return DRAW(self.rng)
    def __getitem__(self, i):
        return torch.tensor(i + self._noise())

def loader():
    return DataLoader(Jitter(), batch_size=4, num_workers=2)
""",
        "passed": """
def noise(rng):
    return DRAW(rng)
class Jitter(Dataset):
    def __init__(self):
        self.rng = GEN  #!
    def __len__(self):
        return 8
    def __getitem__(self, i):
        return torch.tensor(i + noise(self.rng))

def loader():
    return DataLoader(Jitter(), batch_size=4, num_workers=2)
""",
        "transform": """
class AddNoise:
    def __init__(self):
        self.rng = GEN  #!
    def __call__(self, x):
        return x + DRAW(self.rng)
class Jitter(Dataset):
    def __init__(self):
        self.transform = AddNoise()
    def __len__(self):
        return 8
    def __getitem__(self, i):
        return self.transform(torch.tensor(float(i)))

def loader():
    return DataLoader(Jitter(), batch_size=4, num_workers=2)
""",
        "module_global": """
RNG = GEN  #!
class Jitter(Dataset):
    def __len__(self):
        return 8
    def __getitem__(self, i):
        return torch.tensor(i + DRAW(RNG))

def loader():
    return DataLoader(Jitter(), batch_size=4, num_workers=2)
""",
        "class_attr": """
class Jitter(Dataset):
    rng = GEN  #!
    def __len__(self):
        return 8
    def __getitem__(self, i):
        return torch.tensor(i + DRAW(self.rng))

def loader():
    return DataLoader(Jitter(), batch_size=4, num_workers=2)
""",
        "base": """
class Seeded(Dataset):
    def __init__(self):
        self.rng = GEN  #!
class Jitter(Seeded):
    def __len__(self):
        return 8
    def __getitem__(self, i):
        return torch.tensor(i + DRAW(self.rng))

def loader():
    return DataLoader(Jitter(), batch_size=4, num_workers=2)
""",
        "alias_local": """
class Jitter(Dataset):
    def __init__(self):
        self.rng = GEN  #!
    def __len__(self):
        return 8
    def __getitem__(self, i):
        rng = self.rng
        return torch.tensor(i + DRAW(rng))

def loader():
    return DataLoader(Jitter(), batch_size=4, num_workers=2)
""",
        "setup_method": """
class Jitter(Dataset):
    def __init__(self):
        self._setup()
    def _setup(self):
        self.rng = GEN  #!
    def __len__(self):
        return 8
    def __getitem__(self, i):
        return torch.tensor(i + DRAW(self.rng))

def loader():
    return DataLoader(Jitter(), batch_size=4, num_workers=2)
""",
        "ctor_arg": """
class Jitter(Dataset):
    def __init__(self, rng):
        self.rng = rng  #!
    def __len__(self):
        return 8
    def __getitem__(self, i):
        return torch.tensor(i + DRAW(self.rng))
def loader():
    return DataLoader(Jitter(GEN), batch_size=4, num_workers=2)
""",
        "ctor_default": """
class Jitter(Dataset):
    def __init__(self, rng=None):
        self.rng = rng or GEN  #!
    def __len__(self):
        return 8
    def __getitem__(self, i):
        return torch.tensor(i + DRAW(self.rng))

def loader():
    return DataLoader(Jitter(), batch_size=4, num_workers=2)
""",
        "iterable": """
from torch.utils.data import IterableDataset
class Jitter(IterableDataset):
    def __init__(self):
        self.rng = GEN  #!
    def __iter__(self):
        for i in range(8):
            yield torch.tensor(i + DRAW(self.rng))

def loader():
    return DataLoader(Jitter(), batch_size=4, num_workers=2)
""",
        "lambda": """
class Jitter(Dataset):
    def __init__(self):
        rng = GEN  #!
        self.noise = lambda: DRAW(rng) * 2
    def __len__(self):
        return 8
    def __getitem__(self, i):
        return torch.tensor(i + self.noise())

def loader():
    return DataLoader(Jitter(), batch_size=4, num_workers=2)
""",
        "partial_loader": """
class Jitter(Dataset):
    def __init__(self):
        self.rng = GEN  #!
    def __len__(self):
        return 8
    def __getitem__(self, i):
        return torch.tensor(i + DRAW(self.rng))
make = functools.partial(DataLoader, num_workers=4)
train = make(Jitter())
""",
        "two_files": """
from noise import AddNoise
class Jitter(Dataset):
    def __init__(self):
        self.transform = AddNoise()  #!
    def __len__(self):
        return 8
    def __getitem__(self, i):
        return self.transform(torch.tensor(float(i)))

def loader():
    return DataLoader(Jitter(), batch_size=4, num_workers=2)

# == noise.py
import random
import numpy as np
import torch
class AddNoise:
    def __init__(self):
        self.rng = GEN
    def __call__(self, x):
        return x + DRAW(self.rng)
""",
        "base_file": """
from seeded import Seeded
class Jitter(Seeded):
    def __len__(self):
        return 8
    def __getitem__(self, i):
        return torch.tensor(i + DRAW(self.rng))  #!

def loader():
    return DataLoader(Jitter(), batch_size=4, num_workers=2)

# == seeded.py
import random
import numpy as np
import torch
from torch.utils.data import Dataset
class Seeded(Dataset):
    def __init__(self):
        self.rng = GEN
""",
    },
}
"""Programs that are reported."""

SILENT: Final[dict[str, dict[str, str]]] = {
    "TBR605": {
        "worker_init": """
class Jitter(Dataset):
    def __init__(self):
        self.rng = np.random.default_rng(7)
    def __len__(self):
        return 8
    def __getitem__(self, i):
        return torch.tensor(i + self.rng.random())
def reseed(w):
    torch.utils.data.get_worker_info().dataset.rng = np.random.default_rng([w, torch.initial_seed()])
def loader():
    return DataLoader(Jitter(), batch_size=4, num_workers=2, worker_init_fn=reseed)
""",
        "no_workers": """
class Jitter(Dataset):
    def __init__(self):
        self.rng = np.random.default_rng(7)
    def __len__(self):
        return 8
    def __getitem__(self, i):
        return torch.tensor(i + self.rng.random())
def loader():
    return DataLoader(Jitter(), batch_size=4, num_workers=0)
""",
        "drawn_in_init": """
class Jitter(Dataset):
    def __init__(self):
        self.rng = np.random.default_rng(7)
        self.noise = [self.rng.random() for _ in range(8)]
    def __len__(self):
        return 8
    def __getitem__(self, i):
        return torch.tensor(i + self.noise[i])

def loader():
    return DataLoader(Jitter(), batch_size=4, num_workers=2)
""",
        "lazy": """
class Jitter(Dataset):
    def __init__(self):
        self.rng = None
    def __len__(self):
        return 8
    def __getitem__(self, i):
        if self.rng is None:
            self.rng = np.random.default_rng(torch.initial_seed() % 2**32)
        return torch.tensor(i + self.rng.random())

def loader():
    return DataLoader(Jitter(), batch_size=4, num_workers=2)
""",
        "fresh_index": """
class Jitter(Dataset):
    def __init__(self):
        self.seed = 3
    def __len__(self):
        return 8
    def __getitem__(self, i):
        rng = np.random.default_rng(self.seed + i)
        return torch.tensor(i + rng.random())

def loader():
    return DataLoader(Jitter(), batch_size=4, num_workers=2)
""",
    },
}
"""Programs that are not."""
