"""Refinement: what a test's outcome says about the names it mentions."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final, cast

from astroid import nodes

from flake8_tensorbranch.engine.inference import evaluate as _evaluate
from flake8_tensorbranch.engine.inference.attributes import state_path
from flake8_tensorbranch.engine.inference.frame import Frame, State
from flake8_tensorbranch.engine.lattice import (
    ARRAY,
    BOTTOM,
    CONTAINER,
    DATA,
    HOST,
    MASK,
    NO_CONST,
    NONE,
    NONE_VALUE,
    OBJECT,
    SHAPE,
    SUPPOSED,
    TENSOR,
    TENSOR_VALUE,
    UNKNOWN,
    UNKNOWN_KIND,
    AbstractValue,
    join,
    make,
    only,
    with_deps,
    without,
)
from flake8_tensorbranch.knowledge.evidence import ANSWERS
from flake8_tensorbranch.knowledge.model import method as tensor_row
from flake8_tensorbranch.knowledge.names import TENSOR_ONLY_METHODS, type_meaning
from flake8_tensorbranch.knowledge.tensors import INTEGER_DTYPES
from flake8_tensorbranch.syntax.names import ClassInfo, FunctionInfo, last_name

_SCALAR: Final = make(HOST | ARRAY)  # of NumPy: its own scalars are arrays here


MOST_REFINED: Final = 2  # tests within operands of tests that are still refined


def refine(frame: Frame, test: nodes.NodeNG, truth: bool) -> State | None:
    """The state after `test` came out as `truth`; None where that cannot happen. The frame's state is not changed."""
    refined = _BY_FORM.get(type(test))
    return frame.state if refined is None else refined(frame, test, truth)


def _unaryop(frame: Frame, test: nodes.UnaryOp, truth: bool) -> State | None:
    return refine(frame, test.operand, not truth) if test.op == "not" else frame.state


def _const(frame: Frame, test: nodes.Const, truth: bool) -> State | None:
    return frame.state if bool(test.value) is truth else None


def _boolop(frame: Frame, test: nodes.BoolOp, truth: bool) -> State | None:
    if (test.op == "and") is not truth:
        return _both(frame, test)[not truth]
    saved = frame.state
    try:
        for operand in test.values:
            state = refine(frame, operand, truth)
            if state is None:
                return None
            frame.state = state
        return frame.state
    finally:
        frame.state = saved


def _both(frame: Frame, test: nodes.NodeNG) -> tuple[State | None, State | None]:
    """The states after `test` came out true and false; each operand is looked at once, however deep they nest."""
    if isinstance(test, nodes.UnaryOp) and test.op == "not":
        true, false = _both(frame, test.operand)
        return false, true
    if not isinstance(test, nodes.BoolOp):
        return refine(frame, test, True), refine(frame, test, False)
    saved = frame.state
    ended: State | None = None  # some operand ended it: false for `and`, true for `or`
    passed: State | None = saved
    try:
        for operand in test.values:
            true, false = _both(frame, operand)
            passed, end = (true, false) if test.op == "and" else (false, true)
            if end is not None:
                ended = end if ended is None else _either(ended, end)
            if passed is None:
                break
            frame.state = passed
    finally:
        frame.state = saved
    return (passed, ended) if test.op == "and" else (ended, passed)


def _either(a: State, b: State) -> State:
    if a is b:
        return a
    return {k: join(v, b[k]) for k, v in a.items() if k in b}


def _value(frame: Frame, node: nodes.NodeNG) -> AbstractValue:
    """The value of a test's operand, without recording it a second time; UNKNOWN for a test within a test's operand,
    whose own operands would be looked at anew on every level.
    """
    if frame.refining >= MOST_REFINED:
        return UNKNOWN
    facts, frame.facts = frame.facts, None
    frame.refining += 1
    try:
        return _evaluate.evaluate(frame, node)
    finally:
        frame.refining -= 1
        frame.facts = facts


def _set(frame: Frame, node: nodes.NodeNG, value: AbstractValue, old: AbstractValue) -> State | None:
    if value is old or value == old:
        return frame.state
    if value is BOTTOM and old.kinds:
        return None
    path = state_path(node)
    if path is None:
        return frame.state
    state = dict(frame.state)
    state[path] = value
    frame.rooted(path)
    return state


