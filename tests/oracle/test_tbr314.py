"""TBR314: what checkpoint and compile cannot do in one another, and what they can."""

from __future__ import annotations

import shutil
from typing import Any

import pytest

from tests.oracle.support import Outcome, compiling, loaded, observe, page, require_torch, tell

torch = require_torch()
pytestmark = pytest.mark.oracle

# As text: see test_tbr304.
FORMS = """
import functools
from contextlib import nullcontext

import torch
from torch import nn
from torch.utils.checkpoint import CheckpointPolicy, checkpoint, create_selective_checkpoint_contexts

SEEN = []
TOTAL = 0


def policy(ctx, op, *args, **kwargs):
    SEEN.append(str(op))
    return CheckpointPolicy.MUST_SAVE if op is torch.ops.aten.mm.default else CheckpointPolicy.PREFER_RECOMPUTE


def contexts():
    return create_selective_checkpoint_contexts(policy)


def nothing():
    return nullcontext(), nullcontext()


selective = functools.partial(create_selective_checkpoint_contexts, policy)


def block(x):
    return (x @ x).sin()


class State(nn.Module):
    def __init__(self):
        super().__init__()
        self.last = None
        self.seen = []
        self.flag = True
        self.register_buffer("steps", torch.zeros(()))


class Attribute(State):
    def forward(self, x):
        self.last = x.argsort()
        return x.sin()


class Listed(State):
    def forward(self, x):
        self.seen.append(x.detach())
        return x.sin()


class Global(State):
    def forward(self, x):
        global TOTAL
        TOTAL += 1
        return x.sin()


class Same(State):
    def forward(self, x):
        self.flag = True
        return x.sin()


class InPlace(State):
    def forward(self, x):
        self.steps.add_(1)
        return x.sin()


def conditional(x):
    return torch.cond(x.sum() > 0, lambda v: v.sin(), lambda v: v.cos(), (x,))


def through(region, **options):
    def outer(x):
        return x + checkpoint(region, x, use_reentrant=False, **options)

    return outer


class Method(nn.Module):
    def contexts(self):
        return contexts()

    def forward(self, x):
        return checkpoint(block, x, use_reentrant=False, context_fn=self.contexts)


def local(x):
    def inner():
        return create_selective_checkpoint_contexts(policy)

    return checkpoint(block, x, use_reentrant=False, context_fn=inner)


def with_nothing(x):
    return checkpoint(block, x, use_reentrant=False, context_fn=nothing)


def with_partial(x):
    return checkpoint(block, x, use_reentrant=False, context_fn=selective)


def with_function(x):
    return checkpoint(block, x, use_reentrant=False, context_fn=contexts)
"""


CONTEXTS = {
    "local": "a function made in the compiled one",
    "with_nothing": "a function that gives null contexts",
    "with_partial": "a partial of a selective policy",
    "with_function": "a module's function that gives a selective policy",
}


def run(function: Any, **options: Any) -> Outcome:
    """One compiled forward and backward."""
    torch._dynamo.reset()
    compiled = torch.compile(function, backend="aot_eager", **options)
    outcome = observe(lambda: compiled(torch.eye(4, requires_grad=True)).sum().backward())
    torch._dynamo.reset()
    return outcome


def test_example_is_refused_and_repair_compiles_the_same() -> None:
    x = torch.tensor([0.3, 0.1, 0.2], requires_grad=True)
    with loaded(page("TBR314").example) as bad, loaded(page("TBR314").repair) as good:
        torch._dynamo.reset()
        refused = observe(bad.compiled_layer(), x)
        tell("an attribute set in the region, `fullgraph=True`", refused)
        assert refused.first_line == "HOP: Unsafe side effect"
        assert torch.equal(good.compiled_layer()(x), bad.Layer()(x))
    torch._dynamo.reset()


@pytest.mark.parametrize(
    ("name", "refused"),
    [("Attribute", True), ("Listed", True), ("Global", True), ("Same", False), ("InPlace", False)],
)
def test_state_in_the_region(name: str, refused: bool) -> None:
    with loaded(FORMS) as forms:
        outer = forms.through(getattr(forms, name)())
        outcome = run(outer, fullgraph=True)
        assert (outcome.kind == "Unsupported" and "side effect" in outcome.first_line) is refused
        assert run(outer).error is None


def test_cond_in_the_region() -> None:
    with loaded(FORMS) as forms:
        refused = run(forms.through(forms.conditional))
        tell(
            "`torch.cond` in the region",
            "NotImplementedError" if "NotImplementedError" in str(refused.error) else refused,
        )
        assert "NotImplementedError" in str(refused.error)


def test_context_fn() -> None:
    with loaded(FORMS) as forms:
        for name, what in CONTEXTS.items():
            tell(f"`context_fn` is {what}", run(getattr(forms, name)).kind or "no error")
        assert "checkpoint not implemented" in str(run(forms.local).error)
        assert run(forms.Method()).error is not None
        assert "must generate a tuple of two `TorchDispatchMode`s" in str(run(forms.with_nothing).error)
        assert run(forms.with_partial).error is None
        assert run(forms.with_function).error is None


@pytest.mark.skipif(
    not any(map(shutil.which, ("c++", "g++", "clang++"))), reason="the default backend needs a compiler"
)
def test_a_selective_policy_does_not_see_into_compiled_code() -> None:
    with compiling(FORMS) as forms:
        for function, sees in ((forms.block, True), (observe(torch.compile, forms.block).value, False)):
            forms.SEEN.clear()
            outer = forms.through(function, context_fn=forms.selective)
            x = torch.eye(4, requires_grad=True)
            assert observe(lambda call=outer, x=x: call(x).sum().backward()).error is None
            assert ("aten.mm.default" in forms.SEEN) is sees


EXPORTED = """
import torch
from torch.utils.checkpoint import checkpoint


class Exported(torch.nn.Module):
    def __init__(self, always):
        super().__init__()
        self.always = always

    def forward(self, x):
        if self.always or self.training:
            return checkpoint(torch.sin, x, use_reentrant=REENTRANT)
        return x.sin()
"""


@pytest.mark.parametrize("reentrant", [False, True])
def test_a_strict_export_refuses_a_checkpoint(reentrant: bool) -> None:
    with loaded(EXPORTED.replace("REENTRANT", str(reentrant))) as module:

        def exported(always: bool, strict: bool) -> Outcome:
            return observe(torch.export.export, module.Exported(always).eval(), (torch.ones(2),), strict=strict)

        outcome = exported(True, True)
        tell(f"a strict export, `use_reentrant={reentrant}`", outcome)
        assert outcome.first_line == "_checkpoint_context_fn"
        assert exported(True, False).error is None
        assert exported(False, True).error is None
