"""TBR601: the deterministic switches leave the benchmark alone, so both are on together."""

from __future__ import annotations

import pytest

from tests.oracle.support import cannot_show, loaded, page, require_torch, tell

torch = require_torch()
pytestmark = [pytest.mark.oracle, pytest.mark.usefixtures("switched_back")]


def test_the_example_runs_with_both_on() -> None:
    with loaded(page("TBR601").example) as module:
        module.setup(0)
    both = torch.are_deterministic_algorithms_enabled() and torch.backends.cudnn.benchmark
    tell("after the set-up", f"both switches are on: {both}")
    cannot_show("that the benchmark's choice of algorithm changes from run to run")
    assert torch.are_deterministic_algorithms_enabled()
    assert torch.backends.cudnn.benchmark


def test_the_repair_switches_the_benchmark_off() -> None:
    torch.backends.cudnn.benchmark = True
    with loaded(page("TBR601").repair) as module:
        module.setup(0)
    assert torch.are_deterministic_algorithms_enabled()
    assert not torch.backends.cudnn.benchmark


def test_the_switch_touches_no_attribute_of_cudnn() -> None:
    torch.backends.cudnn.benchmark = True
    before = torch.backends.cudnn.deterministic
    torch.use_deterministic_algorithms(True)
    assert torch.backends.cudnn.benchmark
    assert torch.backends.cudnn.deterministic == before


def test_a_scope_of_flags_switches_the_benchmark_on_and_determinism_off() -> None:
    """`flags(...)` sets every flag: what is not named gets its default, not what was set before."""
    torch.backends.cudnn.deterministic = True
    torch.backends.cudnn.benchmark = True
    with torch.backends.cudnn.flags(enabled=True, benchmark=True):
        assert (torch.backends.cudnn.benchmark, torch.backends.cudnn.deterministic) == (True, False)
    with torch.backends.cudnn.flags(enabled=True, deterministic=True):
        assert (torch.backends.cudnn.benchmark, torch.backends.cudnn.deterministic) == (False, True)
    assert torch.backends.cudnn.benchmark
