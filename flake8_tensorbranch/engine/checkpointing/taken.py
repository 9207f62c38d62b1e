"""What a caller takes out of the tuple that a call gives, and whether a tensor is computed of it."""

from __future__ import annotations

from collections.abc import Iterator
from math import inf
from typing import Any, Final

from astroid import nodes

from flake8_tensorbranch.engine.lattice import TENSOR
from flake8_tensorbranch.engine.lookup.modes import without_grad
from flake8_tensorbranch.engine.lookup.origins import Expr, Origins, line
from flake8_tensorbranch.knowledge.containers import FILLS, GIVES_ELEMENTS, TAKES
from flake8_tensorbranch.knowledge.gradients import CUTS, LEAVES_THE_GRAPH
from flake8_tensorbranch.syntax.names import FunctionInfo
from flake8_tensorbranch.syntax.printing import source_of

_FOR_SHOW: Final = CUTS | {"cpu"}  # moved to the host: to be looked at
_GIVES: Final = (GIVES_ELEMENTS | TAKES) - {"keys"}
_DEPTH: Final = 4


def computed_with(origins: Origins, call: Expr, position: int, length: int) -> bool:
    """True when a tensor is computed of what stands at a position of the tuple of so many elements that a call returns:
    under a name that it is unpacked to, by index, in a loop; here, in functions that are handed the tuple, or in the
    callers to which it is returned.
    """
    return _of_whole(origins, call, position, length, _DEPTH)


def enters(origins: Origins, taken: Expr) -> bool:
    """True for an expression that a tensor is computed of, with its graph."""
    return _enters(origins, taken, taken.node)


def reads_after(scope: FunctionInfo | None, name: str, since: int) -> Iterator[nodes.Name]:
    """Where a function reads a name after a line, up to where its body gives the name to something else."""
    end = renewed(scope, name, since)
    for node in scope.node.nodes_of_class(nodes.Name) if scope is not None else ():
        if node.name == name and since < line(node) <= end:
            yield node


def renewed(scope: FunctionInfo | None, name: str, since: int) -> float:
    """The line after another one on which a function assigns a name anew, whatever way it took."""
    bound = scope.local_names.get(name, ()) if scope is not None else ()
    top = scope.node if scope is not None else None
    anew = (b for b in bound if isinstance(b, nodes.AssignName) and isinstance(b.statement(), nodes.Assign))
    return min((line(b) for b in anew if line(b) > since and b.statement().parent is top), default=inf)


def _of_whole(origins: Origins, at: Expr, position: int, length: int, depth: int) -> bool:
    """The same of an expression that holds the tuple."""
    node, up = at.node, at.node.parent
    if at.scope is None or depth <= 0:
        return False

    def whole(found: Any, scope: FunctionInfo | None = at.scope, less: int = 0) -> bool:
        where = Expr(scope.module if scope is not None else at.module, scope, found)
        return _of_whole(origins, where, position - less, length - less, depth - 1)

    if isinstance(up, nodes.Subscript) and up.value is node:
        at_position = isinstance(up.slice, nodes.Const) and up.slice.value == position
        return (at_position or _from_the_end(up.slice) == length - position) and _enters(origins, at, up)
    if isinstance(up, nodes.NamedExpr):
        target: Any = up.target
        reads = reads_after(at.scope, target.name, line(node) - 1)
        return whole(up) or any(whole(read) for read in reads)
    if isinstance(up, nodes.IfExp) and up.test is not node:
        return whole(up)
    if isinstance(up, nodes.Return):
        return any(_of_whole(origins, site, position, length, depth - 1) for site in origins.sites(at.scope))
    if isinstance(up, nodes.Lambda) and up.body is node:
        return any(_of_whole(origins, site, position, length, depth - 1) for site in origins.sites(at.scope))
    if isinstance(up, nodes.Starred) and isinstance(up.parent, nodes.Call) and up in up.parent.args:
        return _unpacked_into(origins, at, up, position, depth)
    if isinstance(up, (nodes.Call, nodes.Keyword)):
        site: Any = up if isinstance(up, nodes.Call) else up.parent
        if isinstance(site.func, nodes.Name) and site.func.name in ("list", "tuple"):
            return whole(site)
        if isinstance(site.func, nodes.Attribute) and site.func.attrname == "append" and node in site.args:
            lists = _reads_of(at.scope, site.func.expr, line(node) - 1)
            return any(_of_elements(origins, Expr(at.module, at.scope, r), position, length, depth - 1) for r in lists)
        return any(whole(read, callee) for callee, read in _handed(origins, at, site))
    if isinstance(up, (nodes.ListComp, nodes.GeneratorExp)) and up.elt is node:
        return _of_elements(origins, Expr(at.module, at.scope, up), position, length, depth - 1)
    if isinstance(up, nodes.Assign) and up.value is node:
        return any(_taken_by(origins, at, target, line(up), position, length, depth) for target in up.targets)
    return False


