"""States as the fixpoint needs them: how two are joined, and what is given up where they never settle."""

from __future__ import annotations

from flake8_tensorbranch.engine.inference.frame import State
from flake8_tensorbranch.engine.lattice import UNKNOWN, join


def merge(a: State, b: State) -> State:
    """The join of two states: names by union (an unbound name is BOTTOM), attribute paths only where both know them."""
    result: State = {}
    for key, value in a.items():
        other = b.get(key)
        if other is not None:
            result[key] = value if other is value else join(value, other)
        elif "." not in key:
            result[key] = value
    for key, value in b.items():
        if key not in a and "." not in key:
            result[key] = value
    return result


def widen(old: State, new: State) -> State:
    """What still changes after many visits is given up."""
    return {k: v if old.get(k) == v else UNKNOWN for k, v in new.items()}
