"""Into how many segments `checkpoint_sequential` is to split how many functions, as far as the source tells."""

from __future__ import annotations

from typing import Any, Final

from astroid import nodes

from flake8_tensorbranch.engine.checkpointing.recomputes import Recompute
from flake8_tensorbranch.engine.lattice import CONTAINER, MAPPING
from flake8_tensorbranch.engine.lookup.names import owner
from flake8_tensorbranch.engine.lookup.options import Options
from flake8_tensorbranch.engine.lookup.origins import Expr, Origins
from flake8_tensorbranch.knowledge.containers import RESIZES
from flake8_tensorbranch.knowledge.regions import RegionEntry
from flake8_tensorbranch.syntax.names import FunctionInfo, dotted, names_own
from flake8_tensorbranch.syntax.printing import source_of

_DEPTH: Final = 8
_LISTS: Final = ("list", "tuple", "reversed")
_EXTREMES: Final = {"max": max, "min": min}


def segments(origins: Origins, options: Options, made: Recompute, row: RegionEntry) -> tuple[int, int] | None:
    """The number of segments and of functions where `checkpoint_sequential` cannot split so; the second is -1
    where it does not matter.
    """
    call = made.call.node
    if not row.qualname.endswith("checkpoint_sequential") or not isinstance(call, nodes.Call):
        return None
    given = options.given(made.call, "segments") if len(made.arguments) < 2 else [made.arguments[1]]
    number = _least(origins, given[0]) if isinstance(given[0], Expr) and len(given) == 1 else None
    if number is None:
        return None
    if number <= 0:
        return number, -1
    length = None if made.function is None else _length(origins, made.function, _DEPTH)
    return (number, length) if length is not None and number > length else None


def _grows(origins: Origins, expr: Expr) -> bool:
    """True where anything is added to what an expression names, or taken from it, in its file."""
    path = dotted(expr.node)
    if path is None or isinstance(expr.node, nodes.Call):
        return False
    for scope, call in expr.module.all_calls():
        func = call.func
        if not isinstance(func, nodes.Attribute) or func.attrname not in RESIZES | {"add_module"}:
            continue
        if dotted(func.expr) == path and _means_the_same(origins, expr, scope, path):
            return True
    for statement in expr.module.tree.nodes_of_class(nodes.AugAssign):
        within = expr.module.scope_of.get(statement.scope())
        if source_of(statement.target) == path:
            if _means_the_same(origins, expr, within if isinstance(within, FunctionInfo) else None, path):
                return True
    return False


def _means_the_same(origins: Origins, expr: Expr, scope: FunctionInfo | None, path: str) -> bool:
    """True where another scope may mean the same object by a path: the same variable, an object of a related class."""
    here = expr.scope
    head = path.partition(".")[0]
    if not names_own(here, head) or here is None or scope is None or here.cls is None or scope.cls is None:
        return owner(scope, head) is owner(here, head)
    mro = origins.program.analysis.resolver.mro
    return here.cls in mro(scope.cls) or scope.cls in mro(here.cls)


def _least(origins: Origins, expr: Expr) -> int | None:
    """The number that an expression is, or the least that splits anything of all that it may be."""
    number = _number(origins, expr, _DEPTH)
    if number is not None:
        return number
    numbers = [_number(origins, origin, _DEPTH) for origin in origins.of(expr)]
    known = [n for n in numbers if n is not None]
    if not known or len(known) < len(numbers):
        return None
    return min((n for n in known if n > 0), default=min(known))


def _number(origins: Origins, expr: Expr, depth: int) -> int | None:
    """The integer that an expression is: literals, lengths, sums, products, quotients and extremes of them."""
    node, const = expr.node, origins.value(expr).const
    if isinstance(node, nodes.Const):
        const = node.value
    if isinstance(const, int) and not isinstance(const, bool):
        return const
    if depth <= 0:
        return None

    def inner(part: Any) -> int | None:
        return _number(origins, Expr(expr.module, expr.scope, part), depth - 1)

    if isinstance(node, nodes.BinOp):
        return _computed(node.op, inner(node.left), inner(node.right))
    if isinstance(node, nodes.Call) and isinstance(node.func, nodes.Name) and node.args and not node.keywords:
        if node.func.name == "len":
            return _length(origins, Expr(expr.module, expr.scope, node.args[0]), depth - 1)
        parts = [inner(a) for a in node.args]
        known = [p for p in parts if p is not None]
        if node.func.name in _EXTREMES and len(known) == len(parts) > 1:
            return _EXTREMES[node.func.name](known)
    numbers = [_number(origins, step, depth - 1) for step in origins.step(expr)]
    return numbers[0] if numbers and all(n == numbers[0] for n in numbers) else None


