"""TBR104: ways to let one rank decide: reported where the other rank waits in vain, or for something else."""

from __future__ import annotations

import pytest

from tests.oracle.agree import functions, reported, require_torch
from tests.oracle.processes import on_two_ranks
from tests.oracle.ranked import hangs
from tests.oracle.support import loaded, require_gloo

torch = require_torch()
pytestmark = pytest.mark.oracle

HEAD = """
import contextlib
import functools
import math
import os
from contextlib import ExitStack, contextmanager
from functools import partial

import torch
import torch.distributed as dist
import torch.distributed as td
from torch import Tensor
from torch.distributed import all_reduce, barrier, get_rank
from torch.distributed import ReduceOp

STRICT = True
LAYER = torch.nn.Linear(2, 2)
REDUCE = partial(dist.all_reduce, op=dist.ReduceOp.SUM)


def broken(loss: Tensor) -> bool:
    return bool(torch.isnan(loss))


def reduced(t: Tensor) -> Tensor:
    dist.all_reduce(t)
    return t


def agreed(flag: Tensor) -> bool:
    flag = flag.float()
    dist.all_reduce(flag, op=dist.ReduceOp.MAX)
    return flag.item() > 0


def main_only(function):
    @functools.wraps(function)
    def inner(*args):
        if dist.get_rank() == 0:
            return function(*args)
        return None
    return inner


@contextmanager
def synchronised():
    yield
    dist.barrier()


class Step:
    def __init__(self) -> None:
        self.bad = False
        self.skipped = 0

    def look(self, loss: Tensor) -> None:
        self.bad = bool(torch.isnan(loss))

    def count(self, loss: Tensor) -> None:
        if torch.isnan(loss):
            self.skipped += 1

    def run(self, total: Tensor) -> None:
        if not self.bad:
            dist.all_reduce(total)


class Kept:
    def __init__(self) -> None:
        self.items = []

    def add(self, item) -> None:
        if item not in self.items:
            self.items.append(item)

    def add_new(self, *items) -> None:
        for item in items:
            if not any(item is kept for kept in self.items):
                self.items.append(item)

    def add_of(self, layer, parameters) -> None:
        if parameters == [p for p in layer.parameters()]:
            self.items.append(layer)

    def add_last(self, item) -> None:
        self.items.append(item)
        if len(self.items) > 1 and self.items[-2] is self.items[-1]:
            del self.items[-2]


class Valued:
    def __init__(self) -> None:
        self.values = [1.0]

    def add_value(self, loss: Tensor) -> None:
        if loss.item() in self.values:
            self.values.append(loss)

    def run(self, total: Tensor) -> None:
        for _ in enumerate(self.values):
            dist.all_reduce(total)


@contextmanager
def served():
    main = dist.get_rank() == 0
    if not main:
        dist.barrier()
        yield False
        return
    yield True
    dist.barrier()


def sizes(t: Tensor) -> list:
    found = [torch.zeros(()), torch.zeros(())]
    dist.all_gather(found, torch.tensor(float(t.shape[0])))
    return [int(size) for size in found]


def varying(t: Tensor, known: list) -> None:
    for i, size in enumerate(known):
        dist.broadcast(t if i == dist.get_rank() else torch.empty(size), src=i)


@main_only
def saved(total: Tensor) -> None:
    dist.barrier()


@main_only
def logged(total: Tensor) -> None:
    print(end="")
"""
EACH = "for i, item in enumerate(kept.items):\n    dist.all_reduce(total)"
FORMS = {
    "plain": "if torch.isnan(loss):\n    return\ndist.all_reduce(total)",
    "alias": "if torch.isnan(loss):\n    return\ntd.all_reduce(total)",
    "from_": "if torch.isnan(loss):\n    return\nall_reduce(total)",
    "renamed": "reduce = dist.all_reduce\nif not torch.isnan(loss):\n    reduce(total)",
    "part": "reduce = partial(dist.all_reduce, op=ReduceOp.SUM)\nif not torch.isnan(loss):\n    reduce(total)",
    "part_module": "if not torch.isnan(loss):\n    REDUCE(total)",
    "lam": "reduce = lambda t: dist.all_reduce(t)\nif not torch.isnan(loss):\n    reduce(total)",
    "helper": "if not broken(loss):\n    reduced(total)",
    "helper_flag": "bad = broken(loss)\nif bad:\n    return\nreduced(total)",
    "item": "value = loss.item()\nif math.isnan(value):\n    return\ndist.barrier()",
    "ternary": "total = reduced(total) if loss.isfinite() else total",
    "and_": "torch.isnan(loss) or dist.all_reduce(total)",
    "short": "loss.isfinite() and reduced(total)",
    "while_": "while loss > 0:\n    dist.all_reduce(total)\n    loss = loss - 1",
    "for_": "for _ in range(int(torch.nan_to_num(loss, 3.0))):\n    dist.all_reduce(total)",
    "comp": "[dist.all_reduce(total) for _ in range(int(torch.nan_to_num(loss, 3.0)))]",
    "comp_if": "[dist.all_reduce(total) for v in [loss] if not torch.isnan(v)]",
    "match_": (
        "match bool(torch.isnan(loss)):\n    case True:\n        return\n    case _:\n        dist.all_reduce(total)"
    ),
    "try_raise": (
        "try:\n"
        "    if torch.isnan(loss):\n"
        "        raise FloatingPointError\n"
        "    dist.all_reduce(total)\n"
        "except FloatingPointError:\n"
        "    pass"
    ),
    "raise_": (
        "with contextlib.suppress(FloatingPointError):\n"
        "    if torch.isnan(loss):\n"
        "        raise FloatingPointError\n"
        "    dist.all_reduce(total)"
    ),
    "assert_": "try:\n    assert loss.isfinite()\n    dist.all_reduce(total)\nexcept AssertionError:\n    pass",
    "finally_": "try:\n    if torch.isnan(loss):\n        return\nfinally:\n    dist.all_reduce(total)",
    "stack": "with ExitStack() as stack:\n    if loss.isfinite():\n        stack.callback(dist.barrier)",
    "stack_always": (
        "with ExitStack() as stack:\n    stack.callback(dist.barrier)\n    if torch.isnan(loss):\n        return"
    ),
    "cm": "if loss.isfinite():\n    with synchronised():\n        total += 1",
    "cm_always": "with synchronised():\n    if torch.isnan(loss):\n        total += 1",
    "nullcontext": "with synchronised() if loss.isfinite() else contextlib.nullcontext():\n    total += 1",
    "agreed_": "if agreed(torch.isnan(loss)):\n    return\ndist.all_reduce(total)",
    "max_first": (
        "flag = torch.isnan(loss).float()\n"
        "dist.all_reduce(flag, op=dist.ReduceOp.MAX)\n"
        "if flag.item():\n"
        "    return\n"
        "dist.all_reduce(total)"
    ),
    "max_part": "flag = torch.isnan(loss).float()\nREDUCE(flag)\nif flag.item():\n    return\ndist.all_reduce(total)",
    "broadcast_first": (
        "flag = torch.isnan(loss).float()\ndist.broadcast(flag, 0)\nif flag.item():\n    return\ndist.all_reduce(total)"
    ),
    "object_first": (
        "flags = [None, None]\n"
        "dist.all_gather_object(flags, bool(torch.isnan(loss)))\n"
        "if any(flags):\n"
        "    return\n"
        "dist.all_reduce(total)"
    ),
    "object_list": (
        "flags = [bool(torch.isnan(loss))]\n"
        "dist.broadcast_object_list(flags, 0)\n"
        "if flags[0]:\n"
        "    return\n"
        "dist.all_reduce(total)"
    ),
    "gather_first": (
        "flags = [torch.zeros(()), torch.zeros(())]\n"
        "dist.all_gather(flags, torch.isnan(loss).float())\n"
        "if torch.stack(flags).any():\n"
        "    return\n"
        "dist.all_reduce(total)"
    ),
    "after_only": "dist.all_reduce(total)\nif torch.isnan(loss):\n    print(end='')",
    "both_sides": (
        "if torch.isnan(loss):\n    total.zero_()\n    dist.all_reduce(total)\nelse:\n    dist.all_reduce(total)"
    ),
    "both_differ": "if torch.isnan(loss):\n    dist.all_reduce(total)\nelse:\n    dist.barrier()",
    "zeroed": "if torch.isnan(loss):\n    loss = torch.zeros(())\ndist.all_reduce(loss)",
    "where_": "loss = torch.where(torch.isnan(loss), 0.0, loss)\ndist.all_reduce(loss)",
    "sized": "if total.shape[0] > 100:\n    return\ndist.all_reduce(total)",
    "flag_const": "if STRICT:\n    dist.all_reduce(total)",
    "rank0": "if dist.get_rank() == 0:\n    dist.barrier()",
    "rank_from": "if get_rank() == 0:\n    barrier()",
    "rank_not": "if not dist.get_rank():\n    dist.barrier()",
    "rank_var": "rank = dist.get_rank()\nmain = rank == 0\nif main:\n    dist.barrier()",
    "rank_after": "dist.barrier()\nif dist.get_rank() == 0:\n    print(end='')",
    "rank_return": "if dist.get_rank() != 0:\n    return\ndist.barrier()",
    "rank_both": "if dist.get_rank() == 0:\n    total += 1\n    dist.barrier()\nelse:\n    dist.barrier()",
    "rank_deco": "saved(total)",
    "rank_deco_log": "logged(total)",
    "rank_ternary": "dist.barrier() if dist.get_rank() == 0 else None",
    "rank_and": "dist.get_rank() == 0 and dist.barrier()",
    "rank_lambda": "is_main = lambda: dist.get_rank() == 0\nif is_main():\n    dist.barrier()",
    "rank_part": "sync = partial(dist.barrier)\nif dist.get_rank() == 0:\n    sync()",
    "method": "step = Step()\nstep.look(loss)\nstep.run(total)",
    "method_count": "step = Step()\nstep.count(loss)\nif step.skipped:\n    return\ndist.all_reduce(total)",
    "dict_flag": "state = {'bad': broken(loss)}\nif state['bad']:\n    return\ndist.all_reduce(total)",
    "list_flag": "bad = []\nif torch.isnan(loss):\n    bad.append(1)\nif bad:\n    return\ndist.all_reduce(total)",
    "nested": "def close():\n    dist.all_reduce(total)\nif loss.isfinite():\n    close()",
    "callback": "def after(f):\n    if loss.isfinite():\n        f()\nafter(dist.barrier)",
    "loop_break": "for _ in range(3):\n    if torch.isnan(loss):\n        break\n    dist.all_reduce(total)",
    "loop_continue": "for _ in range(3):\n    if torch.isnan(loss):\n        continue\n    dist.all_reduce(total)",
    "loop_else": "for _ in range(3):\n    if torch.isnan(loss):\n        break\nelse:\n    dist.all_reduce(total)",
    "walrus": "if (bad := torch.isnan(loss).item()):\n    return\ndist.all_reduce(total)",
    "not_": "good = not torch.isnan(loss)\nif good:\n    dist.all_reduce(total)",
    "any_": "if any([torch.isnan(loss).item(), total.sum().isnan().item()]):\n    return\ndist.all_reduce(total)",
    "max_b": "if max(0.0, float(torch.nan_to_num(loss, -1.0))) > 0:\n    dist.all_reduce(total)",
    "gather_size": (
        "parts = [torch.zeros(2), torch.zeros(2)]\ndist.all_gather(parts, total[:1 + int(loss.isfinite())])"
    ),
    "gather_ok": "parts = [torch.zeros(1), torch.zeros(1)]\ndist.all_gather(parts, torch.nan_to_num(loss)[None])",
    "reduce_op": "dist.reduce(total, 0)\nif dist.get_rank() == 0:\n    print(end='')",
    "const_loss": "if torch.ones(1).sum() > 2:\n    return\ndist.all_reduce(total)",
    "synced_loss": "dist.all_reduce(loss)\nif torch.isnan(loss):\n    return\ndist.all_reduce(total)",
    "synced_helper": "loss = reduced(loss)\nif torch.isnan(loss):\n    return\ndist.all_reduce(total)",
    "async_": "work = dist.all_reduce(total, async_op=True)\nif torch.isnan(loss):\n    return\nwork.wait()",
    "nan_grad": "if torch.isnan(loss):\n    total.mul_(0)\ndist.all_reduce(total)",
    "getattr_": "if loss.isfinite():\n    getattr(dist, 'all_reduce')(total)",
    "kept": f"kept = Kept()\nkept.add(LAYER)\nkept.add(loss)\n{EACH}",
    "kept_new": f"kept = Kept()\nkept.add_new(LAYER, loss, LAYER)\n{EACH}",
    "kept_of": f"kept = Kept()\nkept.add_of(LAYER, [*LAYER.parameters()])\n{EACH}",
    "kept_last": f"kept = Kept()\nkept.add_last(loss)\nkept.add_last(LAYER)\n{EACH}",
    "kept_value": "kept = Valued()\nkept.add_value(loss)\nkept.run(total)",
    "served_": "with served() as main:\n    total += float(main)",
    "varying_": "chosen = total[:1 + int(loss.isfinite())]\nvarying(chosen, sizes(chosen))",
    "kept_in": "kept = [LAYER, loss]\nif LAYER in kept:\n    dist.all_reduce(total)",
    "value_in": "if loss in [torch.ones(())]:\n    dist.all_reduce(total)",
    "values_equal": "if [loss] == [torch.ones(())]:\n    dist.all_reduce(total)",
    "star": "args = (total,)\nif loss.isfinite():\n    dist.all_reduce(*args)",
}
PROGRAM = HEAD + functions(FORMS, "(loss: Tensor, total: Tensor) -> None")
ELSEWHERE = {"method": "Step", "kept_value": "Valued", "rank_deco": "saved"}
"""Forms whose report stands in a class or at a decorator that they use."""


def test_forms_in_which_a_rank_waits_are_reported() -> None:
    wrong = {ELSEWHERE.get(name, name) for name in FORMS if hangs(PROGRAM, name)}
    assert 40 < len(wrong) < len(FORMS) - 20
    assert set(reported(PROGRAM, "TBR104")) == wrong


def _gloo(name: str, rank: int) -> str:
    with loaded(PROGRAM) as module:
        getattr(module, name)(torch.tensor(float("nan") if rank else 1.0), torch.ones(2))
    return "passed"


@pytest.mark.parametrize("name", ["comp", "nullcontext", "rank_deco", "agreed_", "both_sides"])
def test_two_processes_say_the_same(name: str) -> None:
    require_gloo()
    said = on_two_ranks(lambda rank: _gloo(name, rank))
    assert any(text.startswith("RuntimeError") for text in said.values()) is hangs(PROGRAM, name)