def _taken_by(origins: Origins, at: Expr, target: Any, since: int, position: int, length: int, depth: int) -> bool:
    """The same of a target that the tuple is bound to, after a line."""

    def whole(found: Any, less: int = 0) -> bool:
        return _of_whole(origins, Expr(at.module, at.scope, found), position - less, length - less, depth - 1)

    if not isinstance(target, nodes.Tuple):
        return any(whole(read) for read in _reads_of(at.scope, target, since))
    before, rest = _split(target)
    if rest is not None and position >= before:
        return any(whole(read, before) for n in _names(rest) for read in reads_after(at.scope, n, since))
    held = target.elts[position] if position < len(target.elts) else None
    if isinstance(held, (nodes.AssignAttr, nodes.Subscript)):
        return any(_enters(origins, at, read, depth) for read in _reads_of(at.scope, held, since))
    return held is not None and any(_used(origins, at, name, since) for name in _names(held))


def _of_elements(origins: Origins, at: Expr, position: int, length: int, depth: int) -> bool:
    """The same of an expression that holds a list of such tuples."""
    node, up = at.node, at.node.parent
    if at.scope is None or depth <= 0:
        return False
    if isinstance(up, (nodes.For, nodes.Comprehension)) and up.iter is node:
        return _taken_by(origins, at, up.target, line(up.target) - 1, position, length, depth)
    if isinstance(up, nodes.Subscript) and up.value is node:
        return _of_whole(origins, Expr(at.module, at.scope, up), position, length, depth - 1)
    if isinstance(up, nodes.Assign) and up.value is node:
        reads = [read for target in up.targets for read in _reads_of(at.scope, target, line(up))]
        return any(_of_elements(origins, Expr(at.module, at.scope, r), position, length, depth - 1) for r in reads)
    if isinstance(up, nodes.Call) and isinstance(up.func, nodes.Name) and up.func.name in ("list", "tuple", "reversed"):
        return _of_elements(origins, Expr(at.module, at.scope, up), position, length, depth - 1)
    if isinstance(up, nodes.Starred) and isinstance(up.parent, nodes.Call):
        columns: Any = up.parent
        if isinstance(columns.func, nodes.Name) and columns.func.name == "zip" and columns.args == [up]:
            return _of_whole(origins, Expr(at.module, at.scope, columns), position, length, depth - 1)
    return False


def _reads_of(scope: FunctionInfo | None, target: Any, since: int) -> Iterator[nodes.NodeNG]:
    """Where a function reads what it has bound to a name, an attribute or an item."""
    if isinstance(target, (nodes.AssignName, nodes.Name)):
        yield from reads_after(scope, target.name, since)
    elif isinstance(target, (nodes.AssignAttr, nodes.Attribute, nodes.Subscript)) and scope is not None:
        text = source_of(target)
        for node in scope.node.nodes_of_class((nodes.Attribute, nodes.Subscript)):
            if line(node) > since and source_of(node) == text:
                yield node


def fields_read(origins: Origins, call: Expr, depth: int = _DEPTH) -> bool:
    """True when a caller reads an attribute of the tuple that a call returns, by a name that plain tuples lack."""
    node, up = call.node, call.node.parent
    if isinstance(up, nodes.Attribute) and up.expr is node:
        return not hasattr(tuple, up.attrname)
    if call.scope is None or depth <= 0:
        return False
    if isinstance(up, nodes.Return):
        return any(fields_read(origins, site, depth - 1) for site in origins.sites(call.scope))
    if isinstance(up, nodes.Assign):
        reads = [read for target in up.targets for read in _reads_of(call.scope, target, line(up))]
        return any(fields_read(origins, Expr(call.module, call.scope, read), depth - 1) for read in reads)
    if isinstance(up, nodes.Call) and node in up.args:
        handed = _handed(origins, call, up)
        return any(fields_read(origins, Expr(f.module, f, read), depth - 1) for f, read in handed)
    return False


def _from_the_end(index: nodes.NodeNG) -> int | None:
    """The number of a negative index."""
    if isinstance(index, nodes.UnaryOp) and index.op == "-" and isinstance(index.operand, nodes.Const):
        return index.operand.value if isinstance(index.operand.value, int) else None
    return None


def _split(target: nodes.Tuple) -> tuple[int, Any]:
    """How many names stand before the starred one, which takes the rest; None where there is none."""
    starred = [e for e in target.elts if isinstance(e, nodes.Starred)]
    if not starred:
        return len(target.elts), None
    return target.elts.index(starred[0]), starred[0].value


