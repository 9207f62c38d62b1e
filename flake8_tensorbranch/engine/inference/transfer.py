"""Transfer functions of statements: what each item of a basic block does to the state."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, Final, cast

from astroid import nodes

from flake8_tensorbranch.engine.inference import calls, operators
from flake8_tensorbranch.engine.inference.attributes import read, state_path
from flake8_tensorbranch.engine.inference.evaluate import closure, evaluate, lookup
from flake8_tensorbranch.engine.inference.frame import Frame, State
from flake8_tensorbranch.engine.inference.refine import refine
from flake8_tensorbranch.engine.inference.storing import rebind, with_item
from flake8_tensorbranch.engine.lattice import (
    ARRAY,
    CONTAINER,
    DATA,
    FIRST_UNBACKED,
    HOST_VALUE,
    MAPPING,
    NONE,
    NONE_VALUE,
    OBJECT,
    SIZE_VALUE,
    TENSOR,
    UNKNOWN,
    AbstractValue,
    container,
    element,
    join,
    make,
    only,
    sequence,
    with_deps,
)
from flake8_tensorbranch.knowledge.evidence import MOVING_METHODS
from flake8_tensorbranch.syntax import graph
from flake8_tensorbranch.syntax.names import ClassInfo


def execute(frame: Frame, items: Iterable[Any]) -> None:
    """Apply items of a block, one after the other, to the frame's state."""
    for item in items:
        handler = _ITEMS.get(type(item))
        if handler is not None:
            handler(frame, item)


def pass_test(frame: Frame, edge: graph.Edge, state: State) -> State | None:
    """The state that passes an edge with a test, refined by it; None when it cannot be taken."""
    if edge.test is None or edge.kind == "case":
        return state
    frame.state = state
    return refine(frame, edge.test, edge.truth)


def assign(frame: Frame, target: Any, value: AbstractValue) -> None:
    """Bind a target of any form to a value."""
    kind = type(target)
    if kind is nodes.AssignName:
        if frame.function is not None and (not value.known or operators.vague(value)):
            declared = frame.analysis.declared_type(frame.function, target.name)
            if declared is not None:
                kept = only(value, declared.kinds)
                value = kept if kept.kinds and kept.known else declared
        frame.bind(target.name, value)
    elif kind is nodes.AssignAttr:
        _assign_attribute(frame, target, value)
    elif kind is nodes.Tuple or kind is nodes.List:
        _unpack(frame, target.elts, value)
    elif kind is nodes.Subscript:
        _assign_item(frame, target, value)
    elif kind is nodes.Starred:
        assign(frame, target.value, value)
    if frame.facts is not None:
        frame.facts.values[target] = value


def _assign_attribute(frame: Frame, target: nodes.AssignAttr, value: AbstractValue) -> None:
    evaluate(frame, target.expr)
    path = state_path(target)
    if path is not None:
        frame.keep(path, value)
        frame.forget_below(path)
    if isinstance(target.expr, nodes.Name) and target.expr.name == frame.self_name and value.kinds:
        frame.store(target.attrname, value)


def _unpack(frame: Frame, targets: list[nodes.NodeNG], value: AbstractValue) -> None:
    value = frame.analysis.iterable(frame, value)
    if value.items is not None and value.kinds & (CONTAINER | OBJECT) and not value.kinds & MAPPING:
        values = [v for _, v in value.items]
        star = next((i for i, t in enumerate(targets) if type(t) is nodes.Starred), None)
        if star is None and len(values) == len(targets):
            for target, inner in zip(targets, values, strict=True):
                assign(frame, target, inner)
            return
        if star is not None and len(values) >= len(targets) - 1:
            after = len(targets) - star - 1
            for target, inner in zip(targets[:star], values, strict=False):
                assign(frame, target, inner)
            assign(frame, targets[star], sequence(values[star : len(values) - after]))
            for target, inner in zip(targets[star + 1 :], values[len(values) - after :], strict=True):
                assign(frame, target, inner)
            return
    if value.const == FIRST_UNBACKED and targets and not isinstance(targets[0], nodes.Starred):
        assign(frame, targets[0], operators.iterate(value))
        targets, value = targets[1:], SIZE_VALUE
    inner = operators.iterate(value)
    for target in targets:
        assign(frame, target, container(inner) if type(target) is nodes.Starred else inner)


def _assign_item(frame: Frame, target: nodes.Subscript, value: AbstractValue) -> None:
    base, index = evaluate(frame, target.value), evaluate(frame, target.slice)
    path = state_path(target)
    if value.kinds & TENSOR:
        frame.put(target.value, value)
    if base.kinds & (CONTAINER | MAPPING):
        rebind(frame, target.value, with_item(base, index, value))
    elif base.kinds & ARRAY and operators.host_deps(value) & DATA and not base.deps & DATA:
        rebind(frame, target.value, with_deps(base, DATA))
    if path is not None:
        frame.keep(path, value)  # what was stored under a constant key


def _expr(frame: Frame, node: nodes.Expr) -> None:
    frame.discard = None if frame.analysis.keep_unused else node.value
    evaluate(frame, node.value)
    frame.discard = None


