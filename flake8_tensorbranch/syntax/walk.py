"""The walk over a module's tree that files every node of interest under its scope."""

from __future__ import annotations

from typing import Any, Final

from astroid import nodes
from astroid.const import Context

from flake8_tensorbranch.syntax.keeping import filled, registered
from flake8_tensorbranch.syntax.names import Binding, ClassInfo, FunctionInfo, ModuleIndex, Scope

_FUNCTIONS: Final = frozenset({nodes.FunctionDef, nodes.AsyncFunctionDef, nodes.Lambda})
_TESTS: Final = frozenset(
    {
        nodes.If,
        nodes.While,
        nodes.IfExp,
        nodes.Assert,
        nodes.BoolOp,
        nodes.For,
        nodes.Match,
        nodes.Comprehension,
        nodes.UnaryOp,
    }
)


def index_module(tree: nodes.Module, path: str, name: str, is_package: bool, text: str) -> ModuleIndex:
    """The scopes and bindings of a tree, whose place in the project is `name`."""
    index = ModuleIndex(tree, path, name, is_package, text)
    _Walk(index).module()
    return index


_PICKING: Final = frozenset({nodes.Name, nodes.Attribute, nodes.Compare, nodes.UnaryOp, nodes.Call, nodes.Subscript})
_LEAVES: Final = frozenset({nodes.Name, nodes.Const})
TABLES: Final = frozenset({nodes.Dict, nodes.List, nodes.Tuple, nodes.DictComp})
"""What a table of ways is written as."""
_FIXED: Final = frozenset({nodes.Const, nodes.Slice, nodes.Tuple})
CHECKS: Final = frozenset({f"_check{kind}" for kind in ("", "_index", "_tensor_all", "_type", "_value")})
"""Last names of functions of torch that raise where their condition does not hold."""
LOOKS_UP: Final = frozenset({"__getitem__", "get", "pop"})
"""Methods of tables that give what is held under a key."""
PICKS_ELEMENTS: Final = frozenset({"_assert", "compress", "dropwhile", "filter", "filterfalse", "takewhile"})
"""Last names of functions that let elements through by what is true of them, or go on only where something is."""
_FILED: Final = frozenset(_TESTS) | {
    nodes.Compare,
    nodes.FunctionDef,
    nodes.AsyncFunctionDef,
    nodes.Lambda,
    nodes.ClassDef,
    nodes.Call,
    nodes.AssignAttr,
    nodes.AssignName,
    nodes.Return,
    nodes.Subscript,
    nodes.Yield,
    nodes.YieldFrom,
    nodes.Global,
    nodes.Nonlocal,
    nodes.Import,
    nodes.ImportFrom,
}


