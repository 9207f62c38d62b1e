"""Which modules and parameters of a file are frozen: built so, or by `requires_grad_(False)` and its loops."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Final

from astroid import nodes

from flake8_tensorbranch.engine.checkpointing.instances import Instances
from flake8_tensorbranch.engine.lookup.names import owner
from flake8_tensorbranch.engine.lookup.origins import Expr, Origins
from flake8_tensorbranch.engine.refs import Instance
from flake8_tensorbranch.knowledge.gradients import BARE_MODULES
from flake8_tensorbranch.knowledge.modules import ITERATES_PARAMETERS, PARAMETER_NAMES, PARAMETERS
from flake8_tensorbranch.syntax.kinds import NESTED
from flake8_tensorbranch.syntax.names import ClassInfo, FunctionInfo, dotted
from flake8_tensorbranch.syntax.printing import source_of

DEPTH: Final = 3
_WHOLE: Final = ""  # stands for every attribute of a class


@dataclass(frozen=True, slots=True)
class Switch:
    """A place that sets `requires_grad` of all parameters under `target`, but those whose name holds a word of
    `spared`.
    """

    target: nodes.NodeNG
    value: bool
    spared: frozenset[str]
    sure: bool  # False where a condition or an unknown value decides
    by: str = ""  # the name that gives the value, where it is none that is written out


class Frozen:
    """Answers for the modules of one program."""

    def __init__(self, origins: Origins) -> None:
        self.origins = origins
        self._switches: dict[FunctionInfo | None, list[Switch]] = {}
        self._classes: dict[ClassInfo, dict[str, bool]] | None = None
        self._spared: dict[ClassInfo, frozenset[str]] = {}
        self._names: dict[tuple[FunctionInfo | None, str], bool] = {}
        self.instances = Instances(self, origins)
        self._perhaps: set[ClassInfo] = set()  # frozen by a function that is handed an object of it, nobody sees which

    def attribute(self, cls: ClassInfo, name: str) -> bool:
        """True when an attribute of the class's objects (a module or a parameter) is frozen, and nothing thaws it."""
        classes = self._of_classes()
        found: bool | None = None
        for base in self.origins.program.analysis.resolver.mro(cls):
            known = classes.get(base, {}) if isinstance(base, ClassInfo) else {}
            if name in known:
                found = known[name]
                break
            whole = self._whole(base) if isinstance(base, ClassInfo) else None
            if whole is not None and isinstance(base, ClassInfo):
                found = whole and not any(word in name for word in self._spared.get(base, ()))
        if found is not None:
            return found
        stored = self.origins.stored(cls, name)
        return bool(stored) and all(self.built(s) for s in stored)

    def module(self, expr: Expr) -> bool:
        """True when the module or parameter that an expression names is frozen."""
        node = expr.node
        if isinstance(node, nodes.Attribute):
            for ref in self.origins.value(Expr(expr.module, expr.scope, node.expr)).each:
                if isinstance(ref, Instance) and isinstance(ref.cls, ClassInfo):
                    return self.attribute(ref.cls, node.attrname)
        if isinstance(node, nodes.Subscript):
            return self.module(Expr(expr.module, expr.scope, node.value))
        if isinstance(node, nodes.Name):
            self._of_classes()
            if self._names.get((owner(expr.scope, node.name), node.name)):
                return True
        origins = self.origins.of(expr)
        return bool(origins) and all(self.built(o) for o in origins)

    def perhaps(self, expr: Expr) -> bool:
        """True when the module, or the module whose method an expression names, may be frozen by someone."""
        self._of_classes()
        node = expr.node
        while isinstance(node, (nodes.Attribute, nodes.Subscript)):
            refs = self.origins.value(Expr(expr.module, expr.scope, node)).refs
            node = node.expr if isinstance(node, nodes.Attribute) else node.value
            refs |= self.origins.value(Expr(expr.module, expr.scope, node)).refs
            if any(isinstance(r, Instance) and self._is_perhaps(r.cls) for r in refs):
                return True
        return isinstance(node, nodes.Name) and self._names.get((owner(expr.scope, node.name), node.name), False)

    def _is_perhaps(self, cls: ClassInfo | str) -> bool:
        return isinstance(cls, ClassInfo) and cls in self._perhaps and self.instances.frozen(cls) is not False

    def embedding(self, expr: Expr) -> bool:
        """True for a module that looks rows up, by integers."""
        if any(
            isinstance(r, Instance) and str(r.cls).startswith("torch.nn.Embedding")
            for r in self.origins.value(expr).refs
        ):
            return True
        if not isinstance(expr.node, (nodes.Name, nodes.Attribute)):
            return False
        return all(
            "Embedding" in source_of(o.node) for o in self.origins.of(expr) if isinstance(o.node, nodes.Call)
        ) and any(isinstance(o.node, nodes.Call) for o in self.origins.of(expr))

    def built(self, expr: Expr) -> bool:
        """True for an expression that builds something frozen."""
        node = expr.node
        if isinstance(node, nodes.Name) and expr.scope is not None:
            steps = self.origins.step(expr)
            return bool(steps) and all(self.built(s) for s in steps)
        if not isinstance(node, nodes.Call):
            return False
        func = node.func
        if isinstance(func, nodes.Attribute):
            if func.attrname == "requires_grad_":
                return _given(node, 0, "requires_grad") is False
            if func.attrname == "from_pretrained" and "Embedding" in (dotted(func.expr) or ""):
                return _given(node, 1, "freeze") in (True, None)
            if func.attrname in ("eval", "to", "cuda", "half", "float", "bfloat16", "train"):
                return self.built(Expr(expr.module, expr.scope, func.expr))
        for name in self.origins.externals(expr):
            if name in PARAMETERS:
                return _given(node, 1, "requires_grad") is False
            if self.bare(name):
                return True
            if name in ("torch.nn.Sequential", "torch.nn.ModuleList") and node.args:
                parts = node.args[0].elts if isinstance(node.args[0], (nodes.List, nodes.Tuple)) else node.args
                return all(self.built(Expr(expr.module, expr.scope, a)) for a in parts)
        return False

    @staticmethod
    def bare(qualname: str) -> bool:
        """True for a class of torch.nn without parameters."""
        return qualname.startswith("torch.nn.") and qualname.rsplit(".", 1)[-1] in BARE_MODULES

    def _whole(self, cls: ClassInfo) -> bool | None:
        """Whether all objects of a class are frozen, those that the file makes, or those that a switch speaks of, or
        thawed; None where nothing tells.
        """
        switched = self._of_classes().get(cls, {}).get(_WHOLE)
        made = self.instances.frozen(cls)
        if made is False and switched:
            return None  # of one that is frozen, and another one that trains
        return made or switched

    def named(self, scope: FunctionInfo | None, name: str) -> bool:
        """True for a variable whose module is frozen, and nothing thaws it."""
        self._of_classes()
        return self._names.get((owner(scope, name), name), False)

    # Switches

    def _of_classes(self) -> dict[ClassInfo, dict[str, bool]]:
        if self._classes is None:
            self._classes = {}
            for function in self.origins.program.index.scopes:
                if (
                    function is None
                    or function.name == "__init__"
                    or self.origins.sites(function)
                    or function.cls is None
                ):
                    self._apply(function, {}, DEPTH)
        return self._classes

    def _apply(self, function: FunctionInfo | None, bound: dict[str, Expr], depth: int) -> None:
        """File the switches of one function under the classes they speak of."""
        if function is not None and function.params and not bound and function.cls is None:
            names = [p.name for p in function.params]
            for site in self.origins.sites(function):
                given = {n: g for n in names if (g := self.origins.argument(site, function, n)) is not None}
                if given and depth > 0:
                    self._apply(function, given, depth - 1)
        for found in self._of(function):
            switch = _settled(found, bound)
            target, scope = switch.target, function
            if isinstance(target, nodes.Name) and target.name in bound:
                target, scope = bound[target.name].node, bound[target.name].scope
            root = (dotted(target) or "").split(".")[0]
            handed = scope is not None and scope.cls is None and not self.origins.sites(scope)
            handed = handed and scope is not None and any(p.name == root for p in scope.params)
            self._file(Expr(self.origins.program.index, scope, target), switch, handed)

    def _file(self, target: Expr, switch: Switch, handed: bool) -> None:
        assert self._classes is not None
        node = target.node
        frozen = not switch.value and switch.sure
        if isinstance(node, nodes.Attribute) and node.attrname in PARAMETER_NAMES:
            node = node.expr
            frozen = False if switch.value else frozen
        if isinstance(node, nodes.Name):
            key = (owner(target.scope, node.name), node.name)
            self._names[key] = frozen and self._names.get(key, True)
        holder, name = node, _WHOLE
        if isinstance(node, nodes.Attribute):
            holder, name = node.expr, node.attrname
        for ref in self.origins.value(Expr(target.module, target.scope, holder)).each:
            if isinstance(ref, Instance) and isinstance(ref.cls, ClassInfo):
                if handed and frozen:
                    self._perhaps.add(ref.cls)
                    continue
                known = self._classes.setdefault(ref.cls, {})
                known[name] = frozen and known.get(name, True)
                if name == _WHOLE:
                    self._spared[ref.cls] = self._spared.get(ref.cls, frozenset()) | switch.spared

    def _of(self, function: FunctionInfo | None) -> list[Switch]:
        if function not in self._switches:
            self._switches[function] = list(self._find(function))
        return self._switches[function]

    def _find(self, function: FunctionInfo | None) -> Iterator[Switch]:
        index = self.origins.program.index
        for call in index.calls_in(function):
            func = call.func
            if isinstance(func, nodes.Attribute) and func.attrname == "requires_grad_":
                value = _given(call, 0, "requires_grad")
                by = call.args[0] if call.args else None
                for switch in self._switch(func.expr, True if value is None else value, call):
                    yield replace(switch, by=by.name) if isinstance(by, nodes.Name) else switch
        top = index.tree if function is None else function.node
        for statement in top.nodes_of_class(nodes.Assign, skip_klass=NESTED):
            for target in statement.targets:
                if isinstance(target, nodes.AssignAttr) and target.attrname == "requires_grad":
                    value = statement.value.value if isinstance(statement.value, nodes.Const) else "unknown"
                    named = _contained(statement.value)
                    yield from self._switch(target.expr, False if named else value, statement, named)

    def _switch(
        self, subject: nodes.NodeNG, value: object, node: nodes.NodeNG, named: frozenset[str] = frozenset()
    ) -> Iterator[Switch]:
        """What one setting speaks of: a module, a parameter, or a loop's parameters, all but the `named` ones."""
        loop = node.parent
        sure = isinstance(value, bool)
        spared: set[str] = set(named)
        tests: list[nodes.NodeNG] = []
        while loop is not None and not isinstance(loop, (nodes.FunctionDef, nodes.Module)):
            if (
                isinstance(loop, nodes.For)
                and isinstance(subject, nodes.Name)
                and subject.name in {n.name for n in loop.target.nodes_of_class(nodes.AssignName)}
            ):
                iterated = loop.iter
                if (isinstance(iterated, nodes.Call) and isinstance(iterated.func, nodes.Attribute)) and (
                    iterated.func.attrname in ITERATES_PARAMETERS
                ):
                    spared.update(w for s in loop.body if isinstance(s, nodes.If) for w in _words(s.test))
                    yield Switch(
                        iterated.func.expr, value is not False, frozenset(spared), sure and not self._guarded(loop)
                    )
                return
            if isinstance(loop, nodes.If):
                tests.append(loop.test)
            loop = loop.parent
        yield Switch(subject, value is not False, frozenset(), sure and not tests and not named)

    @staticmethod
    def _guarded(node: nodes.NodeNG) -> bool:
        up = node.parent
        while up is not None and not isinstance(up, (nodes.FunctionDef, nodes.Module)):
            if isinstance(up, (nodes.If, nodes.Try)):
                return True
            up = up.parent
        return False


