"""Determinism without cuBLAS's variable, written in many ways: TBR603."""

from __future__ import annotations

from typing import Final

from tests.rules.rewriting import SWITCHES_HEAD

HEAD: Final = SWITCHES_HEAD
PAIRS: Final[dict[str, dict[str, str]]] = {
    "TBR603": {
        "plain": """
def forward(a):
    return a.cuda() @ a.cuda()
torch.use_deterministic_algorithms(True)  #!
""",
        "alias": """
def forward(a):
    return a.cuda() @ a.cuda()
strict = torch.use_deterministic_algorithms
strict(True)  #!
""",
        "from": """
def forward(a):
    return a.cuda() @ a.cuda()
from torch import use_deterministic_algorithms as uda
uda(True)  #!
""",
        "partial": """
def forward(a):
    return a.cuda() @ a.cuda()
strict = functools.partial(torch.use_deterministic_algorithms, True)
strict()  #!
""",
        "method": """
def forward(a):
    return a.cuda() @ a.cuda()

class T:
    def setup(self):
        torch.use_deterministic_algorithms(mode=True)  #!
    def fit(self, x):
        self.setup()
        return forward(x)
""",
        "flag": """
def forward(a):
    return a.cuda() @ a.cuda()

def main(args):
    if args.strict:
        torch.use_deterministic_algorithms(True)  #!
    return forward(torch.ones(2, 2))
""",
        "try": """
def forward(a):
    return a.cuda() @ a.cuda()

def main(x):
    torch.use_deterministic_algorithms(True)  #!
    try:
        return forward(x)
    finally:
        torch.use_deterministic_algorithms(False)
""",
        "cm": """
def forward(a):
    return a.cuda() @ a.cuda()

@contextlib.contextmanager
def strict():
    torch.use_deterministic_algorithms(True)  #!
    yield
    torch.use_deterministic_algorithms(False)
def main(x):
    with strict():
        return forward(x)
""",
        "debug_mode": """
def forward(a):
    return a.cuda() @ a.cuda()
torch.set_deterministic_debug_mode("error")  #!
""",
        "other_file": """
def forward(a):
    return a.cuda() @ a.cuda()

from seeding import seed_everything
def main(x):
    seed_everything(0)  #!
    return forward(x)
# == seeding.py
import torch
def seed_everything(n):
    torch.use_deterministic_algorithms(True)
""",
        "device_to": """
DEVICE = torch.device("cuda")
def main(model, x):
    torch.use_deterministic_algorithms(True)  #!
    return model.to(DEVICE)(x.to(DEVICE))
""",
    },
}
"""Programs with `{{bad||good}}` in them."""
