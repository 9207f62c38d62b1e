"""Functions of Python's `operator` module: they give what the operators that they stand for give."""

from __future__ import annotations

from flake8_tensorbranch.engine.inference import builtins, compare, operators
from flake8_tensorbranch.engine.inference.arguments import Arguments
from flake8_tensorbranch.engine.inference.frame import Frame
from flake8_tensorbranch.engine.lattice import CALLABLE, OBJECT, UNKNOWN, AbstractValue, make
from flake8_tensorbranch.knowledge.passing import BINARY_OPERATORS, COMPARING_OPERATORS, UNARY_OPERATORS


def called(frame: Frame, name: str, args: Arguments) -> AbstractValue:
    """What a function of the module gives for some operands; unknown where it is no operator."""
    given = args.positional
    if name == "methodcaller":
        named = given[0].const if len(given) == 1 and not args.keywords else None
        return make(CALLABLE, refs=frozenset({f"operator.methodcaller.{named}"})) if isinstance(named, str) else UNKNOWN
    if name.startswith("methodcaller."):
        return builtins.method(frame, given[0], name.partition(".")[2], Arguments([]), None) if given else UNKNOWN
    if len(given) == 1 and args.star is None:
        if name == "truth":
            return operators.flag(operators.truth_deps(given[0]))
        op = UNARY_OPERATORS.get(name)
        return operators.unary(given[0], op) if op is not None else UNKNOWN
    if len(given) != 2:
        return UNKNOWN
    left, right = given
    if name == "getitem":
        return operators.subscript(left, right, frame)
    if name == "contains":
        return compare.compare(right, left, "in")
    op = COMPARING_OPERATORS.get(name) or BINARY_OPERATORS.get(name)
    if op is None:
        return UNKNOWN
    found = frame.analysis.classes.operated(frame, left, right, op) if left.kinds & OBJECT else None
    if found is not None:
        return found
    return compare.compare(left, right, op) if name in COMPARING_OPERATORS else operators.binary(left, right, op)
