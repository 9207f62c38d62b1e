"""What template methods of base classes hand to the methods that subclasses override."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from astroid import nodes

from flake8_tensorbranch.engine.inference.arguments import bind, is_open, passed
from flake8_tensorbranch.engine.inference.frame import Facts, State
from flake8_tensorbranch.engine.lattice import (
    OBJECT,
    UNKNOWN,
    join,
    make,
)
from flake8_tensorbranch.engine.refs import Instance
from flake8_tensorbranch.syntax.names import ClassInfo, FunctionInfo, ModuleIndex

if TYPE_CHECKING:
    from flake8_tensorbranch.engine.inference.summary import Analysis

_LONG: Final = 24  # calls of a method that is not solved anew for each subclass


def handed(analysis: Analysis, index: ModuleIndex, function: FunctionInfo) -> State:
    """What methods of base classes pass where they call this method on `self`, for its open parameters."""
    cls = function.cls
    declared = analysis.parameters(function)
    open_ = [p.name for p in function.params[1:] if is_open(declared[p.name])]
    found: State = {}
    if not open_ or cls is None or not function.takes_self or function.name.startswith("__"):
        return found
    for base in analysis.resolver.mro(cls)[1:]:
        if not isinstance(base, ClassInfo) or f".{function.name}(" not in base.module.text:
            continue
        for caller, call in base.module.calls_of(function.name):
            if caller is None or caller.cls is not base or not _on_self(caller, call):
                continue
            values = _passed(analysis.facts_of(base.module, caller), function, call, declared)
            if any(is_open(values.get(n, UNKNOWN)) for n in open_) and len(caller.calls) <= _LONG:
                # The object is one of the subclass: what its other methods return is seen.
                owner = make(OBJECT, refs=frozenset({Instance(cls)}))
                own = analysis.facts_of(base.module, caller, {caller.params[0].name: owner})
                values = _passed(own, function, call, declared)
            elif base.module is index:
                continue  # an ordinary call edge
            for name in open_:
                if name in values:
                    old = found.get(name)
                    found[name] = values[name] if old is None else join(old, values[name])
    return found


def _passed(facts: Facts, function: FunctionInfo, call: nodes.Call, declared: State) -> State:
    return bind(function, passed(facts.values, call), declared[function.params[0].name])


def _on_self(caller: FunctionInfo, call: nodes.Call) -> bool:
    func = call.func
    return (
        caller.takes_self
        and isinstance(func, nodes.Attribute)
        and isinstance(func.expr, nodes.Name)
        and func.expr.name == caller.params[0].name
    )
