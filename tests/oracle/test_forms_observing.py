"""TBR402: modes of the program's own: silent where a mode runs each operation as it came, and gives what that gave."""

from __future__ import annotations

import pytest

from tests.oracle.agree import HEAD, agree, functions, require_torch, trainers

require_torch()
pytestmark = pytest.mark.oracle

PARTS = (
    HEAD
    + """
from torch.overrides import TorchFunctionMode


class WatchingForNone(TorchFunctionMode):
    def __torch_function__(self, func, types, args=(), kwargs=None):
        if kwargs is None:
            kwargs = {}
        return func(*args, **kwargs)


class WatchingOtherwise(TorchFunctionMode):
    def __torch_function__(self, func, types, args=(), kwargs=None):
        given = {} if kwargs is None else kwargs
        STATE["seen"] = 1
        out = func(*args, **given)
        return out


class WatchingCopies(TorchFunctionMode):
    def __torch_function__(self, func, types, args=(), kwargs=None):
        args = tuple(args)
        kwargs = dict(kwargs or {})
        try:
            return func(*args, **kwargs)
        finally:
            STATE["seen"] = 1


class DoubledLater(TorchFunctionMode):
    def __torch_function__(self, func, types, args=(), kwargs=None):
        out = func(*args, **(kwargs or {}))
        if func is torch.sin:
            out = out * 2
        return out


class DoubledInPlace(TorchFunctionMode):
    def __torch_function__(self, func, types, args=(), kwargs=None):
        out = func(*args, **(kwargs or {}))
        if func is torch.sin:
            out.mul_(2)
        return out


class Turned(TorchFunctionMode):
    def __torch_function__(self, func, types, args=(), kwargs=None):
        func = torch.cos if func is torch.sin else func
        return func(*args, **(kwargs or {}))


class Given(TorchFunctionMode):
    def __torch_function__(self, func, types, args=(), kwargs=None):
        kwargs = dict(kwargs or {})
        if func is torch.sub:
            kwargs["alpha"] = 3
        return func(*args, **kwargs)


def by_sin(h):
    return torch.sub(torch.sin(A(h).tanh()), h).cos()
"""
)
MODES = (
    "WatchingForNone",
    "WatchingOtherwise",
    "WatchingCopies",
    "DoubledLater",
    "DoubledInPlace",
    "Turned",
    "Given",
)
FORMS = {name.lower(): f"with {name}():\n    return checkpoint(by_sin, x, use_reentrant=False)" for name in MODES}
PROGRAM = PARTS + functions(FORMS) + trainers(FORMS)


def test_modes_that_change_operations_are_reported() -> None:
    agree(PROGRAM, "TBR402", names=FORMS, wrong=4, right=3)
