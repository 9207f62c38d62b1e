"""Time grows with the length of a file, not with its square: what is asked for every name, test or method is kept."""

from __future__ import annotations

import cProfile
import pstats
from collections.abc import Callable

import pytest

from flake8_tensorbranch.check import check_source
from flake8_tensorbranch.project import Project
from flake8_tensorbranch.settings import Settings
from flake8_tensorbranch.source import SourceFile

HEAD = "import torch\nfrom torch import Tensor, nn\nfrom torch.utils.checkpoint import checkpoint\n"
SHORT, LONG = 50, 200
LIMIT = 1.8
"""How much more may be done for each row of a file four times as long: the square would be 4."""


def filling(n: int) -> str:
    """Methods that put tensors into an attribute which none of them makes, and call each other."""
    return "class Net(nn.Module):\n" + "".join(
        f"    def m{i}(self, x):\n        self.s{i} = self.m{i // 2}(x)\n        self.seen[{i}] = x\n"
        f"        return self.m{i + 1}(x) if self.s{i} > 0 else torch.relu(x)\n"
        for i in range(n)
    )


def knobs(n: int) -> str:
    """A constructor with many parameters that it validates."""
    given = ", ".join(f"a{i}: float | Tensor = 1.0" for i in range(n))
    return f"class Net(nn.Module):\n    def __init__(self, {given}):\n" + "".join(
        f"        if a{i} < 0:\n            raise ValueError\n        self.b{i} = a{i}\n" for i in range(n)
    )


def rebound(n: int) -> str:
    """One local that is bound again before each test."""
    return "def f(batch, x: Tensor):\n    a = batch.get('a')\n" + "".join(
        f"    a.clamp_({i})\n    if a > {i}:\n        a = batch.get('{i}')\n" for i in range(n)
    )


def recomputed(n: int) -> str:
    """One local that is checkpointed and bound again, over and over, before one backward."""
    return "def f(fn, x: Tensor):\n" + "".join(
        f"    x = checkpoint(fn, x, use_reentrant=False)\n    x = x + {i}\n" for i in range(n)
    ) + "    x.sum().backward()\n"  # fmt: skip


def regions(n: int) -> str:
    """A region that binds its local again and again, checkpointed as often by one method."""
    return (
        "class Net(nn.Module):\n    def __init__(self):\n        super().__init__()\n"
        "        self.fc = nn.Linear(4, 4)\n"
        "    def region(self, x):\n"
        + "".join(f"        x = self.fc(x)\n        x = x.relu() + {i}\n" for i in range(n))
        + "        return x\n    def forward(self, x):\n"
        + "        x = checkpoint(self.region, x, use_reentrant=False)\n" * n
        + "        return x\ndef step(net: Net, x: Tensor):\n    loss = net(x).sum()\n    loss.backward()\n"
    )


def returning(n: int) -> str:
    """A function of many returns that as many functions checkpoint, in the reentrant variant."""
    return (
        "def region(x, k):\n"
        + "".join(f"    if k == {i}:\n        return [x * {i}]\n" for i in range(n))
        + "    return x\n"
        + "".join(
            f"def c{i}(x: Tensor, k):\n    return checkpoint(region, x, k, use_reentrant=True)\n" for i in range(n)
        )
    )


def nested(n: int) -> str:
    """A model of five levels, each of as many modules of the level below, whose leaves a function checkpoints: the
    places of the leaves are the fourth power.
    """
    return (
        "from functools import partial\nfrom torch.distributed.algorithms._checkpoint.checkpoint_wrapper import (\n"
        "    CheckpointImpl, apply_activation_checkpointing, checkpoint_wrapper)\n"
        "class L0(nn.Module):\n    def __init__(self):\n        super().__init__()\n"
        "        self.fc = nn.Linear(4, 4)\n    def forward(self, x):\n        return self.fc(x)\n"
        + "".join(
            f"class L{level + 1}(nn.Module):\n    def __init__(self):\n        super().__init__()\n"
            + "".join(f"        self.m{i} = L{level}()\n" for i in range(n))
            + "    def forward(self, x):\n"
            + "".join(f"        x = self.m{i}(x)\n" for i in range(n))
            + "        return x\n"
            for level in range(4)
        )
        + "def main(x):\n    net = L4()\n"
        "    apply_activation_checkpointing(net, partial(checkpoint_wrapper, checkpoint_impl=CheckpointImpl.REENTRANT),"
        " check_fn=lambda m: isinstance(m, L0))\n"
        "    return nn.parallel.DistributedDataParallel(net)(x).sum().backward()\n"
    )


def lineage(n: int, first: str, act: str, forward: str = "") -> str:
    """Classes each built on the one before it, which override one method, and another where `forward` is given."""
    head = f"class C0(nn.Module):\n{first}"
    again = f"    def forward(self, x):\n        return {forward}\n" if forward else ""
    return head + "".join(
        f"class C{i}(C{i - 1}):\n    def act(self, x):\n        return {act}\n{again}" for i in range(1, n)
    )


_RUN = "checkpoint(self.act, x, use_reentrant=False)"
_FIRST = f"    def act(self, x):\n        return x\n    def forward(self, x):\n        return {_RUN}\n"


def overridden(n: int) -> str:
    """Each class checkpoints the method that it overrides, which calls the one above it."""
    return lineage(n, _FIRST, "super().act(x) + 1", _RUN)


def inherited(n: int) -> str:
    """The same with a region of the first class alone."""
    return lineage(n, _FIRST, "super().act(x) + 1")


def done(source: str) -> int:
    """The function calls that a check of the source takes."""
    profile = cProfile.Profile()
    profile.runcall(check_source, SourceFile("growing.py", source), Settings(enable=("TBR",)), None, Project())
    return int(getattr(pstats.Stats(profile), "total_calls"))  # noqa: B009


@pytest.mark.parametrize("grown", [filling, knobs, rebound, recomputed, regions, returning, overridden, inherited])
def test_work_grows_with_the_length(grown: Callable[[int], str]) -> None:
    done(HEAD + grown(3))  # what is loaded once
    short, long = done(HEAD + grown(SHORT)), done(HEAD + grown(LONG))
    assert long / short < LIMIT * LONG / SHORT


def test_work_does_not_grow_with_the_ways_that_lead_to_a_place() -> None:
    done(HEAD + nested(3))
    short, long = (done(HEAD + nested(n)) for n in (10, 40))
    assert long / short < 4**2
