"""What sizes, state and contexts cost a compiled function: the words of each finding are held against its graphs."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import pytest

from tests.oracle.agree import reported, require_torch
from tests.oracle.support import compiling, graphs_compiled, indented, loaded, observe

torch = require_torch()
pytestmark = pytest.mark.oracle

HEAD = """
import contextlib
import itertools
import math
import warnings

import torch
from torch import Tensor, nn
"""
ROWS = [torch.ones(rows, 4) for rows in range(8, 20)]


def graphs(call: Callable[[Any], object], given: Iterable[Any]) -> int:
    def action() -> None:
        for one in given:
            call(one)

    return graphs_compiled(action)


# --- TBR302, TBR301: how many graphs twelve sizes make --------------------------------------------
# Each with the graphs that are expected of it, and what the finding says.
SIZE, ROUNDS, OUTCOME = "one graph per size, 8 of them", "a graph per number of rounds", "one more graph per outcome"
LOOPS = {
    "for i in range(x.shape[0]):\n    x = x + i\nreturn x": (8, SIZE),
    "for i in range(1, len(x) - 1):\n    x = x + i\nreturn x": (8, SIZE),
    "rows = x.size(0) - 2\nfor i in range(0, rows):\n    x = x + i\nreturn x": (8, SIZE),
    "for row in x:\n    x = x + row\nreturn x": (8, SIZE),
    "for i, row in enumerate(reversed(x)):\n    x = x + row * i\nreturn x": (8, SIZE),
    "return torch.stack([row.sin() for row in x])": (8, SIZE),
    "for i in torch.arange(x.shape[0]):\n    x = x + i\nreturn x": (8, SIZE),
    "return x * {8: 1.0}.get(x.shape[0], 2.0)": (8, SIZE),
    "for i in range(x.shape[0] // 4):\n    x = x + i\nreturn x": (4, ROUNDS),
    "for i in range(min(x.shape[0], 3)):\n    x = x + i\nreturn x": (2, ROUNDS),
    "for i in range(int(math.log2(x.shape[0]))):\n    x = x + i\nreturn x": (3, ROUNDS),
    "k = 1\nwhile k < x.shape[0]:\n    x = x + x.roll(k, 0)\n    k *= 2\nreturn x": (3, ROUNDS),
    "n = x.shape[0]\nwhile n > 0:\n    x = x + 1\n    n -= 1\nreturn x": (8, ROUNDS),
    "return x * {True: 2.0, False: 3.0}[x.shape[0] > 12]": (3, ""),
    "return x.sin() if x.shape[0] > 12 else x.cos()": (3, OUTCOME),
    "return x * (x.shape[0] > 12)": (2, ""),
    "return x[: min(x.shape[0], 5)].sin()": (2, ""),
}


@pytest.mark.parametrize("body", LOOPS)
def test_graphs_of_sizes(body: str) -> None:
    expected, words = LOOPS[body]
    source = HEAD + '\n\n@torch.compile(backend="eager")\ndef form(x: Tensor) -> Tensor:\n'
    source += indented(body)
    messages = reported(source, "TBR302").get("form", []) + reported(source, "TBR301").get("form", [])
    with loaded(source) as module:
        found = graphs(module.form, ROWS)
    assert found == expected
    assert [words in message for message in messages] == ([True] if words else [])


# --- TBR305, TBR304: which contexts lose the frame -------------------------------------------------
CONTEXTS = (
    HEAD
    + """

class Own:
    def __enter__(self):
        return self

    def __exit__(self, *_):
        return False


@contextlib.contextmanager
def made():
    yield
"""
)
MANAGERS = ["Own()", "made()", "contextlib.ExitStack()", "contextlib.suppress(ValueError)", 'torch.device("cpu")']
MANAGERS += ["warnings.catch_warnings()", "torch.no_grad(), Own()", "torch.no_grad()", "torch.enable_grad()"]
MANAGERS += [
    "torch.inference_mode()",
    'torch.autocast("cpu")',
    "torch.set_grad_enabled(True)",
    "contextlib.nullcontext()",
]
MANAGERS += ['torch.profiler.record_function("a")', "torch.random.fork_rng()", "torch.backends.mkldnn.flags()"]
MANAGERS += ["torch.nn.attention.sdpa_kernel(torch.nn.attention.SDPBackend.MATH)"]


@pytest.mark.parametrize("manager", MANAGERS)
def test_contexts_that_lose_the_frame(manager: str) -> None:
    source = CONTEXTS + '\n\n@torch.compile(backend="eager")\ndef form(x: Tensor) -> Tensor:\n    x = x.tan()\n'
    source += f"    with {manager}:\n        if x.sum() > 0:\n            x = x.sin()\n    return x.cos()\n"
    with loaded(source) as module:
        found = graphs(module.form, [torch.ones(4)])
    assert ("form" in reported(source, "TBR305")) is (found == 0)
    assert ("form" in reported(source, "TBR304")) is (found > 0)


# --- TBR303: state, from call to call --------------------------------------------------------------
STATE = (
    HEAD
    + """

class Position:
    def __init__(self) -> None:
        self.at = 0
        self.seen = []


