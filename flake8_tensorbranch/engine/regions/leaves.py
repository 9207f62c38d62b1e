"""Functions that `torch.fx.wrap` makes leaves of symbolic traces: what is in them does not run while one is made."""

from __future__ import annotations

from typing import cast

from astroid import nodes

from flake8_tensorbranch.engine.inference.summary import Analysis
from flake8_tensorbranch.syntax.names import FunctionInfo, ModuleIndex

_WORDS = ("wrap",)
_WRAPS = frozenset({"torch.fx.wrap", "torch.fx._symbolic_trace.wrap"})


def is_leaf(analysis: Analysis, here: ModuleIndex, function: FunctionInfo) -> bool:
    """True for a function at the top of its module that is wrapped by its decorator, or by its name in its own file or
    in the file that is looked at (torch/fx/_symbolic_trace.py).
    """
    if function.parent is not None or function.cls is not None:
        return False
    return any(is_wrapped(analysis, module, function.name) for module in dict.fromkeys((here, function.module)))


def is_wrapped(analysis: Analysis, module: ModuleIndex, name: str) -> bool:
    """True for a name that a module wraps, which may be a function of Python's own."""
    return module.mentions(_WORDS) and name in _wrapped(analysis, module)


def _wrapped(analysis: Analysis, module: ModuleIndex) -> frozenset[str]:
    """The names that a module wraps: by decorators, and by calls between its functions."""
    if "fx-wrapped" not in module.memo:
        module.memo["fx-wrapped"] = frozenset(_names(analysis, module))
    return cast("frozenset[str]", module.memo["fx-wrapped"])


def _names(analysis: Analysis, module: ModuleIndex) -> list[str]:
    found = []
    for statement in module.tree.body:
        if isinstance(statement, nodes.FunctionDef) and statement.decorators is not None:
            if any(analysis.resolver.expression(module, d, None) in _WRAPS for d in statement.decorators.nodes):
                found.append(statement.name)
        elif isinstance(statement, nodes.Expr) and isinstance(statement.value, nodes.Call):
            given = statement.value.args[:1]
            if given and analysis.resolver.expression(module, statement.value.func, None) in _WRAPS:
                found.append(str(given[0].value) if isinstance(given[0], nodes.Const) else given[0].as_string())
    return found
