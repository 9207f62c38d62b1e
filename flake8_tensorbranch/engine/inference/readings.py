"""Numbers read from tensors that other files of the package pass to the functions of the file under check.

Looked for only in neighbouring files that read numbers at all (`item`, `tolist`) and name one of the functions.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Final

from astroid import nodes

from flake8_tensorbranch.engine.inference.arguments import bind, passed
from flake8_tensorbranch.engine.inference.frame import Facts, State
from flake8_tensorbranch.engine.inference.outcomes import is_affirmed
from flake8_tensorbranch.engine.lattice import (
    BOTTOM,
    DATA,
    HOST,
    MAPPING,
    MASK,
    NONE,
    TENSOR,
    AbstractValue,
    join,
)
from flake8_tensorbranch.engine.refs import Bound
from flake8_tensorbranch.syntax.names import FunctionInfo, ModuleIndex, last_name

if TYPE_CHECKING:
    from flake8_tensorbranch.engine.inference.summary import Analysis

READS: Final = (".item(", ".tolist(")
_NUMBER: Final = re.compile(r"\b(?:int|float|Any|Number)\b")
Near = Callable[[], Iterable[tuple[str, str]]]
_MOST: Final = 60  # calls in other files that are looked at for one file


def handed(
    analysis: Analysis,
    index: ModuleIndex,
    wanted: set[FunctionInfo | None] | None,
    solved: Callable[[ModuleIndex, set[FunctionInfo | None]], Mapping[FunctionInfo | None, Facts]],
    near: Near,
) -> dict[FunctionInfo, State]:
    """The numbers of tensors that neighbouring files hand to functions of the file, by function and parameter.

    `solved` gives the facts of another file's scopes, each with what the scopes given pass to it; `near` gives the
    neighbouring files that read numbers, with their text.
    """
    plain = [f for f in index.functions if f.cls is None and f.parent is None and takes_numbers(f)]
    if not any(f.tests and (wanted is None or f in wanted) for f in plain):
        return {}
    names = {f.name for f in plain}
    spelled = _spelling(index, names)
    own = {f.qualname: f for f in index.functions}
    found: dict[FunctionInfo, State] = {}
    plain_lists: set[tuple[FunctionInfo, str]] = set()
    left = _MOST
    for path, text in near():
        if not spelled(text):
            continue
        module = analysis.project.read(path)
        if module is None:
            continue
        met = [(f, c) for f, c in _calls(module, names) if leads_here(analysis, index, f, c)][:left]
        left -= len(met)
        facts = solved(module, _above(module, {f for f, _ in met})) if met else {}
        for caller, call in met:
            for callee, bound in entered(analysis, index, facts[caller], call):
                here = own.get(callee.qualname)
                if here is None or (wanted is not None and here not in wanted):
                    continue
                state = found.setdefault(here, {})
                for name, value in bound.items():
                    if reads(value):
                        state[name] = join(state.get(name, BOTTOM), value)
                    elif not value.kinds & NONE:
                        plain_lists.add((here, name))
    return {f: without_lists(f, state, plain_lists) for f, state in found.items()}


def without_lists(function: FunctionInfo, state: State, plain: set[tuple[FunctionInfo, str]]) -> State:
    """Lists of numbers count only where every neighbour reads them: one of many says little of a list."""
    return {n: v for n, v in state.items() if v.kinds & HOST or (function, n) not in plain}


def _above(module: ModuleIndex, functions: set[FunctionInfo]) -> set[FunctionInfo | None]:
    """The functions, and those of their module that call them by name."""
    found: set[FunctionInfo | None] = set(functions)
    for function in functions:  # any order
        found.update(caller for caller, _ in module.calls_of(function.name) if caller is not None)
    return found


def takes_numbers(function: FunctionInfo) -> bool:
    """True for a function one of whose parameters is declared a number, or nothing, as far as its text tells."""
    for param in function.params:
        if param.annotation is not None:
            if _NUMBER.search(param.annotation.as_string()):
                return True
        elif param.default is None or not isinstance(getattr(param.default, "value", None), (str, bool)):
            return True
    return False


def _spelling(index: ModuleIndex, names: set[str]) -> Callable[[str], bool]:
    """True for a text that spells the module and one of its names, or the package and one as an attribute."""
    *above, own = index.name.split(".")
    package = above[-1] if above else None
    one_of = "(?:" + "|".join(map(re.escape, sorted(names))) + r")\b"

    def spells(text: str) -> bool:
        if not any(name in text for name in names):
            return False  # as most do: only for the others, a pattern is worth compiling
        if own in text and re.search(r"\b" + one_of, text):
            return True
        return package is not None and package in text and bool(re.search(r"\." + one_of, text))

    return spells


def _calls(module: ModuleIndex, names: set[str]) -> Iterator[tuple[FunctionInfo, nodes.Call]]:
    """The calls of a module that call, or pass on, something of one of the names, or imported under another one."""
    names = names | {
        alias for alias, bound in module.bindings.items() if any(b.imported and b.imported[1] in names for b in bound)
    }
    for function in module.functions:
        for call in function.calls:
            if last_name(call.func) in names or any(last_name(a) in names for a in call.args):
                yield function, call


def leads_here(analysis: Analysis, index: ModuleIndex, caller: FunctionInfo, call: nodes.Call) -> bool:
    """True when the callee or an argument of the call is a function of the file under check."""
    for node in (call.func, *call.args):
        target = analysis.resolver.expression(caller.module, node, caller)
        if isinstance(target, FunctionInfo) and target.module.path == index.path:
            return True
    return False


def entered(
    analysis: Analysis, index: ModuleIndex, facts: Facts, call: nodes.Call, depth: int = 2
) -> Iterator[tuple[FunctionInfo, State]]:
    """The functions of the file that a call enters, also through a function it passes one to, with their arguments."""
    args = passed(facts.values, call)
    for callee in facts.calls.get(call, ()):
        owner = facts.values.get(call.func, BOTTOM)
        bound = bind(callee, args, next((r.owner for r in owner.each if isinstance(r, Bound)), None))
        if callee.module.path == index.path:
            yield callee, bound
        elif depth > 0 and any(isinstance(r, FunctionInfo) for v in args.all() for r in v.refs):
            inner = analysis.facts_of(callee.module, callee, {n: v for n, v in bound.items() if v.known})
            for further in callee.calls:
                yield from entered(analysis, index, inner, further, depth - 1)


def reads(value: AbstractValue) -> bool:
    """True for a number read from a tensor, or a container of such numbers."""
    if value.kinds & HOST and is_affirmed(value):
        return not (value.kinds == HOST and value.deps & MASK)
    inner = value.elem
    if inner is not None and inner.kinds & MAPPING and inner.items:
        return any(reads(v) for _, v in inner.items)  # records, as mappings
    return inner is not None and not inner.kinds & TENSOR and bool(inner.kinds & HOST) and bool(inner.deps & DATA)
