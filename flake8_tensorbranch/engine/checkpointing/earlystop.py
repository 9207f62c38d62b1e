"""Which checkpointed regions `set_checkpoint_early_stop` governs: those that begin while its context is open."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, cast

from astroid import nodes

from flake8_tensorbranch.engine.lattice import UNKNOWN_KIND
from flake8_tensorbranch.engine.lookup.calltree import tree_of
from flake8_tensorbranch.engine.lookup.origins import Expr, Origins
from flake8_tensorbranch.engine.regions.region import Entry
from flake8_tensorbranch.knowledge.scopes import EARLY_STOP_SWITCH
from flake8_tensorbranch.syntax.kinds import SCOPE_NODES
from flake8_tensorbranch.syntax.names import FunctionInfo, ModuleIndex, dotted, last_name


def stops(origins: Origins, begin: Entry, inside: FunctionInfo | None = None) -> bool:
    """True where the recompute of a region stops once the last tensor is saved (facts B9): a non-reentrant one whose
    early stop nothing switches off, around its beginning or where a function `inside` of it stands.
    """
    if begin.reentrant is not False:
        return False
    if EarlyStop not in origins.memo:
        origins.memo[EarlyStop] = EarlyStop(origins)
    return not cast("EarlyStop", origins.memo[EarlyStop]).is_off(begin, inside)


class EarlyStop:
    """Answers whether a region's recompute stops early, as far as the files around it tell."""

    def __init__(self, origins: Origins) -> None:
        self.origins = origins
        self.tree = tree_of(origins)
        self._off: dict[tuple[ModuleIndex, Entry], bool] = {}

    def is_off(self, begin: Entry, inside: FunctionInfo | None) -> bool:
        """True where the early stop is switched off, by an option of the entry or a context that may be open there."""
        if begin.option("early_stop", True) is not True:
            return True
        modules = dict.fromkeys(f.module for f in (inside, begin.scope) if f is not None)
        return any(self._in(module, begin) for module in modules if module.mentions((EARLY_STOP_SWITCH,)))

    def _in(self, module: ModuleIndex, begin: Entry) -> bool:
        key = (module, begin)
        if key not in self._off:
            self._off[key] = any(self._governs(module, use, begin) for use in _uses(module))
        return self._off[key]

    def _governs(self, module: ModuleIndex, use: Any, begin: Entry) -> bool:
        """True where the region may begin under a use; what is no plain `with` may stay open anywhere."""
        call = use.parent
        if not isinstance(call, nodes.Call) or call.func is not use:
            return True
        given = call.args[0] if call.args else next((k.value for k in call.keywords), None)
        if isinstance(given, nodes.Const) and given.value is True:
            return False
        body = _open(call)
        if not body or begin.row is None or not isinstance(begin.node, nodes.Call):
            return True
        here = Expr(begin.scope.module if begin.scope else module, begin.scope, begin.node)
        if begin.row.qualname not in self.origins.externals(here):
            return True  # it is wrapped here, and run elsewhere
        if any(s is begin.node or s.parent_of(begin.node) for s in body):
            return True
        scope = next((s for s, c in module.calls_of(EARLY_STOP_SWITCH) if c is call), None)
        calls = (c for s in body for c in s.nodes_of_class(nodes.Call) if c is not call and not c.parent_of(call))
        return any(self._may_run(Expr(module, scope, c), begin.scope) for c in calls)

    def _may_run(self, call: Expr, scope: FunctionInfo | None) -> bool:
        """True where a call may lead to the function in which a region begins, or to code that is not known."""
        found = list(self.origins.callees(call))
        for given in (*call.node.args, *(k.value for k in call.node.keywords)):
            found.extend(f for f, _ in self.origins.functions(Expr(call.module, call.scope, given)))
        if any(scope in self.tree.reached(function) for function in found):
            return True
        value = self.origins.value(Expr(call.module, call.scope, call.node.func))
        return not found and not self.origins.externals(call) and bool(value.kinds & UNKNOWN_KIND and not value.refs)


def _uses(module: ModuleIndex) -> Iterator[nodes.NodeNG]:
    """Where a file names the switch, but for plain imports of it."""
    for node in module.tree.nodes_of_class((nodes.Name, nodes.Attribute)):
        if last_name(node) == EARLY_STOP_SWITCH:
            yield node
    for statement in module.tree.nodes_of_class(nodes.ImportFrom):
        if any(name == EARLY_STOP_SWITCH and alias for name, alias in statement.names):
            yield statement


def _open(call: nodes.Call) -> list[Any]:
    """The statements that run while what a call makes is open; none where that is not seen."""
    up = call.parent
    if isinstance(up, nodes.With):
        return list(up.body)
    if isinstance(up, nodes.Call) and isinstance(up.func, nodes.Attribute) and up.func.attrname == "enter_context":
        around, name = up.parent, dotted(up.func.expr)
        while around is not None and not isinstance(around, SCOPE_NODES):
            if isinstance(around, nodes.With) and any(t is not None and dotted(t) == name for _, t in around.items):
                return list(around.body)
            around = around.parent
    if isinstance(up, nodes.Assign) and up.value is call and isinstance(up.targets[0], nodes.AssignName):
        name, top = up.targets[0].name, up.scope()
        reads = [n for n in top.nodes_of_class(nodes.Name) if n.name == name]
        entered = [n.parent for n in reads if isinstance(n.parent, nodes.With)]
        if len(entered) == len(reads):
            return [statement for around in entered for statement in around.body]
    return []
