"""Tensors that other files of the package pass where functions of the file under check declare plain numbers.

Looked for only in files that import such a function, and whose text calls it with something reduced, as `f(x.max())`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

from astroid import nodes

from flake8_tensorbranch.engine.inference.frame import State
from flake8_tensorbranch.engine.inference.readings import entered, leads_here
from flake8_tensorbranch.engine.lattice import BOTTOM, HOST, NONE, TENSOR, AbstractValue, join
from flake8_tensorbranch.knowledge.evidence import REDUCING_METHODS
from flake8_tensorbranch.syntax.names import FunctionInfo, ModuleIndex

if TYPE_CHECKING:
    from flake8_tensorbranch.engine.inference.summary import Analysis

_REDUCED: Final = re.compile(r"(?:[^()]|\([^()]*\)){0,300}?\.(?:" + "|".join(sorted(REDUCING_METHODS)) + r")\(")
_MOST: Final = 4  # files whose calls are looked at


def handed(
    analysis: Analysis, index: ModuleIndex, wanted: set[FunctionInfo | None] | None
) -> dict[FunctionInfo, State]:
    """The tensors that other files hand to functions of the file for declared numbers, by function and parameter."""
    found: dict[FunctionInfo, State] = {}
    for here in index.functions:
        if here.cls is not None or here.parent is not None or not here.tests or not here.params:
            continue
        if wanted is not None and here not in wanted:
            continue
        files = analysis.project.cousins.importing(index.path, [here.name])
        for file in [f for f in files if _spells(analysis.project.text(f), f"{here.name}(")][:_MOST]:
            module = analysis.project.read(file)
            for caller, call in module.calls_of(here.name) if module is not None else ():
                if caller is not None and _reduces(analysis, here, call) and leads_here(analysis, index, caller, call):
                    for name, value in _passed(analysis, here, caller, call):
                        state = found.setdefault(here, {})
                        state[name] = join(state.get(name, BOTTOM), value)
    return found


def _spells(text: str, call: str) -> bool:
    """True for a text in which an argument of the call spells a reduction."""
    at = text.find(call)
    while at >= 0:
        at += len(call)
        if _REDUCED.match(text, at):
            return True
        at = text.find(call, at)
    return False


def _passed(
    analysis: Analysis, here: FunctionInfo, caller: FunctionInfo, call: nodes.Call
) -> Iterator[tuple[str, AbstractValue]]:
    """The tensors that a call passes for declared numbers."""
    facts = analysis.facts_of(caller.module, caller)
    declared = analysis.parameters(here)
    for callee, bound in entered(analysis, here.module, facts, call, depth=0):
        for name, value in bound.items() if callee is here else ():
            if value.must(TENSOR) and _is_number(declared.get(name)):
                yield name, value
    caller.module.memo.pop(("facts", caller), None)  # they would fill memory


def _reduces(analysis: Analysis, function: FunctionInfo, call: nodes.Call) -> bool:
    """True where an argument for a declared number spells a reduction."""
    declared = analysis.parameters(function)
    passed = [
        *((p.name, a) for p, a in zip(function.params, call.args, strict=False)),
        *((k.arg, k.value) for k in call.keywords if k.arg is not None),
    ]
    for name, node in passed:
        if isinstance(node, (nodes.Const, nodes.Name)) or not _is_number(declared.get(name)):
            continue
        for inner in node.nodes_of_class(nodes.Call):
            if isinstance(inner.func, nodes.Attribute) and inner.func.attrname in REDUCING_METHODS:
                return True
    return False


def _is_number(declared: AbstractValue | None) -> bool:
    return declared is not None and declared.must(HOST | NONE) and bool(declared.kinds & HOST)
