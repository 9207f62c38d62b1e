"""Integers and strings that differ between the instances of a class, each of which is compiled for itself."""

from __future__ import annotations

from typing import Final

from astroid import nodes

from flake8_tensorbranch.engine.inference.program import Program
from flake8_tensorbranch.engine.lookup import loops
from flake8_tensorbranch.engine.regions.region import Entry, Membership, Regions
from flake8_tensorbranch.syntax.names import ClassInfo, FunctionInfo
from flake8_tensorbranch.syntax.printing import source_of

_DEPTH: Final = 4
_KIND: Final = "compiled"
_PLAIN: Final = frozenset({"float", "bool", "Tensor", "torch.Tensor"})


class Instances:
    """Compares what the constructor calls of a class pass.

    Instances inside of one compiled whole are unrolled into its graph: what differs between the compiled units counts
    (facts I).
    """

    def __init__(self, program: Program, regions: Regions) -> None:
        self.program = program
        self.regions = regions

    def differ(self, place: tuple[ClassInfo | None, str], membership: Membership) -> tuple[str, nodes.NodeNG] | None:
        """How an attribute differs between compiled instances, and where that shows; None when nothing shows it."""
        cls, name = place
        if cls is None or not self.program.analysis.resolver.is_module(cls):
            return None
        unit = self._unit(membership)
        if unit is None or not self._many(membership.entry, unit):
            return None
        for writer in cls.stores.get(name, ()):
            if writer.name != "__init__":
                continue
            for store in writer.attribute_stores:
                value = getattr(store.parent, "value", None)
                if (
                    store.attrname != name
                    or value is None
                    or not isinstance(store.parent, (nodes.Assign, nodes.AnnAssign))
                ):
                    continue
                for param in writer.params[1:]:
                    if param.annotation is not None and source_of(param.annotation) in _PLAIN:
                        continue
                    if loops.counted(value, {param.name}):
                        site = self._varies(writer, param.name, unit, _DEPTH)
                        if site is not None:
                            return "instance", site
        return self._set_in_loop(cls, name) if cls is unit else None

    def _unit(self, membership: Membership) -> ClassInfo | None:
        """The class whose objects are compiled, each for itself."""
        if membership.way:
            caller = membership.way[0].caller
            return None if caller is None else caller.cls
        for entry, functions in self.regions.entries:
            if entry is membership.entry and len(functions) == 1:
                return functions[0].cls
        return None

    def _many(self, entry: Entry, unit: ClassInfo) -> bool:
        """True when more than one object of the unit's class is compiled by the entry, or by several."""
        node = entry.node
        if node is None:
            return False
        if isinstance(node.parent, nodes.Decorators) or isinstance(node, nodes.ClassDef):
            return True
        if entry.scope is not None and entry.scope.cls is unit:
            return True
        if next(loops.around(node), None) is not None:
            return True
        entries = [
            e for e, functions in self.regions.entries if e.kind == _KIND and any(f.cls is unit for f in functions)
        ]
        return len({e.node for e in entries}) > 1 or (entry.scope is not None and self._called_often(entry.scope))

    def _called_often(self, function: FunctionInfo) -> bool:
        sites = [n for facts in self.program.facts.values() for n, c in facts.calls.items() if function in c]
        return len(sites) > 1 or any(next(loops.around(n), None) is not None for n in sites)

    def _varies(self, function: FunctionInfo, param: str, unit: ClassInfo, depth: int) -> nodes.NodeNG | None:
        """A call that passes another int or string from unit to unit; None when the calls in view pass one."""
        if depth <= 0:
            return None
        inside = function.cls is not None and function.cls is not unit
        constants: dict[object, nodes.NodeNG] = {}
        for scope, facts in self.program.facts.items():
            for node, callees in facts.calls.items():
                if function not in callees or not isinstance(node, nodes.Call):
                    continue
                given = _given(node, function, param)
                if given is None:
                    continue
                if not inside:
                    if any(loops.counted(given, loops.counters(loop)) for loop in loops.around(node)):
                        return node
                    if isinstance(given, nodes.Const) and type(given.value) in (int, str):
                        constants[given.value] = node
                if scope is None or (inside and scope.name != "__init__"):
                    continue
                for outer in scope.params:
                    if loops.counted(given, {outer.name}):
                        found = self._varies(scope, outer.name, unit, depth - 1)
                        if found is not None:
                            return found
        return next(iter(constants.values())) if len(constants) > 1 else None

    def _set_in_loop(self, cls: ClassInfo, name: str) -> tuple[str, nodes.NodeNG] | None:
        """`for i, layer in enumerate(layers): layer.name = i`."""
        for function in self.program.index.functions:
            for store in function.attribute_stores:
                value = getattr(store.parent, "value", None)
                if store.attrname != name or value is None or not isinstance(store.parent, nodes.Assign):
                    continue
                if not any(getattr(r, "cls", None) is cls for r in self.program.value(function, store.expr).refs):
                    continue
                for loop in loops.around(store):
                    if loops.mentions(store.expr, loops.targets(loop)) and loops.counted(value, loops.counters(loop)):
                        return "instance", store
        return None


def _given(call: nodes.Call, function: FunctionInfo, param: str) -> nodes.NodeNG | None:
    """The expression a call passes for a parameter."""
    for keyword in call.keywords:
        if keyword.arg == param:
            return keyword.value
    slots = [p.name for p in function.params if not p.keyword_only][1 if function.takes_self else 0 :]
    if param in slots and slots.index(param) < len(call.args):
        before = call.args[: slots.index(param) + 1]
        return None if any(isinstance(a, nodes.Starred) for a in before) else before[-1]
    return None
