"""What a function that begins a checkpointed region is handed: no caches, and numbers that were read before it."""

from __future__ import annotations

from typing import Final

from flake8_tensorbranch.engine.inference.frame import State
from flake8_tensorbranch.engine.inference.program import Program
from flake8_tensorbranch.engine.lattice import BOTTOM, DATA, HOST, NONE_VALUE, RANDOM, constant, join
from flake8_tensorbranch.engine.regions.abroad import settled
from flake8_tensorbranch.engine.regions.region import Entry
from flake8_tensorbranch.knowledge.regions import REGION_BASES
from flake8_tensorbranch.syntax.names import FunctionInfo

CACHES: Final = frozenset({"cache", "layer_past", "past_key_value", "past_key_values"})
"""transformers/modeling_layers.py: arguments that GradientCheckpointingLayer sets to None where it checkpoints, as it
sets `use_cache` to False (utils/generic.py does so for what is handed on by position, and for the models that make
caches of any other name: an optional `..._cache` is None there as well)."""


def bound(program: Program, begin: Entry, function: FunctionInfo) -> State:
    """What is known beyond the facts of the function itself; empty for most.

    A base class that checkpoints takes caches away from its method before it does.
    """
    found = _read_before(program, function)
    based = begin.row is not None and REGION_BASES.get(begin.row.qualname) is begin.row
    for param in function.params if based else ():
        if param.name == "use_cache":
            found[param.name] = constant(False)
        elif param.name in CACHES or (param.name.endswith("_cache") and param.optional):
            found[param.name] = NONE_VALUE
    return found


def _read_before(program: Program, function: FunctionInfo) -> State:
    """What the file's calls hand to the function, if a number that was read from a tensor is among it: that was read
    before the region, and is the same when it runs again.
    """
    passed: State = {}
    for facts in program.facts.values():
        for (callee, name), value in facts.arguments.items():
            if callee is function and value.known:
                passed[name] = join(passed.get(name, BOTTOM), value)
    if not any(v.kinds & HOST and v.deps & (DATA | RANDOM) for v in passed.values()):
        return {}
    declared = program.analysis.parameters(function)
    return {name: settled(join(value, declared.get(name, BOTTOM))) for name, value in passed.items()}
