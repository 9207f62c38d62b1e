"""Objects that are dictionaries: what a class derived from `dict` holds under the names its constructors give it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from astroid import nodes

from flake8_tensorbranch.engine.inference import mappings
from flake8_tensorbranch.engine.lattice import BOTTOM, UNKNOWN, AbstractValue, join, opened
from flake8_tensorbranch.syntax.names import ClassInfo, FunctionInfo

if TYPE_CHECKING:
    from flake8_tensorbranch.engine.inference.frame import State
    from flake8_tensorbranch.engine.inference.summary import Analysis

MAKER: Final = "builtins.dict"
"""What `super().__init__` is for such a class."""

_DICTIONARIES: Final = frozenset({MAKER, "dict", "collections.OrderedDict"})


def is_dictionary(analysis: Analysis, cls: ClassInfo) -> bool:
    """True for a class derived from a dictionary."""
    return any(base in _DICTIONARIES for base in analysis.resolver.mro(cls) if isinstance(base, str))


def item(analysis: Analysis, cls: ClassInfo, name: str) -> AbstractValue:
    """What an object of the class holds under a name; UNKNOWN where no constructor says, or where the class looks
    names up in a way of its own.
    """
    memo, key = cls.module.memo, ("keyed", cls)
    if key not in memo:
        memo[key] = is_dictionary(analysis, cls) and _looks_up(analysis.resolver.method(cls, "__getitem__"))
    if not memo[key]:
        return UNKNOWN
    named, rest = mappings.entries(analysis.query(memo, ("holds", cls), lambda: _held(analysis, cls), UNKNOWN))
    return named.get(name, rest if rest.kinds else UNKNOWN)


def _looks_up(function: FunctionInfo | None) -> bool:
    """True where nothing, or in the end the dictionary's own look-up, answers `self[name]`."""
    return function is None or any(
        node.attrname == "__getitem__" for node in function.node.nodes_of_class(nodes.Attribute)
    )


def _held(analysis: Analysis, cls: ClassInfo) -> AbstractValue:
    """The dictionary that the constructors make: what reaches `super().__init__`, and what they store by name."""
    made, stored = BOTTOM, dict[str, AbstractValue]()
    for base in analysis.resolver.mro(cls):
        init = base.methods.get("__init__") if isinstance(base, ClassInfo) else None
        if init is None:
            continue
        bound: State = analysis.classes.constructed(init)
        if base is not cls:
            bound = {**bound, **analysis.classes.passed_up(cls, init)}
        for node, callees in analysis.facts_of(init.module, init, bound).externals.items():
            if MAKER in callees and isinstance(node, nodes.Call) and getattr(node.func, "attrname", "") == "__init__":
                args = callees[MAKER]
                given = args.positional[0] if args.positional else opened({}, BOTTOM)
                made = join(made, mappings.merged(given, opened(dict(args.keywords), args.double_star or BOTTOM)))
        for place, value in analysis.stores(init, cls if base is not cls else None).items():
            if place.startswith("['"):
                stored[place[2:-2]] = value
    return mappings.merged(made, opened({**stored}, BOTTOM)) if made.kinds or stored else UNKNOWN