def _settled(switch: Switch, bound: dict[str, Expr]) -> Switch:
    """A switch whose value a parameter gives, with what a call gives to that."""
    given = bound.get(switch.by)
    if given is None or not isinstance(given.node, nodes.Const) or not isinstance(given.node.value, bool):
        return switch
    return replace(switch, value=given.node.value, sure=True)


def _words(test: nodes.NodeNG) -> Iterator[str]:
    """The strings that a test of a parameter's name mentions."""
    for const in test.nodes_of_class(nodes.Const):
        if isinstance(const.value, str):
            yield const.value.strip(".")


def _contained(value: nodes.NodeNG) -> frozenset[str]:
    """The words of `"lora_" in name or "head" in name`: parameters that have none of them stop training."""
    found: set[str] = set()
    for part in value.values if isinstance(value, nodes.BoolOp) and value.op == "or" else [value]:
        if not (isinstance(part, nodes.Compare) and len(part.ops) == 1 and part.ops[0][0] == "in"):
            return frozenset()
        if not (isinstance(part.left, nodes.Const) and isinstance(part.left.value, str)):
            return frozenset()
        found.add(part.left.value.strip("."))
    return frozenset(found)


def _given(call: nodes.Call, position: int, name: str) -> object:
    """A literal argument; None when it is not given, "unknown" when it is not literal."""
    for keyword in call.keywords:
        if keyword.arg == name:
            return keyword.value.value if isinstance(keyword.value, nodes.Const) else "unknown"
    if position < len(call.args):
        argument = call.args[position]
        return argument.value if isinstance(argument, nodes.Const) else "unknown"
    return None
