"""What constructors are given where their own file builds the class: undeclared values, numbers read from tensors.

A declared number is asked for only where a call spells a read for it: `Window(size=lengths.max().item())`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, cast

from astroid import nodes

from flake8_tensorbranch.engine.inference.arguments import bind, passed
from flake8_tensorbranch.engine.inference.frame import State
from flake8_tensorbranch.engine.inference.leads import factories, is_handed_a_read, spelled_reads
from flake8_tensorbranch.engine.inference.outcomes import is_affirmed
from flake8_tensorbranch.engine.inference.readings import READS
from flake8_tensorbranch.engine.lattice import BOTTOM, HOST, NONE, UNKNOWN_KIND, AbstractValue, join
from flake8_tensorbranch.syntax.names import ClassInfo, FunctionInfo

if TYPE_CHECKING:
    from flake8_tensorbranch.engine.inference.summary import Analysis

Call = tuple["FunctionInfo | None", nodes.Call]
# Arguments that may hold what was read from a tensor.
_HOLDING: Final = frozenset({nodes.Name, nodes.Call, nodes.Subscript, nodes.BinOp})


def constructed(analysis: Analysis, init: FunctionInfo) -> State:
    """What the parameters of a constructor get where its own module builds the class: those that nothing declares, and
    the numbers that each call which passes them has read from a tensor.
    """
    cls, params = init.cls, analysis.parameters(init)
    wanted = {n for n, v in params.items() if not v.kinds or v.kinds & UNKNOWN_KIND}
    reads = cls is not None and bool(spelled_reads(cls.module))
    if cls is None or not (wanted or reads):
        return {}
    kept = _kept(init)
    if not wanted & kept:
        wanted = set()  # only what is stored as it is passed, or what is built by it, is worth asking for
    numbers = [n for n in params if n in kept and _is_number(params[n])] if reads else ()
    read = {n for n in numbers if is_handed_a_read(init, n)}
    if not wanted and not read:
        return {}

    def compute() -> State:
        found: State = {}
        plain: set[str] = set()  # numbers that some call does not read
        calls = [*cls.module.calls_of(cls.name), *cls.module.calls_of("__init__"), *(factories(cls) if read else ())]
        for caller, call in dict.fromkeys(calls):
            facts = analysis.facts_of(cls.module, caller)
            if init not in facts.calls.get(call, ()):
                continue
            for name, value in bind(init, passed(facts.values, call), analysis.instance_of(cls)).items():
                if name in wanted or name in read:
                    found[name] = join(found.get(name, BOTTOM), value)
                if name in read and not (value.must(HOST | NONE | UNKNOWN_KIND) and is_affirmed(value)):
                    plain.add(name)
        for name in read:  # any order
            if name in plain:
                found.pop(name, None)
        return found

    return analysis.query(cls.module.memo, ("constructed", init), compute, {})


def recorded(analysis: Analysis, cls: ClassInfo, name: str) -> AbstractValue:
    """The number that a field of a record gets where its own module builds it, if each call that fills it has read it
    from a tensor.
    """
    value, memo, key = BOTTOM, cls.module.memo, ("built", cls)
    if key not in memo:
        calls = cls.module.calls_of(cls.name) if cls.module.mentions(READS) else []
        fields = analysis.classes.fields(cls) if any(map(_may_read, calls)) else None
        memo[key] = calls, {field: place for place, (field, *_) in enumerate(fields or ())}
    calls, places = cast("tuple[list[Call], dict[str, int]]", memo[key])
    for caller, call in calls if name in places else ():
        named = [k.value for k in call.keywords if k.arg == name] or call.args[places[name] : places[name] + 1]
        for node in named:
            if caller is None or type(node) not in _HOLDING:
                return BOTTOM
            facts = analysis.facts_of(cls.module, caller)
            given = facts.values.get(node, BOTTOM)
            if given.kinds != HOST or not is_affirmed(given) or cls not in facts.values.get(call.func, BOTTOM).refs:
                return BOTTOM
            value = join(value, given)
    return value


def _may_read(called: Call) -> bool:
    """True for a call in a function that passes what may have been read from a tensor."""
    caller, call = called
    passed_on = (*call.args, *(keyword.value for keyword in call.keywords))
    return caller is not None and any(type(node) in _HOLDING for node in passed_on)


def _is_number(declared: AbstractValue) -> bool:
    return declared.must(HOST | NONE) and bool(declared.kinds & HOST)


def _kept(init: FunctionInfo) -> set[str]:
    """The names that attributes keep as they are, or keep a call of."""
    found: set[str] = set()
    for store in init.attribute_stores:
        source = getattr(store.parent, "value", None)
        for part in (source.body, source.orelse) if type(source) is nodes.IfExp else (source,):
            if type(part) is nodes.Name:
                found.add(part.name)
            elif type(part) is nodes.Call:
                found.update(held.name for held in (part.func, *part.args) if type(held) is nodes.Name)
    return found
