"""TBR207: handlers in the wrappers of decorators: reported where backward through the decorated function fails."""

from __future__ import annotations

import pytest

from tests.oracle.agree import HEAD, differs, reported, require_torch
from tests.oracle.support import indented

require_torch()
pytestmark = pytest.mark.oracle

CATCHES = {
    "broad": ("Exception", "return B(args[0]).sin()"),
    "bare": ("BaseException", "return B(args[0]).sin()"),
    "narrow": ("ValueError", "return B(args[0]).sin()"),
    "raises": ("Exception", "raise"),
    "converts": ("Exception", "raise RuntimeError('no') from None"),
    "plain": ("Exception", "return args[0]"),
}
WRAPPERS = {
    "plain": "def guarded(f):\n{inner}\n    return wrapper\n\n\n@guarded\n",
    "named": "def guarded(f):\n    @functools.wraps(f)\n{inner}\n    return wrapper\n\n\n@guarded\n",
    "called": (
        "def guarded(times):\n    def decorator(f):\n{deeper}\n        return wrapper\n\n    return decorator\n\n\n"
        "@guarded(2)\n"
    ),
}
INNER = """    def wrapper(*args, **options):
        try:
            return f(*args, **options)
        except {kind}:
            {then}
"""
USES = {
    "handed": "checkpoint(body, x, use_reentrant=False)",
    "within": "checkpoint(lambda h: body(h), x, use_reentrant=False)",
    "earlier": "checkpoint(lambda h: C(body(h)).sin(), x, use_reentrant=False)",
    "reentrant": "checkpoint(body, x, use_reentrant=True)",
}


@pytest.mark.parametrize("use", USES)
@pytest.mark.parametrize("wrapper", WRAPPERS)
@pytest.mark.parametrize("catch", CATCHES)
def test_wrappers_that_catch_the_stop_are_reported(catch: str, wrapper: str, use: str) -> None:
    kind, then = CATCHES[catch]
    inner = INNER.format(kind=kind, then=then)
    deeper = indented(inner)
    program = HEAD + WRAPPERS[wrapper].format(inner=inner, deeper=deeper)
    program += f"def body(h):\n    return A(h).tanh()\n\n\ndef form(x: Tensor) -> Tensor:\n    return {USES[use]}\n"
    assert ("guarded" in reported(program, "TBR207")) is differs(program, "form")
