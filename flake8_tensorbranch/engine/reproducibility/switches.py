"""Settings that determinism rests on: what a module switches on and off, where, and what stands against each other."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, Final

from astroid import nodes

from flake8_tensorbranch.engine.lookup.origins import Expr, Origins, line
from flake8_tensorbranch.knowledge.reproducibility import (
    ALGORITHMS,
    BENCHMARK,
    CUDNN,
    CUDNN_SCOPE,
    CUDNN_SETTER,
    DEBUG_MODE,
    SEEDING,
    SWITCH_WORDS,
    TRAINERS,
)
from flake8_tensorbranch.syntax.names import FunctionInfo, ModuleIndex, dotted
from flake8_tensorbranch.syntax.printing import source_of

_FLAGS: Final = (CUDNN_SCOPE, CUDNN_SETTER)
_NOTHING: Final[Mapping[str | None, Any]] = MappingProxyType({})
_PROMISE: Final = re.compile(r"reproduc|determinis|repeatab", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Setting:
    """One place that sets a switch: `truths` are the values it may be given, empty where they are not known."""

    name: str
    node: Any
    scope: FunctionInfo | None
    value: nodes.NodeNG | None
    truths: frozenset[bool]

    @property
    def on(self) -> bool:
        """True when the switch may be set, as far as the file shows."""
        return True in self.truths


class Switches:
    """The settings of one module, in the order of the source; `calls` are its calls with the scope of each and the
    qualified name that it spells, empty for none.
    """

    def __init__(self, origins: Origins) -> None:
        self.origins = origins
        self.index: ModuleIndex = origins.program.index
        self.settings: list[Setting] = []
        self.seeds: list[tuple[FunctionInfo | None, nodes.Call]] = []
        self.warn_only: list[Setting] = []
        self.calls = [(scope, call, self.resolve(call.func, scope)) for scope, call in self.index.all_calls()]
        renamed = self.index.mentions(SWITCH_WORDS)
        for scope, call, name in self.calls:
            if name:
                self._call(scope, call, name)
            elif renamed and isinstance(call.func, (nodes.Name, nodes.Call)):
                self._renamed(scope, call)
        assigned = self.index.tree.nodes_of_class(nodes.Assign) if self.index.mentions(("cudnn",)) else ()
        for node in assigned:
            for target in node.targets:
                if isinstance(target, nodes.AssignAttr) and target.attrname in ("benchmark", "deterministic"):
                    scope = origins.program.owner(node)
                    name = self._set(target, scope)
                    if name in (BENCHMARK, CUDNN):
                        self.settings.append(Setting(name, target, scope, node.value, self.truths(scope, node.value)))
        self.settings.sort(key=lambda s: line(s.node))

    def _set(self, target: nodes.AssignAttr, scope: FunctionInfo | None) -> str:
        """The qualified name of an attribute that is set, under another name of its module too."""
        name = self.resolve(target, scope)
        if name in (BENCHMARK, CUDNN):
            return name
        held = self.origins.value(Expr(self.index, scope, target.expr)).each
        return next((f"{ref}.{target.attrname}" for ref in held if isinstance(ref, str)), name)

    def resolve(self, node: nodes.NodeNG, scope: FunctionInfo | None) -> str:
        """The qualified name that a dotted expression spells; empty when it is none."""
        path = dotted(node)
        found = None if path is None else self.origins.program.analysis.resolver.path(self.index, path, scope)
        return found if isinstance(found, str) else ""

    def _renamed(self, scope: FunctionInfo | None, call: nodes.Call) -> None:
        """A call of a switch by a name that it was given in a function, or by a `partial` of it."""
        for origin in self.origins.of(Expr(self.index, scope, call.func), calls=False):
            made, added = origin.node, {}
            if (
                isinstance(made, nodes.Call)
                and made.args
                and self.resolve(made.func, origin.scope) == "functools.partial"
            ):
                added = self.keywords(origin.scope, made)
                made = made.args[0] if len(made.args) == 1 else None
            name = self.resolve(made, origin.scope) if made is not None else ""
            if name in (ALGORITHMS, DEBUG_MODE):
                self._call(scope, call, name, added)

    def _call(
        self, scope: FunctionInfo | None, call: nodes.Call, name: str, bound: Mapping[str | None, Any] = _NOTHING
    ) -> None:
        keywords = {**bound, **self.keywords(scope, call)}
        first = call.args[0] if call.args else None
        if name in SEEDING:
            self.seeds.append((scope, call))
        if name == ALGORITHMS:
            mode = first if first is not None else keywords.get("mode")
            truths = frozenset() if mode is None else self.truths(scope, mode)
            setting = Setting(name, call, scope, mode, truths)
            self.settings.append(setting)
            warn = keywords.get("warn_only")
            if warn is not None and True in self.truths(scope, warn) and setting.on:
                self.warn_only.append(setting)
        elif name == DEBUG_MODE:
            mode = first if first is not None else keywords.get("debug_mode")
            const = self._constant(scope, mode)
            setting = Setting(
                name, call, scope, mode, frozenset({const not in (0, "default")} if const is not None else ())
            )
            self.settings.append(setting)
            if const in (1, "warn") and const is not True:
                self.warn_only.append(setting)
        elif name in _FLAGS:
            for position, switch in ((1, BENCHMARK), (3, CUDNN)):
                word = switch.rsplit(".", 1)[-1]
                positional = call.args[position] if position < len(call.args) else None
                given = positional or keywords.get(word) or keywords.get(f"_{word}")
                if given is not None:
                    self.settings.append(Setting(switch, given, scope, given, self.truths(scope, given)))
                elif name == CUDNN_SCOPE and None not in keywords:
                    self.settings.append(Setting(switch, call, scope, None, frozenset({False})))  # its default
        elif name == "builtins.setattr" and len(call.args) == 3 and isinstance(call.args[1], nodes.Const):
            switch = f"{self.resolve(call.args[0], scope)}.{call.args[1].value}"
            if switch in (BENCHMARK, CUDNN):
                self.settings.append(Setting(switch, call, scope, call.args[2], self.truths(scope, call.args[2])))
        elif name in TRAINERS:
            for keyword, switch in (("benchmark", BENCHMARK), ("deterministic", CUDNN)):
                given = keywords.get(keyword)
                if given is not None:
                    self.settings.append(Setting(switch, given, scope, given, self.truths(scope, given)))

    def keywords(self, scope: FunctionInfo | None, call: nodes.Call) -> dict[str | None, nodes.NodeNG]:
        """What a call is given by name: at the call, and in the dictionaries of literal keys that it unpacks; None
        stands for what it unpacks otherwise.
        """
        found: dict[str | None, nodes.NodeNG] = {}
        for keyword in call.keywords:
            unpacked = [] if keyword.arg else self._unpacked(scope, keyword.value)
            found.update(dict(unpacked) if unpacked else {keyword.arg: keyword.value})
        return found

    def _unpacked(self, scope: FunctionInfo | None, mapping: nodes.NodeNG) -> list[tuple[str | None, Any]]:
        origins = self.origins.of(Expr(self.index, scope, mapping), calls=False)
        made = origins[0].node if len(origins) == 1 else None
        if isinstance(made, nodes.Dict):
            return [(k.value, v) for k, v in made.items if isinstance(k, nodes.Const) and isinstance(k.value, str)]
        if isinstance(made, nodes.Call) and dotted(made.func) == "dict" and not made.args:
            return [(k.arg, k.value) for k in made.keywords]
        return []

    def _constant(self, scope: FunctionInfo | None, node: nodes.NodeNG | None) -> object:
        """The one literal that an expression may be; None where it is none, or not the only one."""
        found = [] if node is None else self.origins.of(Expr(self.index, scope, node))
        return found[0].node.value if len(found) == 1 and isinstance(found[0].node, nodes.Const) else None

    def truths(self, scope: FunctionInfo | None, node: nodes.NodeNG) -> frozenset[bool]:
        """The truth values that an expression may have, as far as its origins are constants."""
        if isinstance(node, nodes.UnaryOp) and node.op == "not":
            return frozenset(not t for t in self.truths(scope, node.operand))
        found = set()
        for origin in self.origins.of(Expr(self.index, scope, node)):
            if isinstance(origin.node, nodes.Const):
                found.add(bool(origin.node.value))
            elif isinstance(origin.node, nodes.UnaryOp) and origin.node is not node:
                found |= self.truths(origin.scope, origin.node)
        return frozenset(found)

    # What stands against each other

    @property
    def deterministic(self) -> list[Setting]:
        """Where determinism is switched on."""
        return [s for s in self.settings if s.name != BENCHMARK and s.on]

    def promise(self) -> nodes.NodeNG | None:
        """A seeding whose function or condition says that the run is to be reproducible."""
        for scope, call in self.seeds:
            if scope is not None and _PROMISE.search(f"{scope.name} {_documentation(scope)}"):
                return call
            up: Any = call.parent
            child: Any = call
            while up is not None and not isinstance(up, (nodes.FunctionDef, nodes.Module)):
                if isinstance(up, nodes.If) and child in up.body and _PROMISE.search(source_of(up.test)):
                    return call
                up, child = up.parent, up
        return None

    def autotuned(self) -> Iterator[tuple[Setting, nodes.NodeNG, bool]]:
        """Benchmarks left on in a deterministic run: the setting, the promise, and whether that is a switch."""
        switches = self.deterministic
        for setting in self.settings:
            if setting.name != BENCHMARK or not setting.on:
                continue
            against = next((d for d in switches if self._conflict(setting, d)), None)
            if against is not None:
                yield setting, against.node, True
            elif not switches and not any(s.name == BENCHMARK and False in s.truths for s in self.settings):
                promise = self.promise()
                if promise is not None:
                    yield setting, promise, False

    def _conflict(self, benchmark: Setting, deterministic: Setting) -> bool:
        """True when the two may hold at once: not on two sides of one test, not undone, not opposites of one flag."""
        if _exclusive(benchmark.node, deterministic.node):
            return False
        if benchmark.scope is deterministic.scope and _opposite(benchmark.value, deterministic.value):
            return False
        for other in self.settings:
            if other.name != BENCHMARK or other is benchmark or other.truths != {False}:
                continue
            if other.scope is deterministic.scope and (
                other.scope is not benchmark.scope or line(other.node) > line(benchmark.node)
            ):
                return False
        return True


def _documentation(scope: FunctionInfo) -> str:
    doc = getattr(scope.node, "doc_node", None)
    return str(doc.value) if isinstance(doc, nodes.Const) else ""


def _opposite(left: nodes.NodeNG | None, right: nodes.NodeNG | None) -> bool:
    """True when one expression is `not` the other."""
    for one, other in ((left, right), (right, left)):
        if (
            isinstance(one, nodes.UnaryOp)
            and one.op == "not"
            and other is not None
            and source_of(one.operand) == source_of(other)
        ):
            return True
    return False


def _exclusive(left: nodes.NodeNG, right: nodes.NodeNG) -> bool:
    """True when two nodes stand on two sides of one `if`."""
    sides: dict[nodes.NodeNG, nodes.NodeNG] = {}
    child, up = left, left.parent
    while up is not None:
        if isinstance(up, nodes.If):
            sides[up] = child
        child, up = up, up.parent
    child, up = right, right.parent
    while up is not None:
        if up in sides and isinstance(up, nodes.If) and (sides[up] in up.body) != (child in up.body):
            return True
        child, up = up, up.parent
    return False
