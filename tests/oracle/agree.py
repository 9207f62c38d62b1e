"""Programs that are linted and run: what the linter reports of each function is held against what torch does."""

from __future__ import annotations

import ast
import importlib
import random
import sys
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager, suppress
from types import ModuleType
from typing import Any

import pytest

from flake8_tensorbranch.check import check_source
from flake8_tensorbranch.diagnostic import Diagnostic
from flake8_tensorbranch.settings import Settings
from flake8_tensorbranch.source import SourceFile
from tests.oracle.support import Outcome, indented, loaded, observe, require_torch

torch = require_torch()
TARGET = ".".join(torch.__version__.split(".")[:2])
"""The linter speaks of the torch that runs, as with `--tbr-torch`."""

WRAPPER = "torch.distributed.algorithms._checkpoint.checkpoint_wrapper"
"""The module whose wrapper of a layer checkpoints under a name of its own."""

HEAD = """
import collections
import contextlib
import functools
import heapq
import itertools
import random

import torch
import torch.nn.functional as F
from torch import Tensor, nn
from torch.utils.checkpoint import checkpoint

torch.manual_seed(2)
A, B, C = nn.Linear(4, 4), nn.Linear(4, 4), nn.Linear(4, 4)
STATE: dict = {}
"""
"""The imports and layers that the forms of checkpointed regions begin with."""


def diagnostics(source: str, path: str = "forms.py") -> list[Diagnostic]:
    """What every rule says of a file with this text, which stands there if it imports others."""
    return check_source(SourceFile(path, source), Settings(enable=("TBR",), torch_version=TARGET))


def reported(source: str, code: str) -> dict[str, list[str]]:
    """The messages of a code by the function or class at the top of the module in which each stands."""
    tops = [n for n in ast.parse(source).body if isinstance(n, (ast.FunctionDef, ast.ClassDef))]
    found: dict[str, list[str]] = defaultdict(list)
    for item in diagnostics(source):
        if item.code == code:
            begins = {top.name: min([top.lineno, *(d.lineno for d in top.decorator_list)]) for top in tops}
            name = next((t.name for t in tops if begins[t.name] <= item.line <= (t.end_lineno or 0)), "")
            found[name].append(item.message)
    return dict(found)


@contextmanager
def plain(source: str, load: Callable[[str], AbstractContextManager[ModuleType]] = loaded) -> Iterator[ModuleType]:
    """The same program, as `load` has it, without its checkpoints: what they wrap is called directly, by any name."""

    def call(function: Any, *args: Any, use_reentrant: bool = True, **options: Any) -> Any:
        for name in ("preserve_rng_state", "context_fn", "debug", "determinism_check", "early_stop"):
            options.pop(name, None)
        return function(*args, **options)

    with pytest.MonkeyPatch.context() as patch:  # before the program runs: it may bind another name to a checkpoint
        with suppress(ImportError):  # a torch without distributed has no wrapper; one imported later would keep `call`
            patch.setattr(importlib.import_module(WRAPPER), "torch_utils_checkpoint", call)
        patch.setattr(torch.utils.checkpoint, "checkpoint", call)
        with load(source) as module:
            yield module


def step(module: ModuleType, name: str) -> tuple[Any, ...]:
    """One forward and backward of a form from a fixed seed: the gradients of its input and of all parameters of the
    module's layers, and what it keeps in `STATE`.
    """
    torch.manual_seed(0)
    random.seed(0)
    if "numpy" in sys.modules:
        sys.modules["numpy"].random.seed(0)
    layers = [value for value in vars(module).values() if isinstance(value, torch.nn.Module)]
    parameters = [p for layer in layers for p in layer.parameters()]
    parameters += [value for value in vars(module).values() if isinstance(value, torch.nn.Parameter)]
    for parameter in parameters:
        parameter.grad = None
    x = torch.linspace(-1.0, 2.0, 12).reshape(3, 4).requires_grad_()
    getattr(module, name)(x).square().sum().backward()
    return (x.grad, *(p.grad for p in parameters), repr(getattr(module, "STATE", None)))


def buffers(module: ModuleType, ending: str = "") -> list[Any]:
    """Copies of the buffers of the module's layers whose names end so, in the order of the program."""
    layers = [value for value in vars(module).values() if isinstance(value, torch.nn.Module)]
    return [b.clone() for layer in layers for name, b in layer.named_buffers() if name.endswith(ending)]


