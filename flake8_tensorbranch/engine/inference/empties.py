"""What an attribute starts as where a method writes an empty container into it: read off the source, not asked."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, cast

from astroid import nodes

from flake8_tensorbranch.engine.lattice import BOTTOM, MAPPING, AbstractValue, join_all, make, sequence
from flake8_tensorbranch.syntax.names import ClassInfo, dotted

if TYPE_CHECKING:
    from flake8_tensorbranch.engine.inference.summary import Analysis

_LISTS: Final = frozenset({"list", "set", "deque"})
_MAPPINGS: Final = frozenset({"dict", "OrderedDict", "defaultdict"})


def written(analysis: Analysis, cls: ClassInfo, name: str) -> AbstractValue:
    """The empty containers that methods of a class and of its bases assign to an attribute; BOTTOM without any."""
    memo, key = cls.module.memo, ("empties", cls, name)
    if key not in memo:
        bases = analysis.resolver.lineage(cls)
        writers = dict.fromkeys(writer for base in bases for writer in base.stores.get(name, ()))
        stores = [store for writer in writers for store in writer.attribute_stores if store.attrname == name]
        memo[key] = join_all(_made(getattr(store.parent, "value", None)) for store in stores)
    return cast("AbstractValue", memo[key])


def _made(node: Any) -> AbstractValue:
    kind = type(node)
    if kind is nodes.Dict:
        return BOTTOM if node.items else make(MAPPING)
    if kind is nodes.List or kind is nodes.Set:
        return BOTTOM if node.elts else sequence([])
    if kind is not nodes.Call:
        return BOTTOM
    called = (dotted(node.func) or "").rpartition(".")[2]
    if called == "defaultdict" and node.args:
        return make(MAPPING, elem=_named(dotted(node.args[0])))
    return BOTTOM if any(not _made(given).kinds for given in node.args) else _named(called)


def _named(name: str | None) -> AbstractValue:
    return sequence([]) if name in _LISTS else make(MAPPING) if name in _MAPPINGS else BOTTOM
