"""Where a function may lead inside its module, and what calls of a file hand it: by names and spellings alone."""

from __future__ import annotations

from collections.abc import Iterator, Set
from typing import Any, Final, cast

from astroid import nodes

from flake8_tensorbranch.engine.inference.foreign import is_foreign
from flake8_tensorbranch.knowledge.evidence import READING_METHODS
from flake8_tensorbranch.knowledge.model import names_with
from flake8_tensorbranch.syntax.binding import unpacked
from flake8_tensorbranch.syntax.names import ClassInfo, FunctionInfo, ModuleIndex, called_name, last_name

_SPELLED: Final = tuple(f".{name}(" for name in sorted(READING_METHODS))
READS: Final = "spelled reads"
"""Where a module's memo keeps the reads that its text spells."""
_COUNTING: Final = frozenset({"len", "isinstance", "type", "id", "callable"})
"""What tells nothing of the values that it is given."""
_PASSING: Final = frozenset({nodes.Call, nodes.Keyword})
_BINDING: Final = frozenset({nodes.Assign, nodes.AnnAssign, nodes.AugAssign, nodes.NamedExpr})
_TELLING: Final = ("dynamic-shape", "nondet", "rng", "collective")


def recurs(function: FunctionInfo) -> bool:
    """Whether calls lead from the function back to its name; once per function."""
    memo = function.module.memo
    key = ("recurs", function)
    if key not in memo:
        memo[key] = _leads_to(function, {function.name}, masks=False)
    return bool(memo[key])


def only_tensors(function: FunctionInfo) -> bool:
    """Whether of a function that is declared to return a tensor no more is to be learnt than that: nothing it leads to
    makes a size depend on values (an operation of torch, an item picked by something without a constant in it), draws,
    communicates or differs from run to run; once per function.
    """
    memo = function.module.memo
    key = ("only tensors", function)
    if key not in memo:
        memo[key] = not _leads_to(function, names_with(_TELLING), masks=True)
    return bool(memo[key])


def _leads_to(function: FunctionInfo, names: Set[str], masks: bool) -> bool:
    """Whether a call of one of the names is met, or, with `masks`, an item that may be picked by a mask."""
    named = _named(function.module)
    seen: set[str] = set()
    stack = [function]
    while stack:
        inner = stack.pop()
        if masks and inner.picks:
            return True
        stack.extend(inner.nested)
        for call in inner.calls:
            name = called_name(call)
            if name in names:
                return True
            if name not in seen:
                seen.add(name)
                stack.extend(named.get(name, ()))
    return False


def _named(module: ModuleIndex) -> dict[str, list[FunctionInfo]]:
    if "named" not in module.memo:
        found: dict[str, list[FunctionInfo]] = {}
        for function in module.functions:
            found.setdefault(function.name, []).append(function)
        module.memo["named"] = found
    return cast("dict[str, list[FunctionInfo]]", module.memo["named"])


def is_handed_a_read(function: FunctionInfo, name: str) -> bool:
    """True where a call in the file spells a read for a parameter: `f(x.item())`, `f(bool(x.any()))`."""
    index = function.module
    if function.name == "forward" or not (reads := spelled_reads(index)):
        return False
    params = function.params[1:] if function.takes_self else function.params
    place = next((i for i, p in enumerate(params) if p.name == name), len(params))
    cls = function.cls if function.name == "__init__" else None
    calls = index.calls_of(function.name) if cls is None else factories(cls)
    for caller, call in calls:
        for node in [k.value for k in call.keywords if k.arg == name] or call.args[place : place + 1]:
            if ((caller, node.name) if isinstance(node, nodes.Name) else node) in reads:
                return True
    return False


def reads_given(function: FunctionInfo, index: ModuleIndex) -> dict[str, list[nodes.NodeNG]]:
    """The parameters of a method for which a file spells a read, in calls on what it binds to a new object of the
    class (`meter = Meter()`, `meter.update(loss.item())`), and the arguments that hold one.
    """
    found: dict[str, list[nodes.NodeNG]] = {}
    for name, node, _ in _handed(function, index):
        found.setdefault(name, []).append(node)
    return found


def spells_read(node: Any) -> bool:
    """Whether a read of a tensor's value stands in an expression."""
    return any(called_name(call) in READING_METHODS for call in node.nodes_of_class(nodes.Call))


