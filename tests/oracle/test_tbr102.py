"""TBR102: a value decides how many turns are recorded."""

from __future__ import annotations

from typing import Any

import pytest

from tests.oracle.support import graphs_of, loaded, nodes_behind, observe, page, require_torch, saved_by, tell

torch = require_torch()
pytestmark = pytest.mark.oracle


def graph_nodes(output: Any) -> int:
    """Count the autograd nodes behind `output`."""
    return len(nodes_behind(output))


def test_example_turns_once_more_for_the_next_number() -> None:
    at_border = torch.tensor([4.0], requires_grad=True)
    above = torch.tensor([4.0000005], requires_grad=True)
    with loaded(page("TBR102").example) as bad, loaded(page("TBR102").repair) as good:
        more = graph_nodes(bad.halve_until_small(above)) - graph_nodes(bad.halve_until_small(at_border))
        tell("an input one unit above the border", f"{more} autograd node more")
        assert graph_nodes(bad.halve_until_small(above)) == graph_nodes(bad.halve_until_small(at_border)) + 1
        assert graph_nodes(good.halve_until_small(above)) == graph_nodes(good.halve_until_small(at_border))
        assert saved_by(lambda: good.halve_until_small(above)) == saved_by(lambda: good.halve_until_small(at_border))


def test_repair_computes_the_same_value_and_gradient() -> None:
    with loaded(page("TBR102").example) as bad, loaded(page("TBR102").repair) as good:
        for scale in (0.5, 1.0, 3.0, 100.0):
            results = []
            for module in (bad, good):
                x = torch.linspace(-1.0, 1.0, 4).mul(scale).requires_grad_()
                y = module.halve_until_small(x)
                y.sum().backward()
                results.append((y.detach(), x.grad))
            assert torch.equal(results[0][0], results[1][0])
            assert torch.equal(results[0][1], results[1][1])


def test_compile_cannot_hold_the_loop() -> None:
    calls = [(torch.ones(4) * 9,)]
    with loaded(page("TBR102").example) as bad, loaded(page("TBR102").repair) as good:
        tell("compiled", graphs_of(bad.halve_until_small, calls))
        outcome = observe(graphs_of, bad.halve_until_small, calls, fullgraph=True)
        tell("compiled with `fullgraph=True`", outcome)
        assert graphs_of(bad.halve_until_small, calls) >= 2
        assert graphs_of(good.halve_until_small, calls, fullgraph=True) == 1
    assert (outcome.kind, outcome.first_line) == ("Unsupported", "Data-dependent branching")
