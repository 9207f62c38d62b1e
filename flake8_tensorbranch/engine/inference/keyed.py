"""Objects that are dictionaries: what a class derived from `dict` holds under the names its constructors give it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from astroid import nodes

from flake8_tensorbranch.engine.inference import mappings
from flake8_tensorbranch.engine.lattice import BOTTOM, TENSOR, UNKNOWN, AbstractValue, join
from flake8_tensorbranch.syntax.names import ClassInfo, FunctionInfo

if TYPE_CHECKING:
    from flake8_tensorbranch.engine.inference.frame import State
    from flake8_tensorbranch.engine.inference.summary import Analysis

MAKER: Final = "builtins.dict"
"""What `super().__init__` is for such a class."""

_NOTHING: Final[dict[str, AbstractValue]] = {}
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
    found = analysis.query(memo, ("holds", cls), lambda: _held(analysis, cls), _NOTHING).get(name, UNKNOWN)
    return found if found.kinds & TENSOR else join(found, UNKNOWN)  # others may put a tensor there


def _looks_up(function: FunctionInfo | None) -> bool:
    """True where nothing, or in the end the dictionary's own look-up, answers `self[name]`."""
    return function is None or any(
        node.attrname == "__getitem__" for node in function.node.nodes_of_class(nodes.Attribute)
    )


def _held(analysis: Analysis, cls: ClassInfo) -> dict[str, AbstractValue]:
    """What the constructors hold by name: what reaches `super().__init__`, and what they store on their way."""
    held: dict[str, AbstractValue] = {}

    def hold(name: object, value: AbstractValue) -> None:
        if isinstance(name, str):
            held[name] = join(held.get(name, BOTTOM), value)

    for base in analysis.resolver.mro(cls):
        init = base.methods.get("__init__") if isinstance(base, ClassInfo) else None
        if init is None:
            continue
        bound: State = analysis.classes.constructed(init)
        if base is not cls:
            bound = {**bound, **analysis.classes.passed_up(cls, init)}
        facts = analysis.facts_of(init.module, init, bound)
        itself = {init.params[0].name} if init.params else set()  # and what is handed on to become it
        for node in init.node.nodes_of_class(nodes.Call):
            if getattr(node.func, "attrname", "") != "__init__":
                continue
            itself.update(each.name for each in node.args if isinstance(each, nodes.Name))
            args = facts.externals.get(node, {}).get(MAKER)
            if args is not None:
                given = mappings.entries(args.positional[0])[0] if args.positional else {}
                for name, value in (*given.items(), *args.keywords.items()):
                    hold(name, value)
        for target in init.node.nodes_of_class(nodes.Subscript):
            if isinstance(target.parent, nodes.Assign) and target in target.parent.targets:
                if isinstance(target.slice, nodes.Const) and getattr(target.value, "name", None) in itself:
                    hold(target.slice.value, facts.values.get(target.parent.value, UNKNOWN))
    return held
