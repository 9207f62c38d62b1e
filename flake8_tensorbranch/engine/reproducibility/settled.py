"""Draws that a seed just before them settles: nothing in between draws from torch's global generator."""

from __future__ import annotations

from typing import Any, Final

from astroid import nodes

from flake8_tensorbranch.engine.lookup.calltree import tree_of
from flake8_tensorbranch.engine.lookup.origins import Expr
from flake8_tensorbranch.engine.reproducibility.switches import Switches
from flake8_tensorbranch.knowledge.model import lookup, method
from flake8_tensorbranch.knowledge.reproducibility import (
    DRAWLESS,
    GLOBAL_SEEDS,
    ITERATES,
    LOADER,
    RUNS_THROUGH,
    SAMPLERS,
    SEEDING,
)
from flake8_tensorbranch.syntax.kinds import FRAMES
from flake8_tensorbranch.syntax.names import FunctionInfo

_DEPTH: Final = 4
_DATA: Final = "torch.utils.data."
_LATER: Final = (LOADER.rsplit(".", 1)[-1], "BatchSampler", *(n for n in SAMPLERS if n.endswith("Sampler")))
"""What draws when it is iterated, not when it is made."""


class Settled:
    """The seeds of one module, and what runs between them and a draw."""

    def __init__(self, switches: Switches) -> None:
        self.switches = switches
        self.origins = switches.origins
        self.tree = tree_of(switches.origins)

    def at(self, scope: FunctionInfo | None, call: nodes.Call) -> bool:
        """True when all draws that a call leads to come just after a seed, as far as its function shows them."""
        places = self._places(scope, call, _DEPTH)
        return bool(places) and all(self._seeded(scope, place) for place in places)

    # Where an order is drawn

    def _places(self, scope: FunctionInfo | None, made: nodes.NodeNG, depth: int) -> list[nodes.NodeNG]:
        """The statements in which the order of what a call makes is drawn; empty where that is not all in view."""
        name = self._name(scope, made)
        if name.rsplit(".", 1)[-1] not in _LATER:
            return [made.statement()]
        return self._taken(scope, made, depth)

    def _name(self, scope: FunctionInfo | None, call: Any) -> str:
        spelled = self.switches.resolve(call.func, scope)
        meant = [n for n in self.switches.meant(scope, call) if n.startswith(_DATA)]
        return spelled or (meant[0] if meant else f"{_DATA}{_LATER[0]}")

    def _taken(self, scope: FunctionInfo | None, node: nodes.NodeNG, depth: int) -> list[nodes.NodeNG]:
        """The statements that iterate a value for the first time; empty where it goes elsewhere."""
        up: Any = node.parent
        if depth <= 0 or up is None:
            return []
        if isinstance(up, (nodes.For, nodes.Comprehension)) and up.iter is node:
            return [up.statement()]
        if isinstance(up, nodes.YieldFrom):
            return [up.statement()]
        if isinstance(up, nodes.Keyword):
            node, up = up, up.parent
        if isinstance(up, nodes.Call) and node is not up.func:
            name = self.switches.resolve(up.func, scope)
            if name.startswith(_DATA):
                return self._places(scope, up, depth - 1)
            if name in ITERATES:
                return [up.statement()]
            return self._taken(scope, up, depth - 1) if name in RUNS_THROUGH else []
        if isinstance(up, nodes.Assign) and len(up.targets) == 1 and isinstance(up.targets[0], nodes.AssignName):
            return self._of_name(scope, up.targets[0].name, depth)
        return []

    def _of_name(self, scope: FunctionInfo | None, name: str, depth: int) -> list[nodes.NodeNG]:
        if scope is None or len(scope.local_names.get(name, ())) != 1 or any(name in f.free for f in scope.nested):
            return []
        found: list[nodes.NodeNG] = []
        for used in scope.node.nodes_of_class(nodes.Name):
            if used.name != name:
                continue
            up = used.parent
            length = isinstance(up, nodes.Call) and self.switches.resolve(up.func, scope) == "builtins.len"
            if not length:
                places = self._taken(scope, used, depth - 1)
                if not places:
                    return []
                found.extend(places)
        return found

    # What runs before

    def _seeded(self, scope: FunctionInfo | None, place: nodes.NodeNG) -> bool:
        """True when the statements before a place seed the generator, and nothing draws from it after that."""
        child, up = place, place.parent
        while up is not None:
            for block in (getattr(up, name, None) for name in ("body", "orelse", "finalbody")):
                for before in (
                    reversed(block[: block.index(child)]) if isinstance(block, list) and child in block else ()
                ):
                    if self._seeds(scope, before):
                        return True
                    if not self._draws_nothing(scope, before):
                        return False
            if isinstance(up, (FRAMES, nodes.For, nodes.While)):
                return False  # another round comes after what follows
            child, up = up, up.parent
        return False

    def _seeds(self, scope: FunctionInfo | None, statement: Any) -> bool:
        """True for a statement that seeds it: by torch, by a function that does; where a seed is asked for, if there is
        one.
        """
        if isinstance(statement, nodes.If):
            seeds = [s for s in statement.body if self._seeds(scope, s)]
            asked = {n.name for n in statement.test.nodes_of_class(nodes.Name)}
            return bool(asked) and any(n.name in asked for s in seeds for n in s.nodes_of_class(nodes.Name))
        if not isinstance(statement, (nodes.Expr, nodes.Assign)):
            return False
        return any(self._is_seed(scope, c) for c in statement.nodes_of_class(nodes.Call))

    def _is_seed(self, scope: FunctionInfo | None, call: nodes.Call) -> bool:
        if self.switches.resolve(call.func, scope) in GLOBAL_SEEDS:
            return bool(call.args or call.keywords)
        for callee in self.origins.callees(Expr(self.switches.index, scope, call)):
            facts = self.origins.facts(callee.module, callee)
            for node, names in facts.externals.items():
                statement = node.statement()
                while isinstance(statement.parent, nodes.If):
                    statement = statement.parent
                if statement.parent is callee.node and any(name in GLOBAL_SEEDS for name in names):
                    return True
        return False

    def _draws_nothing(self, scope: FunctionInfo | None, statement: nodes.NodeNG) -> bool:
        calls = () if isinstance(statement, FRAMES) else statement.nodes_of_class(nodes.Call, skip_klass=FRAMES)
        return all(self._call_draws_nothing(Expr(self.switches.index, scope, call)) for call in calls)

    def _call_draws_nothing(self, call: Expr) -> bool:
        names = list(self.origins.externals(call))
        spelled = self.switches.resolve(call.node.func, call.scope) if call.module is self.switches.index else ""
        if spelled and spelled not in names:
            names.append(spelled)
        callees = self.origins.callees(call)
        if not all(_is_drawless(name) for name in names):
            return False
        for callee in callees:
            for inner in self.tree.reached(callee):
                facts = self.origins.facts(inner.module, inner)
                if not all(_is_drawless(name) for found in facts.externals.values() for name in found):
                    return False
        if names or callees:
            return True
        func = call.node.func
        if not isinstance(func, nodes.Attribute):
            return False
        row = method(func.attrname, len(call.node.args), frozenset(k.arg or "" for k in call.node.keywords))
        return row is not None and "rng" not in row.effects


def _is_drawless(name: str) -> bool:
    """True for what draws nothing from torch's generator: Python's and NumPy's own, torch's functions whose rows say
    so.
    """
    if name in SEEDING or name.startswith(DRAWLESS):
        return True
    row = lookup(name) if name.startswith("torch.") and not name.startswith("torch.nn.") else None
    return row is not None and "rng" not in row.effects
