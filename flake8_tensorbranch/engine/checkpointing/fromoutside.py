"""Modules that are put into reentrant checkpoints from outside of their class, in a model that DDP is then given."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from astroid import nodes

from flake8_tensorbranch.engine.checkpointing.frozen import Frozen
from flake8_tensorbranch.engine.checkpointing.recomputes import Recomputes
from flake8_tensorbranch.engine.lookup import slices
from flake8_tensorbranch.engine.lookup.origins import Expr, Origins
from flake8_tensorbranch.engine.refs import Instance
from flake8_tensorbranch.knowledge.regions import RegionEntry, entry
from flake8_tensorbranch.syntax.kinds import FUNCTIONS

_IMPL: Final = "checkpoint_impl"
_KEPT: Final = (nodes.Assign, nodes.AnnAssign)


class FromOutside:
    """Finds the calls of a file that wrap a module, or modules of a model, in reentrant checkpoints."""

    def __init__(self, origins: Origins, recomputes: Recomputes, frozen: Frozen) -> None:
        self.origins = origins
        self.recomputes = recomputes
        self.frozen = frozen
        self.options = recomputes.options

    def given(self, models: list[Expr | None]) -> Iterator[tuple[Expr, RegionEntry]]:
        """The wrapping calls whose module becomes part of one of these models, as far as the source shows; None is any
        model.
        """
        index = self.origins.program.index
        for scope, call in index.all_calls():
            expr = Expr(index, scope, call)
            row = self._row(expr)
            if row is None or not self._reentrant(expr, row) or self._is_bare(expr, row):
                continue
            root = self._root(expr, row)
            if any(model is None or self._holds(model, expr, root) for model in models):
                yield expr, row

    def _row(self, expr: Expr) -> RegionEntry | None:
        """The entry of a call that wraps: a maker of wrapped modules, in-place wrapping, `forward = partial(...)`."""
        for name in self.origins.externals(expr):
            row = entry(name)
            if row is not None and row.kind == "checkpointed" and (row.reentrant_keyword == _IMPL or row.wrapper):
                return row
        kept = expr.node.parent.targets if isinstance(expr.node.parent, nodes.Assign) else []
        if not any(isinstance(t, nodes.AssignAttr) and t.attrname == "forward" for t in kept) or not expr.node.args:
            return None
        if "functools.partial" not in self.origins.externals(expr):
            return None
        names = self.origins.value(Expr(expr.module, expr.scope, expr.node.args[0])).each
        rows = [entry(n) for n in names if isinstance(n, str)]
        return next((r for r in rows if r is not None and r.reentrant_keyword == "use_reentrant"), None)

    def _reentrant(self, call: Expr, row: RegionEntry) -> bool:
        """True for a call that asks for the reentrant variant and for no other."""
        if row.wrapper:
            position = 1
            given = next((k.value for k in call.node.keywords if k.arg == row.wrapper), None)
            if given is None and len(call.node.args) > position:
                given = call.node.args[position]
            return given is not None and self._makes_reentrant(Expr(call.module, call.scope, given))
        given_ = self.options.given(call, row.reentrant_keyword)
        told = [g for g in given_ if isinstance(g, Expr)]
        if len(told) < len(given_) or not told:
            return False
        if row.reentrant_keyword == _IMPL:
            return all(self.options.implementation(g) is True for g in told)
        return all(self.options.constants(g) == [True] for g in told)

    def _makes_reentrant(self, wrapper: Expr) -> bool:
        """True for a function that wraps so: a partial of torch's, or a function that returns a call of it."""
        made = self.origins.of(wrapper, calls=False)
        found: list[bool] = []
        for origin in made:
            node = origin.node
            if isinstance(node, nodes.Call) and "functools.partial" in self.origins.externals(origin):
                told = [g for g in self.options.given(origin, _IMPL) if isinstance(g, Expr)]
                found.append(bool(told) and all(self.options.implementation(g) is True for g in told))
            elif isinstance(node, FUNCTIONS):
                function = next((f for f in origin.module.functions if f.node is node), None)
                returned = self.origins.returns(function) if function is not None else []
                rows = [(r, self._row(r)) for r in returned if isinstance(r.node, nodes.Call)]
                found.append(bool(rows) and all(row is not None and self._reentrant(r, row) for r, row in rows))
            else:
                found.append(False)
        return bool(found) and all(found)

    def _is_bare(self, call: Expr, row: RegionEntry) -> bool:
        """True where what is wrapped has no parameters, or none to train."""
        if row.wrapper or not call.node.args:
            return False
        module = Expr(call.module, call.scope, call.node.args[-1])
        classes = [r.cls for r in self.origins.value(module).each if isinstance(r, Instance)]
        if classes and all(isinstance(c, str) and self.frozen.bare(c) for c in classes):
            return True
        held = self.recomputes.holding.of(module)
        return (held.complete and not held.state) or self.frozen.module(module)

    def _root(self, call: Expr, row: RegionEntry) -> Expr | None:
        """What the wrapped module becomes a part of: the model that is given, or whose attribute or item is set."""
        if row.wrapper:
            return Expr(call.module, call.scope, call.node.args[0]) if call.node.args else None
        child, up = call.node, call.node.parent
        while up is not None and not up.is_statement:
            if isinstance(up, nodes.Call) and isinstance(up.func, nodes.Name) and up.func.name == "setattr":
                return _root_of(call, up.args[0]) if child is up.args[-1] else None
            child, up = up, up.parent
        if isinstance(up, _KEPT):
            targets = up.targets if isinstance(up, nodes.Assign) else [up.target]
            if isinstance(targets[0], (nodes.AssignAttr, nodes.Subscript)):
                return _root_of(call, targets[0])
        return None

    def _holds(self, model: Expr, call: Expr, root: Expr | None) -> bool:
        """True where a wrapped module is, as far as the source shows, a part of a model."""
        if any(part.node is call.node for part in slices.backward(self.origins, model)):
            return True
        if root is None:
            return False
        same = isinstance(root.node, nodes.Name) and isinstance(model.node, nodes.Name)
        if same and root.scope is model.scope and root.node.name == model.node.name:
            return True
        made = [o.node for o in self.origins.of(model)]
        return any(o.node is m for o in self.origins.of(root) for m in made)


def _root_of(call: Expr, target: Any) -> Expr | None:
    """The name that a target begins with, but for the object whose method this is: that is seen from inside."""
    while isinstance(target, (nodes.Attribute, nodes.AssignAttr, nodes.Subscript)):
        target = target.value if isinstance(target, nodes.Subscript) else target.expr
    scope = call.scope
    if not isinstance(target, nodes.Name):
        return None
    own = scope is not None and scope.takes_self and bool(scope.params) and scope.params[0].name == target.name
    return None if own else Expr(call.module, scope, target)
