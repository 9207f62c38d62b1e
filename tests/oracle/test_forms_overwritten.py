"""TBR208: tensors that a region closes over or an object keeps, written to or marked before backward: reported if, and
only if, gradients change.
"""

from __future__ import annotations

import pytest

from tests.oracle.agree import HEAD, gradients, reported, require_torch, spoils

require_torch()
pytestmark = pytest.mark.oracle

WRITTEN = (
    HEAD
    + """
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.l = nn.Linear(4, 4)
        self.m = nn.Linear(4, 4)
        self.register_buffer("buf", torch.full((4,), 0.5))
        self.plain = torch.full((4,), 0.5)
        self.add = torch.full((4,), 0.5)
    def forward(self, x):
        return self.m((self.l(x) + self.add).tanh() * self.buf * self.plain)
NET = Net()
def form(x):
    own = torch.full((4,), 0.5)
    y = checkpoint(REGION, x, use_reentrant=False)
    CHANGE
    y.square().sum().backward()
"""
)
REGIONS = [
    "lambda h: A(h).tanh() * own",
    "lambda h: (A(h) + own).tanh()",
    "lambda h: (A(h) * own).tanh()",
    "lambda h: (A(h).tanh() * own).sin()",
    "lambda h: A(h).tanh() + own",
    "lambda h: B(A(h).tanh() - own)",
    "lambda h: A(h * own)",
    "lambda h: F.linear(h, A.weight, own).tanh()",
    "lambda h: torch.addcmul(A(h), own, own).tanh()",
]
CHANGES = [
    "own.requires_grad_()",
    "own.requires_grad = True",
    "own.zero_()",
    "own.data.zero_()",
    "own[0] = 0.0",
    "other = own\n    other.zero_()",
    "own[:2].zero_()",
    "own.view(2, 2).zero_()",
    "own.clone().zero_()",
    "own += 1",
    "own = own + 1",
    "own.detach_()",
    "v = own.view(4)\n    v.zero_()",
    "v = own.clone()\n    v.zero_()",
    "torch.zeros(4, out=own)",
    "own.set_(torch.zeros(4))",
]
OF_AN_OBJECT = [
    "NET.buf.requires_grad_()",
    "NET.plain.requires_grad_()",
    "NET.add.requires_grad_()",
    "NET.buf.zero_()",
    "NET.plain.zero_()",
    "NET.buf = torch.zeros(4)",
    "NET.plain.detach_()",
    "NET.m.weight.detach_()",
    "NET.m.weight.requires_grad_()",
    "NET.m.bias.requires_grad_(False)",
    "NET.__dict__.update(plain=torch.zeros(4))",
    "NET.__dict__.update(seen=torch.zeros(4))",
    "vars(NET)['plain'] = torch.zeros(4)",
    "NET._buffers['buf'] = torch.zeros(4)",
    "NET._buffers.update(buf=torch.zeros(4))",
    "NET._modules['m'] = nn.Linear(4, 4)",
]
CASES = [(r, c) for r in REGIONS for c in CHANGES] + [("NET", c) for c in OF_AN_OBJECT]


LAYERS = ("NET", "A", "B")


@pytest.mark.parametrize(("region", "change"), CASES)
def test_what_changes_the_gradients_is_reported(region: str, change: str) -> None:
    source = WRITTEN.replace("REGION", region)
    right = gradients(source.replace("CHANGE", "pass"), False, *LAYERS)
    changed = source.replace("CHANGE", change)
    # A name that is bound anew is another rule's.
    told = "form" in reported(changed, "TBR208") or "form" in reported(changed, "TBR206")
    assert told is spoils(changed, right, *LAYERS)