def advances(source: str, name: str, ending: str = "") -> bool:
    """True when a checkpointed form raises, or leaves other values in the buffers whose names end so than the plain
    one.
    """
    with plain(source) as module:
        step(module, name)
        right = buffers(module, ending)
    with loaded(source) as module:
        raised = observe(step, module, name).error is not None
        return raised or not all(map(same, buffers(module, ending), right))


def gradients(source: str, checkpointed: bool, *layers: str) -> list[Any]:
    """What `form` leaves, which calls backward itself: the gradients of its input and of the layers of these names as
    they were before.
    """
    with loaded(source) if checkpointed else plain(source) as module:
        x = torch.linspace(-1.0, 2.0, 12).reshape(3, 4).requires_grad_()
        parameters = [p for layer in layers for p in getattr(module, layer).parameters()]
        module.form(x)
        return [x.grad, *(p.grad for p in parameters)]


def spoils(source: str, right: list[Any], *layers: str) -> bool:
    """True when `form` raises, or leaves other gradients than these."""
    outcome = observe(gradients, source, True, *layers)
    return outcome.error is not None or not all(map(same, outcome.value, right))


def unsaid(source: str, name: str) -> bool:
    """True when one step of a form makes torch ask for `use_reentrant`."""
    with loaded(source) as module:
        return any("use_reentrant" in text for text in observe(step, module, name).warnings)


def differs(source: str, name: str) -> bool:
    """True when a checkpointed form raises where the plain one does not, or has other gradients or another state."""
    with plain(source) as module:
        torch.manual_seed(1)
        right = step(module, name)
    with loaded(source) as module:
        torch.manual_seed(1)
        outcome = observe(step, module, name)
    if outcome.error is not None:
        return True
    return not all(same(found, wanted) for found, wanted in zip(outcome.value, right, strict=True))


def forms(source: str) -> dict[str, str]:
    """The functions of one tensor `x` in a program, `train_...` apart, each with the definition in which its
    checkpointed code stands: the class whose instance it calls by the class's name in capitals, or itself.
    """
    body = ast.parse(source).body
    classes = {n.name.upper(): n.name for n in body if isinstance(n, ast.ClassDef)}
    found = {}
    for node in body:
        if isinstance(node, ast.FunctionDef) and [a.arg for a in node.args.args] == ["x"]:
            used = [classes[n.id] for n in ast.walk(node) if isinstance(n, ast.Name) and n.id in classes]
            found[node.name] = used[0] if used else node.name
    return {name: place for name, place in found.items() if not name.startswith("train_")}


def functions(bodies: Mapping[str, str], signature: str = "(x: Tensor) -> Tensor") -> str:
    """The definitions of functions by name and body, all of one signature."""
    return "".join(f"\n\ndef {name}{signature}:\n{indented(body)}" for name, body in bodies.items())


def trainers(names: Iterable[str]) -> str:
    """The definitions of `train_...`, a step of its training for each form."""
    return functions({f"train_{name}": f"{name}(x).square().sum().backward()" for name in names}, "(x: Tensor) -> None")


def agree(
    source: str,
    *codes: str,
    names: Iterable[str] = (),
    elsewhere: Mapping[str, str] | None = None,
    wrong: int = 1,
    right: int = 1,
) -> None:
    """Assert that what the linter reports of a program's forms is what goes wrong, that at least `wrong` of them do,
    and that at least `right` do not.

    The forms are `names`, or those that `forms` finds; `elsewhere` has the definition in which the report of a form
    stands, where it is not the form's own.
    """
    places = {name: name for name in names} or forms(source)
    places |= elsewhere or {}
    found = [name for name in places if differs(source, name)]
    assert wrong <= len(found) <= len(places) - right
    assert {name for code in codes for name in reported(source, code)} == {places[name] for name in found}


def raised(source: str, name: str) -> Outcome:
    """What one step of a checkpointed form raises, if anything."""
    with loaded(source) as module:
        return observe(step, module, name)


def same(found: Any, wanted: Any) -> bool:
    """True of two tensors with equal values, of None and None, and of equal texts."""
    if isinstance(found, torch.Tensor) and isinstance(wanted, torch.Tensor):
        return torch.equal(found, wanted)
    return bool(found is None and wanted is None) or (isinstance(found, str) and found == wanted)
