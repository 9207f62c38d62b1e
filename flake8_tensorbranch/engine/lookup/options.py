"""The options a checkpoint call ends up with: written at it, in a mapping, in a partial, or by a wrapper's callers."""

from __future__ import annotations

from typing import Final

from astroid import nodes

from flake8_tensorbranch.engine.lattice import NONE
from flake8_tensorbranch.engine.lookup.origins import Expr, Origins
from flake8_tensorbranch.knowledge.regions import RegionEntry
from flake8_tensorbranch.syntax.names import FunctionInfo, dotted

DEPTH: Final = 5


class _Left:
    """An option that is not given, or of which nothing is known."""

    __slots__ = ("name",)

    def __init__(self, name: str) -> None:
        self.name = name

    def __repr__(self) -> str:
        return self.name


OMITTED: Final = _Left("OMITTED")
UNSEEN: Final = _Left("UNSEEN")
Given = Expr | _Left


class Options:
    """Looks options up through mappings, partials and wrappers."""

    def __init__(self, origins: Origins) -> None:
        self.origins = origins

    def given(self, call: Expr, name: str, depth: int = DEPTH) -> list[Given]:
        """What a keyword may be: expressions, `OMITTED` where a way to the call leaves it out, `UNSEEN` where one
        may hold it.
        """
        node = call.node
        if not isinstance(node, nodes.Call) or depth <= 0:
            return [UNSEEN]
        for keyword in node.keywords:
            if keyword.arg == name:
                return [Expr(call.module, call.scope, keyword.value)]
        found: list[Given] = []
        for keyword in node.keywords:
            if keyword.arg is None:
                found.extend(self._in_mapping(Expr(call.module, call.scope, keyword.value), name, depth))
        if found and OMITTED not in found:
            return found
        partial = self._in_partial(call, name, depth)
        return [*(f for f in found if f is not OMITTED), *partial] if partial else found or [OMITTED]

    def bound(self, callee: Expr, depth: int = DEPTH) -> tuple[Expr, ...]:
        """The positional arguments that a callee holds, a partial, before those that it is called with; none where it
        may be anything else.
        """
        if depth <= 0 or not isinstance(callee.node, (nodes.Name, nodes.Attribute, nodes.Call)):
            return ()
        made = self.origins.of(callee)
        if len(made) != 1 or not isinstance(made[0].node, nodes.Call):
            return ()
        partial = made[0]
        if "functools.partial" not in self.origins.externals(partial) or not partial.node.args:
            return ()
        first, *held = (Expr(partial.module, partial.scope, a) for a in partial.node.args)
        return (*self.bound(first, depth - 1), *held)

    def _in_partial(self, call: Expr, name: str, depth: int) -> list[Given]:
        """What the partials that a callee may be hold under the keyword."""
        found: list[Given] = []
        func = Expr(call.module, call.scope, call.node.func)
        if not isinstance(call.node.func, (nodes.Name, nodes.Attribute, nodes.Call)):
            return []
        origins = self.origins.of(func)
        for origin in origins:
            if isinstance(origin.node, nodes.Call) and "functools.partial" in self.origins.externals(origin):
                found.extend(self.given(Expr(origin.module, origin.scope, origin.node), name, depth - 1))
        return found

    def _in_mapping(self, mapping: Expr, name: str, depth: int) -> list[Given]:
        scope = mapping.scope
        if isinstance(mapping.node, nodes.Name) and scope is not None:
            holder: FunctionInfo | None = scope
            while holder is not None and holder.kwarg != mapping.node.name:
                holder = holder.parent
            if holder is not None:
                return self._in_keywords(holder, mapping.node.name, name, depth)
        found: list[Given] = []
        for origin in self.origins.of(mapping):
            found.extend(self._in_literal(origin, name, depth))
            if isinstance(mapping.node, nodes.Name) and scope is not None and found:
                later = _written(scope, mapping.node.name, name)
                if later is not None:
                    return [later]
        return found

    def _in_literal(self, origin: Expr, name: str, depth: int) -> list[Given]:
        node = origin.node
        if isinstance(node, nodes.Dict):
            unpacked = False
            for key, value in node.items:
                if isinstance(key, nodes.DictUnpack):
                    unpacked = True
                elif isinstance(key, nodes.Const) and key.value == name:
                    return [Expr(origin.module, origin.scope, value)]
                elif not isinstance(key, nodes.Const):
                    return [UNSEEN]
            return [UNSEEN] if unpacked else [OMITTED]
        if isinstance(node, nodes.Call) and "builtins.dict" in self.origins.externals(origin) and not node.args:
            return self.given(Expr(origin.module, origin.scope, node), name, depth - 1)
        if isinstance(node, nodes.Name) and origin.scope is not None and origin.scope.kwarg == node.name:
            return self._in_keywords(origin.scope, node.name, name, depth)
        return [UNSEEN]

    def _in_keywords(self, function: FunctionInfo, mapping: str, name: str, depth: int) -> list[Given]:
        """What callers of a wrapper put into its `**keywords`; what the wrapper itself sets there counts first."""
        later = _written(function, mapping, name)
        if later is not None:
            return [later]
        if any(p.name == name for p in function.params):
            return [OMITTED]
        found: list[Given] = []
        for site in self.origins.sites(function):
            found.extend(self.given(site, name, depth - 1))
        return found or [UNSEEN]

    def named(self, call: Expr, own: tuple[str, ...], depth: int = DEPTH) -> list[str]:
        """The keywords other than the checkpoint's own that reach the function on some way in view, in order."""
        names: dict[str, None] = {}
        node = call.node
        if not isinstance(node, nodes.Call) or depth <= 0:
            return []
        for keyword in node.keywords:
            if keyword.arg is not None:
                names[keyword.arg] = None
                continue
            holder = call.scope
            value = keyword.value
            while holder is not None and not (isinstance(value, nodes.Name) and holder.kwarg == value.name):
                holder = holder.parent
            if holder is not None:
                taken = {p.name for p in holder.params if not p.positional_only}
                for site in self.origins.sites(holder):
                    names.update(dict.fromkeys(n for n in self.named(site, own, depth - 1) if n not in taken))
                continue
            for origin in self.origins.of(Expr(call.module, call.scope, value)):
                if isinstance(origin.node, nodes.Dict):
                    keys = [k.value for k, _ in origin.node.items if isinstance(k, nodes.Const)]
                    names.update(dict.fromkeys(k for k in keys if isinstance(k, str)))
                elif isinstance(origin.node, nodes.Call) and "builtins.dict" in self.origins.externals(origin):
                    names.update(dict.fromkeys(self.named(origin, own, depth - 1)))
        func = Expr(call.module, call.scope, node.func)
        for origin in self.origins.of(func) if isinstance(node.func, (nodes.Name, nodes.Attribute, nodes.Call)) else ():
            if isinstance(origin.node, nodes.Call) and "functools.partial" in self.origins.externals(origin):
                names.update(dict.fromkeys(self.named(origin, own, depth - 1)))
        return [n for n in names if n not in own]

    def constants(self, expr: Expr) -> list[object]:
        """The literals that an expression may be; `UNSEEN` for anything else it may be."""
        value = self.origins.value(expr)
        if isinstance(value.const, bool) or value.const is None:
            return [value.const]
        found = [o.node.value if isinstance(o.node, nodes.Const) else UNSEEN for o in self.origins.of(expr)]
        # A default of None that the function replaces is no value.
        return [c for c in found if c is not None] if UNSEEN in found else found

    def reentrant(self, call: Expr, row: RegionEntry) -> set[bool | None]:
        """The variants a call may be: True and False as written, None where it is left to torch; empty when
        nothing tells.
        """
        if not row.reentrant_keyword:
            return set() if row.reentrant is None else {row.reentrant}
        if row.reentrant_keyword == "checkpoint_impl":
            return self._of_wrapper(call, row)
        passed = self.origins.facts(call.module, call.scope).externals.get(call.node, {}).get(row.qualname)
        if passed is not None and row.reentrant_keyword in passed.keywords:
            const = passed.keywords[row.reentrant_keyword].const
            if isinstance(const, bool):
                return {const}
        unpacks = any(k.arg is None for k in call.node.keywords)
        seen = None if passed is None else passed.keywords.get(row.reentrant_keyword)
        hidden = passed is not None and (
            (seen is not None and not seen.kinds & NONE) or (passed.double_star is not None and not unpacks)
        )
        variants: set[bool | None] = set()
        position = 3 if row.sequential else -1
        if 0 <= position < len(call.node.args):
            given: list[Given] = [Expr(call.module, call.scope, call.node.args[position])]
        else:
            given = self.given(call, row.reentrant_keyword)
        for one in given:
            if one is OMITTED and hidden:
                continue  # given on a way that the source does not show
            if one is OMITTED:
                variants.add(None if row.reentrant else row.reentrant)
            elif isinstance(one, Expr):
                variants.update(c for c in self.constants(one) if c is None or isinstance(c, bool))
        return variants

    def _of_wrapper(self, call: Expr, row: RegionEntry) -> set[bool | None]:
        """The variants that `checkpoint_wrapper(..., checkpoint_impl=...)` chose for the module that is called."""
        variants: set[bool | None] = set()
        for made in self.origins.of(Expr(call.module, call.scope, call.node.func)):
            if isinstance(made.node, nodes.Call) and row.qualname in self.origins.externals(made):
                for given in self.given(made, row.reentrant_keyword):
                    variant = False if given is OMITTED else self.implementation(given)
                    variants.update(() if variant is None else (variant,))
        return variants or ({row.reentrant} if row.reentrant is not None else set())

    def implementation(self, given: Given) -> bool | None:
        """Whether a `checkpoint_impl` is the reentrant one, by any name of its enumeration; None where that is not
        told.
        """
        if not isinstance(given, Expr):
            return None
        for origin in self.origins.of(given):
            target = self.origins.program.analysis.resolver.expression(origin.module, origin.node, origin.scope)
            name = target if isinstance(target, str) else dotted(origin.node) or ""
            if name.endswith(("CheckpointImpl.NO_REENTRANT", "CheckpointImpl.REENTRANT")):
                return name.endswith(".REENTRANT")
        return None


def _written(function: FunctionInfo, mapping: str, name: str) -> Given | None:
    """What a function itself puts into a mapping under a key; None when it puts nothing there."""
    for call in function.calls:
        func = call.func
        if isinstance(func, nodes.Attribute) and isinstance(func.expr, nodes.Name) and func.expr.name == mapping:
            if func.attrname == "setdefault" and len(call.args) == 2 and _is(call.args[0], name):
                return Expr(function.module, function, call.args[1])
            if func.attrname == "update":
                for keyword in call.keywords:
                    if keyword.arg == name:
                        return Expr(function.module, function, keyword.value)
                if call.args:
                    return UNSEEN
    for statement in function.node.nodes_of_class(nodes.Assign):
        target = statement.targets[0]
        if (
            isinstance(target, nodes.Subscript)
            and isinstance(target.value, nodes.Name)
            and target.value.name == mapping
        ) and _is(target.slice, name):
            return Expr(function.module, function, statement.value)
    return None


def _is(node: nodes.NodeNG, name: str) -> bool:
    return isinstance(node, nodes.Const) and node.value == name
