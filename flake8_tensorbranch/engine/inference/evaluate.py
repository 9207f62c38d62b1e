"""Transfer functions of expressions: the abstract value of every kind of expression node."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final, cast

from astroid import nodes

from flake8_tensorbranch.engine.inference import attributes, calls, compare, leads, mappings, operators, tuples, updates
from flake8_tensorbranch.engine.inference.frame import Frame, State
from flake8_tensorbranch.engine.inference.hashed import hashed
from flake8_tensorbranch.engine.inference.refine import refine
from flake8_tensorbranch.engine.inference.tensoruses import reckoned
from flake8_tensorbranch.engine.lattice import (
    BOTTOM,
    CALLABLE,
    DATA,
    DERIVED,
    HOST,
    HOST_VALUE,
    MAPPING,
    NAMESPACE,
    NO_CONST,
    NONE,
    NONE_VALUE,
    OBJECT,
    TENSOR,
    UNBACKED,
    UNKNOWN,
    UNKNOWN_KIND,
    AbstractValue,
    Key,
    all_deps,
    constant,
    container,
    join,
    join_all,
    make,
    opened,
    sequence,
    without,
)
from flake8_tensorbranch.engine.refs import Closure
from flake8_tensorbranch.knowledge.evidence import TENSOR_ATTRIBUTES
from flake8_tensorbranch.knowledge.names import TENSOR_ONLY_METHODS
from flake8_tensorbranch.syntax.names import FunctionInfo

_constants: dict[tuple[type, object], AbstractValue] = {}  # by literal
DERIVED.append(_constants)
Handler = Callable[[Frame, Any], AbstractValue]


def evaluate(frame: Frame, node: nodes.NodeNG) -> AbstractValue:
    """The value of an expression in the frame's current state; never raises for valid trees. Facts are recorded if
    asked for.
    """
    handler = _HANDLERS.get(type(node))
    value = handler(frame, node) if handler is not None else UNKNOWN
    if frame.facts is not None:
        frame.facts.values[node] = value
    return value


def _const(frame: Frame, node: nodes.Const) -> AbstractValue:
    value = node.value
    key = (type(value), value)
    found = _constants.get(key)
    if found is None:
        plain = value is Ellipsis or (isinstance(value, (str, bytes)) and len(value) > 80)
        found = _constants[key] = HOST_VALUE if plain else constant(value)
    return found


def _name(frame: Frame, node: nodes.Name) -> AbstractValue:
    name = node.name
    value = frame.state.get(name)  # of a local, as most names are, nothing else is asked
    return lookup(frame, name) if value is None else value


def lookup(frame: Frame, name: str) -> AbstractValue:
    """The value of a name: local, captured, of the module, builtin."""
    value = frame.state.get(name)
    if value is not None:
        return value
    function = frame.function
    if function is not None:
        if name in function.local_names and name not in function.declared_global | function.declared_nonlocal:
            return BOTTOM
        value = frame.captured.get(name)
        if value is not None:
            return value
        if name in function.free:
            return frame.analysis.enclosing(function, name)
    if name in frame.module.local_imports and name not in frame.module.bindings:
        return frame.analysis.imported(frame.module, frame.module.local_imports[name][0])
    return frame.analysis.global_value(frame.module, name)


def _attribute(frame: Frame, node: nodes.Attribute) -> AbstractValue:
    if frame.roots and (type(node.expr) is not nodes.Name or node.expr.name in frame.roots):
        path = attributes.state_path(node)
        known = frame.state.get(path) if path is not None else None
        if known is not None:
            if frame.facts is not None:
                evaluate(frame, node.expr)
            return known
    value = evaluate(frame, node.expr)
    if value.kinds & _OPEN == UNKNOWN_KIND and node.attrname in _TELLING:
        _affirm(frame, node, value)
    if (
        value.kinds & OBJECT
        and (type(node.expr) is not nodes.Name or node.expr.name != frame.self_name)
        and frame.module.memo.get(leads.READS, True)  # or not yet looked for
    ):
        value = updates.unread(frame, node.expr, value)
    return attributes.read(frame, value, node.attrname)


_TELLING_METHODS: Final = TENSOR_ONLY_METHODS | {"numel", "backward"}
_TELLING: Final = _TELLING_METHODS | TENSOR_ATTRIBUTES | {"device"}
_OPEN: Final = TENSOR | OBJECT | CALLABLE | NAMESPACE | UNKNOWN_KIND


def _affirm(frame: Frame, node: nodes.Attribute, value: AbstractValue) -> None:
    """Take a local for a likely tensor that is used as one. The `backward` of trainers and engines is given a loss, and
    a device is what models and generators have as well.
    """
    call = node.parent if isinstance(node.parent, nodes.Call) and node.parent.func is node else None
    if (call is not None) != (node.attrname in _TELLING_METHODS):
        return
    if call is not None and call.args and node.attrname == "backward":
        return
    if node.attrname == "device":
        name = getattr(node.expr, "name", None)
        if frame.function is None or name not in reckoned(frame.function):
            return
    frame.affirm(node.expr, value)


def _subscript(frame: Frame, node: nodes.Subscript) -> AbstractValue:
    if frame.roots and isinstance(node.slice, nodes.Const):
        path = attributes.state_path(node)
        known = frame.state.get(path) if path is not None else None
        if known is not None:
            if frame.facts is not None:
                evaluate(frame, node.value)
            return known
    value, index = evaluate(frame, node.value), evaluate(frame, node.slice)
    if value.items and type(node.slice) is nodes.Slice:
        parts = (node.slice.lower, node.slice.upper, node.slice.step)
        cut = tuples.cut(value, [part and evaluate(frame, part).const for part in parts])
        if cut is not None:
            return cut
    return operators.subscript(value, index, frame)


def _slice(frame: Frame, node: nodes.Slice) -> AbstractValue:
    deps = 0
    for part in (node.lower, node.upper, node.step):
        if part is not None:
            deps |= all_deps(evaluate(frame, part))
    return make(HOST, deps, const=slice)


def _binop(frame: Frame, node: nodes.BinOp) -> AbstractValue:
    left, right = evaluate(frame, node.left), evaluate(frame, node.right)
    if (left.kinds | right.kinds) & OBJECT:
        found = frame.analysis.classes.operated(frame, left, right, node.op)
        if found is not None:
            return found
    return operators.binary(left, right, node.op)


def _unaryop(frame: Frame, node: nodes.UnaryOp) -> AbstractValue:
    return operators.unary(evaluate(frame, node.operand), node.op)


def _compare(frame: Frame, node: nodes.Compare) -> AbstractValue:
    left = evaluate(frame, node.left)
    result = BOTTOM
    for op, right_node in node.ops:
        right = evaluate(frame, right_node)
        found = frame.analysis.classes.operated(frame, left, right, op) if left.kinds & OBJECT else None
        result = join(result, compare.compare(left, right, op) if found is None else found)
        left = right
    return result


def _boolop(frame: Frame, node: nodes.BoolOp) -> AbstractValue:
    saved = frame.state
    result = BOTTOM
    last = len(node.values) - 1
    for position, operand in enumerate(node.values):
        value = evaluate(frame, operand)
        if position == last:
            result = join(result, value)
            break
        result = join(result, without(value, NONE) if node.op == "or" else operators.falsy(value))
        state = refine(frame, operand, node.op == "and")
        if state is None:
            break
        frame.state = state
    frame.state = _keep_walrus(saved, frame.state)
    return result


def _keep_walrus(saved: State, now: State) -> State:
    """`saved`, plus names first bound while an operand was evaluated."""
    if now is not saved:
        for name, value in now.items():
            if name not in saved:
                saved[name] = value
    return saved


def _ifexp(frame: Frame, node: nodes.IfExp) -> AbstractValue:
    evaluate(frame, node.test)
    saved = frame.state
    result = BOTTOM
    for branch, truth in ((node.body, True), (node.orelse, False)):
        frame.state = saved
        state = refine(frame, node.test, truth)
        if state is None:
            continue
        frame.state = state
        result = join(result, evaluate(frame, branch))
    frame.state = saved
    return result


def _sequence(frame: Frame, node: nodes.List | nodes.Tuple | nodes.Set) -> AbstractValue:
    values: list[AbstractValue] = []
    is_set = type(node) is nodes.Set
    exact = not is_set
    for item in node.elts:
        if type(item) is nodes.Starred:
            inner = evaluate(frame, item.value)
            if inner.items is not None and exact:
                values.extend(v for _, v in inner.items)
            else:
                exact = False
                values.append(operators.iterate(inner))
        else:
            values.append(evaluate(frame, cast("nodes.NodeNG", item)))
    if is_set:
        return hashed(join_all(values))
    return sequence(values) if exact else container(join_all(values))


def _dict(frame: Frame, node: nodes.Dict) -> AbstractValue:
    items: dict[Key, AbstractValue] = {}
    rest = BOTTOM
    deps = 0
    for key, item in node.items:
        value = evaluate(frame, cast("nodes.NodeNG", item))
        if isinstance(key, nodes.DictUnpack):
            named, others = mappings.entries(value)
            items.update(named)
            rest = join(rest, others)
            continue
        key_value = evaluate(frame, cast("nodes.NodeNG", key))
        if key_value.const is not NO_CONST and isinstance(key_value.const, (str, int)):
            items[key_value.const] = value
        else:
            rest = join(rest, value)
            deps |= mappings.key_deps(key_value)
    return opened(items, rest, deps)


def _comprehension(frame: Frame, node: Any, *parts: nodes.NodeNG) -> tuple[list[AbstractValue], int]:
    """What the parts of a comprehension's element are, and what the number of elements depends on."""
    saved = frame.state
    frame.state = dict(saved)
    deps = 0
    for generator in node.generators:
        iterable = evaluate(frame, generator.iter)
        deps |= operators.length_deps(iterable)
        frame.analysis.assign(frame, generator.target, operators.iterate(frame.analysis.iterable(frame, iterable)))
        for test in generator.ifs:
            value = evaluate(frame, test)
            if operators.truth_deps(value) & (DATA | UNBACKED):
                deps |= UNBACKED
            state = refine(frame, test, True)
            if state is not None:
                frame.state = state
    values = [evaluate(frame, part) for part in parts]
    now, frame.state = frame.state, saved
    if len(now) > len(saved) + len(node.generators):
        for walrus in node.nodes_of_class(nodes.NamedExpr):  # bound outside the comprehension
            if walrus.target.name in now:
                saved[walrus.target.name] = now[walrus.target.name]
    return values, deps