def _path(frame: Frame, node: nodes.NodeNG, truth: bool) -> State | None:
    if type(node) is nodes.NamedExpr:
        node = node.target
    path = state_path(node)
    if path is None:
        return frame.state
    value = frame.state.get(path)
    if value is None:
        if isinstance(node, nodes.AssignName):
            return frame.state
        value = _value(frame, node)
    if value.const is not NO_CONST and value.kinds in (HOST, NONE) and isinstance(value.const, (bool, int, type(None))):
        return frame.state if bool(value.const) is truth else None
    if truth:
        return _set(frame, node, without(value, NONE), value)
    if value.must(OBJECT) and not value.items:
        return None
    if value.must(OBJECT | NONE):
        return _set(frame, node, only(value, NONE), value)
    return frame.state


def _compare(frame: Frame, test: nodes.Compare, truth: bool) -> State | None:
    if len(test.ops) != 1:
        return frame.state
    op: str
    left: Any
    right: Any
    left, (op, right) = test.left, test.ops[0]
    if op in ("==", "!=") and type(right) is nodes.Const and right.value is not None:
        value = _value(frame, left)
        if value.kinds == HOST and value.const is not NO_CONST and type(value.const) is type(right.value):
            return frame.state if ((value.const == right.value) is (op == "==")) is truth else None
        return frame.state
    if op in ("in", "not in"):
        if not isinstance(left, nodes.JoinedStr) and not isinstance(_value(frame, left).const, str):
            return frame.state
        value = _value(frame, right)
        # `"key" in tensor` raises: whatever the outcome, it was no tensor.
        return _set(frame, right, without(value, TENSOR), value) if value.kinds & ~TENSOR else frame.state
    if op not in ("is", "is not", "==", "!="):
        return frame.state
    if type(left) is nodes.Call and isinstance(left.func, nodes.Name) and left.func.name == "type" and left.args:
        wanted = frame.analysis.instance_type(frame, right)
        same = truth is (op in ("is", "=="))
        return (
            _instance(frame, left.args[0], wanted, same)
            if wanted is not None and (same or wanted.kinds == TENSOR)
            else frame.state
        )
    equal = truth is (op in ("is", "=="))
    if equal and type(left) is nodes.Attribute and left.attrname == "dtype":
        return _typed(frame, left.expr, right)
    if type(left) is nodes.Const:
        left, right = right, left
    if type(right) is not nodes.Const:
        return frame.state
    if type(left) is nodes.NamedExpr:
        left = left.target
    return _none(frame, left, equal) if right.value is None else frame.state


def _typed(frame: Frame, subject: nodes.NodeNG, dtype: nodes.NodeNG) -> State | None:
    """The state where a tensor turned out to be one of integers: few are, so that a caller's need not be."""
    if not isinstance(dtype, nodes.Attribute) or dtype.attrname not in INTEGER_DTYPES:
        return frame.state
    value = _value(frame, subject)
    return _set(frame, subject, with_deps(value, SUPPOSED), value) if value.kinds & TENSOR else frame.state


def _none(frame: Frame, node: nodes.NodeNG, truth: bool) -> State | None:
    """The state after a place was, or was not, None."""
    value = frame.state.get(node.name, BOTTOM) if isinstance(node, nodes.AssignName) else _value(frame, node)
    if truth:
        if value.kinds and not value.kinds & (NONE | UNKNOWN_KIND):
            return None
        return _set(frame, node, NONE_VALUE, value)
    if value.kinds == NONE:
        return None
    return _set(frame, node, without(value, NONE), value)


