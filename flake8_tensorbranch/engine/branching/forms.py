"""Forms of tests and loops: what their source alone tells of how they decide."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from astroid import nodes

from flake8_tensorbranch.engine.inference.summary import Analysis
from flake8_tensorbranch.engine.lattice import DATA
from flake8_tensorbranch.engine.regions.scripted import Scripting, scripting
from flake8_tensorbranch.engine.sink import ValueSite
from flake8_tensorbranch.syntax.kinds import FRAMES
from flake8_tensorbranch.syntax.names import FunctionInfo


def is_reported_assert(node: nodes.NodeNG) -> bool:
    """True for an `assert` whose message is computed: a tracer does not record it, as it does one without (facts H)."""
    if not isinstance(node, nodes.Assert) or node.fail is None:
        return False
    return not _is_constant(node.fail)


def _is_constant(node: nodes.NodeNG) -> bool:
    """True for a text that Python puts together when it compiles the source."""
    if isinstance(node, nodes.BinOp):
        return _is_constant(node.left) and _is_constant(node.right)
    parts = node.values if isinstance(node, nodes.JoinedStr) else [node]
    return all(isinstance(part, nodes.Const) for part in parts)


def from_tolist(node: nodes.NodeNG) -> bool:
    """True for `t.tolist()`, also counted, reversed, sorted or zipped."""
    while isinstance(node, nodes.Call):
        func = node.func
        if isinstance(func, nodes.Attribute) and func.attrname == "tolist":
            return True
        if isinstance(func, nodes.Name) and func.name in ("enumerate", "reversed", "sorted", "zip") and node.args:
            node = node.args[0]
            continue
        return False
    return False


def breaks(site: ValueSite) -> bool:
    """True for a decision at which a compiled function breaks off, so that the loops around it run eagerly."""
    member = site.regions.get("compiled")
    if member is None or site.guarded or site.form == "assert" or member.entry.option("fullgraph") is True:
        return False
    return bool(site.deps & DATA)


def loops_around(node: nodes.NodeNG, test: nodes.NodeNG) -> Iterator[nodes.NodeNG]:
    """The loops of the scope that a decision stands in, comprehensions by their clauses, and those in its test."""
    yield from test.nodes_of_class(nodes.Comprehension)
    up: nodes.NodeNG | None = node
    while up is not None and not isinstance(up, FRAMES):
        if isinstance(up, (nodes.For, nodes.Comprehension)):
            yield up
        elif isinstance(up, (nodes.ListComp, nodes.SetComp, nodes.DictComp, nodes.GeneratorExp)):
            yield from up.generators
        up = up.parent


def rows_of(node: nodes.NodeNG) -> nodes.NodeNG | None:
    """The tensor of `t.unbind(...)` or `t.split(2)`, which give as many as a size says; None for anything else."""
    if not isinstance(node, nodes.Call):
        return None
    func = node.func
    if isinstance(func, nodes.Attribute) and func.attrname in ("split", "unbind"):
        of_torch = isinstance(func.expr, nodes.Name) and func.expr.name in ("torch", "th") and node.args
        source, *given = [*node.args] if of_torch else [func.expr, *node.args]
        if func.attrname == "unbind":
            return source
        pieces = given[0].value if len(given) == 1 and isinstance(given[0], nodes.Const) else None
        return source if isinstance(pieces, int) and not node.keywords else None
    through = isinstance(func, nodes.Name) and func.name in ("enumerate", "reversed", "zip") and node.args
    return rows_of(node.args[0]) if through else None


def in_comprehension(node: nodes.NodeNG) -> bool:
    """True inside of a list, set or dict that is built in a loop of its own, but for what it goes over first."""
    child, up = node, node.parent
    while up is not None and not isinstance(up, FRAMES):
        if isinstance(up, (nodes.ListComp, nodes.SetComp, nodes.DictComp)) and child is not up.generators[0]:
            return True
        child, up = up, up.parent
    return False


def is_unpacked(node: nodes.NodeNG) -> bool:
    """True for a comprehension whose list is unpacked into names: their number is the loop's."""
    up = node.parent.parent if isinstance(node, nodes.Comprehension) and node.parent is not None else None
    return isinstance(up, nodes.Assign) and isinstance(up.targets[0], nodes.Tuple)


def in_truth_context(node: nodes.NodeNG) -> bool:
    """True when an enclosing test already looks at this operand's truth."""
    up: nodes.NodeNG | None = node.parent
    child: nodes.NodeNG | None = node
    while isinstance(up, nodes.BoolOp) or (isinstance(up, nodes.UnaryOp) and up.op == "not"):
        if isinstance(up, nodes.BoolOp) and up.values[-1] is not child:
            return True
        up, child = up.parent, up
    if isinstance(up, (nodes.If, nodes.IfExp, nodes.While, nodes.Assert)):
        return up.test is child
    return isinstance(up, nodes.Comprehension) and child in up.ifs


def is_asked(node: nodes.NodeNG) -> bool:
    """True inside of a test, or of what a loop runs over: the decision that is made there is one of theirs."""
    child, up = node, node.parent
    while up is not None and not isinstance(up, FRAMES):
        if isinstance(up, (nodes.If, nodes.IfExp, nodes.While, nodes.Assert)) and up.test is child:
            return True
        if isinstance(up, (nodes.For, nodes.Comprehension)) and (up.iter is child or child in getattr(up, "ifs", ())):
            return True
        if child.is_statement:
            return False
        child, up = up, up.parent
    return False


def compares(match: nodes.Match, number: bool) -> bool:
    """True when some pattern of a `match` compares the subject with a value, not just its type; `case True` asks for
    identity, which tells something of a `number` of Python's, and nothing of a tensor.
    """
    return any(_holds_value(case.pattern, number) for case in match.cases)


def _holds_value(pattern: nodes.NodeNG, number: bool) -> bool:
    """True for a pattern with a value for the subject, or an element of it: not for an attribute, as in `A(ndim=2)`."""
    if isinstance(pattern, nodes.MatchValue):
        return True
    if isinstance(pattern, nodes.MatchSingleton):
        return number and pattern.value is not None
    inner = pattern.patterns if isinstance(pattern, nodes.MatchClass) else pattern.get_children()
    return any(_holds_value(p, number) for p in inner)


def of_python(
    analysis: Analysis, scope: FunctionInfo | None, found: list[tuple[nodes.NodeNG, ValueSite]]
) -> list[tuple[nodes.NodeNG, ValueSite]]:
    """The sites of a scope, with the tests they stand for, that Python decides: of a scripted function those that
    `torch.compile` and `torch.export` meet.
    """
    if not found or scripting(analysis, scope) is not Scripting.ALWAYS:
        return found
    kept = []
    for node, site in found:
        met = {kind: member for kind, member in site.regions.items() if kind in ("compiled", "exported")}
        if met and not site.eager:
            kept.append((node, replace(site, regions=met)))
    return kept


def leaves(test: nodes.NodeNG) -> Iterator[nodes.NodeNG]:
    """The parts of a test whose truth is taken."""
    if isinstance(test, nodes.BoolOp):
        for operand in test.values:
            yield from leaves(operand)
    elif isinstance(test, nodes.UnaryOp) and test.op == "not":
        yield from leaves(test.operand)
    elif isinstance(test, nodes.NamedExpr):
        yield from leaves(test.value)
    else:
        yield test
