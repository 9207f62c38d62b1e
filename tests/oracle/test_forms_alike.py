"""TBR202: sides that only a recompute takes and that begin with what the forward saved last: silent where torch is."""

from __future__ import annotations

import pytest

from tests.oracle.agree import HEAD, agree, require_torch
from tests.oracle.support import indented

require_torch()
pytestmark = pytest.mark.oracle

ADDED = {
    "sin": "h.sin()",
    "function": "torch.cos(h)",
    "silu": "F.silu(h)",
    "layer": "ACT(h)",
    "square": "h * h",
    "power": "h ** 2",
    "chain": "h.sin().exp()",
    "around": "torch.exp(torch.sin(h))",
    "normal": "F.layer_norm(h, (4,))",
    "exp": "h.exp()",
    "tanh": "h.tanh()",
    "scaled": "h * 2.0",
    "shifted": "(h + 1).sin()",
    "tensor": "CONST * h",
    "other": "x0.sin()",
    "softmax": "h.softmax(-1)",
}
ENDS = {
    "cos": "h.cos()",
    "gelu": "F.gelu(h)",
    "layer": "ACT(h)",
    "square": "h.square()",
    "power": "h.pow(3)",
    "summed": "h.sin().sum(-1)",
    "exp": "h.exp()",
    "linear": "A(h)",
    "twice": "h.cos().sin()",
    "beside": "h.sin() + x0.cos()",
    "product": "h * h",
    "moved": "(h + 1).sin()",
    "softmax": "h.softmax(-1)",
}
COUNTS = {
    "added": "self.n += 1",
    "assigned": "self.n = self.n + 1",
    "got": 'self.seen["n"] = self.seen.get("n", 0) + 1',
}
CALLS = {"early": "", "off": ", early_stop=False"}


def program(added: str, end: str, count: str = "self.n += 1", test: str = "self.n > 1", off: str = "") -> str:
    """A class of one region, by what its branch adds and its end."""
    return f"""        {count}
        x0 = h
        h = B(h)
        if {test}:
            h = {added}
        return {end}

    def forward(self, x):
        return checkpoint(self.body, x, use_reentrant=False{off})
"""


BODIES = {f"Adds{name.title()}": program(text, "h.cos()") for name, text in ADDED.items()}
BODIES |= {f"Ends{name.title()}": program("h.sin()", text) for name, text in ENDS.items()}
BODIES |= {
    "Assigned": program("h.sin()", "h.cos()", COUNTS["assigned"]),
    "Got": program("h.sin()", "h.cos()", COUNTS["got"], 'self.seen["n"] > 1'),
    "Off": program("h.sin()", "h.cos()", off=CALLS["off"]),
    "First": program("h.sin()", "h.cos()", test="self.n == 1"),
    "Less": program("h.sin()", "h.cos()", test="self.n < 2"),
    "AtEnd": program("h.sin()", "h"),
    "AtEndOff": program("h.sin()", "h", off=CALLS["off"]),
    "AtEndAssigned": program("h.sin()", "h", COUNTS["assigned"]),
    "AtEndShifted": program("h + 1", "h", off=CALLS["off"]),
}
CHOSEN = {
    "ChosenAlike": "h = h.sin() if self.n > 1 else h\nreturn h.cos()",
    "ChosenNamed": "y = h.sin() if self.n > 1 else h\nreturn y.cos()",
    "ChosenAgain": "y = h.sin() if self.n > 1 else h\nh = y.cos()\nreturn h",
    "ChosenOther": "y = h.sin() if self.n > 1 else h\nreturn h.cos() + y",
    "ChosenExp": "y = h.exp() if self.n > 1 else h\nreturn y.cos()",
    "Between": "if self.n > 1:\n    h = h.sin()\nh = h + 1\nreturn h.cos()",
    "Looped": "for _ in range(2):\n    if self.n > 1:\n        h = h.sin()\n    h = h.cos()\nreturn h",
}
BODIES |= {
    name: f"        self.n += 1\n        h = B(h)\n{indented(text, 8)}\n    def forward(self, x):\n"
    "        return checkpoint(self.body, x, use_reentrant=False)\n"
    for name, text in CHOSEN.items()
}
FORMS = HEAD + "\nACT, CONST = nn.GELU(), torch.full((4,), 0.5)\n"
for name, text in BODIES.items():
    FORMS += f"\n\nclass {name}(nn.Module):\n    def __init__(self):\n        super().__init__()\n        self.n = 0\n"
    FORMS += f"        self.seen = {{}}\n\n    def body(self, h):\n{text}\n{name.upper()} = {name}()\n"
    FORMS += f"def run_{name.lower()}(x): return {name.upper()}(x)\n"


def test_only_what_saves_something_else_is_reported() -> None:
    agree(FORMS, "TBR202", wrong=10, right=10)