def _call(frame: Frame, test: nodes.Call, truth: bool) -> State | None:
    if not test.args:
        value = _value(frame, test) if isinstance(test.func, nodes.Attribute) else BOTTOM
        return frame.state if not isinstance(value.const, bool) or value.const is truth else None
    name = test.func.name if isinstance(test.func, nodes.Name) else getattr(test.func, "attrname", "")
    subject = test.args[0]
    if (
        name == "isinstance"
        and len(test.args) == 2
        and isinstance(test.args[1], nodes.Name)
        and test.args[1].name == "type"
    ):
        return _is_class(frame, subject, truth)
    if name == "isinstance" and len(test.args) == 2:
        wanted = frame.analysis.instance_type(frame, test.args[1])
    elif name == "hasattr" and len(test.args) == 2:
        return _has(frame, subject, getattr(test.args[1], "value", None), truth)
    elif name == "is_tensor" and len(test.args) == 1:
        wanted = TENSOR_VALUE
    elif name == "isscalar" and len(test.args) == 1:
        wanted = _SCALAR
    elif name == "all" and truth and isinstance(subject, nodes.GeneratorExp):
        return _all(frame, subject)
    else:
        return _helper(frame, test, subject, truth)
    return _instance(frame, subject, wanted, truth, test.args[-1])


def _spans(types: Any) -> bool:
    """True for `(list, tuple)` or an abstract type of both: what is no instance is no sequence."""
    named = {last_name(cast("nodes.NodeNG", t)) for t in (types.elts if isinstance(types, nodes.Tuple) else [types])}
    return named >= {"list", "tuple"} or not named.isdisjoint({"Sequence", "Iterable", "Collection"})


def _has(frame: Frame, subject: nodes.NodeNG, attribute: object, truth: bool) -> State | None:
    """`hasattr(x, "item")`: numbers and lists have no attributes of tensors, and what has none of them is no tensor."""
    only = attribute in TENSOR_ONLY_METHODS or attribute in ANSWERS | {"item", "detach"}
    if not only and (truth or not isinstance(attribute, str) or tensor_row(attribute) is None):
        return frame.state
    value = _value(frame, subject)
    if not value.kinds & TENSOR or (truth and value.kinds & UNKNOWN_KIND):
        return frame.state
    left = without(value, HOST | NONE | CONTAINER if truth else TENSOR)
    return _set(frame, subject, left, value) if left.kinds else frame.state


def _helper(frame: Frame, test: nodes.Call, subject: nodes.NodeNG, truth: bool) -> State | None:
    """A function of the project that does nothing but ask whether its argument is None, or of a type."""
    if len(test.args) != 1 or test.keywords:
        return frame.state
    target = frame.analysis.resolver.expression(frame.module, test.func, frame.function)
    body = target.node.body if isinstance(target, FunctionInfo) and len(target.params) == 1 else None
    if not isinstance(body, list) or not isinstance(body[-1], nodes.Return) or len(body) > 1:
        return frame.state
    assert isinstance(target, FunctionInfo)
    asked: nodes.NodeNG | None = body[-1].value
    name = target.params[0].name
    while isinstance(asked, nodes.UnaryOp) and asked.op == "not":
        asked, truth = asked.operand, not truth
    if isinstance(asked, nodes.Compare) and len(asked.ops) == 1:
        (op, right), left = asked.ops[0], asked.left
        if (
            isinstance(left, nodes.Name)
            and left.name == name
            and isinstance(right, nodes.Const)
            and right.value is None
        ):
            return (
                _none(frame, subject, truth is (op in ("is", "==")))
                if op in ("is", "is not", "==", "!=")
                else frame.state
            )
    if isinstance(asked, nodes.Call) and isinstance(asked.func, nodes.Name) and asked.func.name == "isinstance":
        if len(asked.args) == 2 and isinstance(asked.args[0], nodes.Name) and asked.args[0].name == name:
            wanted = frame.analysis.annotation(target.module, asked.args[1], target)
            return _instance(frame, subject, wanted, truth)
    return frame.state


