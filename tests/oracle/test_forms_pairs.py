"""TBR404, TBR406: the two contexts of a `context_fn`, reported if, and only if, the checkpoint raises for them."""

from __future__ import annotations

import pytest

from tests.oracle.agree import HEAD, reported, require_torch
from tests.oracle.support import loaded, observe

torch = require_torch()
pytestmark = pytest.mark.oracle

GIVEN = """
import contextlib as c
from torch import autocast
from torch.utils.checkpoint import create_selective_checkpoint_contexts

BF = torch.bfloat16
HALF = torch.float16
PLACE = "cpu"
W = nn.Parameter(torch.ones(4, 4))


def lower():
    return torch.autocast("cpu", dtype=torch.bfloat16)


def off():
    return torch.autocast("cpu", enabled=False)


def helped():
    return lower(), off()


def alike():
    return lower(), lower()


def later():
    forward = torch.amp.autocast("cpu", dtype=torch.bfloat16)
    recompute = contextlib.nullcontext()
    return forward, recompute


def switched(enabled):
    return autocast("cpu", enabled=enabled), contextlib.nullcontext()


@contextlib.contextmanager
def managed():
    yield


class Own:
    def __enter__(self):
        return self

    def __exit__(self, *error):
        return None


def inner(x: Tensor) -> Tensor:
    return BODY


def form(x: Tensor) -> Tensor:
    return checkpoint(inner, x, use_reentrant=False, context_fn=CONTEXTS)
"""
LINEAR = "A(x).sin()"
PAIRS = [
    ("autocast('cpu', dtype=torch.bfloat16), autocast('cpu', enabled=False)", LINEAR),
    ("autocast('cpu', dtype=torch.bfloat16), autocast('cpu', enabled=False)", "x.sin() * 2"),
    ("autocast('cpu', dtype=torch.bfloat16), autocast('cpu', enabled=False)", "(x @ W).sin()"),
    ("autocast('cpu', dtype=torch.bfloat16), autocast('cpu', enabled=False)", "x.matmul(W).sin()"),
    ("autocast('cpu', dtype=torch.bfloat16), autocast('cpu', enabled=False)", "F.linear(x, W)"),
    ("torch.amp.autocast('cpu', dtype=torch.bfloat16), torch.amp.autocast('cpu', enabled=False)", LINEAR),
    ("autocast('cpu', dtype=torch.bfloat16), contextlib.nullcontext()", LINEAR),
    ("contextlib.nullcontext(), autocast('cpu', dtype=torch.bfloat16)", LINEAR),
    ("autocast('cpu'), contextlib.nullcontext()", LINEAR),
    ("autocast(PLACE), c.nullcontext()", LINEAR),
    ("autocast('cpu', BF), autocast('cpu', HALF)", LINEAR),
    ("autocast('cpu', torch.half), autocast('cpu', torch.float16)", LINEAR),
    ("autocast('cpu', torch.bfloat16), autocast('cpu', torch.float16)", LINEAR),
    ("autocast('cpu', torch.bfloat16), autocast('cuda', torch.bfloat16)", LINEAR),
    ("autocast('cpu', torch.bfloat16), autocast('cpu')", LINEAR),
    ("autocast('cpu', torch.bfloat16), autocast(device_type='cpu', dtype=torch.bfloat16, enabled=True)", LINEAR),
    ("autocast('cpu', torch.bfloat16), autocast('cpu', torch.bfloat16, cache_enabled=False)", LINEAR),
    ("autocast('cpu', enabled=False), contextlib.nullcontext()", LINEAR),
    ("contextlib.nullcontext(), autocast('cpu', enabled=False)", LINEAR),
    ("autocast('cpu', enabled=False), autocast('cpu', torch.bfloat16, False)", LINEAR),
    ("lower(), off()", LINEAR),
    ("lower(), lower()", LINEAR),
    ("off(), contextlib.nullcontext()", LINEAR),
    ("contextlib.nullcontext(), torch.no_grad()", LINEAR),
    ("contextlib.nullcontext(), torch.no_grad()", "x.sin() * 2"),
    ("torch.enable_grad(), torch.set_grad_enabled(False)", LINEAR),
    ("contextlib.nullcontext(), torch.inference_mode()", LINEAR),
    ("contextlib.nullcontext(), torch.enable_grad()", LINEAR),
    ("contextlib.nullcontext(), torch.set_grad_enabled(True)", LINEAR),
    ("contextlib.nullcontext(), contextlib.nullcontext()", LINEAR),
]
FUNCTIONS = ["helped", "alike", "later", "functools.partial(switched, True)", "functools.partial(switched, False)"]
MALFORMED = [
    "torch.no_grad",
    "torch.enable_grad",
    "torch.autocast",
    "torch.set_grad_enabled",
    "contextlib.nullcontext",
    "c.nullcontext",
    "contextlib.ExitStack",
    "lambda: torch.no_grad()",
    "lambda: contextlib.nullcontext()",
    "lambda: lower()",
    "lambda: managed()",
    "lower",
    "managed",
    "functools.partial(contextlib.nullcontext)",
    "functools.partial(torch.autocast, 'cpu', torch.bfloat16)",
    "functools.partial(create_selective_checkpoint_contexts, [])",
    "create_selective_checkpoint_contexts",
    "contextlib.nullcontext()",
    "torch.no_grad()",
    "lower()",
    "alike",
    "lambda: (contextlib.nullcontext(),) * 2",
    "lambda: (contextlib.nullcontext(), contextlib.nullcontext())",
    "lambda: [Own(), Own()]",
]


def program(contexts: str, body: str = LINEAR) -> str:
    """A form whose checkpoint gets a `context_fn`."""
    return HEAD + GIVEN.replace("BODY", body).replace("CONTEXTS", contexts)


def fails(source: str) -> str:
    """The kind of the error that a step of the form raises; empty for none."""
    with loaded(source) as module, torch.enable_grad():  # `set_grad_enabled` stays set where it is called
        return observe(lambda: module.form(torch.ones(3, 4, requires_grad=True)).sum().backward()).kind


@pytest.mark.parametrize(
    ("contexts", "body"), [*((f"lambda: ({p})", b) for p, b in PAIRS), *((f, LINEAR) for f in FUNCTIONS)]
)
def test_two_contexts_that_do_not_agree(contexts: str, body: str) -> None:
    source = program(contexts, body)
    assert (fails(source) != "") is ("form" in reported(source, "TBR404"))


@pytest.mark.parametrize("outer", [True, False])
@pytest.mark.parametrize("scope", ["autocast('cpu', torch.bfloat16)", "autocast('cpu', enabled=False)"])
def test_an_outer_autocast(scope: str, outer: bool) -> None:
    """The form is the one that runs in the scope: torch compares with what is open around the forward."""
    source = program(f"lambda: (contextlib.nullcontext(), {scope})")
    if outer:
        source = source.replace("    return checkpoint(", f"    with {scope}:\n        return checkpoint(")
    assert bool(fails(source)) is ("form" in reported(source, "TBR404")) is (not outer and "bfloat16" in scope)


@pytest.mark.parametrize("contexts", MALFORMED)
def test_what_is_no_function_of_two_contexts(contexts: str) -> None:
    source = program(contexts)
    assert (fails(source) in ("TypeError", "ValueError")) is ("form" in reported(source, "TBR406"))
