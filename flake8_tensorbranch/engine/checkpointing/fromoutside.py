"""Modules that are put into reentrant checkpoints from outside of their class, in a model that DDP is then given."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Final

from astroid import nodes

from flake8_tensorbranch.engine.checkpointing.frozen import Frozen
from flake8_tensorbranch.engine.checkpointing.paths import EACH, Path
from flake8_tensorbranch.engine.checkpointing.perstep import PerStep
from flake8_tensorbranch.engine.checkpointing.puts import Put, Puts
from flake8_tensorbranch.engine.checkpointing.recomputes import Recomputes
from flake8_tensorbranch.engine.lattice import AbstractValue, element
from flake8_tensorbranch.engine.lookup import slices
from flake8_tensorbranch.engine.lookup.origins import Expr, Origins
from flake8_tensorbranch.engine.refs import Instance
from flake8_tensorbranch.engine.regions.selected import forwards, selected
from flake8_tensorbranch.knowledge.regions import RegionEntry, entry
from flake8_tensorbranch.syntax.kinds import FUNCTIONS
from flake8_tensorbranch.syntax.names import ClassInfo, FunctionInfo

_IMPL: Final = "checkpoint_impl"


class FromOutside:
    """Finds the calls of a file that wrap a module, or modules of a model, in reentrant checkpoints."""

    def __init__(self, origins: Origins, recomputes: Recomputes, frozen: Frozen) -> None:
        self.origins = origins
        self.recomputes = recomputes
        self.frozen = frozen
        self.options = recomputes.options
        self.steps = PerStep(origins)
        self.puts = Puts(origins)

    def given(self, models: list[tuple[Expr | None, bool]]) -> Iterator[tuple[Expr, RegionEntry, str]]:
        """The wrapping calls whose module becomes part of one of these models, as far as the source shows, and how DDP
        comes to mark it ready twice; None is any model, and the flag tells those whose unused parameters are searched.
        """
        index = self.origins.program.index
        for scope, call in index.all_calls():
            expr = Expr(index, scope, call)
            row = self._row(expr)
            if row is None or not self._reentrant(expr, row) or self._is_bare(expr, row):
                continue
            put = self._put(expr, row)
            held = {unused for model, unused in models if model is None or self.holds(model, expr, put)}
            how = "unused" if True in held else ""
            if held and not how and put is not None:
                how = self._wraps_again(expr, row, put)
            if how:
                yield expr, row, how

    def _wraps_again(self, call: Expr, row: RegionEntry, put: Put) -> str:
        """How a step runs what is wrapped more than once."""
        if not row.wrapper:
            return self.again(put)
        classes = selected(self.origins, call, row)
        if classes == []:
            return ""  # which modules are wrapped is not read
        names = [cls for cls in classes or () if isinstance(cls, str)]
        entries = [] if names and len(names) == len(classes or ()) else self.recomputes.regions.entries
        found = [f for begin, functions in entries if begin.node is call.node for f in functions]
        return self._how(put.root, found, names=names)

    def again(self, put: Put) -> str:
        """How a step of a model runs a module of it more than once: `twice`, or `outside` of its region, too; else
        empty.
        """
        found = list(forwards(self.origins.program, list(put.classes))) if put.classes else []
        return self._how(put.root, found, put.path)

    def _how(self, root: Expr, found: list[FunctionInfo], path: Path = (), names: list[str] | None = None) -> str:
        """The same of the module at a path, or of those below the model that have one of these forwards or classes."""
        for cls in self._models(root):
            for at in [path] if path else self.steps.places(cls, found, names or ()):
                how = self.steps.again(cls, at) if self._trains(cls, at) else ""
                if how:
                    return how
        return ""

    def _trains(self, cls: ClassInfo, path: Path) -> bool:
        """False where the module at a path below one of a class is frozen, or has no parameters."""
        analysis = self.origins.program.analysis
        holder: ClassInfo | None = cls
        value: AbstractValue | None = None
        for step in path:
            if step != EACH and not step.lstrip("-").isdigit():
                if holder is None:
                    return True
                if self.frozen.attribute(holder, step):
                    return False
                value = analysis.attribute(holder, step, analysis.instance_of(holder))
            else:
                value = element(value) if value is not None else None
            classes = [r.cls for r in value.each if isinstance(r, Instance)] if value is not None else []
            holder = next((c for c in classes if isinstance(c, ClassInfo)), None)
        return value is None or not self._is_empty(value)

    def _is_empty(self, value: AbstractValue) -> bool:
        """True for a module without parameters."""
        classes = [r.cls for r in value.each if isinstance(r, Instance)]
        if classes and all(isinstance(c, str) and self.frozen.bare(c) for c in classes):
            return True
        held = self.recomputes.holding.of_object(value)
        return held.complete and not held.state

    def _models(self, root: Expr) -> list[ClassInfo]:
        """The classes that a model is of."""
        values = [self.origins.value(e) for e in (root, *self.origins.of(root))]
        refs = (r.cls for v in values for r in v.each if isinstance(r, Instance))
        return list(dict.fromkeys(cls for cls in refs if isinstance(cls, ClassInfo)))

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

    def _put(self, call: Expr, row: RegionEntry) -> Put | None:
        """What the wrapped module becomes a part of: the model that is given, or whose attribute or item is set."""
        if row.wrapper:
            return Put(replace(call, node=call.node.args[0])) if call.node.args else None
        return self.puts.by(call)

    def holds(self, model: Expr, call: Expr, put: Put | None) -> bool:
        """True where a wrapped module is, as far as the source shows, a part of a model."""
        if any(part.node is call.node for part in slices.backward(self.origins, model)):
            return True
        if put is None:
            return False
        root = put.root
        same = isinstance(root.node, nodes.Name) and isinstance(model.node, nodes.Name)
        if same and root.scope is model.scope and root.node.name == model.node.name:
            return True
        made = [o.node for o in self.origins.of(model)]
        return any(o.node is m for o in self.origins.of(root) for m in made)
