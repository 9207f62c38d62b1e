"""TBR101 and TBR304: branches of scripted functions: who decides them in eager mode, compiled, and in a trace."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from tests.oracle.agree import reported
from tests.oracle.support import graphs_of, loaded, require_torch

torch = require_torch()
pytestmark = pytest.mark.oracle

HEAD = """
import functools
import os

import torch
from torch import Tensor
from torch.jit import script as compiled_by_torchscript


def if_tracing(fn):
    @functools.wraps(fn)
    def wrapper(*args, **kwargs):
        if not torch.jit.is_tracing():
            return fn(*args, **kwargs)
        return torch.jit.script(fn)(*args, **kwargs)

    return wrapper


def script(fn):
    return torch.jit.script(fn)


def unchanged_script(fn):
    return fn


if os.environ.get("NEVER_SET_HERE"):
    script_by_setting = torch.jit.script
else:
    script_by_setting = unchanged_script

script_if_tracing = if_tracing

"""
DECORATORS = {
    "": (True, True),
    "@torch.jit.script": (False, True),
    "@compiled_by_torchscript": (False, True),
    "@script": (False, True),
    "@torch.jit.script_if_tracing": (True, True),
    "@if_tracing": (True, True),
    "@script_if_tracing": (True, True),
    "@unchanged_script": (True, True),
    "@script_by_setting": (True, True),
}
"""By decorator: whether Python decides the branch in eager mode, and whether it breaks a compiled graph."""


@contextmanager
def _quiet() -> Iterator[None]:
    """The warnings of a trace, unsaid."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield


class _Asked(torch.overrides.TorchFunctionMode):  # type: ignore[misc, name-defined]
    """Counts how often Python asks for the truth of a tensor."""

    def __init__(self) -> None:
        super().__init__()
        self.count = 0

    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        self.count += getattr(func, "__name__", "") == "__bool__"
        return func(*args, **(kwargs or {}))


@pytest.mark.parametrize("decorator", DECORATORS)
def test_who_decides(decorator: str) -> None:
    body = f"{decorator}\ndef form(x: Tensor):\n    if x.sum() > 0:\n        return x * 2\n    return x\n"
    in_region = "\n\n@torch.compile\ndef region(x: Tensor):\n    return form(x) + 1\n"
    with loaded(HEAD + body) as module:
        with _Asked() as asked:
            module.form(torch.ones(3))
        broken = graphs_of(lambda x: module.form(x + 1) + 1, [(torch.ones(3),)]) > 1
    assert (asked.count > 0, broken) == DECORATORS[decorator]
    assert ("form" in reported(HEAD + body, "TBR101")) == (asked.count > 0)
    assert ("form" in reported(HEAD + body + in_region, "TBR304")) == broken


@pytest.mark.parametrize("decorator", [d for d in DECORATORS if "unchanged" not in d and "setting" not in d])
def test_what_a_trace_keeps(decorator: str) -> None:
    body = f"{decorator}\ndef form(x: Tensor):\n    if x.sum() > 0:\n        return x * 2\n    return x\n"
    call = "\n\ndef whole(x: Tensor):\n    return form(x) + 1\n\ntraced = torch.jit.trace(whole, torch.ones(3))\n"
    with _quiet(), loaded(HEAD + body + call) as module:
        frozen = not torch.equal(module.traced(-torch.ones(3)), module.whole(-torch.ones(3)))
    assert frozen == (decorator == "")
    assert ("form" in reported(HEAD + body + call, "TBR311")) == frozen
