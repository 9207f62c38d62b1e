"""Orders of data without a generator, written in many ways: TBR606."""

from __future__ import annotations

from typing import Final

from tests.rules.rewriting import DATA_HEAD

HEAD: Final = DATA_HEAD
PAIRS: Final[dict[str, dict[str, str]]] = {
    "TBR606": {
        "plain": """
torch.manual_seed(0)
torch.use_deterministic_algorithms(True)
g = torch.Generator().manual_seed(0)
def main(data):
    return DataLoader(data, batch_size=4, shuffle=True{{||, generator=g}})  #!
""",
        "alias": """
torch.manual_seed(0)
torch.use_deterministic_algorithms(True)
g = torch.Generator().manual_seed(0)
Loader = DataLoader
def main(data):
    return Loader(data, batch_size=4, shuffle=True{{||, generator=g}})  #!
""",
        "import_as": """
torch.manual_seed(0)
torch.use_deterministic_algorithms(True)
g = torch.Generator().manual_seed(0)
from torch.utils.data import DataLoader as DL
def main(data):
    return DL(data, batch_size=4, shuffle=True{{||, generator=g}})  #!
""",
        "module_alias": """
torch.manual_seed(0)
torch.use_deterministic_algorithms(True)
g = torch.Generator().manual_seed(0)
import torch.utils.data as td
def main(data):
    return td.DataLoader(data, 4, True{{||, generator=g}})  #!
""",
        "partial": """
torch.manual_seed(0)
torch.use_deterministic_algorithms(True)
g = torch.Generator().manual_seed(0)
make = functools.partial(DataLoader, shuffle=True{{||, generator=g}}, batch_size=4)
def main(data):
    return make(data)  #!
""",
        "lambda": """
torch.manual_seed(0)
torch.use_deterministic_algorithms(True)
g = torch.Generator().manual_seed(0)
make = lambda data: DataLoader(data, shuffle=True{{||, generator=g}})  #!
def main(data):
    return make(data)
""",
        "kwargs": """
torch.manual_seed(0)
torch.use_deterministic_algorithms(True)
g = torch.Generator().manual_seed(0)
OPTIONS = dict(shuffle=True, batch_size=4{{||, generator=g}})
def main(data):
    return DataLoader(data, **OPTIONS)  #!
""",
        "kwargs_update": """
torch.manual_seed(0)
torch.use_deterministic_algorithms(True)
g = torch.Generator().manual_seed(0)
def main(data):
    kwargs = {"batch_size": 4}
    kwargs["shuffle"] = True
    {{pass||kwargs["generator"] = g}}
    return DataLoader(data, **kwargs)  #!
""",
        "helper": """
torch.manual_seed(0)
torch.use_deterministic_algorithms(True)
g = torch.Generator().manual_seed(0)
def make(data, train):
    return DataLoader(data, shuffle=train{{||, generator=g}})  #!
def main(data):
    return make(data, True), make(data, False)
""",
        "helper_kwargs": """
torch.manual_seed(0)
torch.use_deterministic_algorithms(True)
g = torch.Generator().manual_seed(0)
def make(data, **kw):
    return DataLoader(data, batch_size=4, **kw)  #!
def main(data):
    return make(data, shuffle=True{{||, generator=g}})
""",
        "method": """
torch.manual_seed(0)
torch.use_deterministic_algorithms(True)
g = torch.Generator().manual_seed(0)
class DM:
    def train_dataloader(self):
        return DataLoader(self.data, shuffle=True{{||, generator=g}})  #!
""",
        "self_fn": """
torch.manual_seed(0)
torch.use_deterministic_algorithms(True)
g = torch.Generator().manual_seed(0)
class DM:
    def __init__(self, data):
        self.make = DataLoader
        self.data = data
    def train(self):
        return self.make(self.data, shuffle=True{{||, generator=g}})  #!
""",
        "class_attr": """
torch.manual_seed(0)
torch.use_deterministic_algorithms(True)
g = torch.Generator().manual_seed(0)
class DM:
    loader_cls = DataLoader
    def train(self, data):
        return self.loader_cls(data, shuffle=True{{||, generator=g}})  #!
""",
        "subclass": """
torch.manual_seed(0)
torch.use_deterministic_algorithms(True)
g = torch.Generator().manual_seed(0)
class Fast(DataLoader):
    def __init__(self, data, **kw):
        super().__init__(data, num_workers=2, **kw)  #!
def main(data):
    return Fast(data, shuffle=True{{||, generator=g}})
""",
        "sampler": """
torch.manual_seed(0)
torch.use_deterministic_algorithms(True)
g = torch.Generator().manual_seed(0)
from torch.utils.data import RandomSampler
def main(data):
    return DataLoader(data, sampler=RandomSampler(data{{||, generator=g}}))  #!
""",
        "weighted": """
torch.manual_seed(0)
torch.use_deterministic_algorithms(True)
g = torch.Generator().manual_seed(0)
from torch.utils.data import WeightedRandomSampler as W
def main(data, w):
    return DataLoader(data, sampler=W(w, 8{{||, generator=g}}))  #!
""",
        "split": """
torch.manual_seed(0)
torch.use_deterministic_algorithms(True)
g = torch.Generator().manual_seed(0)
from torch.utils.data import random_split
def main(data):
    return random_split(data, [0.8, 0.2]{{||, generator=g}})  #!
""",
        "split_partial": """
torch.manual_seed(0)
torch.use_deterministic_algorithms(True)
g = torch.Generator().manual_seed(0)
from torch.utils.data import random_split
split = functools.partial(random_split, lengths=[0.8, 0.2]{{||, generator=g}})
def main(data):
    return split(data)  #!
""",
        "config": """
torch.manual_seed(0)
torch.use_deterministic_algorithms(True)
g = torch.Generator().manual_seed(0)
def main(data, args):
    if args.shuffle:
        return DataLoader(data, shuffle=True{{||, generator=g}})  #!
    return DataLoader(data)
""",
        "ternary": """
torch.manual_seed(0)
torch.use_deterministic_algorithms(True)
g = torch.Generator().manual_seed(0)
def main(data, args):
    return DataLoader(data, shuffle=True if args.train else False{{||, generator=g}})  #!
""",
        "decorator": """
torch.manual_seed(0)
torch.use_deterministic_algorithms(True)
g = torch.Generator().manual_seed(0)
def logged(f):
    @functools.wraps(f)
    def run(*a, **k):
        return f(*a, **k)
    return run
@logged
def main(data):
    return DataLoader(data, shuffle=True{{||, generator=g}})  #!
""",
        "try": """
torch.manual_seed(0)
torch.use_deterministic_algorithms(True)
g = torch.Generator().manual_seed(0)
def main(data):
    try:
        yield from DataLoader(data, shuffle=True{{||, generator=g}})  #!
    finally:
        print("done")
""",
        "cm": """
torch.manual_seed(0)
torch.use_deterministic_algorithms(True)
g = torch.Generator().manual_seed(0)
@contextlib.contextmanager
def loading(data):
    yield DataLoader(data, shuffle=True{{||, generator=g}})  #!
def main(data):
    with loading(data) as batches:
        return list(batches)
""",
        "randperm": """
torch.manual_seed(0)
torch.use_deterministic_algorithms(True)
g = torch.Generator().manual_seed(0)
from torch.utils.data import Subset
def main(data):
    order = torch.randperm(len(data){{||, generator=g}})  #!
    return Subset(data, order[:10])
""",
        "other_file_det": """
from seeding import seed_everything
seed_everything(0)
g = torch.Generator().manual_seed(1)
def main(data):
    return DataLoader(data, shuffle=True{{||, generator=g}})  #!
# == seeding.py
import torch
def seed_everything(n):
    torch.manual_seed(n)
    torch.use_deterministic_algorithms(True)
""",
        "reexport_loader": """
torch.manual_seed(0)
torch.use_deterministic_algorithms(True)
g = torch.Generator().manual_seed(0)
from data import make_loader
def main(data):
    return make_loader(data, shuffle=True{{||, generator=g}})  #!
# == data/__init__.py
from .load import make_loader
# == data/load.py
from torch.utils.data import DataLoader
def make_loader(data, **kw):
    return DataLoader(data, num_workers=2, **kw)
""",
        "dict_table": """
torch.manual_seed(0)
torch.use_deterministic_algorithms(True)
g = torch.Generator().manual_seed(0)
LOADERS = {"train": DataLoader}
def main(data):
    return LOADERS["train"](data, shuffle=True{{||, generator=g}})  #!
""",
        "dc": """
torch.manual_seed(0)
torch.use_deterministic_algorithms(True)
g = torch.Generator().manual_seed(0)
from dataclasses import dataclass
@dataclass
class Cfg:
    shuffle: bool = True
    batch: int = 4
def main(data, cfg: Cfg):
    return DataLoader(data, shuffle=True, batch_size=cfg.batch{{||, generator=g}})  #!
""",
    },
}
"""Programs with `{{bad||good}}` in them."""

SILENT: Final[dict[str, dict[str, str]]] = {
    "TBR606": {
        "unknown": """
torch.manual_seed(0)
torch.use_deterministic_algorithms(True)
g = torch.Generator().manual_seed(0)
def main(data, args):
    return DataLoader(data, shuffle=args.shuffle)
""",
        "no_det": """
def main(data):
    return DataLoader(data, shuffle=True)
""",
        "kwargs": """
torch.manual_seed(0)
torch.use_deterministic_algorithms(True)
g = torch.Generator().manual_seed(0)
def main(data, **kw):
    return DataLoader(data, **kw)
""",
    },
}
"""Programs that are not."""
