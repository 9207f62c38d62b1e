"""Names that other functions bind: what nested functions write by `nonlocal`, and a module's functions by `global`."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from flake8_tensorbranch.engine.inference.outcomes import open_constant
from flake8_tensorbranch.engine.inference.settling import settled_flag
from flake8_tensorbranch.engine.lattice import BOTTOM, AbstractValue, join
from flake8_tensorbranch.syntax.names import FunctionInfo, ModuleIndex

if TYPE_CHECKING:
    from flake8_tensorbranch.engine.inference.summary import Analysis

Writers = dict[str, list[FunctionInfo]]


def writers(function: FunctionInfo) -> Writers:
    """The functions nested in `function` that declare a name of it `nonlocal`, by this name; once per function."""
    if not function.nested:
        return {}
    memo = function.module.memo
    key = ("writers", function)
    if key not in memo:
        found: Writers = {}
        stack = [(inner, frozenset(function.local_names)) for inner in function.nested]
        while stack:
            inner, visible = stack.pop()
            for name in sorted(inner.declared_nonlocal & visible):
                found.setdefault(name, []).append(inner)
            visible -= inner.local_names.keys() - inner.declared_nonlocal
            stack.extend((deeper, visible) for deeper in inner.nested)
        memo[key] = found
    return cast("Writers", memo[key])


def shared(analysis: Analysis, value: AbstractValue, found: list[FunctionInfo], name: str) -> AbstractValue:
    """`value` as a name holds it that the functions `found` write as well, whenever they are called."""
    value = open_constant(value)
    for writer in found:
        value = join(value, open_constant(analysis.locals_of(writer).get(name, BOTTOM)))
    return value


def module_variable(analysis: Analysis, module: ModuleIndex, name: str, value: AbstractValue) -> AbstractValue:
    """`value` of a variable of the module, as its functions that declare it `global` may have left it."""
    value = open_constant(value)
    for writer in module.global_stores[name]:
        value = join(value, settled_flag(open_constant(analysis.locals_of(writer).get(name, BOTTOM))))
    return value