def _computed(op: str, left: int | None, right: int | None) -> int | None:
    if left is None or right is None:
        return None
    if op in ("//", "%"):
        return None if right == 0 else left // right if op == "//" else left % right
    return left + right if op == "+" else left - right if op == "-" else left * right if op == "*" else None


def _length(origins: Origins, chain: Expr, depth: int) -> int | None:
    """How many functions a chain has: of `Sequential`, lists, slices of them, what `children()` of them gives."""
    if depth <= 0:
        return None
    if _grows(origins, chain):
        return None
    steps = origins.step(chain)
    lengths = [_length(origins, step, depth - 1) for step in steps] if steps else [_made(origins, chain, depth)]
    return lengths[0] if lengths and all(n == lengths[0] for n in lengths) else None


def _made(origins: Origins, made: Expr, depth: int) -> int | None:
    node, value = made.node, origins.value(made)

    def inner(part: Any) -> int | None:
        return _length(origins, Expr(made.module, made.scope, part), depth - 1)

    if isinstance(node, nodes.Call):
        names, func = origins.externals(made), node.func
        if "torch.nn.Sequential" in names:
            return _chained(origins, made, depth)
        if "torch.nn.ModuleList" in names or (isinstance(func, nodes.Name) and func.name in _LISTS):
            return inner(node.args[0]) if len(node.args) == 1 and not node.keywords else None
        if isinstance(func, nodes.Attribute) and func.attrname == "children" and not node.args:
            return inner(func.expr)
    elif isinstance(node, (nodes.List, nodes.Tuple)):
        return _sum(origins, made, node.elts, depth) or None  # an empty list is filled somewhere
    elif isinstance(node, nodes.Subscript) and isinstance(node.slice, nodes.Slice):
        return _cut(origins, made, inner(node.value), depth)
    elif isinstance(node, nodes.ListComp) and len(node.generators) == 1 and not node.generators[0].ifs:
        return _rounds(origins, Expr(made.module, made.scope, node.generators[0].iter), depth)
    if value.items is not None and value.kinds & CONTAINER and not value.kinds & MAPPING:
        return len(value.items)
    return None


def _rounds(origins: Origins, over: Expr, depth: int) -> int | None:
    """How many rounds a comprehension makes."""
    node = over.node
    if isinstance(node, nodes.Call) and isinstance(node.func, nodes.Name) and node.func.name == "range":
        if len(node.args) != 1:
            return None
        return _number(origins, Expr(over.module, over.scope, node.args[0]), depth - 1)
    return _length(origins, over, depth - 1)


def _cut(origins: Origins, made: Expr, length: int | None, depth: int) -> int | None:
    """How many of so many elements a slice takes."""
    cut: Any = made.node.slice
    bounds: list[int | None] = []
    for part in (cut.lower, cut.upper, cut.step):
        absent = part is None or (isinstance(part, nodes.Const) and part.value is None)
        number = None if absent else _signed(origins, Expr(made.module, made.scope, part), depth)
        if number is None and not absent:
            return None
        bounds.append(number)
    return None if length is None or bounds[2] == 0 else len(range(length)[slice(*bounds)])


def _signed(origins: Origins, expr: Expr, depth: int) -> int | None:
    if isinstance(expr.node, nodes.UnaryOp) and expr.node.op == "-":
        number = _number(origins, Expr(expr.module, expr.scope, expr.node.operand), depth - 1)
        return None if number is None else -number
    return _number(origins, expr, depth - 1)


def _sum(origins: Origins, made: Expr, parts: list[Any], depth: int) -> int | None:
    """How many elements are written, and unpacked, one after the other."""
    total = 0
    for part in parts:
        unpacked = part.value if isinstance(part, nodes.Starred) else None
        number = 1 if unpacked is None else _length(origins, Expr(made.module, made.scope, unpacked), depth - 1)
        if number is None:
            return None
        total += number
    return total


def _chained(origins: Origins, made: Expr, depth: int) -> int | None:
    """How many modules a `Sequential` is made of: its arguments, unpacked lists too, or a literal `OrderedDict`."""
    args = made.node.args
    if len(args) == 1 and not isinstance(args[0], nodes.Starred):
        named = Expr(made.module, made.scope, args[0])
        if not isinstance(args[0], nodes.Call) or "collections.OrderedDict" not in origins.externals(named):
            return None
        pairs: Any = args[0].args[0] if args[0].args else None
        if isinstance(pairs, (nodes.List, nodes.Tuple)) and not args[0].keywords:
            return None if any(isinstance(e, nodes.Starred) for e in pairs.elts) else len(pairs.elts)
        return None if pairs is not None or any(k.arg is None for k in args[0].keywords) else len(args[0].keywords)
    return _sum(origins, made, args, depth) or None
