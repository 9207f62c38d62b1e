"""Where a graph break costs a compiled function its whole frame: loops, `try`, generators, most contexts (facts B6)."""

from __future__ import annotations

from collections.abc import Callable

from astroid import nodes

from flake8_tensorbranch.engine.branching import forms
from flake8_tensorbranch.engine.inference.frame import Facts
from flake8_tensorbranch.engine.inference.operators import truth_deps
from flake8_tensorbranch.engine.inference.program import Program
from flake8_tensorbranch.engine.lattice import DATA, TENSOR, UNKNOWN
from flake8_tensorbranch.engine.refs import Instance
from flake8_tensorbranch.knowledge.tracing import ENDS_FRAME, ENDS_FRAME_OF_CONTEXTLIB
from flake8_tensorbranch.syntax.kinds import SCOPE_NODES
from flake8_tensorbranch.syntax.names import ClassInfo

Has = Callable[[str], bool]
"""Whether the target torch shows a behaviour of `knowledge.versions`."""


def lost(program: Program, facts: Facts, node: nodes.NodeNG, has: Has) -> bool:
    """True where a graph break at a node makes the whole frame run eagerly; `facts` are those of its scope."""
    if isinstance(node, nodes.Comprehension) and isinstance(node.parent, nodes.GeneratorExp):
        return has("generator-loses-frame")
    child, up = node, node.parent
    while up is not None and not isinstance(up, SCOPE_NODES):
        if isinstance(up, (nodes.Try, nodes.TryStar)) or (
            isinstance(up, (nodes.For, nodes.While)) and child in up.body
        ):
            return True
        if isinstance(up, nodes.With) and child in up.body:
            if any(_ends(program, facts, manager, has("suppress-loses-frame")) for manager, _ in up.items):
                return True
        child, up = up, up.parent
    return False


def searches(facts: Facts, test: nodes.NodeNG, has: Has) -> bool:
    """True for `x in tensor`, `any(... for ...)` and a `not` that is kept: the frame is lost as in a loop (facts H).

    Python's lists have frames of their own, which are lost alone.
    """
    if forms.in_comprehension(test):
        return False
    if any(_inverts(facts, node) for node in test.nodes_of_class(nodes.UnaryOp)):
        return True
    for call in test.nodes_of_class(nodes.Call):
        quantified = isinstance(call.func, nodes.Name) and call.func.name in ("any", "all") and call.args
        if quantified and isinstance(call.args[0], nodes.GeneratorExp):
            return has("generator-loses-frame")
    compared = [n for n in test.nodes_of_class(nodes.Compare) if n.ops[-1][0] in ("in", "not in")]
    return any(facts.values.get(n.ops[-1][1], UNKNOWN).must(TENSOR) for n in compared)


def _inverts(facts: Facts, node: nodes.UnaryOp) -> bool:
    """True for `not t` as a value: the compiler jumps on a tensor's truth, and cannot break the graph to keep it."""
    if node.op != "not" or forms.in_truth_context(node):
        return False
    before: list[nodes.NodeNG] = [*node.parent.values[:-1]] if isinstance(node.parent, nodes.BoolOp) else []
    last = node.operand
    while isinstance(last, nodes.BoolOp):
        *others, last = last.values
        before += others
    if isinstance(last, nodes.UnaryOp) and last.op == "not":
        return _inverts(facts, last)
    broken = any(truth_deps(facts.values.get(part, UNKNOWN)) & DATA for part in before)
    chained = isinstance(last, nodes.Compare) and len(last.ops) > 1
    return not broken and not chained and facts.values.get(last, UNKNOWN).must(TENSOR)


def _ends(program: Program, facts: Facts, manager: nodes.NodeNG, generators: bool) -> bool:
    """True for a context in which compiled code cannot go on after a graph break: a class of the project, or what is
    built by `contextlib` where the compiler traces those `generators`.
    """
    names = facts.externals.get(manager, {})
    if names:
        return all(name in ENDS_FRAME or (generators and name in ENDS_FRAME_OF_CONTEXTLIB) for name in names)
    classes = [r.cls for r in facts.values.get(manager, UNKNOWN).each if isinstance(r, Instance)]
    own = [cls for cls in classes if isinstance(cls, ClassInfo)]
    if own:
        mro = [base for cls in own for base in program.analysis.resolver.mro(cls)]
        return len(own) == len(classes) and not any(isinstance(b, str) and b.startswith("torch.") for b in mro)
    makers = facts.calls.get(manager, {})
    return (
        generators
        and bool(makers)
        and all(any(d.rsplit(".", 1)[-1] == "contextmanager" for d in maker.decorator_names) for maker in makers)
    )