def _instance(
    frame: Frame, subject: nodes.NodeNG, wanted: AbstractValue | None, truth: bool, types: Any = None
) -> State | None:
    """The state after `subject` was, or was not, an instance of `types`, whose objects are `wanted`."""
    if wanted is None or not wanted.kinds or wanted.kinds & UNKNOWN_KIND:
        return frame.state
    if isinstance(subject, nodes.Subscript) and isinstance(getattr(subject.slice, "value", None), int):
        return _elements(frame, subject.value, wanted.kinds, truth)
    if isinstance(subject, nodes.NamedExpr):
        subject = subject.target
    value = frame.state.get(subject.name, BOTTOM) if isinstance(subject, nodes.AssignName) else _value(frame, subject)
    if truth:
        if not value.known:
            return _set(frame, subject, with_deps(wanted, SUPPOSED) if wanted.kinds & TENSOR else wanted, value)
        kept = only(value, wanted.kinds)
        if kept is BOTTOM:
            if wanted.kinds == TENSOR and value.kinds == HOST and value.deps & SHAPE:
                return None  # a size is a tensor under `torch.jit.trace` alone
            # What is known says otherwise: the test is the better witness.
            return _set(frame, subject, with_deps(wanted, SUPPOSED) if wanted.kinds & TENSOR else wanted, value)
        if value.kinds & (ARRAY | HOST) and not kept.kinds & (TENSOR | ARRAY | HOST) and kept.deps & DATA:
            # What a number or an array was read from says nothing of a container's size.
            kept = make(kept.kinds, kept.deps & ~(DATA | MASK), kept.const, kept.refs, kept.elem, kept.items)
        return _set(frame, subject, kept, value)
    if wanted.kinds & ~(TENSOR | NONE) and not (
        value.kinds & TENSOR and (wanted.kinds == ARRAY or (wanted.kinds == CONTAINER and _spans(types)))
    ):
        # `isinstance(x, (int, float))` false says little about other host values.
        return frame.state
    return _set(frame, subject, without(value, wanted.kinds), value) if value.known else frame.state


def _all(frame: Frame, each: nodes.GeneratorExp) -> State | None:
    """`all(isinstance(e, T) for e in x)` came out true."""
    asked, over = each.elt, each.generators[0]
    if len(each.generators) > 1 or over.ifs or not isinstance(asked, nodes.Call) or len(asked.args) != 2:
        return frame.state
    if getattr(asked.func, "name", "") != "isinstance" or not isinstance(over.target, nodes.AssignName):
        return frame.state
    if getattr(asked.args[0], "name", "") != over.target.name:
        return frame.state
    wanted = frame.analysis.instance_type(frame, asked.args[1])
    known = wanted is not None and wanted.kinds and not wanted.kinds & UNKNOWN_KIND
    return _elements(frame, over.iter, wanted.kinds, True) if wanted is not None and known else frame.state


def _elements(frame: Frame, holder: nodes.NodeNG, wanted: int, truth: bool) -> State | None:
    """`isinstance(x[0], T)`: what one element of a list is, all are."""
    value = _value(frame, holder)
    old = value.elem
    if not value.must(CONTAINER | NONE) or value.items is not None or old is None or not old.known:
        return frame.state
    if not truth and wanted & ~(TENSOR | NONE):
        return frame.state
    kept = only(old, wanted) if truth else without(old, wanted)
    if kept is BOTTOM:
        if not truth:
            return frame.state
        kept = make(wanted)  # what is known says otherwise: the test is the better witness
    return _set(frame, holder, make(value.kinds, value.deps, value.const, value.refs, kept), value)


def _is_class(frame: Frame, subject: nodes.NodeNG, truth: bool) -> State | None:
    """`isinstance(x, type)`: of several callables, the classes or the others are left."""
    value = _value(frame, subject)
    kept = frozenset(r for r in value.refs if _names_class(r) is truth)
    if not value.refs or kept == value.refs:
        return frame.state
    if not kept and not value.kinds & UNKNOWN_KIND:
        return None
    return _set(frame, subject, make(value.kinds, value.deps, refs=kept), value)


def _names_class(ref: object) -> bool:
    if isinstance(ref, str):
        return bool(type_meaning(ref)) or ref.rsplit(".", 1)[-1][:1].isupper()
    return isinstance(ref, ClassInfo)


_BY_FORM: Final[dict[type, Callable[[Frame, Any, bool], State | None]]] = {
    nodes.Name: _path,
    nodes.Attribute: _path,
    nodes.Compare: _compare,
    nodes.BoolOp: _boolop,
    nodes.UnaryOp: _unaryop,
    nodes.Call: _call,
    nodes.Const: _const,
    nodes.NamedExpr: _path,
}
