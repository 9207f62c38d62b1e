"""Custom functions in checkpointed regions whose backward reads `ctx.saved_tensors` twice: the second read raises."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any, Final

from astroid import nodes

from flake8_tensorbranch.engine.checkpointing.insides import Activation, Insides
from flake8_tensorbranch.engine.checkpointing.locate import placed, site, skipped
from flake8_tensorbranch.engine.lookup.guards import exclusive
from flake8_tensorbranch.engine.lookup.modes import loop_around
from flake8_tensorbranch.engine.lookup.origins import Expr, Origins
from flake8_tensorbranch.engine.sink import RegionSite, SinkKind
from flake8_tensorbranch.syntax.binding import assigned
from flake8_tensorbranch.syntax.kinds import FUNCTIONS
from flake8_tensorbranch.syntax.names import ClassInfo, FunctionInfo

_SAVED: Final = "saved_tensors"
_LEAVES: Final = (nodes.Return, nodes.Raise)


def sites(insides: Insides) -> Iterator[RegionSite]:
    """One site for each such function, in its backward where that is in the file under check, else at the call.

    A non-reentrant checkpoint gives each saved tensor out once, and `ctx.saved_tensors` takes all of them (facts G).
    """
    seen: set[ClassInfo] = set()
    for activation in insides.lasting():
        if activation.entry.reentrant is True or ".apply" not in activation.function.module.text:
            continue
        for call in activation.function.calls:
            cls = _applied(activation, call)
            if cls is None or cls in seen or skipped(activation, call):
                continue
            again = _again(insides, cls)
            if again is not None:
                seen.add(cls)
                yield _site(insides, activation, call, again)
    yield from _themselves(insides, seen)


def _themselves(insides: Insides, seen: set[ClassInfo]) -> Iterator[RegionSite]:
    """The same of functions that are checkpointed themselves: `checkpoint(F.apply, x)`."""
    index = insides.origins.program.index
    for begin, _ in insides.regions.entries if ".apply" in index.text else ():
        call = begin.node
        own = begin.kind == "checkpointed" and begin.row is not None and begin.row.argument == 0
        if not own or begin.reentrant is True or not isinstance(call, nodes.Call) or not call.args:
            continue
        cls = _named(insides.origins, Expr(index, begin.scope, call.args[0]))
        again = None if cls is None or cls in seen else _again(insides, cls)
        if cls is not None and again is not None:
            seen.add(cls)
            backward, node = again
            head = Activation(insides.origins, begin, backward, insides.origins.facts(backward.module, backward), {})
            certain = begin.reentrant is False
            found = site(SinkKind.UNPACKED, head, node, "again", str(node.as_string()), certain)
            yield placed(found, head, "read again here")


def _site(insides: Insides, activation: Activation, call: nodes.Call, again: tuple[FunctionInfo, Any]) -> RegionSite:
    backward, node = again
    certain = activation.entry.reentrant is False
    head = Activation(insides.origins, activation.entry, backward, activation.facts, {}, activation, call)
    return placed(site(SinkKind.UNPACKED, head, node, "again", str(node.as_string()), certain), head, "read again here")


def _applied(activation: Activation, call: nodes.Call) -> ClassInfo | None:
    """The `autograd.Function` of the project that a call applies, by `F.apply(...)` or by a name for that."""
    return _named(activation.origins, activation.expr(call.func))


def _named(origins: Origins, func: Expr) -> ClassInfo | None:
    """The `autograd.Function` of the project whose `apply` an expression is, under a name or in a partial, too."""
    if isinstance(func.node, (nodes.Name, nodes.Call)):
        made = origins.of(func, calls=False)
        func = made[0] if len(made) == 1 else func
        if isinstance(func.node, nodes.Call) and func.node.args and "functools.partial" in origins.externals(func):
            func = replace(func, node=func.node.args[0])
    if not isinstance(func.node, nodes.Attribute) or func.node.attrname != "apply":
        return None
    resolver = origins.program.analysis.resolver
    cls = resolver.expression(func.module, func.node.expr, func.scope)
    return cls if isinstance(cls, ClassInfo) and resolver.has_base(cls, "Function") else None


def _again(insides: Insides, cls: ClassInfo) -> tuple[FunctionInfo, Any] | None:
    """The backward of a function that saves tensors, and where it reads them for the second time; None for no such."""
    backward = insides.analysis.resolver.method(cls, "backward")
    if backward is None or _SAVED not in backward.module.text or not backward.params:
        return None
    savers = (insides.analysis.resolver.method(cls, name) for name in ("forward", "setup_context"))
    calls = (call for saver in savers if saver is not None for call in saver.calls)
    if not any(getattr(call.func, "attrname", "") == "save_for_backward" for call in calls):
        return None
    reads: list[Any] = [*_reads(backward, backward.params[0].name), *_handed(insides, backward)]
    reads.sort(key=lambda node: (node.lineno or 0, node.col_offset or 0))
    for position, node in enumerate(reads):
        if _repeats(node) or any(
            not exclusive(before, node) and not _leaves(before, node) for before in reads[:position]
        ):
            return backward, node
    return None


def _reads(function: FunctionInfo, context: str) -> Iterator[nodes.NodeNG]:
    """Where a function reads the saved tensors of its context: there, by an alias, or by calls of a nested function."""
    names = {context}
    for name, bound in function.local_names.items():
        value: Any = assigned(bound[0]) if len(bound) == 1 and isinstance(bound[0], nodes.AssignName) else None
        if isinstance(value, nodes.Name) and value.name == context:
            names.add(name)
    node: Any
    for node in function.node.nodes_of_class((nodes.Attribute, nodes.Call)):
        if isinstance(node, nodes.Attribute):
            owner, asked = node.expr, node.attrname
        elif isinstance(node.func, nodes.Name) and node.func.name == "getattr" and len(node.args) > 1:
            owner, asked = node.args[0], getattr(node.args[1], "value", "")
        else:
            continue
        if asked != _SAVED or not isinstance(owner, nodes.Name) or owner.name not in names:
            continue
        inner = node.scope()
        calls: list[Any] = [c for c in function.calls if _calls(c, inner)]
        yield from calls if inner is not function.node and calls else [node]


def _calls(call: nodes.Call, nested: Any) -> bool:
    """True for a call of a nested function, or of a lambda by the name that it is assigned to."""
    up = nested.parent
    name = nested.name if isinstance(nested, nodes.FunctionDef) else ""
    if (
        not name
        and isinstance(nested, nodes.Lambda)
        and isinstance(up, nodes.Assign)
        and isinstance(up.targets[0], nodes.AssignName)
    ):
        name = up.targets[0].name
    return bool(name) and isinstance(call.func, nodes.Name) and call.func.name == name


def _handed(insides: Insides, backward: FunctionInfo) -> Iterator[nodes.NodeNG]:
    """The calls of a backward that hand its context to a function which reads the saved tensors."""
    context, origins = backward.params[0].name, insides.origins
    for call in backward.calls:
        given = [a.name for a in call.args if isinstance(a, nodes.Name)]
        if context not in given:
            continue
        at = Expr(backward.module, backward, call)
        for callee in origins.callees(at):
            passed = ((p.name, origins.argument(at, callee, p.name)) for p in callee.params)
            names = [
                n for n, a in passed if a is not None and isinstance(a.node, nodes.Name) and a.node.name == context
            ]
            if callee.node is not backward.node and any(True for n in names for _ in _reads(callee, n)):
                yield call
                break


def _repeats(node: nodes.NodeNG) -> bool:
    """True for a read in a loop that goes on after it."""
    loop = loop_around(node)
    return isinstance(loop, nodes.ComprehensionScope) or (loop is not None and not _leaves(node, loop))


def _leaves(before: nodes.NodeNG, after: nodes.NodeNG) -> bool:
    """True where the function returns after one place before it can come to another one, or to a loop's next round."""
    if before.scope() is not after.scope():
        return False
    child, up = before, before.parent
    while up is not None and child is not after and not isinstance(child, FUNCTIONS):
        for block in ("body", "orelse", "handlers", "finalbody"):
            statements = getattr(up, block, None)
            if isinstance(statements, list) and child in statements:
                rest = statements[statements.index(child) :]
                if any(s is after or s.parent_of(after) for s in rest):
                    return False
                if any(isinstance(s, _LEAVES) for s in rest):
                    return True
        child, up = up, up.parent
    return False
