"""Generators that every DataLoader worker gets a copy of: on datasets, and in the variables of a module."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Final

from astroid import nodes

from flake8_tensorbranch.engine.lookup.names import owner
from flake8_tensorbranch.engine.lookup.options import OMITTED, Options
from flake8_tensorbranch.engine.lookup.origins import Expr, Origins
from flake8_tensorbranch.engine.refs import Instance
from flake8_tensorbranch.engine.reproducibility.switches import Switches
from flake8_tensorbranch.knowledge.randomness import SEEDING
from flake8_tensorbranch.knowledge.reproducibility import DATASETS, GENERATORS
from flake8_tensorbranch.syntax.binding import assigned
from flake8_tensorbranch.syntax.names import ClassInfo, FunctionInfo, dotted

_ITEMS: Final = ("__getitem__", "__getitems__", "__iter__")
Found = tuple[Any, FunctionInfo | None, str, str]
"""Where a generator is stored, in which function, under which name, and of which kind."""


@dataclass(frozen=True, slots=True)
class Kept:
    """A generator that workers draw from: where it is stored, under which name, of which kind, drawn from in what."""

    store: Any
    scope: FunctionInfo | None
    name: str
    kind: str
    drawn: str
    certain: bool


class Copied:
    """Finds such generators in the file under check."""

    def __init__(
        self, origins: Origins, switches: Switches, loaders: list[tuple[FunctionInfo | None, nodes.Call]]
    ) -> None:
        self.origins = origins
        self.program = origins.program
        self.resolver = origins.program.analysis.resolver
        self.index = origins.program.index
        self.switches = switches
        self.loaders = [Expr(self.index, scope, call) for scope, call in loaders]
        self._options = Options(origins)

    def all(self) -> Iterator[Kept]:
        """None where a `worker_init_fn` may seed them, or no loader of the file has workers."""
        if any(self._options.given(loader, "worker_init_fn") != [OMITTED] for loader in self.loaders):
            return
        workers = [self._workers(loader) for loader in self.loaders]
        if workers and not any(workers):
            return
        told: set[Any] = set()
        for drawn, functions, cls in self._runs():
            for store, scope, name, kind in (*self._attributes(functions, cls), *self._variables(functions)):
                if store not in told:
                    told.add(store)
                    yield Kept(store, scope, name, kind, drawn, bool(workers))

    # What workers run

    def _runs(self) -> Iterator[tuple[str, list[FunctionInfo], ClassInfo | None]]:
        """What is drawn in, and the functions that workers run for it: datasets, and what gathers their items."""
        given = self._given()
        for cls in self.index.classes:
            if not (self._is_dataset(cls) or cls in given) or _asks_for_worker(cls):
                continue
            methods = [self.resolver.method(cls, name) for name in _ITEMS]
            begin = [m for m in methods if m is not None]
            if begin:
                yield "__getitem__" if begin[0].name != "__iter__" else "__iter__", self._reached(begin), cls
        for loader in self.loaders:
            for told in self._options.given(loader, "collate_fn"):
                found = self.origins.functions(told) if isinstance(told, Expr) else ()
                for function, _ in found:
                    yield f"{function.name}", self._reached([function]), None

    def _given(self) -> dict[ClassInfo, None]:
        """The classes whose objects a loader of the file is given."""
        found: dict[ClassInfo, None] = {}
        for loader in self.loaders:
            for first in loader.node.args[:1]:
                for ref in self.origins.value(Expr(self.index, loader.scope, first)).each:
                    if isinstance(ref, Instance) and isinstance(ref.cls, ClassInfo):
                        found[ref.cls] = None
        return found

    def _reached(self, begin: list[FunctionInfo]) -> list[FunctionInfo]:
        """The functions of the file that workers run for an item."""
        found: dict[FunctionInfo, None] = {}
        begin = [function for function in begin if function.module is self.index]
        while begin:
            function = begin.pop()
            if function not in found and function.module is self.index:
                found[function] = None
                begin.extend(c for call in function.calls for c in self.program.callees(function, call))
        return list(found)

    def _workers(self, loader: Expr) -> bool:
        found = self._options.given(loader, "num_workers")
        if found == [OMITTED]:
            return len(loader.node.args) > 5
        literals = [
            c for told in found if isinstance(told, Expr) for c in self.switches.literals(told.scope, told.node)
        ]
        return not literals or any(literal != 0 for literal in literals)

    def _is_dataset(self, cls: ClassInfo) -> bool:
        for base in self.resolver.mro(cls):
            if (
                isinstance(base, str)
                and base.startswith(("torch.utils.data.", "torchvision.datasets."))
                and base.endswith(DATASETS)
            ):
                return True
        return False

    # What they draw from

    def _attributes(self, functions: list[FunctionInfo], cls: ClassInfo | None) -> Iterator[Found]:
        """The attributes of the dataset, and of what it holds, in which a generator is kept that these functions use
        and do not set or seed anew.
        """
        used: dict[tuple[ClassInfo, str], nodes.Attribute] = {}
        for function in functions:
            owner = function.cls
            if owner is None or not function.params:
                continue
            if cls is not None and owner in self.resolver.mro(cls):
                owner = cls
            elif self.resolver.method(owner, "__init__") in functions:
                continue  # made by the worker
            for node in function.node.nodes_of_class(nodes.Attribute):
                if isinstance(node.expr, nodes.Name) and node.expr.name == function.params[0].name:
                    used.setdefault((owner, node.attrname), node)
            yield from self._held(function, cls)
        for (owner, name), read in used.items():
            written = any(s.attrname == name for f in functions for s in f.attribute_stores)
            if not written and not any(_seeds(call, name) for f in functions for call in f.calls):
                found = list(self._stores(owner, name))
                yield from found
                kind = "" if found else self._kept_abroad(owner, name)
                if kind:
                    yield read, self.program.owner(read), dotted(read) or name, kind

    def _kept_abroad(self, cls: ClassInfo, name: str) -> str:
        """The generator that the constructor of a class of another file, or of a base there, keeps under a name."""
        for base in self.resolver.mro(cls):
            init = base.methods.get("__init__") if isinstance(base, ClassInfo) else None
            for store in init.attribute_stores if init is not None and init.module is not self.index else ():
                value = assigned(store) if store.attrname == name else None
                if value is not None and init is not None:
                    return self._kind(Expr(init.module, init, value))
        return ""

    def _held(self, function: FunctionInfo, cls: ClassInfo | None) -> Iterator[Found]:
        """The attributes of the dataset that hold an object of another file, whose method draws from a generator that
        it keeps.
        """
        for call in function.calls if cls is not None and function.params else ():
            holder: Any = call.func
            if isinstance(holder, nodes.Attribute) and isinstance(holder.expr, nodes.Attribute):
                holder = holder.expr  # `self.noise.add(x)`
            if not isinstance(holder, nodes.Attribute) or getattr(holder.expr, "name", "") != function.params[0].name:
                continue
            for callee in self.program.callees(function, call):
                kind = self._drawn_abroad(callee) if callee.module is not self.index else ""
                for writer in cls.stores.get(holder.attrname, ()) if kind and cls is not None else ():
                    for store in writer.attribute_stores:
                        if store.attrname == holder.attrname:
                            yield store, writer, dotted(store) or holder.attrname, kind

    def _drawn_abroad(self, method: FunctionInfo) -> str:
        """The generator that a method of another file uses of its object and does not seed."""
        if method.cls is None or not method.takes_self or self._is_dataset(method.cls):
            return ""
        for node in method.node.nodes_of_class(nodes.Attribute):
            if isinstance(node.expr, nodes.Name) and node.expr.name == method.params[0].name:
                stored = any(s.attrname == node.attrname for s in method.attribute_stores)
                if not stored and not any(_seeds(call, node.attrname) for call in method.calls):
                    kind = self._kept_abroad(method.cls, node.attrname)
                    if kind:
                        return kind
        return ""

    def _stores(self, cls: ClassInfo, name: str) -> Iterator[Found]:
        """Where the objects of a class get an attribute that is a generator, when they are made."""
        init = self.resolver.method(cls, "__init__")
        made = self._reached([init]) if init is not None else []
        for base in self.resolver.mro(cls):
            if not isinstance(base, ClassInfo) or base.module is not self.index:
                continue
            for writer in base.stores.get(name, ()):
                for store in writer.attribute_stores if writer in made else ():
                    value = assigned(store) if store.attrname == name else None
                    kind = self._kind(Expr(self.index, writer, value)) if value is not None else ""
                    if kind:
                        yield store, writer, dotted(store) or name, kind
            for statement in base.body.get(name, ()):
                kinds = {self._kind(expr) for expr in self.origins.stored(base, name)}
                if len(kinds) == 1 and "" not in kinds:
                    target: Any = getattr(statement, "target", None) or getattr(statement, "targets", [statement])[0]
                    yield target, None, f"{base.name}.{name}", kinds.pop()

    def _variables(self, functions: list[FunctionInfo]) -> Iterator[Found]:
        """The variables of the module, and of functions around, that are bound once and that the workers use without
        seeding them.
        """
        names: dict[tuple[FunctionInfo | None, str], None] = {}
        for function in functions:
            for node in function.node.nodes_of_class(nodes.Name):
                if node.name in function.local_names:
                    continue
                around = owner(function.parent, node.name)
                if around is None or around not in functions:
                    names[around, node.name] = None
        for around, name in names:
            bound: Any = around.local_names[name] if around is not None else self._targets(name)
            if len(bound) != 1 or not isinstance(bound[0], nodes.AssignName):
                continue
            if any(_seeds(call, name) for function in functions for call in function.calls):
                continue
            value = assigned(bound[0])
            kind = self._kind(Expr(self.index, around, value)) if value is not None else ""
            if kind:
                yield bound[0], around, name, kind

    def _targets(self, name: str) -> list[Any]:
        """What binds a variable of the module, one target for each statement."""
        found: list[Any] = []
        for binding in self.index.bindings.get(name, ()):
            statement: Any = binding.statement
            found.extend(getattr(statement, "targets", None) or [getattr(statement, "target", None)])
        return found

    def _kind(self, expr: Expr, depth: int = 3) -> str:
        """The generator that an expression gives, or holds, or whose method it is; empty where it may be another
        thing.
        """
        found = set()
        for origin in self.origins.of(expr):
            node: Any = _unseeded(origin.node)
            if isinstance(node, nodes.Const) and node.value is None:
                continue  # the default of a parameter
            at = Expr(origin.module, origin.scope, node)
            names = [*self.origins.externals(at)] if isinstance(node, nodes.Call) else []
            if isinstance(node, nodes.Call) and at.module is self.index:
                names.append(self.switches.resolve(node.func, at.scope))
            kind = next((name for name in names if name in GENERATORS), "")
            parts: list[Any] = []
            if isinstance(node, (nodes.List, nodes.Tuple)):
                parts = node.elts
            elif isinstance(node, nodes.Dict):
                parts = [value for _, value in node.items]
            elif isinstance(node, nodes.Attribute):
                parts = [node.expr]
            for part in parts if depth and not kind else ():
                kind = kind or self._kind(Expr(at.module, at.scope, part), depth - 1)
            found.add(kind)
        return found.pop() if len(found) == 1 else ""


def _asks_for_worker(cls: ClassInfo) -> bool:
    return any("get_worker_info" in (dotted(n.func) or "") for n in cls.node.nodes_of_class(nodes.Call))


def _seeds(call: nodes.Call, name: str) -> bool:
    """True for `self.g.manual_seed(i)` and `RNG.seed(i)`, by the last name, with a seed that is no literal."""
    func = call.func
    if not isinstance(func, nodes.Attribute) or func.attrname not in SEEDING or not call.args:
        return False
    held = getattr(func.expr, "attrname", getattr(func.expr, "name", "")) == name
    return held and not isinstance(call.args[0], nodes.Const)


def _unseeded(value: Any) -> Any:
    """What a generator is made by, without the `manual_seed` calls that give it back."""
    while (
        isinstance(value, nodes.Call)
        and isinstance(value.func, nodes.Attribute)
        and value.func.attrname == "manual_seed"
    ):
        value = value.func.expr
    return value
