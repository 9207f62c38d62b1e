"""The names of one module: its scopes, bindings, imports, functions and classes."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from astroid import nodes

Scope = nodes.FunctionDef | nodes.Lambda  # AsyncFunctionDef is a FunctionDef

_BUILTIN_DECORATORS: Final = {"staticmethod", "classmethod", "property", "cached_property"}


class Param:
    """One formal parameter."""

    __slots__ = ("annotation", "default", "keyword_only", "name", "positional_only")

    def __init__(
        self,
        name: str,
        annotation: nodes.NodeNG | None,
        default: nodes.NodeNG | None,
        positional_only: bool,
        keyword_only: bool,
    ) -> None:
        self.name = name
        self.annotation = annotation
        self.default = default
        self.positional_only = positional_only
        self.keyword_only = keyword_only


class FunctionInfo:
    """One function, method or lambda: its parameters, what it binds, and the nodes that analyses ask for."""

    __slots__ = (
        "_free",
        "_params",
        "attribute_stores",
        "calls",
        "cls",
        "declared_global",
        "declared_nonlocal",
        "decorator_names",
        "is_generator",
        "module",
        "name",
        "nested",
        "node",
        "parent",
        "qualname",
        "returns_nodes",
        "tests",
    )

    def __init__(
        self,
        node: Scope,
        qualname: str,
        module: ModuleIndex,
        cls: ClassInfo | None,
        parent: FunctionInfo | None,
    ) -> None:
        self.node = node
        self.name: str = getattr(node, "name", "<lambda>") if isinstance(node, nodes.FunctionDef) else "<lambda>"
        self.qualname = qualname
        self.module = module
        self.cls = cls
        self.parent = parent
        self.nested: list[FunctionInfo] = []
        self.attribute_stores: list[nodes.AssignAttr] = []
        self.calls: list[nodes.Call] = []
        self.tests: list[nodes.NodeNG] = []
        self.returns_nodes: list[nodes.Return] = []
        self.declared_global: set[str] = set()
        self.declared_nonlocal: set[str] = set()
        self.is_generator = False
        self.decorator_names: list[str] = []
        if isinstance(node, nodes.FunctionDef) and node.decorators is not None:
            self.decorator_names = [dotted(d.func if isinstance(d, nodes.Call) else d) or "" for d in node.decorators.nodes]
        self._params: list[Param] | None = None
        self._free: frozenset[str] | None = None

    def __str__(self) -> str:
        return self.qualname

    @property
    def is_lambda(self) -> bool:
        return not isinstance(self.node, nodes.FunctionDef)

    @property
    def is_async(self) -> bool:
        return isinstance(self.node, nodes.AsyncFunctionDef)

    @property
    def is_static(self) -> bool:
        return self.cls is not None and ("staticmethod" in self.decorator_names or self.name == "__new__")

    @property
    def is_classmethod(self) -> bool:
        return self.cls is not None and (
            "classmethod" in self.decorator_names or self.name in ("__init_subclass__", "__class_getitem__")
        )

    @property
    def is_property(self) -> bool:
        return self.cls is not None and any(
            d.rsplit(".", 1)[-1] in ("property", "cached_property", "lazy_property", "abstractproperty")
            for d in self.decorator_names
        )

    @property
    def takes_self(self) -> bool:
        """True for a method whose first parameter is the object."""
        return self.cls is not None and not self.is_static and not self.is_classmethod and bool(self.params)

    @property
    def params(self) -> list[Param]:
        """The named parameters in order, keyword-only ones last; `*args` and `**kwargs` are `vararg` and `kwarg`."""
        if self._params is None:
            self._params = list(_parameters(self.node.args))
        return self._params

    @property
    def vararg(self) -> str | None:
        return self.node.args.vararg

    @property
    def kwarg(self) -> str | None:
        return self.node.args.kwarg

    @property
    def local_names(self) -> dict[str, Any]:
        """Names bound in this function, parameters included (astroid's `locals`)."""
        return self.node.locals

    @property
    def free(self) -> frozenset[str]:
        """Names read here (or further in) that an enclosing function binds."""
        if self._free is None:
            names: set[str] = set()
            if self.parent is not None:
                for inner in self.node.nodes_of_class(nodes.Name):
                    names.add(inner.name)
                names = {n for n in names if n not in self.node.locals or n in self.declared_global}
                outer: set[str] = set()
                up: FunctionInfo | None = self.parent
                while up is not None:
                    outer.update(up.node.locals)
                    up = up.parent
                names &= outer
                names.discard(self.name)
            self._free = frozenset(names)
        return self._free


class ClassInfo:
    """One class: its bases, methods, and which methods store which attribute."""

    __slots__ = ("bases", "body", "methods", "module", "name", "node", "parent", "qualname", "setters", "stores")

    def __init__(self, node: nodes.ClassDef, qualname: str, module: ModuleIndex, parent: FunctionInfo | None) -> None:
        self.node = node
        self.name: str = node.name
        self.qualname = qualname
        self.module = module
        self.parent = parent
        self.bases: list[nodes.NodeNG] = list(node.bases)
        self.methods: dict[str, FunctionInfo] = {}
        self.setters: set[str] = set()
        self.stores: dict[str, list[FunctionInfo]] = {}
        self.body: dict[str, list[nodes.NodeNG]] = {}

    def __str__(self) -> str:
        return self.qualname


class Binding:
    """One binding of a module-level name: an import, a definition, or the statement that assigns it."""

    __slots__ = ("imported", "item", "level", "statement")

    def __init__(
        self,
        statement: nodes.NodeNG,
        item: FunctionInfo | ClassInfo | None = None,
        imported: tuple[str, str | None] | None = None,
        level: int = 0,
    ) -> None:
        self.statement = statement
        self.item = item
        self.imported = imported  # (module, name); name None for `import module`
        self.level = level


class ModuleIndex:
    """The scopes and bindings of one module, found by one walk over its tree.

    `name` is the dotted name inside its root, `is_package` says whether it is an `__init__.py`.
    """

    def __init__(self, tree: nodes.Module, path: str, name: str, is_package: bool, text: str) -> None:
        self.tree = tree
        self.text = text
        self.path = path
        self.name = name
        self.is_package = is_package
        self.functions: list[FunctionInfo] = []
        self.classes: list[ClassInfo] = []
        self.bindings: dict[str, list[Binding]] = {}
        self._mentions: dict[tuple[str, ...], bool] = {}
        self.star_imports: list[tuple[str, int]] = []
        self.scope_of: dict[nodes.NodeNG, FunctionInfo | ClassInfo] = {}
        self.local_imports: dict[str, list[Binding]] = {}
        self.global_stores: dict[str, list[FunctionInfo]] = {}
        self.tests: list[nodes.NodeNG] = []
        self.calls: list[nodes.Call] = []
        self.memo: dict[object, object] = {}
        _Walk(self).module()

    def __str__(self) -> str:
        return self.name

    def mentions(self, words: tuple[str, ...]) -> bool:
        """Whether the text holds any of the words."""
        known = self._mentions.get(words)
        if known is None:
            known = self._mentions[words] = any(word in self.text for word in words)
        return known

    def forget_facts(self) -> None:
        """Drop the facts of single nodes, which only a check of this very file needs."""
        for key in [k for k in self.memo if isinstance(k, tuple) and (k[0] == "facts" or (isinstance(k[0], tuple) and k[0][0] == "facts"))]:
            del self.memo[key]

    def absolute(self, module: str, level: int) -> str | None:
        """The dotted name that `from <dots><module> import ...` in this module means; None beyond the root."""
        if level == 0:
            return module
        parts = self.name.split(".")
        drop = level - 1 if self.is_package else level
        if drop > len(parts):
            return None
        base = parts[: len(parts) - drop]
        return ".".join([*base, module] if module else base)


def dotted(node: nodes.NodeNG | None) -> str | None:
    """`a.b.c` for a chain of names, else None."""
    parts: list[str] = []
    while isinstance(node, (nodes.Attribute, nodes.AssignAttr, nodes.DelAttr)):
        parts.append(node.attrname)
        node = node.expr
    if isinstance(node, (nodes.Name, nodes.AssignName, nodes.DelName)):
        parts.append(node.name)
        return ".".join(reversed(parts)) if len(parts) > 1 else parts[0]
    return None


def _parameters(args: nodes.Arguments) -> Iterator[Param]:
    positional = [(a, i, True) for a, i in zip(args.posonlyargs or [], args.posonlyargs_annotations or [], strict=False)]
    positional += [(a, i, False) for a, i in zip(args.args or [], args.annotations or [], strict=False)]
    defaults: list[nodes.NodeNG | None] = list(args.defaults or [])
    defaults = [None] * (len(positional) - len(defaults)) + defaults
    for (arg, annotation, only), default in zip(positional, defaults, strict=False):
        yield Param(arg.name, annotation, default, only, False)
    annotations = args.kwonlyargs_annotations or []
    for index, arg in enumerate(args.kwonlyargs or []):
        default = args.kw_defaults[index] if args.kw_defaults and index < len(args.kw_defaults) else None
        yield Param(arg.name, annotations[index] if index < len(annotations) else None, default, False, True)


_TESTS: Final = (nodes.If, nodes.While, nodes.IfExp, nodes.Assert, nodes.BoolOp, nodes.For, nodes.Match)
_FUNCTIONS: Final = (nodes.FunctionDef, nodes.Lambda)


class _Walk:
    """One walk that files every node of interest under its scope."""

    def __init__(self, index: ModuleIndex) -> None:
        self.index = index

    def module(self) -> None:
        for statement in self.index.tree.body:
            self.statement(statement, None, None, "")

    def statement(self, top: nodes.NodeNG, function: FunctionInfo | None, cls: ClassInfo | None, prefix: str) -> None:
        """File `top` and all below it; `cls` is set while directly in a class body, `function` while in a function."""
        index = self.index
        stack: list[nodes.NodeNG] = [top]
        owner: FunctionInfo | ModuleIndex = function if function is not None else index
        while stack:
            node = stack.pop()
            kind = type(node)
            if isinstance(node, _FUNCTIONS):
                self.function(node, function, cls, prefix)
                outer: list[nodes.NodeNG] = []
                if isinstance(node, nodes.FunctionDef):
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
            if kind is nodes.Call:
                owner.calls.append(node)
            elif kind in _TEST_SET:
                owner.tests.append(node)
            elif kind is nodes.AssignAttr:
                if function is not None:
                    function.attribute_stores.append(node)
            elif kind is nodes.AssignName:
                if cls is not None or function is None:
                    self.bind(node.name, node, cls)
                elif node.name in function.declared_global:
                    index.global_stores.setdefault(node.name, []).append(function)
            elif kind is nodes.Return:
                if function is not None:
                    function.returns_nodes.append(node)
            elif kind is nodes.Yield or kind is nodes.YieldFrom:
                if function is not None:
                    function.is_generator = True
            elif kind is nodes.Global or kind is nodes.Nonlocal:
                if function is not None:
                    (function.declared_global if kind is nodes.Global else function.declared_nonlocal).update(node.names)
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
                attribute = _registered(call, first)
                if attribute is not None:
                    self.store(method_of, attribute, info)

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


_TEST_SET: Final = frozenset(_TESTS) | {nodes.Comprehension, nodes.UnaryOp}
REGISTERING: Final = {"register_buffer", "register_parameter", "add_state", "add_module", "register_module", "register_memory"}


def _registered(call: nodes.Call, self_name: str) -> str | None:
    """The attribute that `self.register_buffer("name", ...)` and its like define."""
    func = call.func
    first = call.args[0] if call.args else None
    if isinstance(func, nodes.Attribute) and isinstance(func.expr, nodes.Name) and func.expr.name == self_name:
        if func.attrname not in REGISTERING:
            return None
        for keyword in call.keywords:
            if keyword.arg == "name" and first is None:
                first = keyword.value
    elif isinstance(func, nodes.Name) and func.name == "setattr" and len(call.args) == 3:
        if not (isinstance(call.args[0], nodes.Name) and call.args[0].name == self_name):
            return None
        first = call.args[1]
    else:
        return None
    if isinstance(first, nodes.Const) and isinstance(first.value, str):
        return first.value
    return None


def _in_comprehension(node: nodes.NodeNG, statement: nodes.NodeNG) -> bool:
    """True when an assigned name belongs to a comprehension rather than to the statement's scope."""
    up = node.parent
    while up is not None and up is not statement:
        if isinstance(up, nodes.Comprehension):
            return True
        up = up.parent
    return False
