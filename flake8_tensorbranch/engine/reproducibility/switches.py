"""Settings that determinism rests on: what a module switches on and off, where, and what stands against each other."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, Final

from astroid import nodes

from flake8_tensorbranch.engine.inference.arguments import Arguments
from flake8_tensorbranch.engine.lattice import NO_CONST
from flake8_tensorbranch.engine.lookup.origins import Expr, Origins, line
from flake8_tensorbranch.knowledge.reproducibility import (
    ALGORITHMS,
    BENCHMARK,
    CUDNN,
    CUDNN_SCOPE,
    CUDNN_SETTER,
    DEBUG_MODE,
    SEEDING,
    SETATTR,
    SWITCH_WORDS,
    TRAINERS,
)
from flake8_tensorbranch.syntax.binding import assigned
from flake8_tensorbranch.syntax.names import FunctionInfo, ModuleIndex, dotted
from flake8_tensorbranch.syntax.printing import source_of

_FLAGS: Final = (CUDNN_SCOPE, CUDNN_SETTER)
_FLAG_NAMES: Final = ("benchmark", "deterministic")
_NOTHING: Final[Mapping[str, Arguments]] = MappingProxyType({})
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
            elif renamed:
                for meant in self.meant(scope, call):
                    self._call(scope, call, meant)
        if self.index.mentions(("cudnn",)):
            self._stores()
        self.settings.sort(key=lambda s: line(s.node))

    def _stores(self) -> None:
        """The attributes of cuDNN's module that are set, alone, beside others, or by `|=`."""
        for target in self.index.tree.nodes_of_class(nodes.AssignAttr):
            up: Any = target.parent
            added = isinstance(up, nodes.AugAssign)
            value = up.value if added else assigned(target)
            if target.attrname not in _FLAG_NAMES or value is None:
                continue
            scope = self.origins.program.owner(target)
            name = self._set(target, scope)
            if name in (BENCHMARK, CUDNN):
                truths = self.truths(scope, value)
                if added:  # `|= True` sets, `&= False` takes back
                    truths &= {"|=": {True}, "&=": {False}}.get(up.op, set())
                self.settings.append(Setting(name, target, scope, value, truths))

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

    def meant(self, scope: FunctionInfo | None, call: nodes.Call) -> Mapping[str, Arguments]:
        """What a call calls outside the project, however that is named there (in a local, a table, a `partial`), with
        the arguments that reach it.
        """
        return self.origins.facts(self.index, scope).externals.get(call, _NOTHING)

    def _told(
        self, scope: FunctionInfo | None, call: nodes.Call, name: str, place: tuple[int, str]
    ) -> tuple[nodes.NodeNG | None, list[object]]:
        """What a call gives for a parameter, at a position or by its name: the expression, where the call shows it,
        and the literals that it may be.
        """
        position, word = place
        starred = any(isinstance(a, nodes.Starred) for a in call.args[: position + 1])
        unpacked = any(k.arg is None for k in call.keywords)
        plain = self.resolve(call.func, scope) == name
        known = None if plain and not starred and not unpacked else self.meant(scope, call).get(name)
        before = 0 if known is None or starred else max(len(known.positional) - len(call.args), 0)
        given = None
        if not starred and before <= position < len(call.args) + before:
            given = call.args[position - before]
        elif known is None or position >= len(known.positional):
            given = self.keywords(scope, call).get(word)
        if given is not None:
            return given, self.literals(scope, given)
        value = None if known is None else known.get(position, word)
        return None, [] if value is None or value.const in (NO_CONST, slice, set) else [value.const]

    def _call(self, scope: FunctionInfo | None, call: nodes.Call, name: str) -> None:
        if name in SEEDING:
            self.seeds.append((scope, call))
        if name == ALGORITHMS:
            mode, literals = self._told(scope, call, name, (0, "mode"))
            setting = Setting(name, call, scope, mode, frozenset(map(bool, literals)))
            self.settings.append(setting)
            if setting.on and any(self._told(scope, call, name, (1, "warn_only"))[1]):
                self.warn_only.append(setting)
        elif name == DEBUG_MODE:
            mode, literals = self._told(scope, call, name, (0, "debug_mode"))
            const = literals[0] if len(literals) == 1 else None
            truths = frozenset({const not in (0, "default")} if const is not None else ())
            setting = Setting(name, call, scope, mode, truths)
            self.settings.append(setting)
            if const in (1, "warn") and const is not True:
                self.warn_only.append(setting)
        elif name in _FLAGS:
            for position, switch in ((1, BENCHMARK), (3, CUDNN)):
                word = switch.rsplit(".", 1)[-1]
                given, literals = self._told(scope, call, name, (position, word))
                if given is None and not literals:
                    given, literals = self._told(scope, call, name, (position, f"_{word}"))
                if given is not None or literals:
                    at = call if given is None else given
                    self.settings.append(Setting(switch, at, scope, given, frozenset(map(bool, literals))))
                elif name == CUDNN_SCOPE and not any(k.arg is None for k in call.keywords):
                    self.settings.append(Setting(switch, call, scope, None, frozenset({False})))  # its default
        elif name == SETATTR:
            known = self.meant(scope, call).get(name)
            if known is not None and len(known.positional) == 3 and known.positional[1].const in _FLAG_NAMES:
                held = [f"{ref}.{known.positional[1].const}" for ref in known.positional[0].each]
                given, literals = self._told(scope, call, name, (2, ""))
                for switch in held:
                    if switch in (BENCHMARK, CUDNN):
                        self.settings.append(Setting(switch, call, scope, given, frozenset(map(bool, literals))))
            elif len(call.args) == 3:
                self._set_in_turn(scope, call)
        elif name in TRAINERS:
            keywords = self.keywords(scope, call)
            for keyword, switch in (("benchmark", BENCHMARK), ("deterministic", CUDNN)):
                given = keywords.get(keyword)
                if given is not None:
                    self.settings.append(Setting(switch, given, scope, given, self.truths(scope, given)))

    def _set_in_turn(self, scope: FunctionInfo | None, call: nodes.Call) -> None:
        """What `setattr(cudnn, name, value)` sets in a loop over pairs that are written there."""
        owner, key, value = call.args
        held = [ref for ref in self.origins.value(Expr(self.index, scope, owner)).each if isinstance(ref, str)]
        wanted = key.name if isinstance(key, nodes.Name) else ""
        for row in _rows(call) if held and wanted else ():
            named = row.get(wanted)
            given = row.get(value.name, value) if isinstance(value, nodes.Name) else value
            name = named.value if isinstance(named, nodes.Const) else ""
            for switch in (f"{ref}.{name}" for ref in held):
                if switch in (BENCHMARK, CUDNN):
                    self.settings.append(Setting(switch, call, scope, given, self.truths(scope, given)))

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

    def literals(self, scope: FunctionInfo | None, node: nodes.NodeNG) -> list[object]:
        """The literals that an expression may be: the one that it is where it stands, or those that it is made from."""
        if isinstance(node, nodes.Const):
            return [node.value]
        if isinstance(node, nodes.UnaryOp) and node.op == "not":
            return [not truth for truth in self.literals(scope, node.operand)]
        const = self.origins.value(Expr(self.index, scope, node)).const
        if isinstance(const, (bool, int, str)):
            return [const]
        found: list[object] = []
        for origin in self.origins.of(Expr(self.index, scope, node)):
            if isinstance(origin.node, nodes.Const):
                found.append(origin.node.value)
            elif isinstance(origin.node, nodes.UnaryOp) and origin.node is not node:
                found.extend(self.literals(origin.scope, origin.node))
        return found

    def truths(self, scope: FunctionInfo | None, node: nodes.NodeNG) -> frozenset[bool]:
        """The truth values that an expression may have, as far as its origins are constants."""
        return frozenset(map(bool, self.literals(scope, node)))

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


def _documentation(scope: FunctionInfo) -> str:
    doc = getattr(scope.node, "doc_node", None)
    return str(doc.value) if isinstance(doc, nodes.Const) else ""


def _rows(call: nodes.Call) -> Iterator[dict[str, Any]]:
    """What the names of the loop around a call are bound to in each round, where pairs are written out there."""
    loop = call.statement().parent
    if not isinstance(loop, nodes.For) or not isinstance(loop.target, nodes.Tuple):
        return
    names = [target.name for target in loop.target.elts if isinstance(target, nodes.AssignName)]
    over: Any = loop.iter
    rows: list[Any] = []
    if isinstance(over, (nodes.List, nodes.Tuple)):
        rows = [row.elts for row in over.elts if isinstance(row, (nodes.List, nodes.Tuple))]
    elif isinstance(over, nodes.Call) and isinstance(over.func, nodes.Attribute) and over.func.attrname == "items":
        rows = list(over.func.expr.items) if isinstance(over.func.expr, nodes.Dict) else []
    yield from (dict(zip(names, row, strict=True)) for row in rows if len(row) == len(names) == len(loop.target.elts))