class _Walk:
    """One walk that files every node of interest under its scope."""

    def __init__(self, index: ModuleIndex) -> None:
        self.index = index
        self.tables: dict[FunctionInfo | ModuleIndex, set[str]] = {}  # the names that each scope gives to tables
        self.look_ups: list[tuple[FunctionInfo, nodes.NodeNG, str]] = []  # what looks like one in what a name holds

    def module(self) -> None:
        for statement in self.index.tree.body:
            self.statement(statement, None, None, "")
        tables = self.tables
        shared = tables.pop(self.index, set())
        for function, node, name in self.look_ups if tables or shared else ():
            up: FunctionInfo | None = function
            while up is not None and not (up in tables and name in tables[up]):
                up = up.parent
            if up is not None or name in shared:
                function.tests.append(node)

    def statement(self, top: nodes.NodeNG, function: FunctionInfo | None, cls: ClassInfo | None, prefix: str) -> None:
        """File `top` and all below it; `cls` is set while directly in a class body, `function` while in a function."""
        index = self.index
        stack: list[Any] = [top]
        owner: FunctionInfo | ModuleIndex = function if function is not None else index
        while stack:
            node = stack.pop()
            kind = type(node)
            if kind in _LEAVES:
                continue
            # The commonest first, and their children without the generators of `get_children`.
            if kind is nodes.Attribute:
                stack.append(node.expr)
                continue
            if kind is nodes.Keyword:
                stack.append(node.value)
                continue
            if kind is nodes.Call:
                owner.calls.append(node)
                func = node.func
                callee = type(func)
                if (func.name if callee is nodes.Name else getattr(func, "attrname", "")) in PICKS_ELEMENTS:
                    owner.tests.append(node)
                elif callee is nodes.Attribute:
                    if func.attrname in CHECKS:
                        owner.tests.append(node)
                    elif func.attrname in LOOKS_UP and node.args and type(node.args[0]) is not nodes.Const:
                        if type(func.expr) is nodes.Name and function is not None:
                            self.look_ups.append((function, node, func.expr.name))
                stack.append(func)
                stack += node.args
                stack += node.keywords
                continue
            if kind not in _FILED:
                stack.extend(node.get_children())
                continue
            if kind is nodes.AssignName:
                if cls is not None or function is None:
                    self.bind(node.name, node, cls)
                elif node.name in function.declared_global:
                    index.global_stores.setdefault(node.name, []).append(function)
                parent = node.parent
                if type(parent) is nodes.Assign and type(parent.value) in TABLES and cls is None:
                    self.tables.setdefault(owner, set()).add(node.name)
                continue
            if kind in _FUNCTIONS:
                self.function(node, function, cls, prefix)
                outer: list[nodes.NodeNG] = []
                if kind is not nodes.Lambda:
                    if node.decorators is not None:
                        outer.append(node.decorators)
                    if node.returns is not None:
                        outer.append(node.returns)
                outer.extend(d for d in (node.args.defaults or []) if d is not None)
                outer.extend(d for d in (node.args.kw_defaults or []) if d is not None)
                stack.extend(outer)
                continue
            if kind is nodes.ClassDef:
                self.class_(node, function, cls, prefix)
                stack.extend(node.bases)
                if node.decorators is not None:
                    stack.append(node.decorators)
                continue
            if kind in _TESTS:
                owner.tests.append(node)
            elif kind is nodes.AssignAttr:
                if function is not None:
                    function.attribute_stores.append(node)
            elif kind is nodes.Return:
                if function is not None:
                    function.returns_nodes.append(node)
            elif kind is nodes.Compare:
                if len(node.ops) > 1:
                    owner.tests.append(node)
            elif kind is nodes.Subscript:
                key = type(node.slice)
                if type(node.value) in TABLES:
                    if key is not nodes.Const:
                        owner.tests.append(node)
                elif key not in _FIXED:
                    up = node.parent
                    called = type(up) is nodes.Call and up.func is node
                    if called or (key is nodes.Call and _makes_number(node.slice)):
                        owner.tests.append(node)
                    elif function is not None and type(node.value) is nodes.Name and node.ctx is Context.Load:
                        self.look_ups.append((function, node, node.value.name))
                if function is not None:
                    if key in _PICKING:
                        function.picks = True
                    if node.ctx is Context.Store:
                        function.fills.append(node)
            elif kind is nodes.Yield or kind is nodes.YieldFrom:
                if function is not None:
                    function.is_generator = True
            elif kind is nodes.Global:
                if function is not None:
                    function.declared_global.update(node.names)
            elif kind is nodes.Nonlocal:
                if function is not None:
                    function.declared_nonlocal.update(node.names)
            elif kind is nodes.Import:
                for name, alias in node.names:
                    bound = alias or name.split(".", 1)[0]
                    self.imported(bound, Binding(node, imported=(name if alias else bound, None)), function, cls)
            elif kind is nodes.ImportFrom:
                for name, alias in node.names:
                    if name == "*":
                        index.star_imports.append((node.modname or "", node.level or 0))
                    else:
                        binding = Binding(node, imported=(node.modname or "", name), level=node.level or 0)
                        self.imported(alias or name, binding, function, cls)
            stack.extend(node.get_children())

    def imported(self, name: str, binding: Binding, function: FunctionInfo | None, cls: ClassInfo | None) -> None:
        if function is not None or cls is not None:
            self.index.local_imports.setdefault(name, []).append(binding)
        else:
            self.index.bindings.setdefault(name, []).append(binding)

    def bind(self, name: str, node: nodes.NodeNG, cls: ClassInfo | None) -> None:
        statement = node.statement()
        if cls is not None:
            cls.body.setdefault(name, []).append(statement)
        elif not _in_comprehension(node, statement):
            self.index.bindings.setdefault(name, []).append(Binding(statement))

    def function(self, node: Scope, parent: FunctionInfo | None, cls: ClassInfo | None, prefix: str) -> None:
        name = node.name if isinstance(node, nodes.FunctionDef) else "<lambda>"
        qualname = f"{prefix}{name}"
        info = FunctionInfo(node, qualname, self.index, cls, parent)
        self.index.functions.append(info)
        self.index.scope_of[node] = info
        if parent is not None:
            parent.nested.append(info)
        if isinstance(node, nodes.FunctionDef):
            setter = any(d.endswith((".setter", ".deleter", ".getter")) for d in info.decorator_names)
            overload = any(d.rsplit(".", 1)[-1] == "overload" for d in info.decorator_names)
            if cls is not None:
                if setter:
                    cls.setters.add(name)
                    cls.methods.setdefault(f"{name}.setter", info)
                elif not overload:
                    cls.methods[name] = info
            elif parent is None and not overload:
                self.index.bindings.setdefault(name, []).append(Binding(node, item=info))
            for child in node.body:
                self.statement(child, info, None, f"{qualname}.<locals>.")
        else:
            self.statement(node.body, info, None, f"{qualname}.<locals>.")
        method_of = cls
        if method_of is not None and not info.is_static and info.params:
            first = info.params[0].name
            for store in info.attribute_stores:
                if isinstance(store.expr, nodes.Name) and store.expr.name == first:
                    self.store(method_of, store.attrname, info)
            for call in info.calls:
                for attribute in registered(call, first):
                    self.store(method_of, attribute, info)
            for attribute in filled(info, first):
                writers = method_of.fills.setdefault(attribute, [])
                if info not in writers and info not in method_of.stores.get(attribute, ()):
                    writers.append(info)

    @staticmethod
    def store(cls: ClassInfo, attribute: str, info: FunctionInfo) -> None:
        writers = cls.stores.setdefault(attribute, [])
        if not writers or writers[-1] is not info:
            writers.append(info)

    def class_(self, node: nodes.ClassDef, function: FunctionInfo | None, cls: ClassInfo | None, prefix: str) -> None:
        info = ClassInfo(node, f"{prefix}{node.name}", self.index, function)
        self.index.classes.append(info)
        self.index.scope_of[node] = info
        if cls is not None:
            cls.body.setdefault(node.name, []).append(node)
        elif function is None:
            self.index.bindings.setdefault(node.name, []).append(Binding(node, item=info))
        for child in node.body:
            self.statement(child, function, info, f"{info.qualname}.")


def _in_comprehension(node: nodes.NodeNG, statement: nodes.NodeNG) -> bool:
    """True when an assigned name belongs to a comprehension rather than to the statement's scope."""
    up = node.parent
    while up is not None and up is not statement:
        if isinstance(up, nodes.Comprehension):
            return True
        up = up.parent
    return False


def _makes_number(key: nodes.Call) -> bool:
    """True for `bool(...)` and `int(...)`: what is looked up by it is chosen by a truth or a number."""
    return type(key.func) is nodes.Name and key.func.name in ("bool", "int")
