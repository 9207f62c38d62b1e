"""TBR209: caches by every spelling of an attribute: reported where the recompute misses what the forward saved."""

from __future__ import annotations

import textwrap

import pytest

from tests.oracle.agree import HEAD, agree, require_torch

require_torch()
pytestmark = pytest.mark.oracle

ASKS = {
    "get": "getattr(self, 'kept', None) is None",
    "has": "not hasattr(self, 'kept')",
    "dict": "'kept' not in self.__dict__",
    "vars": "'kept' not in vars(self)",
}
STORES = {
    "plain": "self.kept = {value}",
    "set": "setattr(self, 'kept', {value})",
    "dict": "self.__dict__['kept'] = {value}",
}
READS = {"plain": "self.kept", "get": "getattr(self, 'kept')", "dict": "self.__dict__['kept']"}
VALUES = {
    "weight": "self.w.exp().sin()",
    "cut": "self.w.detach().exp().sin()",
    "constant": "torch.ones(4, 4)",
}
BODIES = {f"{ask}_{store}_weight": (ASKS[ask], STORES[store], "weight", "plain") for ask in ASKS for store in STORES}
BODIES |= {
    f"{store}_{value}": (ASKS["get"], STORES[store], value, read)
    for (store, read) in (("set", "get"), ("dict", "dict"))
    for value in VALUES
}
CODE = "if {ask}:\n    {store}\nreturn (h @ {read}).tanh()"
FORWARDS = {
    name: CODE.format(ask=ask, store=store.format(value=VALUES[value]), read=READS[read])
    for name, (ask, store, value, read) in BODIES.items()
}
FORWARDS |= {
    "renewed": "setattr(self, 'kept', self.w.exp().sin())\nreturn (h @ self.kept).tanh()",
    "local": (
        "kept = getattr(self, 'kept', None)\n"
        "if kept is None:\n"
        "    kept = self.w.exp().sin()\n"
        "    setattr(self, 'kept', kept)\n"
        "return (h @ kept).tanh()"
    ),
}
PROGRAM = (
    HEAD
    + """

class Base(nn.Module):
    def __init__(self):
        super().__init__()
        self.w = nn.Parameter(torch.eye(4))
"""
)
for number, (name, code) in enumerate(FORWARDS.items()):
    PROGRAM += f"\n\nclass Net{number}(Base):\n    def forward(self, h):\n{textwrap.indent(code, ' ' * 8)}\n"
    PROGRAM += f"\n\nNET{number} = Net{number}()\n"
    PROGRAM += f"\n\ndef {name}(x: Tensor) -> Tensor:\n    return checkpoint(NET{number}, x, use_reentrant=False)\n"


def test_caches_that_the_recompute_finds_full_are_reported() -> None:
    agree(PROGRAM, "TBR209")
