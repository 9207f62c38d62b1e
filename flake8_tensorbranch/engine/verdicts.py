"""The sites of decisions, each under the kind that says most: collectives, nondeterministic operators, the rest."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from astroid import nodes

from flake8_tensorbranch.engine.distributed import divergence
from flake8_tensorbranch.engine.inference.program import Program
from flake8_tensorbranch.engine.reproducibility.unrepeatable import Unrepeatable
from flake8_tensorbranch.engine.sink import SinkKind, SinkSite, ValueSite


def sites(program: Program, decisions: Iterable[ValueSite]) -> Iterator[SinkSite]:
    """Every decision's site once; inside a region the code of the region keeps its place."""
    known = list(decisions)
    in_region = {
        _test(site.node) for site in known if site.regions and not site.guarded and site.kind is not SinkKind.SETTLED
    }
    taken: set[nodes.NodeNG] = set()
    for found in divergence.sites(program):
        if _test(found.node) not in in_region:
            taken.add(_test(found.node))
            yield found
    unrepeatable = Unrepeatable(program)
    for site in known:
        if _test(site.node) not in taken:
            yield unrepeatable.site(site) or site


def _test(node: nodes.NodeNG) -> nodes.NodeNG:
    """The whole test that a part of it stands in."""
    while isinstance(node.parent, (nodes.BoolOp, nodes.NamedExpr)) or (
        isinstance(node.parent, nodes.UnaryOp) and node.parent.op == "not"
    ):
        node = node.parent
    return node
