"""The value and shape fixtures' claims on real torch: what they call silent is clean, what they report goes wrong."""

from __future__ import annotations

import copy
import warnings
from collections.abc import Callable
from contextlib import AbstractContextManager
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from tests.oracle.support import graphs_compiled, loaded, observe, require_torch

torch = require_torch()
pytestmark = pytest.mark.oracle

RULES = Path(__file__).resolve().parents[1] / "rules"
FILES = ["tbr101", "tbr101_binding", "tbr102", "tbr103", "tbr105", "tbr201", "tbr201_regions", "tbr202", "tbr203"]
FILES += ["tbr301", "tbr302", "tbr304", "tbr304_regions"]
X = torch.linspace(0.1, 1.0, 16).reshape(4, 4)


def fixture(name: str) -> AbstractContextManager[ModuleType]:
    return loaded((RULES / f"{name}.py").read_text(encoding="utf-8"))


def original(function: Any) -> Any:
    """The function or module behind `torch.compile`."""
    return getattr(function, "_torchdynamo_orig_callable", getattr(function, "_orig_mod", function))


@pytest.mark.parametrize("name", FILES)
def test_fixture_is_a_program(name: str) -> None:
    with fixture(name) as module:
        assert module.__doc__


# --- TBR304: does fullgraph accept it? ------------------------------------------------------------
BREAKS: list[tuple[str, Callable[[ModuleType], Any], tuple[Any, ...]]] = [
    ("tbr304", lambda m: original(m.signed), (X,)),
    ("tbr304", lambda m: original(m.ternary), (X,)),
    ("tbr304", lambda m: original(m.by_partial), (X,)),
    ("tbr304", lambda m: m.read_first, (X, torch.tensor(2))),
    ("tbr304", lambda m: original(m.make_step(0.5)), (X,)),
    ("tbr304", lambda m: m.Inner(), (X,)),
    ("tbr304", lambda m: m.DropStack(), (torch.ones(2, 8),)),
    ("tbr304", lambda m: m.OwnForward()._encode, (X,)),
    ("tbr304_regions", lambda m: original(m.by_partial), (X,)),
    ("tbr304_regions", lambda m: original(m.by_factory), (X,)),
    ("tbr304_regions", lambda m: m.Model(), (X,)),
    ("tbr304_regions", lambda m: m.Swapped(), (X,)),
    ("tbr304_regions", lambda m: original(m.through_methods), (X,)),
    ("tbr304_regions", lambda m: original(m.busy), (X, X > 0.5)),
    ("tbr304_regions", lambda m: m.outer, (X,)),
    ("tbr201", lambda m: original(m.outer), (X,)),
]
WHOLE: list[tuple[str, Callable[[ModuleType], Any], tuple[Any, ...]]] = [
    ("tbr304", lambda m: original(m.calm), (X,)),
    ("tbr304", lambda m: original(m.identical), (X,)),
    ("tbr304", lambda m: original(m.kept_out), (X,)),
    ("tbr304", lambda m: original(m.higher_order), (X,)),
    ("tbr304_regions", lambda m: original(m.through_cache), (X, [X.clone()])),
    ("tbr304_regions", lambda m: m.Off(), (X,)),
    ("tbr105", lambda m: original(m.traced_assert), (X,)),
]


@pytest.mark.parametrize("case", range(len(BREAKS)))
def test_reported_branch_breaks_a_full_graph(case: int) -> None:
    name, pick, args = BREAKS[case]
    with fixture(name) as module:
        torch._dynamo.reset()
        outcome = observe(torch.compile(pick(module), backend="eager", fullgraph=True), *args)
        torch._dynamo.reset()
    assert outcome.kind in {"Unsupported", "UserError"}, outcome


@pytest.mark.parametrize("case", range(len(WHOLE)))
def test_silent_code_is_one_full_graph(case: int) -> None:
    name, pick, args = WHOLE[case]
    with fixture(name) as module:
        compiled = torch.compile(pick(module), backend="eager", fullgraph=True)
        assert graphs_compiled(lambda: compiled(*args)) == 1


# --- TBR301, TBR302: how many graphs over many sizes ----------------------------------------------
def graphs_over(target: Any, inputs: list[Any]) -> int:
    compiled = torch.compile(target, backend="eager")

    def action() -> None:
        for args in inputs:
            compiled(*args)

    return graphs_compiled(action)


WIDE = [(torch.ones(4, size),) for size in (3, 60, 100, 130, 200, 40)]
TALL = [(torch.ones(size, 4),) for size in range(2, 13)]
BATCHED = [(torch.ones(2, size, 4),) for size in range(2, 13)]


