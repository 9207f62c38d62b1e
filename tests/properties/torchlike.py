"""Writes modules that look like PyTorch code: layers, helpers, closures, containers, regions, all statements."""

from __future__ import annotations

import string
from collections.abc import Callable, Sequence
from typing import Any

from hypothesis import strategies as st

HEADER = """\
from __future__ import annotations
import contextlib, functools, math, random
from collections import namedtuple
from dataclasses import dataclass, field
from typing import Any, NamedTuple, Optional
import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F
import torch.distributed as dist
from torch import Tensor
from torch.utils.checkpoint import checkpoint, checkpoint_sequential
from torch.nn.attention import sdpa_kernel, SDPBackend
"""
NAMES = ("x", "y", "z", "n", "mask", "out", "xs", "table")
TENSORS = (
    "torch.zeros(3)", "torch.rand(2, 2)", "x * 2", "x @ y", "F.relu(x)", "x[mask]", "x[:, None]", "x[:n]",
    "x.view(-1, n)", "torch.cat([x, y], dim=0)", "self.layer(x)", "self.weight", "x.nonzero()",
    "torch.where(x > 0, x, y)", "x.to(y.device)", "x.masked_fill(mask, 0.0)", "torch.stack(xs)", "x.detach()",
    "torch.tensor(n)", "x.sum(dim=-1)", "x.max(dim=0).values",
)  # fmt: skip
NUMBERS = (
    "x.shape[0]", "x.size(-1)", "len(x)", "x.item()", "int(x.sum())", "3", "n + 1", "n % 2", "math.sqrt(n)",
    "x.numel()", "max(n, 1)", "random.random()", "len(xs)", "x.tolist()[0]", "float(x.mean())",
    "torch.randint(3, (1,)).item()", "-n", "self.count", "dist.get_rank()", "np.max(x.numpy())",
    "divmod(n, 2)[0]",
)  # fmt: skip
TESTS = (
    "x.sum() > 0", "x.any()", "n > 3", "x.shape[0] == 1", "mask is None", "x is not None",
    "isinstance(x, Tensor)", "not x.all()", "torch.is_tensor(x)", "self.training", "n in (1, 2)",
    "x.dim() == 2 and x.size(1) > n", "torch.equal(x, y)", "flag or x.max() > 1", "all(t.any() for t in xs)",
    "0 < x.item() < 1", "hasattr(self, 'weight')", "(k := x.sum()) > 0", "torch.isnan(x).any()", "x == y",
    "x in xs", "x.dtype == torch.float32", "random.random() < 0.5", "self.count > n", "True",
)  # fmt: skip
OTHERS = (
    "[x, y]", "(x, n)", "{'a': x, 'n': n}", "[t * 2 for t in xs]", "{k: v for k, v in table.items()}",
    "list(zip(xs, xs))", "lambda t: t.sum()", "functools.partial(helper, n=n)", "None", "Record(x, n)",
    "Pair(x, 1)", "Box(x)", "[*xs, x]", "{**table}", "helper(x, n)", "self.helper(x)", "super().forward(x)",
    "table['a']", "xs[0]", "table.get('a')", "Box(x).value", "read(x)",
    "checkpoint(helper, x, n, use_reentrant=False)", "checkpoint(self.layer, x, use_reentrant=True)",
    "checkpoint(lambda t: t * 2, x)", "torch.compile(helper)(x)", "checkpoint_sequential(self.layers, 2, x)",
    "checkpoint(helper, *xs, preserve_rng_state=False)", "torch.vmap(read)(x)", "inner(x)", "(yield x)",
    "await_me(x)", "sorted(xs, key=read)", "list(map(read, xs))", "x if flag else y",
    "F.scaled_dot_product_attention(x, x, x)", "dataclass",
    "nn.Sequential(*[nn.Linear(n, n) for _ in range(3)])", "getattr(self, 'layer')",
)  # fmt: skip
CALLS = (
    "x.add_(1)", "xs.append(x)", "table.update(b=x)", "self.register_buffer('late', x)", "dist.all_reduce(x)",
    "print(x)", "x.backward()", "self.history.append(x.item())", "torch.manual_seed(0)",
    "torch.use_deterministic_algorithms(True)", "setattr(self, 'late', x)", "xs.pop()", "self.layer.compile()",
    "del_me", "x.requires_grad_()", "torch.export.export(self, (x,))", "torch.jit.trace(self, x)",
)  # fmt: skip
MANAGERS = (
    "torch.no_grad()", "sdpa_kernel(SDPBackend.MATH)", "torch.autocast('cuda') as ctx",
    "contextlib.suppress(ValueError)", "open('f') as f", "torch.enable_grad(), torch.no_grad()",
    "contextlib.ExitStack() as stack",
)  # fmt: skip
DECORATORS = (
    "torch.no_grad()", "torch.compile", "torch.compile(dynamic=True)", "functools.lru_cache(maxsize=None)",
    "staticmethod", "torch.jit.script", "logged", "property", "functools.wraps(helper)",
    "torch.compiler.disable",
)  # fmt: skip
TARGETS = (
    "x", "y", "n", "mask", "x, y", "(x, n), *xs", "self.count", "self.weight", "xs[0]", "table['a']",
    "x[mask]", "x.data", "self.cache[n]", "[x, y]", "box.value",
)  # fmt: skip
PATTERNS = (
    "None", "Tensor()", "[x, y]", "{'a': x, **rest}", "int() | float()", "Record(x, n)", "(x, *xs)", "1 | -1",
    "str() as s", "[]", "x",
)  # fmt: skip
PARAMETERS = (
    "x", "x: Tensor", "x: Optional[Tensor] = None", "x, n=1", "x: 'Tensor', n: int = 3", "*xs",
    "x, *, flag: bool = False", "**table", "x, /, n", "x: Tensor, y=None, *xs: Tensor, **table", "",
    "x, mask: Tensor | None = None",
)  # fmt: skip
ATTRIBUTES = (
    "self.layer = nn.Linear(3, 3)", "self.layer = A()",
    "self.layers = nn.ModuleList([nn.ReLU() for _ in range(3)])", "self.weight = nn.Parameter(torch.ones(3))",
    "self.register_buffer('mask', torch.ones(3))", "self.count = 0", "self.cache = {}",
    "self.layers = nn.Sequential(nn.ReLU(), B())", "self.history = []", "self.layer = torch.compile(A())",
    "self.helper = functools.partial(read)", "self.weight = None", "self.layer = x",
    "self.forward = torch.compile(self.forward)",
)  # fmt: skip
ITERABLES = (
    "t in x", "i, t in enumerate(xs)", "i in range(n)", "i in range(x.shape[0])", "a, b in zip(xs, x)",
    "layer in self.layers", "k, v in table.items()", "p in self.parameters()", "*xs, y in out",
    "t in (t for t in xs if t.any())", "self.count in xs",
)  # fmt: skip
FIXED = """\

class Record(NamedTuple):
    logits: Tensor
    n: int = 0


Pair = namedtuple("Pair", "x n")


@dataclass
class Box:
    value: Tensor
    extra: list = field(default_factory=list)

    @property
    def empty(self):
        return not self.value.any()


def read(t):
    return t.item()


def logged(fn):
    @functools.wraps(fn)
    def inner(*args, **kwargs):
        return fn(*args, **kwargs)
    return inner

"""