def _assign(frame: Frame, node: nodes.Assign) -> None:
    value = evaluate(frame, node.value)
    if type(node.value) is nodes.Call and type(node.targets[0]) is nodes.AssignAttr and _moves(frame, node.value, node):
        value = UNKNOWN
    for target in node.targets:
        assign(frame, target, value)


def _moves(frame: Frame, call: nodes.Call, node: nodes.Assign) -> bool:
    """True for `self.x = self.x.to(device)` where nothing else tells what is kept there: objects move, too."""
    func = call.func
    if type(func) is not nodes.Attribute or func.attrname not in MOVING_METHODS:
        return False
    path = state_path(func.expr)
    return path is not None and path == state_path(node.targets[0]) and not evaluate(frame, func.expr).kinds & TENSOR


def _ann_assign(frame: Frame, node: nodes.AnnAssign) -> None:
    declared = frame.analysis.annotation(frame.module, node.annotation, frame.function)
    if node.value is None:
        if isinstance(node.target, nodes.AssignName) and declared is not None and frame.function is None:
            frame.bind(node.target.name, declared)
        elif isinstance(node.target, nodes.AssignAttr) and declared is not None:
            assign(frame, node.target, declared)
        return
    value = evaluate(frame, node.value)
    if not value.known and declared is not None:
        value = declared
    elif declared is not None and declared.known and value.must(NONE) and not _chosen(node):
        if declared.kinds & NONE:
            value = declared  # `x: Tensor | None = None`: what is stored later is declared here
        elif frame.function is None:
            value = join(declared, NONE_VALUE)  # `x: Tensor = None` of a record
    elif (
        declared is not None
        and value.kinds & (CONTAINER | MAPPING)
        and not element(value).kinds
        and declared.elem is not None
    ):
        value = make(value.kinds, value.deps, elem=declared.elem)
    assign(frame, node.target, value)


def _chosen(node: nodes.AnnAssign) -> bool:
    """True for a local that gets one of two values: where it comes out as None, that is what it is from there on."""
    return isinstance(node.value, nodes.IfExp) and isinstance(node.target, nodes.AssignName)


def _aug_assign(frame: Frame, node: nodes.AugAssign) -> None:
    value = evaluate(frame, node.value)
    target = node.target
    if isinstance(target, nodes.AssignName):
        old = lookup(frame, target.name)
    elif isinstance(target, nodes.AssignAttr):
        path = state_path(target)
        known = frame.state.get(path) if path is not None else None
        old = known if known is not None else read(frame, evaluate(frame, target.expr), target.attrname)
    elif isinstance(target, nodes.Subscript):
        base = evaluate(frame, target.value)
        old = operators.subscript(base, evaluate(frame, target.slice), frame)
    else:
        return
    if frame.facts is not None:
        frame.facts.values[target] = old
    assign(frame, target, operators.binary(old, value, node.op[:-1]))


def _return(frame: Frame, node: nodes.Return) -> None:
    value = NONE_VALUE if node.value is None else evaluate(frame, node.value)
    frame.returns = join(frame.returns, value)


def _lambda_return(frame: Frame, item: graph.LambdaReturn) -> None:
    frame.returns = join(frame.returns, evaluate(frame, item.expr))


def _raise(frame: Frame, node: nodes.Raise) -> None:
    if node.exc is not None:
        evaluate(frame, node.exc)


def _assert(frame: Frame, node: nodes.Assert) -> None:
    evaluate(frame, node.test)


def _test(frame: Frame, item: graph.Test) -> None:
    frame.tests[item.expr] = evaluate(frame, item.expr)


def _iter_eval(frame: Frame, item: graph.IterEval) -> None:
    frame.iterables[item.node] = evaluate(frame, item.node.iter)


def _for_bind(frame: Frame, item: graph.ForBind) -> None:
    value = frame.iterables.get(item.node, UNKNOWN)
    assign(frame, item.node.target, operators.iterate(frame.analysis.iterable(frame, value)))


def _with_enter(frame: Frame, item: graph.WithEnter) -> None:
    expression, target = item.node.items[item.index]
    value = evaluate(frame, expression)
    if target is not None:
        assign(frame, target, _entered(frame, value))


def _entered(frame: Frame, value: AbstractValue) -> AbstractValue:
    """What `with value as x` binds: what a generator-based context manager yields, else the result of `__enter__`,
    else the object.
    """
    if value.kinds == CONTAINER:
        return operators.iterate(value)
    if value.kinds & OBJECT:
        return frame.analysis.special(frame, value, "__enter__", [])
    return UNKNOWN


def _except_bind(frame: Frame, item: graph.ExceptBind) -> None:
    if item.node.name is not None:
        assign(frame, item.node.name, UNKNOWN)


def _match_subject(frame: Frame, item: graph.MatchSubject) -> None:
    frame.iterables[item.node] = evaluate(frame, item.node.subject)


