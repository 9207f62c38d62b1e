"""State that a checkpointed region changes and its predicates read: attributes, buffers, counters."""

from __future__ import annotations

from astroid import nodes

from flake8_tensorbranch.engine.program import Program
from flake8_tensorbranch.engine.region import Regions
from flake8_tensorbranch.syntax.names import FunctionInfo, dotted


class Mutations:
    """Which paths (`Class.attribute`, a module variable) the functions of checkpointed regions change."""

    def __init__(self, program: Program, regions: Regions) -> None:
        self.program = program
        self._written: dict[tuple[str, str], list[tuple[FunctionInfo, nodes.NodeNG]]] = {}
        for function in regions.members("checkpointed"):
            self._collect(function)

    def _collect(self, function: FunctionInfo) -> None:
        if function.name == "__init__":
            return
        for store in function.attribute_stores:
            self._write(function, store)
        for call in function.calls:
            func = call.func
            if isinstance(func, nodes.Attribute) and func.attrname.endswith("_") and not func.attrname.endswith("__"):
                if isinstance(func.expr, nodes.Attribute):
                    self._write(function, func.expr)
        for name in function.declared_global:
            for node in function.local_names.get(name, ()):
                self._written.setdefault(("", name), []).append((function, node))
            for node in function.node.nodes_of_class(nodes.AssignName):
                if node.name == name:
                    self._written.setdefault(("", name), []).append((function, node))

    def _write(self, function: FunctionInfo, node: nodes.Attribute | nodes.AssignAttr) -> None:
        key = self._key(function, node)
        if key is not None:
            self._written.setdefault(key, []).append((function, node))

    def _key(self, function: FunctionInfo, node: nodes.Attribute | nodes.AssignAttr) -> tuple[str, str] | None:
        path = dotted(node)
        if path is None or function.cls is None or not function.params:
            return None
        head, _, rest = path.partition(".")
        return (function.cls.qualname, rest) if head == function.params[0].name else None

    def read(self, scope: FunctionInfo | None, test: nodes.NodeNG) -> str:
        """The state that a predicate reads and its region changes, as spelled; empty when there is none."""
        if scope is None or not self._written:
            return ""
        for node in self._sources(scope, test):
            if isinstance(node, nodes.Attribute):
                key = self._key(scope, node)
            elif isinstance(node, nodes.Name) and (node.name not in scope.local_names or node.name in scope.declared_global):
                key = ("", node.name)
            else:
                continue
            if key is not None and any(_matters(scope, node, function, write) for function, write in self._written.get(key, [])):
                return dotted(node) or ""
        return ""

    def _sources(self, scope: FunctionInfo, test: nodes.NodeNG) -> list[nodes.NodeNG]:
        """Names and attributes in a test, and in the assignments of the locals it names."""
        found: list[nodes.NodeNG] = []
        names: set[str] = set()
        work = [test]
        while work:
            top = work.pop()
            for node in _reads(top):
                found.append(node)
                if isinstance(node, nodes.Name) and node.name in scope.local_names and node.name not in names:
                    names.add(node.name)
                    for bound in scope.local_names[node.name]:
                        parent = bound.parent if isinstance(bound, nodes.NodeNG) else None
                        if isinstance(parent, nodes.Assign) and parent.lineno <= test.lineno and len(names) < 12:
                            work.append(parent.value)
        return found


def _reads(top: nodes.NodeNG) -> list[nodes.NodeNG]:
    """Reads below a node; a test for None asks no value, and what is called is no state."""
    found: list[nodes.NodeNG] = []
    stack = [top]
    while stack:
        node = stack.pop()
        if isinstance(node, nodes.Compare) and any(op in ("is", "is not") for op, _ in node.ops):
            continue
        if isinstance(node, (nodes.Attribute, nodes.Name)):
            found.append(node)
        stack.extend(node.get_children())
    return found


def _matters(scope: FunctionInfo, node: nodes.NodeNG, function: FunctionInfo, write: nodes.NodeNG) -> bool:
    """True when the write makes the recompute read another value: it builds on the old one, or comes after the read."""
    if isinstance(write, nodes.Attribute):
        return True  # an operation in place
    statement = write.statement()
    if isinstance(statement, nodes.AugAssign):
        return True
    path = dotted(write)
    value = getattr(statement, "value", None)
    if value is not None and any(dotted(n) == path for n in _reads(value)):
        return True
    return function is scope and statement.lineno > node.lineno
