"""TBR508: modules put into reentrant checkpoints from outside of their model, told where DDP sees them ready twice."""

from __future__ import annotations

import pytest

from tests.oracle.agree import reported
from tests.oracle.replicas import HEAD, ready_twice
from tests.oracle.support import loaded, require_torch

torch = require_torch()
pytestmark = pytest.mark.oracle

MODELS = f"""{HEAD}

class Single(nn.Module):
    def __init__(self):
        super().__init__()
        self.stem = nn.Linear(4, 4)
        self.body = Block()
        self.tail = Block()

    def forward(self, x):
        return self.tail(self.body(self.stem(x)))


class Again(Single):
    def forward(self, x):
        return self.tail(self.body(self.body(self.stem(x))))


class Loop(Single):
    def forward(self, x):
        x = self.stem(x)
        for _ in range(2):
            x = self.body(x)
        return self.tail(x)


class Chosen(Single):
    def forward(self, x):
        x = self.stem(x)
        if x.shape[0] > 1:
            return self.tail(self.body(x))
        return self.body(x)


class Quiet(Single):
    def forward(self, x):
        x = self.stem(x)
        with torch.no_grad():
            y = self.body(x)
        return self.tail(self.body(x + y))


class Weight(Single):
    def forward(self, x):
        return self.tail(self.body(self.stem(x))) + self.body.l.weight.sum()


class Helper(Single):
    def run(self, x):
        body = self.body
        return body(x)

    def forward(self, x):
        return self.tail(self.run(self.run(self.stem(x))))


class Outer(nn.Module):
    def __init__(self):
        super().__init__()
        self.stem = nn.Linear(4, 4)
        self.inner = Single()

    def forward(self, x):
        return self.inner(self.inner(self.stem(x)))


class Blocks(nn.Module):
    def __init__(self):
        super().__init__()
        self.stem = nn.Linear(4, 4)
        self.blocks = nn.ModuleList([Block() for _ in range(2)])

    def forward(self, x):
        x = self.stem(x)
        for b in self.blocks:
            x = b(x)
        return x


class Rounds(Blocks):
    def forward(self, x):
        x = self.stem(x)
        for _ in range(2):
            for i, b in enumerate(self.blocks):
                x = b(x)
        return x


class Counted(Blocks):
    def forward(self, x):
        x = self.stem(x)
        for i in range(2):
            x = self.blocks[i](x)
        return x


class Indexed(Blocks):
    def forward(self, x):
        return self.blocks[0](self.blocks[1](self.blocks[0](self.stem(x))))


class Chain(nn.Module):
    def __init__(self):
        super().__init__()
        self.stem = nn.Linear(4, 4)
        self.seq = nn.Sequential(Block(), nn.Tanh(), Block())

    def forward(self, x):
        return self.seq(self.seq(self.stem(x)))


class Owned(nn.Module):
    def __init__(self, inner):
        super().__init__()
        self.inner = inner

    def forward(self, x):
        return checkpoint(self.inner, x, use_reentrant=True)
"""
SINGLES = ("Single", "Again", "Loop", "Chosen", "Quiet", "Weight", "Helper")
WAYS = {
    "attribute": "m.{0} = checkpoint_wrapper(m.{0}, checkpoint_impl=CheckpointImpl.REENTRANT)",
    "deeper": "m.{0}.l = checkpoint_wrapper(m.{0}.l, checkpoint_impl=CheckpointImpl.REENTRANT)",
    "forward": "m.{0}.forward = partial(checkpoint, m.{0}.forward, use_reentrant=True)",
    "anew": "own = m.{0}.forward\nm.{0}.forward = lambda x: checkpoint(own, x, use_reentrant=True)",
    "written": "own = m.{0}.forward\ndef run(x):\n    return checkpoint(own, x, use_reentrant=True)\n"
    "m.{0}.forward = run",
    "by_name": 'setattr(m, "{0}", checkpoint_wrapper(m.{0}, checkpoint_impl=CheckpointImpl.REENTRANT))',
    "not": "m.{0} = checkpoint_wrapper(m.{0}, checkpoint_impl=CheckpointImpl.NO_REENTRANT)",
}
APPLIED = "apply_activation_checkpointing(m, checkpoint_wrapper_fn=reentrantly, check_fn=lambda s: isinstance(s, {0}))"
ITEMS = (
    "for i, b in enumerate(m.blocks):\n"
    "    m.blocks[i] = checkpoint_wrapper(b, checkpoint_impl=CheckpointImpl.REENTRANT)"
)
INDICES = (
    "for i in range(len(m.blocks)):\n"
    "    m.blocks[i] = checkpoint_wrapper(m.blocks[i], checkpoint_impl=CheckpointImpl.REENTRANT)"
)
LISTED = "m.blocks = nn.ModuleList([checkpoint_wrapper(b, checkpoint_impl=CheckpointImpl.REENTRANT) for b in m.blocks])"
FORWARDS = "for b in m.blocks:\n    b.forward = partial(checkpoint, b.forward, use_reentrant=True)"
WALKED = (
    "for b in m.modules():\n"
    "    if isinstance(b, Block):\n"
    "        b.forward = partial(checkpoint, b.forward, use_reentrant=True)"
)
FORMS = {f"{way}_{cls}": (cls, text.format("body")) for cls in SINGLES for way, text in WAYS.items()}
FORMS |= {f"tail_{way}_{cls}": (cls, text.format("tail")) for cls in ("Again", "Weight") for way, text in WAYS.items()}
FORMS |= {f"applied_{cls}": (cls, APPLIED.format("Block")) for cls in (*SINGLES, "Outer", "Blocks", "Rounds", "Chain")}
for name, text in (("items", ITEMS), ("indices", INDICES), ("listed", LISTED), ("forwards", FORWARDS)):
    FORMS |= {f"{name}_{cls}": (cls, text) for cls in ("Blocks", "Rounds", "Counted", "Indexed")}
