"""Transforms of `torch.func` and `torch.autograd.functional`: what a derivative of a function looks like."""

from __future__ import annotations

from astroid import nodes

from flake8_tensorbranch.engine.inference import calls
from flake8_tensorbranch.engine.inference.arguments import Arguments
from flake8_tensorbranch.engine.inference.frame import Frame
from flake8_tensorbranch.engine.inference.randomness import drawn_before
from flake8_tensorbranch.engine.lattice import (
    CALLABLE,
    CONTAINER,
    MAPPING,
    TENSOR,
    TENSOR_LIST,
    TENSOR_VALUE,
    UNKNOWN,
    AbstractValue,
    element,
    make,
    sequence,
)
from flake8_tensorbranch.engine.refs import Giving, Wrapped
from flake8_tensorbranch.knowledge.tracing import CARRIES_VALUE, DERIVATIVES, TRANSFORMS


def called(frame: Frame, qualname: str, args: Arguments, node: nodes.NodeNG | None) -> AbstractValue | None:
    """The value of calling a transform by its qualified name; None for other functions, UNKNOWN where the call says
    that more comes back.
    """
    function = args.get(0, "func") or args.get(0, "module")
    if function is None or not (qualname in DERIVATIVES or qualname in TRANSFORMS):
        return None
    if "has_aux" in args.keywords:
        return UNKNOWN
    if qualname in DERIVATIVES:
        place = args.get(1, "argnums")
        if len(args.positional) > 2 or (place is not None and type(place.const) is not int):
            return UNKNOWN
        wrapper = f"{qualname}:{0 if place is None else place.const}"
        return make(CALLABLE, refs=frozenset({Wrapped(wrapper, function)}))
    at, name, gives = TRANSFORMS[qualname]
    primal = args.get(at, name)
    primals = args.dropped(at) if name == "*" else _unpacked(primal)
    value = calls.apply(frame, function, drawn_before(primals), node)
    if gives == "value":
        return value
    if gives == "pair":
        return sequence([value, value])
    if gives == "pulled":
        return sequence([value, make(CALLABLE, refs=frozenset({Giving(TENSOR_LIST)}))])
    if gives == "valued":
        return sequence([value, _like(primal)])
    return TENSOR_VALUE if primal is not None and primal.must(TENSOR) else UNKNOWN  # of several: tuples of tuples


def applied(frame: Frame, ref: Wrapped, args: Arguments, node: nodes.NodeNG | None) -> AbstractValue | None:
    """The value of calling what a transform gave; None for functions behind other wrappers."""
    name, _, place = ref.wrapper.partition(":")
    if not place:
        return None
    value = calls.apply(frame, ref.function, drawn_before(args), node)
    derivative = _like(args.get(int(place)))
    return sequence([derivative, value]) if name in CARRIES_VALUE else derivative


def _unpacked(primals: AbstractValue | None) -> Arguments:
    """The arguments that a tuple of them, or a single tensor, stands for."""
    if primals is None:
        return Arguments()
    if primals.kinds & TENSOR:
        return Arguments([primals])
    if primals.items is not None and primals.kinds == CONTAINER:
        return Arguments([v for _, v in primals.items])
    return Arguments([], element(primals) if primals.elem is not None else UNKNOWN)


def _like(primal: AbstractValue | None) -> AbstractValue:
    """Tensors in the place of those that a function is differentiated by."""
    if primal is None:
        return UNKNOWN
    if primal.must(TENSOR):
        return TENSOR_VALUE
    return primal if primal.kinds in (MAPPING, CONTAINER) and element(primal).must(TENSOR) else UNKNOWN
