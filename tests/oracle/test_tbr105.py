"""TBR105: a raise under `if` on a value cuts a compiled graph, an asynchronous assert does not."""

from __future__ import annotations

import pytest

from tests.oracle.support import graphs_of, loaded, observe, page, require_torch, tell

torch = require_torch()
pytestmark = pytest.mark.oracle

GOOD = torch.tensor([0.25, 0.75])
BAD = torch.tensor([0.5, 0.0])


# As text: pytest rewrites the asserts of a test module, and the rewritten form is another program to TorchDynamo.
ASSERTED = """
def log_probability(p):
    assert (p > 0).all(), "probabilities must be positive"
    return p.log()
"""


def test_both_forms_reject_and_accept_the_same() -> None:
    with loaded(page("TBR105").example) as bad, loaded(page("TBR105").repair) as good:
        assert torch.equal(bad.log_probability(GOOD), good.log_probability(GOOD))
        rejected, repaired = observe(bad.log_probability, BAD), observe(good.log_probability, BAD)
    tell("a zero among the probabilities", rejected)
    assert (rejected.kind, rejected.first_line) == ("ValueError", "probabilities must be positive")
    assert (repaired.kind, repaired.first_line) == ("RuntimeError", "probabilities must be positive")


def test_only_the_if_form_breaks_the_graph() -> None:
    calls = [(GOOD,)]
    with loaded(page("TBR105").example) as bad, loaded(page("TBR105").repair) as good:
        tell("compiled", graphs_of(bad.log_probability, calls))
        outcome = observe(graphs_of, bad.log_probability, calls, fullgraph=True)
        tell("compiled with `fullgraph=True`", outcome)
        assert graphs_of(bad.log_probability, calls) == 2
        assert graphs_of(good.log_probability, calls, fullgraph=True) == 1
    assert (outcome.kind, outcome.first_line) == ("Unsupported", "Data-dependent branching")


def test_assert_with_a_constant_message_is_traced() -> None:
    with loaded(ASSERTED) as module:
        assert graphs_of(module.log_probability, [(GOOD,)], fullgraph=True) == 1
        assert observe(graphs_of, module.log_probability, [(BAD,)]).kind == "RuntimeError"