class Stepping(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.step = 0

    def forward(self, x: Tensor) -> Tensor:
        self.step = self.step + 1
        return x * self.step


class Helped(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.step = 0

    def bump(self) -> None:
        self.step += 1

    def forward(self, x: Tensor) -> Tensor:
        self.bump()
        return x * self.step


class Widened(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.seen = (0,)

    def forward(self, x: Tensor) -> Tensor:
        self.seen = (*self.seen, 1)
        return x * len(self.seen)


class Named(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.name = "a"

    def forward(self, x: Tensor) -> Tensor:
        self.name = self.name + "b"
        return x.sin()


class Holding(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.position = Position()

    def forward(self, x: Tensor) -> Tensor:
        self.position.at += 1
        return x * self.position.at


class Rate(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.rate = 0.0

    def forward(self, x: Tensor) -> Tensor:
        self.rate += 1
        return x * self.rate


class Toggled(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.on = False

    def forward(self, x: Tensor) -> Tensor:
        self.on = not self.on
        return x.sin() if self.on else x.cos()


class Anew(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.count = 0

    def forward(self, x: Tensor) -> Tensor:
        self.count = 0
        self.count += 1
        return x * self.count


MODULES = [Stepping, Helped, Widened, Named, Holding, Rate, Toggled, Anew]
stepping = torch.compile(Stepping(), backend="eager")
helped = torch.compile(Helped(), backend="eager")
widened = torch.compile(Widened(), backend="eager")
named = torch.compile(Named(), backend="eager")
holding = torch.compile(Holding(), backend="eager")
rate = torch.compile(Rate(), backend="eager")
toggled = torch.compile(Toggled(), backend="eager")
anew = torch.compile(Anew(), backend="eager")


@torch.compile(backend="eager")
def handed(x: Tensor, position: Position) -> Tensor:
    position.at += 1
    return x * position.at


@torch.compile(backend="eager")
def handed_list(x: Tensor, position: Position) -> Tensor:
    position.seen.append(1)
    return x * len(position.seen)
"""
)


def test_state_that_costs_a_graph_per_value_is_reported() -> None:
    found = set(reported(STATE, "TBR303"))
    with loaded(STATE) as module:
        costly = set()
        for cls in module.MODULES:
            call = getattr(module, cls.__name__.lower())
            if graphs(call, [torch.ones(4)] * 12) == 8:
                costly.add(cls.__name__)
        for name in ("handed", "handed_list"):
            position = module.Position()
            call = getattr(module, name)
            if graphs(lambda x, call=call, position=position: call(x, position), [torch.ones(4)] * 12) == 8:  # type: ignore[misc]
                costly.add(name)
    assert found == costly


# --- TBR304: what a `match` asks -------------------------------------------------------------------
SUBJECTS = {
    "bool(x.sum() > 0)": "True",
    "(x.sum() > 0).item()": "True | None",
    "int(x.sum())": "4",
    "x.sum()": "4.0",
    "x.sum() > 0": "True",  # no tensor is that object
    "x.ndim": "1",
}


@pytest.mark.parametrize("subject", SUBJECTS)
def test_matches_that_break_the_graph(subject: str) -> None:
    source = HEAD + '\n\n@torch.compile(backend="eager")\ndef form(x: Tensor) -> Tensor:\n    x = x.tan()\n'
    source += f"    match {subject}:\n        case {SUBJECTS[subject]}:\n            return x.sin()\n"
    source += "        case _:\n            return x.cos()\n"
    with loaded(source) as module:
        found = graphs(module.form, [torch.ones(4)])
    assert ("form" in reported(source, "TBR304")) is (found > 1)


WHOLE = {
    ("bool(x.sum() > 0)", "True"): "another case",
    ("bool(x.sum() > 0)", "True | None"): "another case",
    ("(x.sum() > 0).item()", "False"): "another case",
    ("not x.any()", "False"): "raises",
    ("int(x.sum())", "4"): "raises",
    ("x.sum()", "4.0"): "raises",
    ("x.sum() > 0", "True"): "right",
}


@pytest.mark.parametrize(("subject", "pattern"), WHOLE)
def test_what_a_match_does_in_a_full_graph(subject: str, pattern: str) -> None:
    """A value of the graph is no Python bool: it is neither `True` nor `False`, and nothing is raised for that."""
    body = f"    match {subject}:\n        case {pattern}:\n            return x.sin()\n"
    body += "        case _:\n            return x.cos()\n"
    source = HEAD + '\n\n@torch.compile(backend="eager", fullgraph=True)\ndef form(x: Tensor) -> Tensor:\n' + body
    source += "\n\ndef plain(x: Tensor) -> Tensor:\n" + body
    with compiling(source) as module:
        seen = [(observe(module.form, x), module.plain(x)) for x in (torch.ones(4), -torch.ones(4))]
    raised = any(outcome.error is not None for outcome, _ in seen)
    wrong = not raised and not all(torch.equal(outcome.value, right) for outcome, right in seen)
    assert ("raises" if raised else "another case" if wrong else "right") == WHOLE[subject, pattern]
    messages = reported(source, "TBR304").get("form", [])
    assert bool(messages) is (raised or wrong)
    assert all("an error" in message for message in messages) or not raised
    assert all("another case in silence" in message for message in messages) or not wrong
