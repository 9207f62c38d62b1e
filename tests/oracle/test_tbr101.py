"""TBR101: the graph that is recorded depends on the last digit of a value."""

from __future__ import annotations

from typing import Any

import pytest

from tests.oracle.support import graphs_of, loaded, observe, page, require_torch, saved_by, tell

torch = require_torch()
pytestmark = pytest.mark.oracle

DDB = "Data-dependent branching"
AT_THE_CAP = torch.tensor([[0.0, 1.0]])
JUST_ABOVE = torch.tensor([[0.0, 1.0000002]])
FAR_ABOVE = torch.tensor([[3.0, 4.0]])


def saved_for(cap: Any, x: Any) -> int:
    leaf = x.clone().requires_grad_()
    return saved_by(lambda: cap(leaf))


def test_example_records_another_graph_for_the_next_number() -> None:
    with loaded(page("TBR101").example) as module:
        cap = module.NormCap()
        tell("a norm at the cap", f"{saved_for(cap, AT_THE_CAP)} tensors saved for backward")
        tell("a norm one unit above it", f"{saved_for(cap, JUST_ABOVE)} tensor saved for backward")
        assert saved_for(cap, AT_THE_CAP) == 0
        assert saved_for(cap, JUST_ABOVE) == 1


def test_repair_records_the_same_graph_and_computes_the_same() -> None:
    with loaded(page("TBR101").example) as bad, loaded(page("TBR101").repair) as good:
        example, repair = bad.NormCap(), good.NormCap()
        assert saved_for(repair, AT_THE_CAP) == saved_for(repair, FAR_ABOVE) == 1
        for x in (AT_THE_CAP, FAR_ABOVE, torch.cat([AT_THE_CAP, FAR_ABOVE])):
            assert torch.equal(example(x), repair(x))
        assert bool(repair.cap_fired)


def test_compile_cuts_the_example_and_keeps_the_repair_whole() -> None:
    calls = [(FAR_ABOVE,)]
    with loaded(page("TBR101").example) as bad, loaded(page("TBR101").repair) as good:
        tell("compiled", graphs_of(bad.NormCap(), calls))
        outcome = observe(graphs_of, bad.NormCap(), calls, fullgraph=True)
        tell("compiled with `fullgraph=True`", outcome)
        assert graphs_of(bad.NormCap(), calls) == 2
        assert graphs_of(good.NormCap(), calls, fullgraph=True) == 1
    assert (outcome.kind, outcome.first_line) == ("Unsupported", DDB)


def test_trace_keeps_the_side_it_saw() -> None:
    with loaded(page("TBR101").example) as bad, loaded(page("TBR101").repair) as good:
        traced = observe(torch.jit.trace, bad.NormCap(), (AT_THE_CAP,))
        assert any("Converting a tensor to a Python boolean" in text for text in traced.warnings)
        assert torch.equal(traced.value(FAR_ABOVE), FAR_ABOVE)
        repaired = observe(torch.jit.trace, good.NormCap(), (AT_THE_CAP,)).value
        assert torch.allclose(repaired(FAR_ABOVE), FAR_ABOVE / 5)


def test_deterministic_rerun_is_harmless() -> None:
    """The page's own limit: the same value twice gives the same graph twice."""
    with loaded(page("TBR101").example) as module:
        cap = module.NormCap()
        assert saved_for(cap, FAR_ABOVE) == saved_for(cap, FAR_ABOVE)
        assert torch.equal(cap(FAR_ABOVE), cap(FAR_ABOVE))
