"""Abstract values in words, as `reveal` prints them."""

from __future__ import annotations

from typing import Final

from flake8_tensorbranch.engine.lattice import (
    ARRAY,
    BOTTOM,
    CALLABLE,
    CONTAINER,
    DATA,
    HOST,
    MAPPING,
    MASK,
    NAMESPACE,
    NO_CONST,
    NONDET,
    NONE,
    OBJECT,
    RANDOM,
    REPLAYED,
    SETTLED,
    SHAPE,
    SUPPOSED,
    SYNCED,
    TENSOR,
    UNBACKED,
    UNKNOWN_KIND,
    AbstractValue,
)

KIND_NAMES: Final = {
    TENSOR: "tensor",
    HOST: "host",
    NONE: "none",
    CONTAINER: "container",
    OBJECT: "object",
    CALLABLE: "callable",
    ARRAY: "array",
    NAMESPACE: "module",
    MAPPING: "mapping",
    UNKNOWN_KIND: "unknown",
}
DEP_NAMES: Final = {
    DATA: "data",
    SHAPE: "shape",
    RANDOM: "random",
    NONDET: "nondet",
    SYNCED: "synced",
    MASK: "mask",
    REPLAYED: "replayed",
    UNBACKED: "unbacked",
    SUPPOSED: "supposed",
    SETTLED: "settled",
}


def describe(value: AbstractValue) -> str:
    """The value as `reveal` prints it: `tensor`, `host[data]`, `tensor|none`, `container(tensor)`."""
    if not value.kinds:
        return "nothing"
    names = []
    for bit, name in KIND_NAMES.items():
        if value.kinds & bit:
            if bit in (CONTAINER, MAPPING) and (value.items or value.elem):
                inside = ", ".join(f"{k}: {describe(v)}" for k, v in value.items or ())
                name += f"({inside or describe(value.elem or BOTTOM)})"
            if bit in (OBJECT, CALLABLE) and value.refs:
                name += "<" + ", ".join(sorted(str(r) for r in value.refs)) + ">"
            names.append(name)
    text = "|".join(names)
    deps = [name for bit, name in DEP_NAMES.items() if value.deps & bit]
    if deps:
        text += "[" + ", ".join(deps) + "]"
    if value.const is not NO_CONST and value.kinds & HOST:
        text += f" = {value.const!r}"
    return text
