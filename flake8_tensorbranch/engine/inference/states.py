"""States as the fixpoint needs them: how two are joined, and what is given up where they never settle."""

from __future__ import annotations

from flake8_tensorbranch.engine.inference.frame import State
from flake8_tensorbranch.engine.lattice import DATA, MASK, SUPPOSED, TENSOR, UNKNOWN, UNKNOWN_KIND, AbstractValue, join


def merge(a: State, b: State) -> State:
    """The join of two states: names by union (an unbound name is BOTTOM), attribute paths only where both know them,
    and entries that one of two ways fills. Where that is `a`, the very `a` is given back.
    """
    result = a  # until something differs: most ways that meet bring the same values
    for key, value in b.items():
        known = a.get(key)
        if known is value:
            continue
        if known is not None:
            new = join(known, value)
        elif "." not in key:
            new = value
        elif _filled(key, value, a):
            new = join(value, UNKNOWN)
        else:
            continue
        if new is not known:
            if result is a:
                result = dict(a)
            result[key] = new
    if a.keys() <= b.keys():
        return result
    lost = [key for key in a if "." in key and key not in b]
    if lost and result is a:
        result = dict(a)
    for key in lost:
        if _filled(key, a[key], b):
            result[key] = join(a[key], UNKNOWN)
        else:
            del result[key]
    return result


def _filled(path: str, value: AbstractValue, other: State) -> bool:
    """True for an entry of something unknown that one way sets to a tensor, or to a number read from one: on the other
    way it mostly was set so before (`if not state: state["mean"] = torch.zeros(1)`).
    """
    if value.deps & SUPPOSED or not (value.kinds & TENSOR or (value.deps & (DATA | MASK) == DATA)):
        return False
    name, _, entry = path.partition(".")
    if not entry.startswith("[") or "." in entry:
        return False
    holder = other.get(name)
    return holder is not None and holder.kinds == UNKNOWN_KIND


def widen(old: State, new: State) -> State:
    """What still changes after many visits is given up."""
    return {k: v if old.get(k) == v else UNKNOWN for k, v in new.items()}
