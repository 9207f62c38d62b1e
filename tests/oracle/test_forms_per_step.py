"""TBR508: how often a step runs a module, by loops, tests and reads of its parameters, as DDP's own hooks count it."""

from __future__ import annotations

from typing import Any

import pytest

from tests.oracle import replicas
from tests.oracle.agree import reported
from tests.oracle.processes import on_two_ranks
from tests.oracle.replicas import ready_twice
from tests.oracle.support import indented, loaded, require_torch

torch = require_torch()
pytestmark = pytest.mark.oracle

HEAD = f"""{replicas.HEAD}


class Sine(nn.Module):
    def forward(self, x):
        return torch.sin(x)
"""
PARTS = {
    "body": "Block()",
    "blocks": "nn.ModuleList([Block() for _ in range(3)])",
    "sine": "Sine()",
    "cold": "Block().requires_grad_(False)",
}
"""What a model has where its forward names it: DDP waits for every parameter."""

BLOCKS = {
    "once": "x = self.body(x)",
    "twice": "x = self.body(self.body(x))",
    "each": "for b in self.blocks:\n    x = b(x)",
    "first_apart": "x = self.blocks[0](x)\nfor i, b in enumerate(self.blocks):\n    if i > 0:\n        x = b(x)",
    "first_passed": "x = self.blocks[0](x)\nfor i, b in enumerate(self.blocks):\n    if i == 0:\n        continue\n"
    "    x = b(x)",
    "first_again": "x = self.blocks[0](x)\nfor b in self.blocks:\n    x = b(x)",
    "first_named": "x = self.blocks[0](x)\nfor i, b in enumerate(self.blocks):\n    later = i > 0\n    if later:\n"
    "        x = b(x)",
    "last_round": "for k in range(3):\n    x = x + 1\n    if k == 2:\n        x = self.body(x)",
    "short_circuit": "for k in range(3):\n    x = x + (k == 2 and self.body(x))",
    "conditional": "for k in range(3):\n    x = self.body(x) if k == 2 else x + 1",
    "comprehended": "x = sum([self.body(x) for k in range(3) if k == 2])",
    "comprehended_all": "x = sum([self.body(x) for k in range(3)])",
    "matched": "for k in range(3):\n    match k:\n        case 2:\n            x = self.body(x)",
    "counter": "k = 0\nwhile k < 3:\n    k += 1\n    if k == 2:\n        x = self.body(x)",
    "outer_round": "for _ in range(2):\n    for k in range(3):\n        if k == 2:\n            x = self.body(x)",
    "left": "while True:\n    x = self.body(x)\n    break",
    "left_inner": "for _ in range(2):\n    for _ in range(2):\n        x = self.body(x)\n        break",
    "one_round": "for _ in range(1):\n    x = self.body(x)",
    "two_rounds": "for _ in range(2):\n    x = self.body(x)",
    "no_parameters": "x = self.sine(self.sine(x))",
    "detached": "x = self.body(x) + self.body(x).detach()",
    "frozen": "x = self.cold(x) + self.cold(x * 2)",
    "read": "x = self.body(x) + self.body.l.weight.sum()",
    "read_norm": "x = self.body(x) + self.body.l.weight.norm()",
    "read_item": "x = self.body(x) + self.body.l.weight.norm().item()",
    "read_dtype": "x = self.body(x.to(self.body.l.weight.dtype))",
    "read_to": "x = self.body(x.to(self.body.l.weight))",
    "read_form": "x = self.body(x) + torch.zeros_like(self.body.l.weight).sum()",
    "read_size": "x = self.body(x) + x.new_zeros(self.body.l.weight.size(0))",
    "read_detached": "x = self.body(x) + (self.body.l.weight * 2).detach().sum()",
    "read_printed": "x = self.body(x)\nprint(self.body.l.weight.norm())",
    "read_tested": "x = self.body(x)\nif self.body.l.weight.abs().sum() > 0:\n    x = x + 1",
    "read_told": "x = self.body(x)\nassert x is not None, f'{self.body.l.bias.sum()}'",
    "read_by_name": "w = self.body.l.weight\nx = self.body(x.to(w))\nassert x.dtype == w.dtype",
    "read_by_name_summed": "w = self.body.l.weight\nx = self.body(x.to(w)) + w.sum()",
    "read_taken": "x = self.body(x) + torch.mul(self.body.l.weight, 2).sum()",
    "read_function": "x = self.body(x) + torch.norm(self.body.l.weight).item()",
}
KINDS = "(Block, Sine)"
APPLIED = "apply_activation_checkpointing(m, checkpoint_wrapper_fn=reentrantly, check_fn=lambda s: isinstance(s, {}))"
PUT = {
    "sine": "m.sine.forward = partial(checkpoint, m.sine.forward, use_reentrant=True)",
    "cold": "m.cold.forward = partial(checkpoint, m.cold.forward, use_reentrant=True)",
}