def _unpacked_into(origins: Origins, at: Expr, starred: nodes.Starred, position: int, depth: int) -> bool:
    """The same of a tuple that is unpacked into the arguments of a call."""
    site = Expr(at.module, at.scope, starred.parent)
    slot = site.node.args.index(starred) + position
    for callee in origins.callees(site):
        names = [p.name for p in callee.params if not p.keyword_only][int(callee.takes_self or callee.is_classmethod) :]
        if slot < len(names) and _used(origins, Expr(callee.module, callee, callee.node), names[slot], -1, depth - 1):
            return True
    return False


def _handed(origins: Origins, at: Expr, call: nodes.Call) -> Iterator[tuple[FunctionInfo, nodes.Name]]:
    """Where the functions that a call enters read what they are handed by an expression of it."""
    site = Expr(at.module, at.scope, call)
    for callee in origins.callees(site):
        for param in callee.params:
            given = origins.argument(site, callee, param.name)
            if given is not None and given.node is at.node:
                for read in reads_after(callee, param.name, -1):
                    yield callee, read


def _names(target: Any) -> list[str]:
    """The names that a target binds, those of a tuple in it as well; none where anything else is bound."""
    parts: list[Any] = target.elts if isinstance(target, nodes.Tuple) else [target]
    return [p.name for p in parts] if all(isinstance(p, nodes.AssignName) for p in parts) else []


def _used(origins: Origins, call: Expr, kept: str, since: int, depth: int = _DEPTH) -> bool:
    """True when a tensor is computed of a name after a line."""
    return depth > 0 and any(_enters(origins, call, name, depth) for name in reads_after(call.scope, kept, since))


def _enters(origins: Origins, call: Expr, taken: nodes.NodeNG, depth: int = _DEPTH) -> bool:
    """True for an expression that a tensor is computed of, with its graph: here, under the name that is given to what
    it holds, or of what a loop takes out of it.
    """
    if without_grad(origins, Expr(call.module, call.scope, taken), 0):
        return False
    held: Any = taken
    up: Any = taken.parent
    while (isinstance(up, nodes.Subscript) and up.value is held) or _gives(up, held):
        held, up = up, up.parent
    begin = line(taken)
    if isinstance(up, (nodes.For, nodes.Comprehension)) and up.iter is held:
        target: Any = up.target
        items = isinstance(held, nodes.Call) and getattr(held.func, "attrname", "") == "items"
        if items and isinstance(target, nodes.Tuple) and len(target.elts) == 2:
            target = target.elts[1]
        return any(_used(origins, call, name, begin - 1, depth - 1) for name in _names(target))
    if isinstance(up, nodes.Return) and depth > 1:
        return any(_enters(origins, site, site.node, depth - 1) for site in origins.sites(_scope(call)))
    if isinstance(up, nodes.Tuple) and isinstance(up.parent, nodes.Return):
        place = up.elts.index(held), len(up.elts)
        return any(_of_whole(origins, site, *place, depth - 1) for site in origins.sites(_scope(call)))
    if isinstance(up, nodes.Assign):
        return any(_used(origins, call, n, begin, depth - 1) for target in up.targets for n in _names(target))
    if isinstance(up, nodes.AugAssign):
        return up.value is held and _is_tensor(origins, call, held)
    found, below = False, held
    while up is not None and not up.is_statement:
        called = getattr(up.func, "attrname", getattr(up.func, "name", "")) if isinstance(up, nodes.Call) else ""
        if called in _FOR_SHOW:
            return False
        if called in FILLS and isinstance(up.func, nodes.Attribute):
            owner = up.func.expr
            return isinstance(owner, nodes.Name) and _used(origins, call, owner.name, begin, depth - 1)
        if isinstance(up, nodes.Attribute) and up.expr is below and up.attrname in LEAVES_THE_GRAPH:
            return False
        found = found or (isinstance(up, (nodes.BinOp, nodes.Call)) and _is_tensor(origins, call, up))
        if isinstance(up, nodes.Call) and below is held and below in up.args and not found and depth > 1:
            handed = _handed(origins, Expr(call.module, call.scope, held), up)
            found = any(_enters(origins, Expr(f.module, f, read), read, depth - 1) for f, read in handed)
        below, up = up, up.parent
    return found


def _scope(call: Expr) -> FunctionInfo:
    assert call.scope is not None
    return call.scope


def _gives(up: nodes.NodeNG | None, held: nodes.NodeNG) -> bool:
    """True for the method by which a container gives what it holds, and for its call."""
    if isinstance(up, nodes.Attribute):
        return up.expr is held and up.attrname in _GIVES and isinstance(up.parent, nodes.Call)
    return isinstance(up, nodes.Call) and up.func is held and isinstance(held, nodes.Attribute)


def _is_tensor(origins: Origins, call: Expr, node: nodes.NodeNG) -> bool:
    return origins.value(Expr(call.module, call.scope, node)).must(TENSOR)
