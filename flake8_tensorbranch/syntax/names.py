"""The names of one module: its scopes, bindings, imports, functions and classes."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import Any, Final, cast

from astroid import nodes

from flake8_tensorbranch.modules import absolute

Scope = nodes.FunctionDef | nodes.Lambda  # AsyncFunctionDef is a FunctionDef


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

    @property
    def optional(self) -> bool:
        """True where the default is None."""
        return isinstance(self.default, nodes.Const) and self.default.value is None


_PROPERTIES: Final = frozenset({"property", "cached_property", "lazy_property", "abstractproperty"})


class FunctionInfo:
    """One function, method or lambda: its parameters, what it binds, and the nodes that analyses ask for.

    `takes_self` is True for a method whose first parameter is the object.
    """

    __slots__ = (
        "_free",
        "attribute_stores",
        "calls",
        "cls",
        "declared_global",
        "declared_nonlocal",
        "decorator_names",
        "fills",
        "is_classmethod",
        "is_generator",
        "is_property",
        "is_static",
        "keywords",
        "kwarg",
        "module",
        "name",
        "nested",
        "node",
        "params",
        "parent",
        "picks",
        "qualname",
        "returns_nodes",
        "slots",
        "takes_self",
        "tests",
        "vararg",
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
        self.fills: list[nodes.Subscript] = []  # items that it sets
        self.tests: list[nodes.NodeNG] = []
        self.returns_nodes: list[nodes.Return] = []
        self.declared_global: set[str] = set()
        self.declared_nonlocal: set[str] = set()
        self.is_generator = False
        self.picks = False  # whether it picks an item by something that is no constant, slice or sum
        self.decorator_names: list[str] = []
        if isinstance(node, nodes.FunctionDef) and node.decorators is not None:
            self.decorator_names = [
                dotted(d.func if isinstance(d, nodes.Call) else d) or "" for d in node.decorators.nodes
            ]
        decorated, method = self.decorator_names, cls is not None
        self.is_static = method and ("staticmethod" in decorated or self.name == "__new__")
        self.is_classmethod = method and (
            "classmethod" in decorated or self.name in ("__init_subclass__", "__class_getitem__")
        )
        self.is_property = method and any(d.rsplit(".", 1)[-1] in _PROPERTIES for d in decorated)
        # What calls ask for each time is made once. Parameters stand in order, keyword-only ones last; what collects
        # the rest (`*args`, `**kwargs`) is none of them. `slots` take positional arguments, `keywords` named ones.
        self.params = list(_parameters(node.args))
        self.slots = [p for p in self.params if not p.keyword_only]
        self.keywords = frozenset(p.name for p in self.params if not p.positional_only)
        self.vararg: str | None = node.args.vararg
        self.kwarg: str | None = node.args.kwarg
        self.takes_self = method and not self.is_static and not self.is_classmethod and bool(self.params)
        self._free: frozenset[str] | None = None

    def __str__(self) -> str:
        return self.qualname

    @property
    def place(self) -> tuple[str, str, int, int]:
        """The module, its path, line and column: an order that every process agrees on."""
        return self.module.name, self.module.full, self.node.lineno or 0, self.node.col_offset or 0

    @property
    def is_lambda(self) -> bool:
        return not isinstance(self.node, nodes.FunctionDef)

    @property
    def is_async(self) -> bool:
        return isinstance(self.node, nodes.AsyncFunctionDef)

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
                elsewhere = self.declared_global | self.declared_nonlocal
                names = {n for n in names if n not in self.node.locals or n in elsewhere}
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
    """One class: its bases, methods, and which methods store which attribute, or put something into what it holds."""

    __slots__ = (
        "bases",
        "body",
        "fills",
        "methods",
        "module",
        "name",
        "node",
        "parent",
        "qualname",
        "setters",
        "stores",
    )

    def __init__(self, node: nodes.ClassDef, qualname: str, module: ModuleIndex, parent: FunctionInfo | None) -> None:
        self.node = node
        self.name: str = node.name
        self.qualname = qualname
        self.module = module
        self.parent = parent
        self.bases = cast("list[nodes.NodeNG]", list(node.bases))
        self.methods: dict[str, FunctionInfo] = {}
        self.setters: set[str] = set()
        self.stores: dict[str, list[FunctionInfo]] = {}
        self.fills: dict[str, list[FunctionInfo]] = {}
        self.body: dict[str, list[nodes.NodeNG]] = {}

    def __str__(self) -> str:
        return self.qualname

    @property
    def place(self) -> tuple[str, str, int, int]:
        return self.module.name, self.module.full, self.node.lineno or 0, self.node.col_offset or 0


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
    """The scopes and bindings of one module, which `syntax.walk` files.

    `name` is the dotted name inside its root, `is_package` says whether it is an `__init__.py`. `path` is spelled as
    the host does for the file under check, `full` from the root of the file system.
    """

    def __init__(self, tree: nodes.Module, path: str, name: str, is_package: bool, text: str) -> None:
        self.tree = tree
        self.text = text
        self.path = path
        self.full = os.path.abspath(path)
        self.name = name
        self.is_package = is_package
        self.functions: list[FunctionInfo] = []
        self.classes: list[ClassInfo] = []
        self.bindings: dict[str, list[Binding]] = {}
        self._mentions: dict[tuple[str, ...], bool] = {}
        self._all_calls: list[tuple[FunctionInfo | None, nodes.Call]] | None = None
        self._by_name: dict[str, list[tuple[FunctionInfo | None, nodes.Call]]] | None = None
        self.star_imports: list[tuple[str, int]] = []
        self.scope_of: dict[nodes.NodeNG, FunctionInfo | ClassInfo] = {}
        self.local_imports: dict[str, list[Binding]] = {}
        self.global_stores: dict[str, list[FunctionInfo]] = {}
        self.tests: list[nodes.NodeNG] = []
        self.calls: list[nodes.Call] = []
        self.memo: dict[object, object] = {}

    def __str__(self) -> str:
        return self.name

    @property
    def place(self) -> tuple[str, str, int, int]:
        return self.name, self.full, 0, 0

    def mentions(self, words: tuple[str, ...]) -> bool:
        """Whether the text holds any of the words."""
        known = self._mentions.get(words)
        if known is None:
            known = self._mentions[words] = any(word in self.text for word in words)
        return known

    @property
    def scopes(self) -> tuple[FunctionInfo | None, ...]:
        """What holds code: the module itself, which None stands for, and its functions."""
        return None, *self.functions

    def calls_in(self, scope: FunctionInfo | None) -> list[nodes.Call]:
        """The calls that stand in a scope."""
        return self.calls if scope is None else scope.calls

    def tests_in(self, scope: FunctionInfo | None) -> list[nodes.NodeNG]:
        """The statements and expressions of a scope that decide on a value."""
        return self.tests if scope is None else scope.tests

    def all_calls(self) -> list[tuple[FunctionInfo | None, nodes.Call]]:
        """Every call with the function it stands in."""
        if self._all_calls is None:
            self._all_calls = [(scope, call) for scope in self.scopes for call in self.calls_in(scope)]
        return self._all_calls

    def calls_of(self, name: str) -> list[tuple[FunctionInfo | None, nodes.Call]]:
        """The calls whose callee is spelled `name`, with the function they stand in."""
        if self._by_name is None:
            self._by_name = {}
            for pair in self.all_calls():
                self._by_name.setdefault(called_name(pair[1]), []).append(pair)
        return self._by_name.get(name, [])

    def forget_facts(self) -> None:
        """Drop the facts of single nodes, which only a check of this very file needs."""
        for key in [k for k in self.memo if type(k) is tuple and _is_of_facts(k)]:
            del self.memo[key]

    def absolute(self, module: str, level: int) -> str | None:
        """The dotted name that `from <dots><module> import ...` in this module means; None beyond the root."""
        return absolute(module, level, self.name, self.is_package)


def _is_of_facts(key: tuple[Any, ...]) -> bool:
    """True for the key of facts that are exact, and for that of what little fuel gave, which holds the former."""
    first = key[0]
    return first == "facts" if type(first) is str else type(first) is tuple and first[0] == "facts"


def called_name(call: nodes.Call) -> str:
    """The last name of what a call calls."""
    return last_name(call.func)


def names_own(scope: FunctionInfo | None, name: str) -> bool:
    """True where a name in a function is the object of the method that it is, or is nested in."""
    while scope is not None and name not in scope.local_names:
        scope = scope.parent
    return scope is not None and scope.takes_self and name == scope.params[0].name


def last_name(node: nodes.NodeNG | None) -> str:
    """`c` for a name or an attribute `a.b.c`; empty for anything else."""
    return node.name if type(node) is nodes.Name else getattr(node, "attrname", "")


def dotted(node: nodes.NodeNG | None) -> str | None:
    """`a.b.c` for a chain of names, else None."""
    if type(node) is nodes.Name:
        return node.name
    parts: list[str] = []
    while isinstance(node, (nodes.Attribute, nodes.AssignAttr, nodes.DelAttr)):
        parts.append(node.attrname)
        node = node.expr
    if isinstance(node, (nodes.Name, nodes.AssignName, nodes.DelName)):
        parts.append(node.name)
        return ".".join(reversed(parts))
    return None


def _parameters(args: nodes.Arguments) -> Iterator[Param]:
    positional = [
        (a, i, True) for a, i in zip(args.posonlyargs or [], args.posonlyargs_annotations or [], strict=False)
    ]
    positional += [(a, i, False) for a, i in zip(args.args or [], args.annotations or [], strict=False)]
    given: list[nodes.NodeNG] = list(args.defaults or [])
    defaults: list[nodes.NodeNG | None] = [*[None] * (len(positional) - len(given)), *given]
    for (arg, annotation, only), default in zip(positional, defaults, strict=False):
        yield Param(arg.name, annotation, default, only, False)
    annotations = args.kwonlyargs_annotations or []
    for index, arg in enumerate(args.kwonlyargs or []):
        default = args.kw_defaults[index] if args.kw_defaults and index < len(args.kw_defaults) else None
        yield Param(arg.name, annotations[index] if index < len(annotations) else None, default, False, True)
