"""Checkpoints written by hand: an `autograd.Function` that runs a function again in its backward."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from astroid import nodes

from flake8_tensorbranch.engine.inference.program import Program
from flake8_tensorbranch.engine.inference.summary import Analysis
from flake8_tensorbranch.engine.lookup.origins import Expr, Origins
from flake8_tensorbranch.syntax.names import ClassInfo, FunctionInfo, ModuleIndex, dotted

_CUSTOM: tuple[str, ...] = ("custom_fwd", "custom_bwd")


@dataclass(frozen=True, slots=True)
class HomeMade:
    """A class that recomputes: its two passes, and the call that runs the kept function again."""

    cls: ClassInfo
    forward: FunctionInfo
    backward: FunctionInfo
    again: nodes.Call

    @property
    def restores_autocast(self) -> bool:
        """Whether the backward enters autocast again, itself or by torch's decorators."""
        decorated = any(d.rsplit(".", 1)[-1] in _CUSTOM for d in self.backward.decorator_names)
        return decorated or any((dotted(c.func) or "").rsplit(".", 1)[-1] == "autocast" for c in self.backward.calls)

    def autocast_without_dtype(self) -> nodes.Call | None:
        """An autocast entered for the recompute whose dtype is torch's default, not the forward's; None if there
        is none.
        """
        for call in self.backward.calls:
            name = dotted(call.func) or ""
            if name.rsplit(".", 1)[-1] != "autocast":
                continue
            typed = name.endswith(("cuda.amp.autocast", "cpu.amp.autocast"))
            given = {k.arg for k in call.keywords}
            off = any(
                k.arg == "enabled" and isinstance(k.value, nodes.Const) and k.value.value is False
                for k in call.keywords
            )
            if not off and "dtype" not in given and None not in given and len(call.args) < (3 if typed else 2):
                return call
        return None


def home_made(origins: Origins) -> dict[ClassInfo, HomeMade]:
    """The classes that recompute in their backward: those of the file, and those of others that it applies."""
    found: dict[ClassInfo, HomeMade] = {}
    resolver = origins.program.analysis.resolver
    for cls in dict.fromkeys((*origins.program.index.classes, *_imported(origins.program))):
        forward, backward = cls.methods.get("forward"), cls.methods.get("backward")
        if forward is None or backward is None or not resolver.has_base(cls, "Function"):
            continue
        again = next(_again(backward), None)
        if again is not None and any((dotted(c.func) or "").endswith(("backward", "grad")) for c in backward.calls):
            found[cls] = HomeMade(cls, forward, backward, again)
    for cls in origins.program.index.classes if found else ():
        base = next((b for b in resolver.mro(cls)[1:] if isinstance(b, ClassInfo) and b in found), None)
        if base is not None and not {"forward", "backward", "apply"} & cls.methods.keys():
            found.setdefault(cls, replace(found[base], cls=cls))
    return found


def imported(analysis: Analysis, index: ModuleIndex, scope: FunctionInfo | None, call: nodes.Call) -> ClassInfo | None:
    """The `autograd.Function` of another file whose `apply` a call calls; None when it is no such call."""
    if not isinstance(call.func, nodes.Attribute) or call.func.attrname != "apply":
        return None
    cls = analysis.resolver.expression(index, call.func.expr, scope)
    if not isinstance(cls, ClassInfo) or cls.module is index or not analysis.resolver.has_base(cls, "Function"):
        return None
    return cls


def _imported(program: Program) -> Iterator[ClassInfo]:
    """The classes of other files whose `apply` the file calls."""
    index = program.index
    if ".apply(" not in index.text:
        return
    for scope, call in index.all_calls():
        cls = imported(program.analysis, index, scope, call)
        if cls is not None:
            yield cls


def _again(backward: FunctionInfo) -> Iterator[nodes.Call]:
    """The calls in a backward of something that the forward kept on `ctx`."""
    context = backward.params[0].name if backward.params else "ctx"
    kept: set[str] = set()
    for statement in backward.node.nodes_of_class(nodes.Assign):
        if (dotted(statement.value) or "").startswith(f"{context}."):
            kept.update(t.name for t in statement.targets if isinstance(t, nodes.AssignName))
    for call in sorted(backward.calls, key=lambda c: (c.lineno, c.col_offset)):
        func = call.func
        if isinstance(func, nodes.Attribute) and isinstance(func.expr, nodes.Name) and func.expr.name == context:
            if func.attrname not in (
                "save_for_backward",
                "mark_dirty",
                "mark_non_differentiable",
                "set_materialize_grads",
            ):
                yield call
        elif isinstance(func, nodes.Name) and func.name in kept:
            yield call


def applied(origins: Origins, known: dict[ClassInfo, HomeMade], expr: Expr) -> HomeMade | None:
    """The home-made checkpoint that a call `Class.apply(...)` runs, under another name, too; None when it is no such
    call.
    """
    func = getattr(expr.node, "func", None)
    if known and (isinstance(func, nodes.Name) or (isinstance(func, nodes.Attribute) and func.attrname != "apply")):
        renamed = origins.of(Expr(expr.module, expr.scope, func), calls=False)
        expr, func = (renamed[0], renamed[0].node) if len(renamed) == 1 else (expr, None)
        if isinstance(func, nodes.Call) and "functools.partial" in origins.externals(expr) and func.args:
            func = func.args[0]
    if not known or not isinstance(func, nodes.Attribute) or func.attrname != "apply":
        return None
    target = origins.program.analysis.resolver.expression(expr.module, func.expr, expr.scope)
    return known.get(target) if isinstance(target, ClassInfo) else None