FORMS |= {f"walked_{cls}": (cls, WALKED) for cls in ("Single", "Again", "Blocks", "Rounds")}
FORMS |= {
    "part": ("Outer", WAYS["attribute"].format("inner")),
    "part_of_part": ("Outer", WAYS["attribute"].format("inner.body")),
    "first_item": ("Indexed", WAYS["attribute"].format("blocks[0]")),
    "second_item": ("Indexed", WAYS["attribute"].format("blocks[1]")),
    "of_a_chain": ("Chain", WAYS["attribute"].format("seq[0]")),
}
BUILDERS = "".join(
    f"\n\ndef {name}():\n    m = {cls}()\n    " + text.replace("\n", "\n    ") + "\n    return DDP(m)\n"
    for name, (cls, text) in FORMS.items()
)


@pytest.mark.usefixtures("group")
def test_what_runs_several_times_a_step_is_reported() -> None:
    source = MODELS + BUILDERS
    with loaded(source) as module:
        wrong = {name for name in FORMS if ready_twice(getattr(module, name))}
    assert 10 < len(wrong) < len(FORMS) - 10
    assert set(reported(source, "TBR508")) == wrong


@pytest.mark.usefixtures("group")
@pytest.mark.parametrize(
    ("place", "text"),
    [
        ("Owned", "def build():\n    m = {}()\n    m.body = Owned(m.body)\n    return DDP(m)\n"),
        (
            "put",
            "def put(m):\n    m.body = checkpoint_wrapper(m.body, checkpoint_impl=CheckpointImpl.REENTRANT)\n"
            "    return m\n\n\ndef build():\n    return DDP(put({}()))\n",
        ),
        (
            "made",
            "def made(own):\n    def run(x):\n        return checkpoint(own, x, use_reentrant=True)\n"
            "    return run\n\n\ndef build():\n    m = {}()\n    m.body.forward = made(m.body.forward)\n"
            "    return DDP(m)\n",
        ),
        (
            "build",
            "def build():\n    m = {}()\n    for b in m.modules():\n        if isinstance(b, Block):\n"
            "            b.forward = partial(checkpoint, b.forward, use_reentrant=True)\n"
            "    return DDP(m, find_unused_parameters=True)\n",
        ),
    ],
)
@pytest.mark.parametrize("cls", ["Single", "Again", "Chosen"])
def test_it_is_told_where_the_wrapping_stands(place: str, text: str, cls: str) -> None:
    source = f"{MODELS}\n\n{text.format(cls)}"
    with loaded(source) as module:
        wrong = ready_twice(module.build)
    assert set(reported(source, "TBR508")) == ({place} if wrong else set())
