"""Registries: functions that a decorator files under a key, and the calls that look one up by it.

A table is a mapping of a module that starts empty; who mentions it files or looks up. `@register(key, ...)` files the
function below under each of the decorator's arguments, `find(key, ...)` then gives every function filed under one.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, cast

from astroid import nodes

from flake8_tensorbranch.engine.inference.resolve import Variable
from flake8_tensorbranch.engine.lattice import CALLABLE, NONE, UNKNOWN_KIND, AbstractValue, join, make
from flake8_tensorbranch.syntax.names import ClassInfo, FunctionInfo, ModuleIndex

if TYPE_CHECKING:
    from flake8_tensorbranch.engine.inference.arguments import Arguments
    from flake8_tensorbranch.engine.inference.summary import Analysis

_EMPTY_MAPPINGS: Final = frozenset({"dict", "OrderedDict", "defaultdict", "WeakKeyDictionary"})
_NOTHING: Final[Tables] = frozenset()
Tables = frozenset[tuple[ModuleIndex, str]]
Filed = tuple[Tables, tuple[object, ...], FunctionInfo | ClassInfo]


def found(
    analysis: Analysis, function: FunctionInfo, args: Arguments, value: AbstractValue, asking: ModuleIndex
) -> AbstractValue:
    """`value`, which a call of `function` gave, completed by what is filed under the call's arguments."""
    tables = used(function)
    if not tables or value.kinds & ~(CALLABLE | NONE | UNKNOWN_KIND):
        return value
    return _filed(analysis, tables, args, value, (function.module, asking))


def found_in(
    analysis: Analysis, owner: nodes.NodeNG, args: Arguments, value: AbstractValue, asking: ModuleIndex
) -> AbstractValue:
    """`value`, which a method of the module's variable `owner` gave, completed by what its decorators filed."""
    if value.kinds & ~(NONE | UNKNOWN_KIND) or not any(_keys(passed) for passed in args.positional):
        return value
    target = analysis.resolver.expression(asking, owner)
    if not isinstance(target, Variable):
        return value
    return _filed(analysis, frozenset({(target.module, target.name)}), args, value, (target.module, asking))


def _filed(
    analysis: Analysis,
    tables: Tables,
    args: Arguments,
    value: AbstractValue,
    places: tuple[ModuleIndex, ...],
) -> AbstractValue:
    keys = dict.fromkeys(key for passed in args.positional for key in _keys(passed))
    if not keys:
        return value
    everywhere = dict.fromkeys([*places, *(k.module for k in keys if isinstance(k, _OWNED))])
    hits = {
        filed
        for place in everywhere
        for where, under, filed in registrations(analysis, place)
        if where & tables and not keys.keys().isdisjoint(under)
    }
    if not hits:
        return value
    held = make(CALLABLE, refs=frozenset(hits))
    return join(held, make(value.kinds & ~UNKNOWN_KIND, value.deps, refs=value.refs)) if value.refs else held


_OWNED: Final = (FunctionInfo, ClassInfo)


def _keys(value: AbstractValue) -> list[object]:
    if isinstance(value.const, str):
        return [value.const]
    return [ref for ref in value.each if isinstance(ref, _OWNED)]


def used(function: FunctionInfo) -> Tables:
    """The tables of its own module that a function mentions, each by (module, name)."""
    tables = _tables(function.module)
    if not tables:
        return _NOTHING
    key = ("tables", function)
    known = function.module.memo.get(key)
    if known is None:
        named = {n.name for n in function.node.nodes_of_class(nodes.Name)}
        known = frozenset((function.module, t) for t in tables if t in named)
        function.module.memo[key] = known
    return cast("Tables", known)


def _tables(module: ModuleIndex) -> frozenset[str]:
    known = module.memo.get("tables")
    if known is None:
        known = module.memo["tables"] = frozenset(
            name for name, bound in module.bindings.items() if len(bound) == 1 and _starts_empty(bound[0].statement)
        )
    return cast("frozenset[str]", known)


def _starts_empty(statement: nodes.NodeNG) -> bool:
    if not isinstance(statement, (nodes.Assign, nodes.AnnAssign)):
        return False
    source = statement.value
    if isinstance(source, nodes.Dict):
        return not source.items
    name = source.func if isinstance(source, nodes.Call) else None
    last = name.attrname if isinstance(name, nodes.Attribute) else getattr(name, "name", "")
    return last in _EMPTY_MAPPINGS and isinstance(source, nodes.Call) and not source.keywords


def registrations(analysis: Analysis, module: ModuleIndex) -> list[Filed]:
    """What the decorators of a module file: tables, keys, and the function or class."""
    known = module.memo.get("registrations")
    if known is None:
        filed: list[Filed] = []
        items: list[FunctionInfo | ClassInfo] = [*module.functions, *module.classes]
        for item in items:
            decorators = getattr(item.node, "decorators", None)
            for node in decorators.nodes if decorators is not None else ():
                called = isinstance(node, nodes.Call)
                tables = _filled(analysis, module, node.func if called else node)
                if tables:
                    given = node.args if called else ()
                    keys = [_key(analysis, module, a) for a in given] or [getattr(item.node, "name", "")]
                    filed.append((tables, tuple(keys), item))
        known = module.memo["registrations"] = filed
    return cast("list[Filed]", known)


def _filled(analysis: Analysis, module: ModuleIndex, decorator: nodes.NodeNG) -> Tables:
    """The tables that a decorator may file under: those its function mentions, or the variable whose method it is."""
    target = analysis.resolver.expression(module, decorator)
    if isinstance(target, FunctionInfo):
        return used(target)
    if target is None and isinstance(decorator, nodes.Attribute):
        owner = analysis.resolver.expression(module, decorator.expr)
        if isinstance(owner, Variable):
            return frozenset({(owner.module, owner.name)})
    return _NOTHING


def _key(analysis: Analysis, module: ModuleIndex, node: nodes.NodeNG) -> object:
    if isinstance(node, nodes.Const):
        return node.value
    return analysis.resolver.expression(module, node)