class _Writer:
    """Writes one module, drawing every choice from hypothesis; every name may be unbound, nothing is ever run."""

    def __init__(self, draw: Callable[[st.SearchStrategy[Any]], Any], size: int) -> None:
        self.draw = draw
        self.lines: list[str] = []
        self.left = size
        self.coroutine = False  # which may not both yield and return a value

    def pick(self, choices: Sequence[str]) -> str:
        return str(self.draw(st.sampled_from(choices)))

    def maybe(self) -> bool:
        return bool(self.draw(st.booleans()))

    def write(self, depth: int, line: str) -> None:
        self.lines.append("    " * depth + line)

    def expression(self) -> str:
        return self.pick(self.draw(st.sampled_from((TENSORS, NUMBERS, TESTS, OTHERS))))

    def module(self) -> str:
        self.lines += [HEADER, FIXED]
        for _ in range(self.draw(st.integers(1, 3))):
            if self.maybe():
                self.layer()
            else:
                self.function(0, self.pick(("helper", "inner", "forward", "step", "await_me")))
        self.coroutine = False
        if self.maybe():
            self.suite(0, loop=False, function=False)
        return "\n".join(self.lines) + "\n"

    def layer(self) -> None:
        name = self.pick(tuple(string.ascii_uppercase[:6]))
        base = self.pick(
            ("nn.Module", "nn.Module", "Box", "torch.autograd.Function", "object", *string.ascii_uppercase[:6])
        )
        self.write(0, f"class {name}({base}):")
        self.write(1, self.pick(("count = 0", "weight: Tensor", "scale = torch.ones(1)", '"""A layer."""', "pass")))
        self.write(1, f"def __init__(self, {self.pick(PARAMETERS)}):")
        self.write(2, "super().__init__()")
        for _ in range(self.draw(st.integers(0, 3))):
            self.write(2, self.pick(ATTRIBUTES))
        for _ in range(self.draw(st.integers(1, 2))):
            self.function(1, self.pick(("forward", "helper", "norm", "__call__", "reset", "__len__", "backward")))
        self.write(0, "")

    def function(self, depth: int, name: str) -> None:
        if self.maybe():
            self.write(depth, f"@{self.pick(DECORATORS)}")
        parameters = self.pick(PARAMETERS)
        if depth:
            parameters = f"self, {parameters}" if parameters else "self"
        self.coroutine = name == "await_me"
        start = "async def" if self.coroutine else "def"
        self.write(depth, f"{start} {name}({parameters}){self.pick(('', '', ' -> Tensor', ' -> bool'))}:")
        self.suite(depth + 1, loop=False)
        self.write(0, "")

    def suite(self, depth: int, loop: bool, function: bool = True) -> None:
        for _ in range(self.draw(st.integers(1, 3))):
            self.statement(depth, loop, function)

    def statement(self, depth: int, loop: bool, function: bool) -> None:
        self.left -= 1
        simple = ["assign", "assign", "augment", "call", "assert", "raise", "delete"]
        simple += ["return", "scope"] if function else []
        simple += ["leave"] if loop else []
        nested = ["branch", "branch", "loop", "loop", "with", "try", "match", "while", "define"]
        kind = self.pick(simple if depth > 4 or self.left <= 0 else (*simple, *nested))
        getattr(self, f"_{kind}")(depth, loop, function)

    def _value(self, function: bool) -> str:
        value = self.expression()
        if "yield" in value and (not function or self.coroutine):
            return "x"
        return value if not self.coroutine else value.replace("await_me(x)", "await await_me(x)")

    def _assign(self, depth: int, loop: bool, function: bool) -> None:
        self.write(depth, f"{self.pick(TARGETS)} = {self._value(function)}")

    def _augment(self, depth: int, loop: bool, function: bool) -> None:
        self.write(
            depth, f"{self.pick(('x', 'n', 'self.count', 'xs'))} {self.pick(('+=', '*=', '//='))} {self.pick(NUMBERS)}"
        )

    def _call(self, depth: int, loop: bool, function: bool) -> None:
        self.write(depth, self.pick(CALLS))

    def _assert(self, depth: int, loop: bool, function: bool) -> None:
        self.write(depth, f"assert {self.pick(TESTS)}, f'{{x}}'")

    def _raise(self, depth: int, loop: bool, function: bool) -> None:
        self.write(depth, f"if {self.pick(TESTS)}: raise ValueError(x)")

    def _delete(self, depth: int, loop: bool, function: bool) -> None:
        self.write(depth, f"del {self.pick(('x', 'xs[0]', 'self.cache', 'table'))}")

    def _return(self, depth: int, loop: bool, function: bool) -> None:
        self.write(depth, f"return {self._value(function)}")

    def _scope(self, depth: int, loop: bool, function: bool) -> None:
        self.write(depth, self.pick(("import os", "from torch import nn", "pass", "...")))

    def _leave(self, depth: int, loop: bool, function: bool) -> None:
        self.write(depth, f"if {self.pick(TESTS)}: {self.pick(('break', 'continue'))}")

    def _branch(self, depth: int, loop: bool, function: bool) -> None:
        self.write(depth, f"if {self.pick(TESTS)}:")
        self.suite(depth + 1, loop, function)
        if self.maybe():
            self.write(depth, f"elif {self.pick(TESTS)}:")
            self.suite(depth + 1, loop, function)
            self.write(depth, "else:")
            self.suite(depth + 1, loop, function)

    def _loop(self, depth: int, loop: bool, function: bool) -> None:
        what = self.pick(ITERABLES)
        self.write(depth, f"for {what}:")
        self.suite(depth + 1, True, function)
        if self.maybe():
            self.write(depth, "else:")
            self.suite(depth + 1, loop, function)

    def _while(self, depth: int, loop: bool, function: bool) -> None:
        self.write(depth, f"while {self.pick(TESTS)}:")
        self.suite(depth + 1, True, function)

    def _with(self, depth: int, loop: bool, function: bool) -> None:
        self.write(depth, f"with {self.pick(MANAGERS)}:")
        self.suite(depth + 1, loop, function)

    def _try(self, depth: int, loop: bool, function: bool) -> None:
        self.write(depth, "try:")
        self.suite(depth + 1, loop, function)
        self.write(
            depth,
            self.pick(("except Exception:", "except (ValueError, RuntimeError) as error:", "except:", "finally:")),
        )
        self.suite(depth + 1, loop, function)

    def _match(self, depth: int, loop: bool, function: bool) -> None:
        self.write(depth, f"match {self.pick(('x', '(x, n)', 'table', 'n'))}:")
        for _ in range(self.draw(st.integers(1, 2))):
            self.write(depth + 1, f"case {self.pick(PATTERNS)} if {self.pick(TESTS)}:")
            self.suite(depth + 2, loop, function)

    def _define(self, depth: int, loop: bool, function: bool) -> None:
        if self.maybe():
            self.write(depth, f"@{self.pick(DECORATORS)}")
        self.write(depth, f"def inner({self.pick(PARAMETERS)}):")
        if self.maybe():
            self.write(depth + 1, "global COUNT")
            self.write(depth + 1, "COUNT = x")
        outer, self.coroutine = self.coroutine, False
        self.suite(depth + 1, loop=False)
        self.coroutine = outer


@st.composite
def torchlike(draw: st.DrawFn, size: int = 25) -> str:
    """The text of one module with about `size` statements."""
    return _Writer(draw, size).module()
