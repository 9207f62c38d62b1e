"""TBR202, 205 and 211 at a region's end: the early stop decides, and reports go where torch runs it a second time."""

from __future__ import annotations

from typing import Any

import pytest

from tests.oracle.agree import HEAD, plain, reported, require_torch, same, step
from tests.oracle.support import indented, loaded, observe

require_torch()
pytestmark = pytest.mark.oracle

REGIONS = {
    "counted": ("TBR205", "", "h = A(h).tanh()\nself.n += 1\nreturn h"),
    "kept": ("TBR205", "", 'h = A(h).tanh()\nSTATE["n"] = STATE.get("n", 0) + 1\nreturn h'),
    "taken": ("TBR205", "self.queue = [1, 2, 3]", "h = A(h).tanh()\nself.queue.pop()\nreturn h"),
    "next": ("TBR205", "self.it = iter(range(9))", 'h = A(h).tanh()\nSTATE["v"] = next(self.it)\nreturn h'),
    "used": ("TBR205", "self.queue = [1.0, 2.0, 3.0]", "return A(h).tanh() * self.queue.pop()"),
    "before": ("TBR205", "self.queue = [1.0, 2.0, 3.0]", "self.queue.pop()\nreturn A(h).tanh()"),
    "undone": ("TBR205", "", "self.n += 1\nh = A(h).tanh()\nself.n -= 1\nreturn h"),
    "normalized": (
        "TBR211",
        "self.norm = nn.InstanceNorm1d(3, track_running_stats=True)",
        "return self.norm(A(h)[None])[0]",
    ),
    "functional": (
        "TBR211",
        'self.register_buffer("m", torch.zeros(3))\nself.register_buffer("v", torch.ones(3))',
        "return F.instance_norm(A(h)[None], self.m, self.v)[0]",
    ),
    "flipped": ("TBR202", "", "self.n += 1\nh = A(h).tanh()\nif self.n > 1:\n    h = h.sin()\nreturn h"),
    "moved": ("TBR202", "", "self.n += 1\nh = A(h).tanh()\nif self.n > 1:\n    h = h + 1\nreturn h"),
}
CALLS = {
    "early": "return checkpoint(self.body, x, use_reentrant=False)",
    "off": "return checkpoint(self.body, x, use_reentrant=False, early_stop=False)",
    "scope": "with set_checkpoint_early_stop(False):\n    return checkpoint(self.body, x, use_reentrant=False)",
    "on": "with set_checkpoint_early_stop(True):\n    return checkpoint(self.body, x, use_reentrant=False)",
}


def program(made: str, body: str, call: str) -> str:
    """A module with one region, its constructor, and how it is called."""
    return (
        f"{HEAD}\nfrom torch.utils.checkpoint import set_checkpoint_early_stop\n\n\nclass M(nn.Module):\n"
        f"    def __init__(self):\n        super().__init__()\n        self.n = 0\n{indented(made, 8)}\n"
        f"    def body(self, h):\n{indented(body, 8)}\n    def forward(self, x):\n{indented(call, 8)}\n\n"
        "MODEL = M()\n\n\ndef run(x):\n    return MODEL(x)\n"
    )


def left(module: Any) -> list[Any]:
    """What a step gives and leaves: gradients, and the model's state; a count apart for what only a branch reads."""
    found = list(step(module, "run"))
    model = module.MODEL
    return [*found, repr(getattr(model, "queue", None)), *(repr(b.tolist()) for b in model.buffers())]


@pytest.mark.parametrize("name", REGIONS)
@pytest.mark.parametrize("call", CALLS)
def test_what_runs_again_is_reported(name: str, call: str) -> None:
    code, made, body = REGIONS[name]
    source = program(made, body, CALLS[call])
    with plain(source) as module:
        wanted = left(module)
        count = module.MODEL.n
    with loaded(source) as module:
        outcome = observe(left, module)
        again = module.MODEL.n != count and code == "TBR205"
    wrong = outcome.error is not None or again
    wrong = wrong or not all(same(a, b) for a, b in zip(outcome.value, wanted, strict=True))
    assert bool(reported(source, code)) == wrong