def model(name: str, body: str) -> str:
    """A class whose forward is this one, and the functions that wrap its modules, one of them by the form's name."""
    put = PUT.get({"no_parameters": "sine", "frozen": "cold"}.get(name, ""), "")
    built = {name: APPLIED.format(KINDS), **({f"{name}_forward": put} if put else {})}
    held = "".join(f"        self.{part} = {made}\n" for part, made in PARTS.items() if f"self.{part}" in body)
    text = f"\n\nclass {name.title()}(nn.Module):\n    def __init__(self):\n        super().__init__()\n"
    text += f"        self.stem = nn.Linear(4, 4)\n{held}        self.tail = nn.Linear(4, 4)\n"
    text += "\n    def forward(self, x):\n        x = self.stem(x)\n"
    text += indented(indented(body)).rstrip() + "\n        return self.tail(x)\n"
    return text + "".join(
        f"\n\ndef {n}():\n    m = {name.title()}()\n    {t}\n    return DDP(m)\n" for n, t in built.items()
    )


SOURCE = HEAD + "".join(model(name, body) for name, body in BLOCKS.items())
NAMES = [*BLOCKS, "no_parameters_forward", "frozen_forward"]


@pytest.mark.usefixtures("group")
def test_what_a_step_runs_twice_is_reported() -> None:
    with loaded(SOURCE) as module:
        wrong = {name for name in NAMES if ready_twice(getattr(module, name), steps=1)}
    assert 8 < len(wrong) < len(NAMES) - 8
    assert set(reported(SOURCE, "TBR508")) == wrong


# Nothing stands before the module that runs twice: by one rank, DDP does not notice.
FIRST = """

class Shared(nn.Module):
    def __init__(self):
        super().__init__()
        self.a = nn.Linear(4, 4)
        self.b = nn.Linear(4, 4)

    def forward(self, x):
        return self.b(self.a(self.a(x)))


class Single(Shared):
    def forward(self, x):
        return self.b(self.a(x))


class Inside(Shared):
    def forward(self, x):
        x = checkpoint(self.a, x, use_reentrant=True)
        x = checkpoint(self.a, x, use_reentrant=True)
        return self.b(x)


class Outside(Shared):
    def forward(self, x):
        return self.b(checkpoint(self.a, x, use_reentrant=True)) + self.a.weight.sum()


def plain():
    return DDP(Shared())


def wrapped():
    m = Shared()
    m.a = checkpoint_wrapper(m.a, checkpoint_impl=CheckpointImpl.REENTRANT)
    return DDP(m)


def selected():
    m = Shared()
    apply_activation_checkpointing(m, checkpoint_wrapper_fn=reentrantly, check_fn=lambda s: isinstance(s, nn.Linear))
    return DDP(m)


def selected_single():
    m = Single()
    apply_activation_checkpointing(m, checkpoint_wrapper_fn=reentrantly, check_fn=lambda s: isinstance(s, nn.Linear))
    return DDP(m)


def selected_bare():
    m = Shared()
    apply_activation_checkpointing(m, checkpoint_wrapper_fn=reentrantly, check_fn=lambda s: isinstance(s, nn.ReLU))
    return DDP(m)


def unused():
    m = Single()
    m.a = checkpoint_wrapper(m.a, checkpoint_impl=CheckpointImpl.REENTRANT)
    return DDP(m, find_unused_parameters=True)


def inside():
    return DDP(Inside())


def outside():
    return DDP(Outside())
"""
UNSTEMMED = ("plain", "wrapped", "selected", "selected_single", "selected_bare", "unused", "inside", "outside")
PLACES = {"inside": "Inside", "outside": "Outside"}


def _gradients(module: Any, rank: int) -> str:
    told = []
    for name in UNSTEMMED:
        torch.manual_seed(0)
        ddp = getattr(module, name)()
        x = (torch.ones(2, 4) * (rank + 1)).requires_grad_()
        try:
            ddp(x).square().sum().backward()
            told.append(" ".join(f"{p.grad.sum().item():.4f}" for p in ddp.parameters()))
        except RuntimeError as error:
            told.append(str(error).splitlines()[0])
    return "\n".join(told)


def test_ranks_keep_other_gradients_where_nothing_stands_before() -> None:
    source = HEAD + FIRST
    with loaded(source) as module:
        said = on_two_ranks(lambda rank: _gradients(module, rank))
    pairs = dict(zip(UNSTEMMED, zip(*(said[rank].split("\n") for rank in range(2)), strict=True), strict=True))
    raised = {name for name, (one, other) in pairs.items() if one.startswith("Expected to mark") and one == other}
    differing = {name for name, (one, other) in pairs.items() if one != other}
    assert raised
    assert differing
    messages = {name: " ".join(said) for name, said in reported(source, "TBR508").items()}
    assert set(messages) == {PLACES.get(name, name) for name in raised | differing}
    told = {name for name in messages if "different gradients" in messages[name]}
    assert {PLACES.get(name, name) for name in differing} <= told
    assert "unused" in raised - told
