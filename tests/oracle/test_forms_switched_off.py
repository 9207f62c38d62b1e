"""TBR304, TBR310, TBR314: what stands behind a flag of objects that the file makes: silent where none has it on."""

from __future__ import annotations

import pytest

from tests.oracle.agree import reported
from tests.oracle.support import compiling, observe, require_torch

torch = require_torch()
pytestmark = pytest.mark.oracle

HEAD = """
import torch
from torch import Tensor, nn
from torch.utils.checkpoint import checkpoint


class Block(nn.Module):
"""
GIVEN = """
    def __init__(self, check: bool = DEFAULT):
        super().__init__()
        self.check = check
"""
SET = """
    def __init__(self):
        super().__init__()
        self.check = DEFAULT
"""
BODY = """
    check = DEFAULT
"""
UNDER_TEST = """
    def __init__(self, wide: bool = True):
        super().__init__()
        self.check = False
        if wide:
            self.check = True
"""
IF = """
    def forward(self, x: Tensor):
        if self.check:
            if x.sum() > 0:
                x = x * 2
        return x.sin()
"""
AND = """
    def forward(self, x: Tensor):
        if self.check and x.sum() > 0:
            x = x * 2
        return x.sin()
"""
EARLY = """
    def forward(self, x: Tensor):
        if not self.check:
            return x.sin()
        if x.sum() > 0:
            x = x * 2
        return x.sin()
"""
OR = """
    def forward(self, x: Tensor):
        if self.check or x.sum() > 0:
            x = x * 2
        return x.sin()
"""
RUN = """
X = torch.ones(3)

def run():
    return torch.export.export(OBJECT, (X,))
"""
LATER = """
X = torch.ones(3)

def run():
    block = OBJECT
    block.check = True
    return torch.export.export(block, (X,))
"""
NAMED = """
X = torch.ones(3)
BLOCK = OBJECT

def run():
    return torch.export.export(BLOCK, (X,))
"""
OUTER = """
X = torch.ones(3)

class Outer(nn.Module):
    def __init__(self):
        super().__init__()
        self.block = OBJECT

    def forward(self, x: Tensor):
        return self.block(x)

def run():
    return torch.export.export(Outer(), (X,))
"""
FORMS = [
    (kept.replace("DEFAULT", default), forward, run.replace("OBJECT", made))
    for kept, made in ((GIVEN, "Block()"), (GIVEN, "Block(False)"), (GIVEN, "Block(check=True)"), (SET, "Block()"))
    for default in ("False", "True")
    for forward, run in ((IF, RUN), (AND, RUN), (EARLY, NAMED), (OR, RUN), (IF, OUTER), (IF, LATER))
]
FORMS += [
    (BODY.replace("DEFAULT", d), forward, RUN.replace("OBJECT", "Block()")) for d in ("0", "1") for forward in (IF, OR)
]
FORMS += [(UNDER_TEST, IF, RUN.replace("OBJECT", "Block()"))]


@pytest.mark.parametrize(("kept", "forward", "run"), FORMS)
def test_what_a_flag_keeps_out_of_an_export(kept: str, forward: str, run: str) -> None:
    source = f"{HEAD}{kept}{forward}\n{run}"
    with compiling(source) as module:
        outcome = observe(module.run)
    assert bool(reported(source, "TBR310")) is (outcome.error is not None)


COUNTING = """
class Block(nn.Module):
    def __init__(self, saving: bool = False):
        super().__init__()
        self.saving = saving
        self.seen = 0

    def body(self, x: Tensor):
        self.seen += 1
        return x.sin()

    def forward(self, x: Tensor):
        if self.saving:
            x = checkpoint(self.body, x, use_reentrant=False)
        return x.sin()


MODEL = torch.compile(Block(SAVING), fullgraph=True, backend="eager")


def run():
    return MODEL(torch.ones(3, requires_grad=True))
"""


@pytest.mark.parametrize("saving", ["", "False", "True", "saving=False", "saving=True"])
def test_what_a_flag_keeps_out_of_a_compiled_checkpoint(saving: str) -> None:
    source = HEAD.partition("\n\nclass")[0] + "\n\n" + COUNTING.replace("Block(SAVING)", f"Block({saving})")
    with compiling(source) as module:
        outcome = observe(module.run)
    assert bool(reported(source, "TBR314")) is (outcome.error is not None)