def _listcomp(frame: Frame, node: Any) -> AbstractValue:
    (value,), deps = _comprehension(frame, node, node.elt)
    return container(value, deps)


def _setcomp(frame: Frame, node: nodes.SetComp) -> AbstractValue:
    (value,), deps = _comprehension(frame, node, node.elt)
    return hashed(value, deps | operators.distinct_deps(value))


def _dictcomp(frame: Frame, node: nodes.DictComp) -> AbstractValue:
    (key, value), deps = _comprehension(frame, node, node.key, node.value)
    return make(MAPPING, deps | mappings.key_deps(key), elem=value)


def _fstring(frame: Frame, node: nodes.JoinedStr) -> AbstractValue:
    for part in node.values:
        if isinstance(part, nodes.FormattedValue):
            evaluate(frame, part.value)
    return HOST_VALUE  # text is rarely a verdict on what it shows


def _walrus(frame: Frame, node: nodes.NamedExpr) -> AbstractValue:
    value = evaluate(frame, node.value)
    frame.analysis.assign(frame, node.target, value)
    return value


def _lambda(frame: Frame, node: nodes.Lambda) -> AbstractValue:
    return closure(frame, node)


def closure(frame: Frame, node: nodes.NodeNG) -> AbstractValue:
    """The value of a function or lambda defined here, with its free names as they are now."""
    info = frame.module.scope_of.get(node)
    if not isinstance(info, FunctionInfo):
        return UNKNOWN
    return make(32, refs=frozenset({Closure(info, capture(frame, info))}) if info.free else frozenset({info}))


