"""The programs of `examples/` do what their docstrings tell: the broken ones fail or lie, the repaired ones do not."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from tests.oracle.support import loaded, observe, require_torch

torch = require_torch()
pytestmark = pytest.mark.oracle

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
NAMES = sorted(path.stem for path in EXAMPLES.glob("*.py"))
META = (
    "torch.utils.checkpoint: Recomputed values for the following tensors have different metadata "
    "than during the forward pass."
)
COUNT = "torch.utils.checkpoint: A different number of tensors was saved during the original forward and recomputation."
NO_GRAD_INPUT = "None of the inputs have requires_grad=True. Gradients will be None"


@contextmanager
def example(name: str) -> Iterator[Any]:
    """Load one program of `examples/` as a module, without running its `main`."""
    with loaded((EXAMPLES / f"{name}.py").read_text(encoding="utf-8")) as module:
        yield module


def trainable_without_gradient(model: Any) -> set[str]:
    """Names of the parameters that should have a gradient and have none."""
    return {name for name, parameter in model.named_parameters() if parameter.requires_grad and parameter.grad is None}


def test_each_incident_has_both_forms() -> None:
    incidents = {"norm_cap", "reentrant_inputs", "sdpa_scope", "shape_branch"}
    assert set(NAMES) == {f"{incident}_{form}" for incident in incidents for form in ("broken", "repaired")}


@pytest.mark.parametrize("name", NAMES)
def test_main_prints_the_same_each_time(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    printed = []
    for _ in range(2):
        with example(name) as module:
            assert observe(module.main).error is None
        printed.append(capsys.readouterr().out)
    assert printed[0]
    assert printed[0] == printed[1]


def test_runs_as_a_program() -> None:
    """One program from a shell: no other file of the project is needed."""
    done = subprocess.run(
        [sys.executable, "sdpa_scope_broken.py"], cwd=EXAMPLES, capture_output=True, text=True, check=True
    )
    assert done.stdout.splitlines()[0] == f"non-reentrant: {META}"


def test_norm_cap_broken_saves_one_tensor_less_in_the_recompute() -> None:
    with example("norm_cap_broken") as module:
        outcome = observe(module.gradient, module.boundary_batch(), checkpointed=True)
    assert (outcome.kind, outcome.first_line) == ("CheckpointError", COUNT)
    saved, recomputed = (int(line.rstrip(".").rsplit(" ", 1)[1]) for line in str(outcome.error).splitlines()[1:3])
    assert saved - recomputed == 1


def test_norm_cap_broken_says_nothing_under_the_reentrant_checkpoint() -> None:
    with example("norm_cap_broken") as module:
        seed = module.boundary_batch()
        outcome = observe(module.gradient, seed, checkpointed=True, reentrant=True)
        expected = module.gradient(seed, checkpointed=False)
    assert (outcome.error, outcome.warnings) == (None, [])
    assert not torch.equal(outcome.value, expected)


def test_norm_cap_broken_is_clean_away_from_the_boundary() -> None:
    """The flip is the fault, not the branch: on another batch's cap both passes agree."""
    with example("norm_cap_broken") as module:
        seed = module.boundary_batch()
        ratio_on = module.ratio_on
        module.ratio_on = lambda count, batch: 0.5 * ratio_on(count, batch)
        found = module.gradient(seed, checkpointed=True)
        expected = module.gradient(seed, checkpointed=False)
    assert (found - expected).abs().max() <= 1e-6 * expected.abs().max()


@pytest.mark.parametrize("reentrant", [False, True])
def test_norm_cap_repaired_survives_the_same_flip(reentrant: bool) -> None:
    with example("norm_cap_repaired") as module:
        seed = module.boundary_batch()
        assert module.ratio_on(1, seed) > module.ratio_on(2, seed)
        outcome = observe(module.gradient, seed, checkpointed=True, reentrant=reentrant)
        expected = module.gradient(seed, checkpointed=False)
    assert outcome.error is None
    assert (outcome.value - expected).abs().max() <= 1e-6 * expected.abs().max()


def test_norm_cap_forms_agree_without_a_checkpoint() -> None:
    with example("norm_cap_broken") as broken, example("norm_cap_repaired") as repaired:
        for seed in range(3):
            assert torch.equal(broken.gradient(seed, checkpointed=False), repaired.gradient(seed, checkpointed=False))


def test_norm_cap_repaired_keeps_its_telemetry() -> None:
    with example("norm_cap_repaired") as module:
        cap = module.NormCap(cap=1.0)
        fired = []
        for factor in (0.5, 2.0):
            cap(torch.ones(4) * factor, torch.ones(4))
            fired.append(cap.cap_fired)
    assert fired == [False, True]


def test_sdpa_scope_broken_raises() -> None:
    with example("sdpa_scope_broken") as module:
        outcome = observe(module.step)
    assert (outcome.kind, outcome.first_line) == ("CheckpointError", META)


def test_sdpa_scope_broken_lies_under_the_reentrant_checkpoint() -> None:
    with example("sdpa_scope_broken") as module:
        outcome = observe(module.reentrant_step)
        expected = module.expected()
    assert (outcome.error, outcome.warnings) == (None, [])
    assert (outcome.value - expected).abs().max() > 1e-3 * expected.abs().max()


def test_sdpa_scope_repairs_are_bit_equal() -> None:
    with example("sdpa_scope_repaired") as module:
        assert len(module.REPAIRS) == 3
        for repair in module.REPAIRS:
            assert torch.equal(repair(), module.expected())


def test_reentrant_inputs_broken_leaves_the_layer_without_gradient() -> None:
    with example("reentrant_inputs_broken") as module:
        outcome = observe(module.step)
    assert (outcome.error, outcome.warnings) == (None, [NO_GRAD_INPUT])
    assert trainable_without_gradient(outcome.value) == {"layer.weight", "layer.bias"}


def test_reentrant_inputs_repairs_reach_every_parameter() -> None:
    with example("reentrant_inputs_repaired") as module:
        assert len(module.REPAIRS) == 3
        for kind in module.REPAIRS:
            outcome = observe(module.step, kind)
            assert (outcome.error, outcome.warnings) == (None, [])
            assert trainable_without_gradient(outcome.value) == set()


@pytest.mark.parametrize(("dynamic", "graphs", "compiled"), [(None, 5, 17), (True, 4, 17), (False, 8, 8)])
def test_shape_branch_broken_costs_a_graph_per_outcome(dynamic: bool | None, graphs: int, compiled: int) -> None:
    with example("shape_branch_broken") as module:
        backend = module.traffic(dynamic)
        assert (backend.graphs, backend.compiled_calls, len(module.HEAD_SIZES)) == (graphs, compiled, 17)


@pytest.mark.parametrize(("dynamic", "graphs"), [(None, 2), (True, 1)])
def test_shape_branch_repaired_does_not(dynamic: bool | None, graphs: int) -> None:
    with example("shape_branch_repaired") as module:
        assert module.many_head_sizes(dynamic) == module.one_head_size(dynamic) == graphs


def test_shape_branch_forms_agree() -> None:
    with example("shape_branch_broken") as broken, example("shape_branch_repaired") as repaired:
        for size in broken.HEAD_SIZES:
            heads = [torch.randn(1, 2, 4, size, generator=torch.Generator().manual_seed(size)) for _ in range(3)]
            assert torch.equal(broken.attention(*heads), repaired.attention(*heads))
