"""What no object of a region runs: it stands behind a flag that each object made in the file has the other way."""

from __future__ import annotations

import re
from typing import Any

from astroid import nodes

from flake8_tensorbranch.engine.branching.tracers import tests_of
from flake8_tensorbranch.engine.inference.program import Program
from flake8_tensorbranch.engine.regions.region import Membership
from flake8_tensorbranch.syntax.binding import assigned, once, once_global
from flake8_tensorbranch.syntax.names import ClassInfo, FunctionInfo


class Switches:
    """The flags of the objects that one file makes."""

    def __init__(self, program: Program) -> None:
        self.program = program
        self._flags: dict[tuple[ClassInfo, str], bool | None] = {}

    def off(self, scope: FunctionInfo | None, node: nodes.NodeNG, member: Membership) -> bool:
        """True where an object begins the region that the file makes itself, and its flags lead past the node."""
        if scope is None or not scope.takes_self or scope.cls is None or scope.module is not self.program.index:
            return False
        around, earlier = tests_of(node, True)
        told = [(test, arm, self._truth(scope, test)) for test, arm in (*around, *earlier)]
        passed = any(truth is not None and truth is not arm for _, arm, truth in told)
        return passed and (scope.cls.name.startswith("_") or self._is_made_here(member))

    def _truth(self, scope: FunctionInfo, test: nodes.NodeNG) -> bool | None:
        """The outcome of a test, as far as flags of the method's object decide it; None where they do not."""
        if isinstance(test, nodes.UnaryOp) and test.op == "not":
            inner = self._truth(scope, test.operand)
            return None if inner is None else not inner
        if isinstance(test, nodes.BoolOp):
            decides = test.op == "or"
            parts = [self._truth(scope, value) for value in test.values]
            return decides if decides in parts else None if None in parts else not decides
        if not isinstance(test, nodes.Attribute) or getattr(test.expr, "name", "") != scope.params[0].name:
            return None
        key = (scope.cls, test.attrname)
        assert scope.cls is not None
        if key not in self._flags:
            self._flags[scope.cls, test.attrname] = self._flag(scope.cls, test.attrname)
        return self._flags[scope.cls, test.attrname]

    def _flag(self, cls: ClassInfo, name: str) -> bool | None:
        """The truth of an attribute that nothing in the file sets but the class itself, or its only constructor."""
        index = self.program.index
        if name in cls.methods or any(name in o.body or name in o.stores for o in index.classes if self._heir(o, cls)):
            return None
        init = cls.methods.get("__init__")
        stores = [s for s in init.attribute_stores if s.attrname == name] if init is not None else []
        written = re.findall(rf"\.{name}\s*(?::[^=\n]+)?[-+*/|&]?=(?!=)|['\"]{name}['\"]", index.text)
        if len(written) != len(stores) or len(stores) > 1:
            return None
        if init is None or not stores:
            body = cls.body.get(name, [])
            return _constant(getattr(body[0], "value", None)) if len(body) == 1 else None
        value, statement = assigned(stores[0]), stores[0].statement()
        if statement.parent is not init.node:
            return None  # under a test
        if not isinstance(value, nodes.Name):
            return _constant(value)
        return self._given(cls, init, value.name)

    def _given(self, cls: ClassInfo, init: FunctionInfo, name: str) -> bool | None:
        """The truth of what every construction of the file gives a parameter."""
        param = next((p for p in init.params if p.name == name), None)
        if param is None or len(init.local_names.get(name, ())) != 1:
            return None
        if any(self._heir(other, cls) for other in self.program.index.classes):
            return None
        found: set[bool | None] = set()
        mentioned = len(re.findall(rf"(?<!class )\b{cls.name}\b(?!['\"\]])", self.program.index.text))
        calls = self.program.index.calls_of(cls.name)
        if mentioned != len(calls):
            return None  # handed on as a class, or named in another way
        for scope, call in calls:
            if self.program.analysis.resolver.expression(self.program.index, call.func, scope) is not cls:
                return None
            if any(isinstance(a, nodes.Starred) for a in call.args) or any(k.arg is None for k in call.keywords):
                return None
            slots = [p.name for p in init.slots][1:]
            given = dict(zip(slots, call.args, strict=False)) | {k.arg: k.value for k in call.keywords}
            found.add(_constant(given.get(name, param.default)))
        return found.pop() if len(found) == 1 else None

    def _heir(self, other: ClassInfo, cls: ClassInfo) -> bool:
        return other is not cls and cls in self.program.analysis.resolver.mro(other)

    def _is_made_here(self, member: Membership) -> bool:
        """True where the region begins with an object that the file constructs."""
        call, scope = member.entry.node, member.entry.scope
        given: Any = call.args[0] if isinstance(call, nodes.Call) and call.args else None
        if isinstance(given, nodes.Name):
            local = scope is not None and given.name in scope.local_names
            names = scope.local_names if scope is not None and local else self.program.index.bindings
            given = once(names, given.name) if local else once_global(names, given.name)
        if not isinstance(given, nodes.Call):
            return False
        return isinstance(self.program.analysis.resolver.expression(self.program.index, given.func, scope), ClassInfo)


def _constant(node: nodes.NodeNG | None) -> bool | None:
    """The truth of a literal."""
    return bool(node.value) if isinstance(node, nodes.Const) else None