def test_tests_of_a_size_cost_a_graph_and_the_silent_ones_do_not() -> None:
    with fixture("tbr301") as module:
        plain = graphs_over(torch.sin, WIDE)
        assert graphs_over(original(module.padded_always), WIDE) == plain == 2
        assert graphs_over(original(module.attend), [(torch.ones(2, size, 64),) for size in range(2, 13)]) == 2
        assert graphs_over(original(module.outside_of_traces), TALL) == 2
        assert graphs_over(original(module.pad_to_8), [(torch.ones(4, size),) for size in (3, 5, 8, 16)]) == 3
        assert graphs_over(module.by_case, [(torch.ones(4, size),) for size in (3, 5, 4)]) == 3
        assert graphs_over(original(module.spellings), WIDE) > 2
        sizes = [(torch.ones(1, height, 8, 6),) for height in (5, 9, 8, 13)]
        assert graphs_over(original(module.make_backbone()), sizes) == 3
        assert graphs_over(module.InPlace(), [(torch.ones(2, size),) for size in (5, 7, 1)]) == 3


def test_unrolled_loops_cost_a_graph_per_size_and_the_silent_ones_do_not() -> None:
    with fixture("tbr302") as module:
        assert graphs_over(original(module.calm), BATCHED) == 2
        assert graphs_over(original(module.by_rows), TALL) == 8
        assert graphs_over(original(module.by_name), TALL) == 8
        wide = [(torch.ones(4, size), [1.0] * 13) for size in range(2, 13)]
        assert graphs_over(original(module.looked_up_elsewhere), wide) == 8
        tall = [(torch.ones(size, 4), [1.0] * 13) for size in range(2, 13)]
        assert graphs_over(original(module.looked_up_elsewhere), tall) == 8
        assert graphs_over(module.row_means, TALL) == 8
        assert graphs_over(module.Recurrence(), BATCHED) == 8
        assert graphs_over(original(module.decayed_sum), [(torch.ones(2, size),) for size in range(2, 13)]) == 8


# --- TBR201, TBR202, TBR203: is the recompute the same? -------------------------------------------
def same_gradients(block: Any, run: Callable[[Any, Any], Any], plain: Callable[[Any, Any], Any]) -> bool:
    """Whether every gradient of `run` equals that of the un-checkpointed `plain`, bit for bit, on two copies."""
    gradients = []
    for call in (run, plain):
        twin = copy.deepcopy(block)
        torch.manual_seed(0)
        x = X.clone().requires_grad_()
        call(twin, x).sum().backward()
        gradients.append([x.grad, *(parameter.grad for parameter in twin.parameters())])
    return all(torch.equal(a, b) for a, b in zip(*gradients, strict=True))


def checkpointed(block: Any, *args: Any) -> Any:
    return torch.utils.checkpoint.checkpoint(block, *args, use_reentrant=False)


def test_silent_regions_have_the_gradients_of_the_plain_call() -> None:
    with fixture("tbr201") as module:
        assert same_gradients(module.Calm(), module.run_calm, lambda block, x: block(x, None, bool(x.abs().max() > 3)))
    with fixture("tbr202") as module:
        assert same_gradients(module.Calm(), checkpointed, lambda block, x: block(x))
        assert same_gradients(module.Counting(), lambda block, x: block(x), lambda block, x: block.fc(x.tanh()))
    with fixture("tbr203") as module:
        for keep in (True, False):

            def region(block: Any, x: Any, keep: bool = keep) -> Any:
                return checkpointed(block, x, keep)

            def plain(block: Any, x: Any, keep: bool = keep) -> Any:
                return block(x, keep)

            assert same_gradients(module.Calm(), region, plain)


def test_state_that_the_region_changes_reads_differently_in_the_recompute() -> None:
    def read_by(function: Callable[[Any], Any], read: Callable[[], Any]) -> list[Any]:
        seen: list[Any] = []

        def region(x: Any) -> Any:
            try:
                return function(x).sin()
            finally:  # the recompute may stop early, inside of the call
                seen.append(read())

        observe(lambda: checkpointed(region, X.clone().requires_grad_()).sum().backward())
        return seen

    with fixture("tbr202") as module, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        every, after, helped = module.EveryOther(), module.ChangedAfterwards(), module.ByHelper()
        for function, read in (
            (every, lambda: every.calls),
            (after, lambda: int(after.seen)),
            (helped, lambda: (helped.step, len(helped.history))),
            (module.by_global, lambda: module._CALLS),
            (module.by_entry, lambda: module._SEEN["steps"]),
        ):
            first, second = read_by(function, read)
            assert first != second
        assert not same_gradients_or_error(module.Inner(), checkpointed)


def same_gradients_or_error(block: Any, run: Callable[[Any, Any], Any]) -> bool:
    """False when the checkpointed run raises or differs from the plain call."""
    outcome = observe(same_gradients, block, run, lambda twin, x: twin(x))
    return outcome.error is None and bool(outcome.value)