def unread(cls: ClassInfo, index: ModuleIndex, holder: str) -> bool:
    """True for what a file binds to a new object of a class and hands no reads, while it hands them to others."""
    memo, key = index.memo, ("read by", cls)
    if key not in memo:
        memo[key] = {holder for m in cls.methods.values() for *_, holder in _handed(m, index)}
    given = cast("Set[str]", memo[key])
    return bool(given) and holder not in given and holder in _holders(cls, index)


def _handed(function: FunctionInfo, index: ModuleIndex) -> Iterator[tuple[str, nodes.NodeNG, str]]:
    """The parameters of a method for which a file spells a read, the argument, and whose method it calls for that; text
    that a read is written into is no number.
    """
    cls = function.cls
    if not (reads := spelled_reads(index)) or cls is None or not function.takes_self or function.name == "forward":
        return
    if not (held := _holders(cls, index)):
        return
    if function.name == "__call__":
        calls = [(name, f, c) for name in sorted(held) for f, c in index.calls_of(name)]
    else:
        named = ((last_name(getattr(c.func, "expr", None)), f, c) for f, c in index.calls_of(function.name))
        calls = [(name, f, c) for name, f, c in named if name in held]
    for holder, caller, call in calls:
        passed = [(p.name, a) for p, a in zip(function.slots[1:], call.args, strict=False)]
        passed = passed[: next((i for i, (_, a) in enumerate(passed) if type(a) is nodes.Starred), None)]
        for name, node in (*passed, *((k.arg, k.value) for k in call.keywords)):
            if name is None or type(node) is nodes.JoinedStr:
                continue
            if ((caller, node.name) if isinstance(node, nodes.Name) else node) in reads:
                yield name, node, holder


def _holders(cls: ClassInfo, index: ModuleIndex) -> Set[str]:
    """The names and attributes that a file binds to new objects of a class."""
    memo, key = index.memo, ("holders", cls)
    if key not in memo:
        bound = (up for _, call in index.calls_of(cls.name) if type(up := call.parent) in _BINDING)
        targets = (t for up in bound for t in getattr(up, "targets", None) or (cast("Any", up).target,))
        memo[key] = {name for t in targets if (name := getattr(t, "attrname", "") or getattr(t, "name", ""))}
    return cast("Set[str]", memo[key])


def factories(cls: ClassInfo) -> list[tuple[FunctionInfo | None, nodes.Call]]:
    """The calls that build a class in its own methods (`cls(...)`, too) and in the functions of its file: what the
    methods of other classes build, they build for themselves.
    """
    own = [(f, c) for f, c in cls.module.calls_of("cls") if f is not None and f.cls is cls]
    return [*((f, c) for f, c in cls.module.calls_of(cls.name) if f is None or f.cls is None or f.cls is cls), *own]


def spelled_reads(index: ModuleIndex) -> Set[object]:
    """The arguments of calls that spell a read of a tensor's value, and the locals bound to one, with their scopes."""
    known: Any = index.memo.get(READS)
    if known is None:
        known = index.memo[READS] = set()
        for name in sorted(READING_METHODS) if index.mentions(_SPELLED) else ():
            for caller, call in index.calls_of(name):
                if type(call.func) is nodes.Attribute and not is_foreign(index, caller, call.func.expr):
                    known.update(_held_by(caller, call))
    found: Set[object] = known
    return found


def _held_by(caller: FunctionInfo | None, read: nodes.NodeNG) -> Iterator[object]:
    """The arguments that a read stands in, and the locals that its statement binds to what holds it."""
    node, up = read, read.parent
    while up is not None:
        if type(up) in _PASSING:
            if type(up) is nodes.Call and called_name(up) in _COUNTING and node is not up.func:
                return
            yield node
        elif type(up) in _BINDING:
            for target in getattr(up, "targets", None) or (cast("Any", up).target,):
                yield from ((caller, name) for name in _bound(target, node, read))
        if up.is_statement:
            return
        node, up = up, up.parent


def _bound(target: nodes.NodeNG, value: nodes.NodeNG, read: nodes.NodeNG) -> Iterator[str]:
    """The names among the targets of an assignment of `value` that are assigned what holds a read."""
    if isinstance(target, nodes.AssignName):
        yield target.name
    elif isinstance(target, (nodes.Tuple, nodes.List)):
        for one, source in unpacked(target, value):
            if isinstance(one, nodes.AssignName) and source is not None and (source is read or source.parent_of(read)):
                yield one.name