def capture(frame: Frame, info: FunctionInfo) -> tuple[tuple[str, AbstractValue], ...]:
    """The values that a nested function's free names have now; closures among them lose their own captures."""
    kept = []
    for name in sorted(info.free):
        value = lookup(frame, name)
        if any(isinstance(r, Closure) for r in value.refs):
            value = make(
                value.kinds, value.deps, refs=frozenset(r.function if isinstance(r, Closure) else r for r in value.refs)
            )
        kept.append((name, value))
    return tuple(kept)


def _await(frame: Frame, node: Any) -> AbstractValue:
    return evaluate(frame, node.value)


def _yield(frame: Frame, node: nodes.Yield) -> AbstractValue:
    value = NONE_VALUE if node.value is None else evaluate(frame, node.value)
    frame.yields = join(frame.yields, value)
    return UNKNOWN


def _yield_from(frame: Frame, node: nodes.YieldFrom) -> AbstractValue:
    frame.yields = join(frame.yields, operators.iterate(evaluate(frame, cast("nodes.NodeNG", node.value))))
    return UNKNOWN


def _starred(frame: Frame, node: nodes.Starred) -> AbstractValue:
    return evaluate(frame, node.value)


def _call(frame: Frame, node: nodes.Call) -> AbstractValue:
    return calls.call(frame, node)


_HANDLERS: Final[dict[type, Handler]] = {
    nodes.Const: _const,
    nodes.Name: _name,
    nodes.Attribute: _attribute,
    nodes.Subscript: _subscript,
    nodes.Slice: _slice,
    nodes.BinOp: _binop,
    nodes.UnaryOp: _unaryop,
    nodes.Compare: _compare,
    nodes.BoolOp: _boolop,
    nodes.IfExp: _ifexp,
    nodes.List: _sequence,
    nodes.Tuple: _sequence,
    nodes.Set: _sequence,
    nodes.Dict: _dict,
    nodes.ListComp: _listcomp,
    nodes.SetComp: _setcomp,
    nodes.GeneratorExp: _listcomp,
    nodes.DictComp: _dictcomp,
    nodes.JoinedStr: _fstring,
    nodes.NamedExpr: _walrus,
    nodes.Lambda: _lambda,
    nodes.Await: _await,
    nodes.Yield: _yield,
    nodes.YieldFrom: _yield_from,
    nodes.Starred: _starred,
    nodes.Call: _call,
}