def _match_bind(frame: Frame, item: graph.MatchBind) -> None:
    case = item.node
    match = cast("nodes.Match", case.parent)
    subject = frame.iterables.get(match, UNKNOWN)
    _narrow(frame, match, case, subject)
    _bind_pattern(frame, case.pattern, subject)


def _narrow(frame: Frame, match: nodes.Match, case: nodes.MatchCase, subject: AbstractValue) -> None:
    """A class pattern refines the subject as `isinstance` does."""
    pattern = case.pattern.pattern if isinstance(case.pattern, nodes.MatchAs) else case.pattern
    path = state_path(match.subject)
    if path is not None and isinstance(pattern, nodes.MatchSingleton) and pattern.value is None:
        frame.keep(path, NONE_VALUE)
    if path is None or not isinstance(pattern, nodes.MatchClass):
        return
    wanted = frame.analysis.instance_type(frame, pattern.cls)
    if wanted is not None and wanted.known:
        kept = only(subject, wanted.kinds)
        frame.keep(path, kept if kept.kinds else wanted)


def _bind_pattern(frame: Frame, pattern: nodes.NodeNG | None, value: AbstractValue) -> None:
    if isinstance(pattern, nodes.MatchAs):
        if pattern.pattern is not None:
            _bind_pattern(frame, pattern.pattern, value)
        if isinstance(pattern.pattern, nodes.MatchClass):
            wanted = frame.analysis.instance_type(frame, pattern.pattern.cls)
            if wanted is not None and wanted.known:
                kept = only(value, wanted.kinds)
                value = kept if kept.kinds else wanted
        if pattern.name is not None:
            assign(frame, pattern.name, value)
    elif isinstance(pattern, nodes.MatchStar):
        if pattern.name is not None:
            assign(frame, pattern.name, container(value))
    elif isinstance(pattern, nodes.MatchMapping):
        for inner in pattern.patterns:
            _bind_pattern(frame, inner, element(value) if value.kinds & MAPPING else UNKNOWN)
        if pattern.rest is not None:
            assign(frame, pattern.rest, UNKNOWN)
    elif isinstance(pattern, nodes.MatchSequence):
        if value.items is not None and len(value.items) == len(pattern.patterns):
            for inner, (_, known) in zip(pattern.patterns, value.items, strict=True):
                _bind_pattern(frame, inner, known)
        else:
            for inner in pattern.patterns:
                _bind_pattern(frame, inner, operators.iterate(value))
    elif isinstance(pattern, nodes.MatchOr):
        for inner in pattern.patterns:
            _bind_pattern(frame, inner, value)
    elif isinstance(pattern, nodes.MatchClass):
        wanted = frame.analysis.instance_type(frame, pattern.cls)
        for inner in pattern.patterns:
            plain = wanted is not None and not wanted.kinds & TENSOR
            _bind_pattern(frame, inner, HOST_VALUE if plain else value)
        for inner in pattern.kwd_patterns:
            _bind_pattern(frame, inner, UNKNOWN)


def _delete(frame: Frame, node: nodes.Delete) -> None:
    for target in node.targets:
        if isinstance(target, (nodes.DelAttr, nodes.Subscript)):
            evaluate(frame, target.expr if isinstance(target, nodes.DelAttr) else target.value)
        if (path := state_path(target)) is not None:
            frame.state.pop(path, None)


def _import(frame: Frame, node: nodes.Import | nodes.ImportFrom) -> None:
    if frame.function is None:
        return
    for name, alias in node.names:
        bound = alias or name.split(".", 1)[0]
        bindings = frame.module.local_imports.get(bound, ())
        for binding in bindings:
            if binding.statement is node:
                frame.bind(bound, frame.analysis.imported(frame.module, binding))


def _function(frame: Frame, node: nodes.FunctionDef) -> None:
    if frame.function is None and frame.method_of is None:
        return
    value = closure(frame, node)
    frame.bind(node.name, calls.decorated(frame, node, value))


def _class(frame: Frame, node: nodes.ClassDef) -> None:
    info = frame.module.scope_of.get(node)
    if frame.function is not None and isinstance(info, ClassInfo):
        frame.bind(node.name, make(32, refs=frozenset({info})))


_ITEMS: Final[dict[type, Callable[[Frame, Any], None]]] = {
    nodes.Expr: _expr,
    nodes.Assign: _assign,
    nodes.AnnAssign: _ann_assign,
    nodes.AugAssign: _aug_assign,
    nodes.Return: _return,
    nodes.Raise: _raise,
    nodes.Assert: _assert,
    nodes.Delete: _delete,
    nodes.Import: _import,
    nodes.ImportFrom: _import,
    nodes.FunctionDef: _function,
    nodes.AsyncFunctionDef: _function,
    nodes.ClassDef: _class,
    graph.Test: _test,
    graph.LambdaReturn: _lambda_return,
    graph.IterEval: _iter_eval,
    graph.ForBind: _for_bind,
    graph.WithEnter: _with_enter,
    graph.ExceptBind: _except_bind,
    graph.MatchSubject: _match_subject,
    graph.MatchBind: _match_bind,
}
