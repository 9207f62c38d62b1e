"""Calls by which Python reads tensors in a compiled function without being asked for a number: truth, text, sizes."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from astroid import nodes

from flake8_tensorbranch.engine.compiling.mapped import given, quantified
from flake8_tensorbranch.engine.compiling.numbers import ASKS_TRUTH, truth
from flake8_tensorbranch.engine.inference.frame import Facts
from flake8_tensorbranch.engine.lattice import TENSOR, UNKNOWN
from flake8_tensorbranch.knowledge.tracing import BREAKS_ON_NUMBERS, TESTS_EACH, TEXTS

_NAMES: Final = TEXTS | TESTS_EACH | {"bool"} | ASKS_TRUTH | {n.rsplit(".", 1)[-1] for n in BREAKS_ON_NUMBERS}


def breaks(facts: Facts, asked: set[nodes.NodeNG], called: bool) -> Iterator[tuple[nodes.Call, bool]]:
    """The calls that break a graph so, each with whether it asks for text (observed:
    tests/oracle/test_forms_breaks.py). What an error says is left out: nothing goes on after it; so is a truth that
    is kept for one of the tests `asked`, which is the decision's own, or for the caller's in a region that calls the
    function.
    """
    for node in facts.values:
        if type(node) is nodes.Call and _name(node) in _NAMES and _breaks(facts, node, asked, called):
            if not isinstance(node.statement(), (nodes.Raise, nodes.Assert)):
                yield node, getattr(node.func, "name", "") in TEXTS


def _name(call: nodes.Call) -> str:
    func = call.func
    return str(func.attrname if isinstance(func, nodes.Attribute) else getattr(func, "name", ""))


def _breaks(facts: Facts, call: nodes.Call, asked: set[nodes.NodeNG], called: bool) -> bool:
    name = call.func.name if isinstance(call.func, nodes.Name) else ""
    if name in TEXTS or (name == "bool" and not _is_kept_for(call, asked, called)):
        return any(_is_tensor(facts, part) for part in call.args)
    if quantified(facts, call) is not None or truth(facts, call) is not None:
        return True
    return any(taken in BREAKS_ON_NUMBERS for taken, _ in given(facts, call))


def _is_kept_for(call: nodes.Call, asked: set[nodes.NodeNG], called: bool) -> bool:
    """True for what is given a name that a test of the function reads, or that a function that is called in the region
    hands on in what it returns.
    """
    kept = call.parent
    if not isinstance(kept, nodes.Assign):
        return False
    names = {target.name for target in kept.targets if isinstance(target, nodes.AssignName)}
    if len(names) < len(kept.targets):
        return True
    returned = [r.value for r in kept.scope().nodes_of_class(nodes.Return)] if called else []
    told = [part for value in returned for part in (value.elts if isinstance(value, nodes.Tuple) else [value])]
    if any(getattr(part, "name", None) in names for part in told):
        return True
    return any(n.name in names for top in asked for n in top.nodes_of_class(nodes.Name))


def _is_tensor(facts: Facts, node: nodes.NodeNG) -> bool:
    return facts.values.get(node, UNKNOWN).must(TENSOR)
