"""Whether a function of another file is worth following into: it or what it calls does what no recompute repeats."""

from __future__ import annotations

from typing import Final, cast

from astroid import nodes

from flake8_tensorbranch.engine.inference.summary import Analysis
from flake8_tensorbranch.engine.lattice import DATA, MASK, RANDOM, UNBACKED, AbstractValue
from flake8_tensorbranch.engine.refs import Instance
from flake8_tensorbranch.knowledge.containers import CHANGES
from flake8_tensorbranch.knowledge.layers import COUNTING
from flake8_tensorbranch.knowledge.names import CACHING
from flake8_tensorbranch.syntax.kinds import NESTED
from flake8_tensorbranch.syntax.names import FunctionInfo, dotted, last_name

_DEPTH: Final = 3
_VALUES: Final = DATA | MASK | RANDOM | UNBACKED
_CHANGING: Final = CHANGES | {"apply", "next"}
_STATEMENTS: Final = (nodes.AugAssign, nodes.Try, nodes.Assign)


def matters(analysis: Analysis, function: FunctionInfo, depth: int = _DEPTH) -> bool:
    """True where a run of the function may change state, draw, read values, handle exceptions or count statistics."""
    memo = function.module.memo
    key = ("matters", function, depth)
    if key not in memo:
        memo[key] = False  # a cycle adds nothing
        memo[key] = _matters(analysis, function, depth)
    return cast("bool", memo[key])


def _matters(analysis: Analysis, function: FunctionInfo, depth: int) -> bool:
    if function.cls is not None and any(base in COUNTING for base in analysis.resolver.mro(function.cls)):
        return False  # statistics of its own, which are meant to move
    if function.attribute_stores or function.declared_global or function.declared_nonlocal:
        return True
    if any(_changes(call) for call in function.calls) or _stores(function):
        return True
    if any(name.rsplit(".", 1)[-1] in CACHING for name in function.decorator_names):
        return True
    facts = analysis.facts_of(function.module, function)
    if any(value.deps & _VALUES or _counts(value) for value in facts.values.values()):
        return True
    callees = dict.fromkeys(c for found in facts.calls.values() for c in found if c.name != "__init__")
    return depth > 1 and any(matters(analysis, callee, depth - 1) for callee in callees)


def _changes(call: nodes.Call) -> bool:
    func = call.func
    name = last_name(func)
    return name in _CHANGING or name.endswith("_") or any(k.arg in ("inplace", "out") for k in call.keywords)


def _stores(function: FunctionInfo) -> bool:
    """True for statements that change what is not the function's own, and for handlers of all exceptions."""
    local = function.local_names.keys() - {p.name for p in function.params}
    for node in function.node.nodes_of_class(_STATEMENTS, NESTED):
        if isinstance(node, nodes.Try):
            if any(h.type is None or (dotted(h.type) or "").endswith("Exception") for h in node.handlers):
                return True
            continue
        for target in node.targets if isinstance(node, nodes.Assign) else [node.target]:
            root = target.value if isinstance(target, nodes.Subscript) else target
            stored = isinstance(node, nodes.AugAssign) or root is not target
            if stored and not (isinstance(root, (nodes.Name, nodes.AssignName)) and root.name in local):
                return True
    return False


def _counts(value: AbstractValue) -> bool:
    return any(isinstance(ref, Instance) and ref.cls in COUNTING for ref in value.refs)
