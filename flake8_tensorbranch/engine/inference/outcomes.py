"""What outlives a scope: constants that others may set, returned values without suppositions, the tests that decide a
return.
"""

from __future__ import annotations

from astroid import nodes

from flake8_tensorbranch.engine.inference import operators
from flake8_tensorbranch.engine.inference.frame import Frame
from flake8_tensorbranch.engine.lattice import (
    CONTAINER,
    DATA,
    HOST,
    MAPPING,
    MASK,
    NO_CONST,
    NONE,
    SETTLED,
    SUPPOSED,
    TENSOR,
    UNBACKED,
    UNKNOWN_KIND,
    AbstractValue,
    either,
    join_all,
    make,
    with_deps,
    without,
)
from flake8_tensorbranch.syntax.graph import Cfg
from flake8_tensorbranch.syntax.names import FunctionInfo


def open_constant(value: AbstractValue) -> AbstractValue:
    """`value` as others may have set it: flags lose their constant, what is only ever None may be anything,
    what is empty may be filled.
    """
    if value.kinds == NONE:
        return make(NONE | UNKNOWN_KIND)
    if value.items == () and value.kinds & (CONTAINER | MAPPING):
        return make(value.kinds, value.deps, refs=value.refs, elem=value.elem)
    if value.const is not NO_CONST and value.const is not set and not isinstance(value.const, str):
        return make(value.kinds, value.deps, refs=value.refs, elem=value.elem, items=value.items)
    return value


def affirmed(value: AbstractValue) -> AbstractValue:
    """A returned value without what was read only in case an unknown argument is a tensor."""
    gone = 0
    if value.deps & SUPPOSED:
        if value.kinds == TENSOR | UNKNOWN_KIND:
            value = without(value, TENSOR)  # `x.all() if isinstance(x, Tensor) else x`
        gone = SUPPOSED if value.kinds & TENSOR else SUPPOSED | DATA | MASK | UNBACKED
    if value.elem is None and value.items is None:
        return make(value.kinds, value.deps & ~gone, value.const, value.refs) if gone else value
    elem = None if value.elem is None else affirmed(value.elem)
    items = None if value.items is None else tuple((k, affirmed(v)) for k, v in value.items)
    return make(value.kinds, value.deps & ~gone, value.const, value.refs, elem, items)


def is_affirmed(value: AbstractValue) -> bool:
    """True for a host value that was read from a tensor, and not only in case something unknown is one."""
    return value.deps & (DATA | SUPPOSED) == DATA


def _deciding(frame: Frame, function: FunctionInfo) -> int:
    """The dependences of tests that decide which `return` of the function is taken."""
    deps = 0
    for test, value in frame.tests.items():
        found = operators.truth_deps(value)
        if not found & DATA or found & SUPPOSED:
            continue
        holder = test.parent
        for node in function.returns_nodes:
            up: nodes.NodeNG | None = node
            while up is not None and up is not function.node:
                if up is holder:
                    deps = either(deps, found)
                    break
                up = up.parent
    return deps


def _also(value: AbstractValue, deps: int) -> AbstractValue:
    """`value`, depending on `deps` as well, and settled where both are."""
    found = with_deps(value, deps)
    if not found.deps & SETTLED or found.deps == either(value.deps, deps):
        return found
    return make(found.kinds, found.deps & ~SETTLED, found.const, found.refs, found.elem, found.items)


def decided(frame: Frame, function: FunctionInfo, value: AbstractValue) -> AbstractValue:
    """A returned value with what decides which of several `return` statements is taken."""
    if value.must(HOST | NONE) and value.kinds & HOST:
        return _also(value, _deciding(frame, function))
    if value.items and value.kinds & CONTAINER and value.items[0][0] == 0:
        return _decided_items(frame, function, value)
    return value


def _decided_items(frame: Frame, function: FunctionInfo, value: AbstractValue) -> AbstractValue:
    """A returned tuple with what decides its flags: items spelled `True` in one `return`, `False` in another."""
    tuples = [node.value for node in function.returns_nodes if isinstance(node.value, nodes.Tuple)]
    flags: set[object] = set()
    for position in range(len(value.items or ())):
        at = [t.elts[position] for t in tuples if position < len(t.elts)]
        if len({part.value for part in at if isinstance(part, nodes.Const) and isinstance(part.value, bool)}) == 2:
            flags.add(position)
    deps = _deciding(frame, function) if flags else 0
    if not deps or value.items is None:
        return value
    items = tuple((k, with_deps(_also(v, deps), MASK) if k in flags and v.must(HOST) else v) for k, v in value.items)
    return make(value.kinds, value.deps, value.const, value.refs, join_all(v for _, v in items), items)


def falls_through(cfg: Cfg) -> bool:
    """True when the end of the scope can be reached without `return`."""
    for block in cfg.blocks:
        for edge in block.edges:
            if edge.to == cfg.exit and not (block.items and isinstance(block.items[-1], nodes.Return)):
                return True
    return False


def is_stub(function: FunctionInfo) -> bool:
    """True for a body of nothing but a docstring or `...`."""
    body = function.node.body
    return isinstance(body, list) and all(
        isinstance(s, nodes.Expr) and isinstance(s.value, nodes.Const) and s.value.value is Ellipsis for s in body
    )
