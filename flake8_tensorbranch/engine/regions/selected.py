"""Which modules a selector picks: `check_fn` and `auto_wrap_policy` of `apply_activation_checkpointing`."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Final

from astroid import nodes

from flake8_tensorbranch.engine.inference.program import Program
from flake8_tensorbranch.engine.lattice import AbstractValue
from flake8_tensorbranch.engine.lookup.origins import Expr, Origins
from flake8_tensorbranch.knowledge.regions import RegionEntry
from flake8_tensorbranch.syntax.kinds import FUNCTIONS
from flake8_tensorbranch.syntax.names import ClassInfo, FunctionInfo

_PREDICATES: Final = ("lambda_fn",)
_CLASSES: Final = ("transformer_layer_cls", "module_classes")
_FORWARD: Final = ("forward", "__call__")
_WALKED: Final = 200


def functions(
    program: Program, scope: FunctionInfo | None, call: nodes.Call, row: RegionEntry, roots: list[FunctionInfo]
) -> list[FunctionInfo]:
    """The forwards of the submodules that a call makes regions of; `roots` are those of the module it is given.

    Where the selector is read, those of the classes it asks for and of their subclasses in the file. Where it is not,
    or selects all, every submodule that a root's forward calls: the root itself is never wrapped
    (torch/distributed/algorithms/_checkpoint/checkpoint_wrapper.py).
    """
    origins = Origins(program)
    wrapper = next(
        (k.value for k in call.keywords if k.arg == row.wrapper), call.args[1] if len(call.args) > 1 else None
    )
    if wrapper is not None and _offloads(origins, Expr(program.index, scope, wrapper)):
        return []
    classes = asked(origins, Expr(program.index, scope, call), row)
    return list(forwards(program, classes) if classes else _below(program, roots))


def asked(origins: Origins, expr: Expr, row: RegionEntry) -> list[ClassInfo] | None:
    """The classes of the project that the selector of a call asks for, none where it is not read; None where it selects
    all.
    """
    found = selected(origins, expr, row)
    return found if found is None else [cls for cls in found if isinstance(cls, ClassInfo)]


def selected(origins: Origins, expr: Expr, row: RegionEntry) -> list[ClassInfo | str] | None:
    """The same, with the modules of libraries by name."""
    call, every = expr.node, True
    for position, name in row.selectors:
        given = next((k.value for k in call.keywords if k.arg == name), None)
        if given is None and position < len(call.args):
            given = call.args[position]
        if given is None or (isinstance(given, nodes.Const) and given.value is None):
            continue
        every = False
        classes = [c for source in origins.of(replace(expr, node=given)) for c in _asked(origins, source)]
        if classes:
            return classes
    return None if every else []


def _offloads(origins: Origins, wrapper: Expr) -> bool:
    """Whether the wrapper only moves what is saved to the CPU: nothing is recomputed."""
    target = origins.program.analysis.resolver.expression(wrapper.module, wrapper.node, wrapper.scope)
    return isinstance(target, str) and target.endswith(".offload_wrapper")


def _asked(origins: Origins, source: Expr) -> Iterator[ClassInfo | str]:
    """The classes of modules that a selector asks for: a function's tests, or what a policy is made with."""
    node = source.node
    if isinstance(node, FUNCTIONS):
        function = next((f for f in source.module.functions if f.node is node), None)
        if function is not None:
            yield from _tested(origins, function)
    elif isinstance(node, nodes.Call):
        given = [k.value for k in node.keywords if k.arg in _CLASSES + _PREDICATES] or node.args[:1]
        for value in given:
            inner = Expr(source.module, source.scope, value)
            found = list(_named(origins, origins.value(inner)))
            yield from found
            if not found:
                for deeper in origins.of(inner):
                    if deeper.node is not node:
                        yield from _asked(origins, deeper)


def _tested(origins: Origins, function: FunctionInfo) -> Iterator[ClassInfo | str]:
    """The classes of `isinstance(m, C)`, `type(m) is C` and `type(m) in (C, D)` in a predicate, outside of `not`."""
    for count, node in enumerate(function.node.nodes_of_class((nodes.Call, nodes.Compare))):
        if count > _WALKED:
            return
        if _denied(node, function.node):
            continue
        asked = None
        if isinstance(node, nodes.Compare) and len(node.ops) == 1 and node.ops[0][0] in ("is", "==", "in"):
            asked = node.ops[0][1]
        elif isinstance(node, nodes.Call) and len(node.args) == 2:
            if isinstance(node.func, nodes.Name) and node.func.name in ("isinstance", "issubclass"):
                asked = node.args[1]
        if asked is not None:
            yield from _named(origins, origins.value(Expr(function.module, function, asked)))


def _denied(node: nodes.NodeNG, end: nodes.NodeNG) -> bool:
    while node is not end and node.parent is not None:
        if isinstance(node, nodes.UnaryOp) and node.op == "not":
            return True
        node = node.parent
    return False


def classes_of(value: AbstractValue) -> Iterator[ClassInfo]:
    """The project's classes that a value names, alone or in a tuple, list or set."""
    yield from (ref for ref in _refs(value) if isinstance(ref, ClassInfo))


def _named(origins: Origins, value: AbstractValue) -> Iterator[ClassInfo | str]:
    """These, and the modules of libraries."""
    is_module = origins.program.analysis.resolver.is_module
    yield from (r for r in _refs(value) if isinstance(r, ClassInfo) or (isinstance(r, str) and is_module(r)))


def _refs(value: AbstractValue, depth: int = 3) -> Iterator[object]:
    yield from value.each
    if depth > 0:
        for _, item in value.items or ():
            yield from _refs(item, depth - 1)
        if value.elem is not None and not value.items:
            yield from _refs(value.elem, depth - 1)


def forwards(program: Program, classes: list[ClassInfo]) -> Iterator[FunctionInfo]:
    """The forwards of classes, and of their subclasses in the file."""
    resolver = program.analysis.resolver
    own = [cls for cls in program.index.classes if any(base in classes for base in resolver.mro(cls))]
    for cls in dict.fromkeys([*classes, *own]):
        forward = resolver.method(cls, "forward")
        if forward is not None:
            yield forward


def _below(program: Program, roots: list[FunctionInfo]) -> Iterator[FunctionInfo]:
    """The forwards that the forwards of some modules call, also through methods of their own."""
    seen = set(roots)
    queue = list(roots)
    while queue:
        facts = program.facts.get(queue.pop())
        for callees in facts.calls.values() if facts is not None else ():
            for callee in callees:
                if callee in seen:
                    continue
                seen.add(callee)
                if callee.name in _FORWARD and callee.cls is not None:
                    yield callee
                else:
                    queue.append(callee)
