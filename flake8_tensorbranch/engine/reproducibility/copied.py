"""Generators that every DataLoader worker gets a copy of: on datasets, and in the variables of a module."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Final

from astroid import nodes

from flake8_tensorbranch.engine.lookup.origins import Expr, Origins
from flake8_tensorbranch.engine.reproducibility.switches import Switches
from flake8_tensorbranch.knowledge.randomness import SEEDING
from flake8_tensorbranch.knowledge.reproducibility import DATASETS, GENERATORS
from flake8_tensorbranch.syntax.names import ClassInfo, FunctionInfo, dotted

_ITEMS: Final = ("__getitem__", "__getitems__", "__iter__")


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
        self.index = origins.program.index
        self.switches = switches
        self.loaders = loaders

    def all(self) -> Iterator[Kept]:
        """None where a `worker_init_fn` may seed them, or no loader of the file has workers."""
        if any(k.arg in ("worker_init_fn", None) for _, call in self.loaders for k in call.keywords):
            return
        workers = [self._workers(scope, call) for scope, call in self.loaders]
        if workers and not any(workers):
            return
        told: set[str] = set()
        for cls in self.index.classes:
            if not self._is_dataset(cls) or any(
                isinstance(n, nodes.Call) and "get_worker_info" in (dotted(n.func) or "")
                for n in cls.node.nodes_of_class(nodes.Call)
            ):
                continue
            drawn = "__getitem__" if "__getitem__" in cls.methods else "__iter__"
            init = cls.methods.get("__init__")
            for store in init.attribute_stores if init is not None else ():
                kind = self._generator(init, getattr(store.parent, "value", None))
                if kind and self._drawn_from(cls, store.attrname):
                    yield Kept(store, init, dotted(store) or store.attrname, kind, drawn, bool(workers))
            for name, target in self._variables(cls):
                kind = self._generator(None, target.parent.value)
                if kind and name not in told:
                    told.add(name)
                    yield Kept(target, None, name, kind, drawn, bool(workers))

    def _variables(self, cls: ClassInfo) -> Iterator[tuple[str, Any]]:
        """The module's variables that are bound once and that the workers use without seeding them, with where each
        is bound.
        """
        functions = self._run(cls)
        names: dict[str, None] = {}
        for function in functions:
            for node in function.node.nodes_of_class(nodes.Name):
                if node.name in self.index.bindings and node.name not in function.local_names:
                    names[node.name] = None
        for name in names:
            bindings = self.index.bindings[name]
            targets: list[Any] = getattr(bindings[0].statement, "targets", [])
            if len(bindings) != 1 or len(targets) != 1 or not isinstance(targets[0], nodes.AssignName):
                continue
            if not any(_seeds(call, name) for function in functions for call in function.calls):
                yield name, targets[0]

    def _run(self, cls: ClassInfo) -> list[FunctionInfo]:
        """The functions of the file that workers run for an item."""
        found: dict[FunctionInfo, None] = {}
        begin = [m for n, m in cls.methods.items() if n in _ITEMS]
        while begin:
            function = begin.pop()
            if function not in found and function.module is self.index:
                found[function] = None
                begin.extend(c for call in function.calls for c in self.program.callees(function, call))
        return list(found)

    def _workers(self, scope: FunctionInfo | None, call: nodes.Call) -> bool:
        given = next((k.value for k in call.keywords if k.arg == "num_workers"), None)
        if given is None:
            return len(call.args) > 5
        return not (isinstance(given, nodes.Const) and given.value == 0)

    def _generator(self, scope: FunctionInfo | None, value: Any) -> str:
        value = _unseeded(value)
        if not isinstance(value, nodes.Call):
            return ""
        known = self.switches.resolve(value.func, scope)
        known = known if known in GENERATORS else ""
        return known or self._made_by_a_helper(Expr(self.index, scope, value))

    def _made_by_a_helper(self, call: Expr) -> str:
        """The kind of generator that a function of the project returns, of this file or another."""
        if not self.origins.callees(call):
            return ""
        found = set()
        for origin in self.origins.of(call):
            made = _unseeded(origin.node)
            names = self.origins.externals(Expr(origin.module, origin.scope, made)) if made is not call.node else ()
            found.add(next((name for name in names if name in GENERATORS), ""))
        return found.pop() if len(found) == 1 else ""

    def _is_dataset(self, cls: ClassInfo) -> bool:
        for base in self.program.analysis.resolver.mro(cls):
            if (
                isinstance(base, str)
                and base.startswith(("torch.utils.data.", "torchvision.datasets."))
                and base.endswith(DATASETS)
            ):
                return True
        return False

    def _drawn_from(self, cls: ClassInfo, attribute: str) -> bool:
        """True when the methods that workers run use the attribute, and none of them sets or seeds it anew."""
        begin = [m for n, m in cls.methods.items() if n in _ITEMS]
        seen: set[FunctionInfo] = set()
        used = False
        while begin:
            method = begin.pop()
            if method in seen:
                continue
            seen.add(method)
            if any(s.attrname == attribute for s in method.attribute_stores):
                return False
            if any(_seeds(call, attribute) for call in method.calls):
                return False
            own = method.params[0].name if method.params else ""
            for node in method.node.nodes_of_class(nodes.Attribute):
                if isinstance(node.expr, nodes.Name) and node.expr.name == own:
                    used = used or node.attrname == attribute
                    if node.attrname in cls.methods:
                        begin.append(cls.methods[node.attrname])
        return used


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
