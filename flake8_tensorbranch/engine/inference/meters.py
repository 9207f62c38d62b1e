"""Numbers read from tensors that other files of the package pass to methods and constructors of the file under check.

Looked for only in neighbouring files that read numbers, for calls that spell a read: `meter.update(loss.item())`.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Final

from astroid import nodes

from flake8_tensorbranch.engine.inference.arguments import bind, passed
from flake8_tensorbranch.engine.inference.frame import Facts, State
from flake8_tensorbranch.engine.inference.leads import spelled_reads
from flake8_tensorbranch.engine.inference.readings import Near, reads, takes_numbers, without_lists
from flake8_tensorbranch.engine.lattice import BOTTOM, HOST, NONE, UNKNOWN, join
from flake8_tensorbranch.engine.refs import Bound, Instance
from flake8_tensorbranch.syntax.names import ClassInfo, FunctionInfo, ModuleIndex

if TYPE_CHECKING:
    from flake8_tensorbranch.engine.inference.summary import Analysis

_MOST: Final = 30  # calls in other files that are looked at for one file


def handed(
    analysis: Analysis, index: ModuleIndex, wanted: set[FunctionInfo | None] | None, near: Near
) -> dict[FunctionInfo, State]:
    """The numbers of tensors that neighbouring files hand to methods of the file, by method and parameter.

    `near` gives the neighbouring files that read numbers, with their text.
    """
    methods: dict[str, list[FunctionInfo]] = {}
    classes: dict[str, None] = {}
    for f in index.functions:
        if f.cls is not None and f.tests and f.parent is None and (wanted is None or f in wanted):
            name = f.cls.name if f.name == "__init__" else f.name
            if name[:2] != "__" and len(f.params) > f.takes_self and takes_numbers(f):
                methods.setdefault(name, []).append(f)
                classes[f.cls.name] = None
    found: dict[FunctionInfo, State] = {}
    plain: set[tuple[FunctionInfo, str]] = set()
    solved: dict[FunctionInfo, Facts] = {}
    names, spelled = [*methods], True
    while names:
        for caller, call, name in itertools.islice(_calls(analysis, index, names, classes, near, spelled), _MOST):
            if caller not in solved:
                solved[caller] = analysis.facts_of(caller.module, caller)
                caller.module.memo.pop(("facts", caller), None)  # they would fill memory
            for here, bound in _entered(solved[caller], call, methods[name]):
                state = found.setdefault(here, {})
                for param, value in bound.items():
                    if reads(value):
                        state[param] = join(state.get(param, BOTTOM), value)
                    elif not value.kinds & NONE:
                        plain.add((here, param))
        # Lists count only where each call reads them, which is to be seen from the calls that spell no read.
        names = [n for n in names if spelled and any(_has_lists(found.get(f, {})) for f in methods[n])]
        spelled = False
    return {f: without_lists(f, state, plain) for f, state in found.items()}


def _has_lists(state: State) -> bool:
    return any(not value.kinds & HOST for value in state.values())


def _calls(
    analysis: Analysis,
    index: ModuleIndex,
    methods: list[str],
    classes: Iterable[str],
    near: Near,
    spelled: bool,
) -> Iterator[tuple[FunctionInfo, nodes.Call, str]]:
    """The calls in other files that are spelled like one of a method of the file: with `spelled`, those that spell a
    read for an argument.
    """
    spellings = [(name, f"{name}(") for name in methods]
    here = (*classes, index.name.rpartition(".")[2])
    for path, text in near():
        names = [name for name, call in spellings if call in text]
        if not names or not any(word in text for word in here):
            continue
        module = analysis.project.read(path)
        if module is None:
            continue
        for name in names:
            for caller, call in module.calls_of(name):
                if caller is not None and (not spelled or _spells_read(module, caller, call)):
                    yield caller, call, name


def _spells_read(module: ModuleIndex, caller: FunctionInfo, call: nodes.Call) -> bool:
    """True for a call that spells a read for an argument, or passes a local bound to one, or each element of it."""
    known = spelled_reads(module)
    for node in (*call.args, *(keyword.value for keyword in call.keywords)):
        if node in known:
            return True
        if isinstance(node, nodes.Name):
            if (caller, node.name) in known:
                return True
            source = _iterated(node)
            if source is not None and (caller, source) in known:
                return True
    return False


def _iterated(node: nodes.Name) -> str | None:
    """The local that a variable of a comprehension around it runs through."""
    up = node.parent
    while up is not None and not up.is_statement:
        for generator in getattr(up, "generators", ()):
            if isinstance(generator.target, nodes.AssignName) and generator.target.name == node.name:
                return generator.iter.name if isinstance(generator.iter, nodes.Name) else None
        up = up.parent
    return None


def _entered(facts: Facts, call: nodes.Call, methods: list[FunctionInfo]) -> Iterator[tuple[FunctionInfo, State]]:
    """The methods that a call enters, with their arguments."""
    owner = facts.values.get(call.func, BOTTOM)
    for callee in facts.calls.get(call, ()):
        same = (f for f in methods if f.qualname == callee.qualname and f.module.path == callee.module.path)
        here = next(same, None)
        if here is not None:
            on = next((r.owner for r in owner.each if isinstance(r, Bound)), None)
            if on is None and any(isinstance(r, (ClassInfo, Instance)) for r in owner.each):
                on = UNKNOWN
            yield here, bind(here, passed(facts.values, call), on)
