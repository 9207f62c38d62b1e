"""Functions of Python that go through elements, most of them with a function they are given: what they give."""

from __future__ import annotations

from typing import Final

from astroid import nodes

from flake8_tensorbranch.engine.inference import calls, operators
from flake8_tensorbranch.engine.inference.arguments import Arguments
from flake8_tensorbranch.engine.inference.frame import Frame
from flake8_tensorbranch.engine.lattice import (
    BOTTOM,
    DATA,
    NONE,
    NONE_VALUE,
    TENSOR,
    UNKNOWN,
    AbstractValue,
    container,
    element,
    join,
    make,
)
from flake8_tensorbranch.knowledge import containers
from flake8_tensorbranch.knowledge.passing import FOLDING, KEEPING


def verdict(frame: Frame, name: str, args: Arguments, node: nodes.NodeNG | None) -> AbstractValue | None:
    """What such a function asks the truth of for each element; None for any other function or call of it."""
    places = KEEPING.get(name)
    if places is None or len(args.positional) != 2:
        return None
    ask, elements = places
    if ask is None:
        return operators.iterate(args.positional[1])
    asked = args.positional[ask]
    inner = operators.iterate(args.positional[elements])
    return inner if asked.kinds == NONE else calls.apply(frame, asked, Arguments([inner]), node)


def kept(frame: Frame, name: str, args: Arguments, node: nodes.NodeNG | None) -> AbstractValue:
    """The elements that are let through: how many depends on the truth of what is asked of each."""
    told = verdict(frame, name, args, node)
    if told is None:
        return container(UNKNOWN)
    source = args.positional[KEEPING[name][1]]
    return container(operators.iterate(source), operators.length_deps(source) | operators.truth_deps(told) & DATA)


def folded(frame: Frame, name: str, args: Arguments, node: nodes.NodeNG | None) -> AbstractValue:
    """What `reduce(f, xs, first)` or `accumulate(xs, f)` makes of elements."""
    steps = FOLDING[name]
    given = [*args.positional[:2]]
    if steps:
        given = [args.keywords.get("func", given[1] if len(given) > 1 else UNKNOWN), *given[:1]]
    if len(given) < 2:
        return UNKNOWN
    inner = operators.iterate(given[1])
    first = args.keywords.get("initial") if steps else args.positional[2] if len(args.positional) > 2 else None
    result = inner if first is None else first
    for _ in range(2):  # of the first step, then of any later one
        found = calls.apply(frame, given[0], Arguments([result, inner]), node)
        if not found.known:
            return container(UNKNOWN) if steps else UNKNOWN
        result = join(result, found)
    return container(result, operators.length_deps(given[1])) if steps else result


def started(frame: Frame, args: Arguments, node: nodes.NodeNG | None) -> AbstractValue:
    """`iter(xs)`, and `iter(f, last)`: what calls of `f` give until it is `last`, as often as their values decide."""
    value = args.positional[0] if args.positional else args.star or BOTTOM
    if len(args.positional) != 2:
        return value if value.kinds else UNKNOWN
    given = calls.apply(frame, value, Arguments([]), node)
    return container(given, (operators.truth_deps(given) if given.kinds & TENSOR else given.deps) & DATA)


def mapped(frame: Frame, args: Arguments, node: nodes.NodeNG | None) -> AbstractValue:
    """`map(f, xs, ys)`."""
    if len(args.positional) < 2:
        return container(UNKNOWN)
    inner = Arguments([operators.iterate(v) for v in args.positional[1:]])
    return container(calls.apply(frame, args.positional[0], inner, node), operators.length_deps(args.positional[1]))


def filtered(frame: Frame, args: Arguments, node: nodes.NodeNG | None) -> AbstractValue:
    """`filter(f, xs)`."""
    return kept(frame, "builtins.filter", args, node)


def ordered(frame: Frame, args: Arguments, node: nodes.NodeNG | None) -> AbstractValue:
    """`sorted(xs, key=f)`: the elements, whose keys `f` makes."""
    value = args.positional[0] if args.positional else args.star or BOTTOM
    inner, key = operators.iterate(value), args.keywords.get("key")
    if key is not None and frame.facts is not None:
        calls.apply(frame, key, Arguments([inner]), node)
    return container(inner, operators.length_deps(value))


def heaped(frame: Frame, qualname: str, args: Arguments, node: nodes.NodeNG | None) -> AbstractValue:
    """A function that puts an element in the list it is given first, or takes one from it."""
    held = operators.iterate(args.positional[0]) if args.positional else UNKNOWN
    place = containers.PUTS_IN.get(qualname, len(args.positional))
    if place < len(args.positional):
        held = grow(
            frame, node.args[0] if isinstance(node, nodes.Call) else None, args.positional[0], args.positional[place]
        )
    if qualname not in containers.TAKES_FROM_HEAP:
        return NONE_VALUE
    return held if held.kinds else UNKNOWN


def grow(frame: Frame, place: nodes.NodeNG | None, owner: AbstractValue, added: AbstractValue) -> AbstractValue:
    """Put one more element in the list at a place; what it holds then."""
    held = join(element(owner), added if added.kinds else UNKNOWN)
    if place is not None:
        frame.analysis.rebind(frame, place, make(owner.kinds, owner.deps, owner.const, owner.refs, held))
    return held


FUNCTIONS: Final = {"filter": filtered, "iter": started, "map": mapped, "sorted": ordered}
"""Those of Python itself, by name."""
