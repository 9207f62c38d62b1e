"""The interprocedural step: which functions a call enters, with which arguments, and what it gives back."""

from __future__ import annotations

from typing import Any, Final, cast

from astroid import nodes

from flake8_tensorbranch.engine.inference import builtins, derivatives, externals, heirs, registries, tuples
from flake8_tensorbranch.engine.inference import evaluate as _evaluate
from flake8_tensorbranch.engine.inference.arguments import Arguments, bind, unpack
from flake8_tensorbranch.engine.inference.attributes import read
from flake8_tensorbranch.engine.inference.frame import Facts, Frame
from flake8_tensorbranch.engine.inference.operators import iterate
from flake8_tensorbranch.engine.inference.randomness import drawn_before
from flake8_tensorbranch.engine.lattice import (
    BOTTOM,
    CALLABLE,
    HOST,
    MAPPING,
    NONE,
    OBJECT,
    TENSOR,
    UNKNOWN,
    UNKNOWN_KIND,
    AbstractValue,
    join,
    make,
)
from flake8_tensorbranch.engine.refs import (
    Bound,
    Closure,
    Giving,
    Instance,
    Method,
    Partial,
    RecordType,
    Super,
    Wrapped,
)
from flake8_tensorbranch.syntax.names import ClassInfo, FunctionInfo

_CONVERTED: Final = make(TENSOR | UNKNOWN_KIND)  # modules have `type(dtype)` as well


def call(frame: Frame, node: nodes.Call) -> AbstractValue:
    """The value of a call expression; the call edges met are recorded if the frame keeps facts."""
    func: Any = node.func
    kind = type(func)
    if kind is nodes.Name and func.name == "super":
        return _super(frame)
    callee = _evaluate.evaluate(frame, func)
    args = arguments(frame, node)
    value = apply(frame, callee, args, node)
    if not value.kinds & ~(NONE | UNKNOWN_KIND) and kind is nodes.Attribute and args.positional:
        if func.attrname == "type" and any(str(ref).startswith("torch.") for ref in args.positional[0].each):
            return _CONVERTED
        return registries.found_in(frame.analysis, func.expr, args, value, frame.module)
    return value


def arguments(frame: Frame, node: nodes.Call) -> Arguments:
    """Evaluate the arguments of a call."""
    evaluate = _evaluate.evaluate
    positional: list[AbstractValue] = []
    keywords: dict[str, AbstractValue] = {}
    star: AbstractValue | None = None
    for item in node.args:
        if type(item) is nodes.Starred:
            value = evaluate(frame, item.value)
            if value.items is not None and not value.kinds & (MAPPING | UNKNOWN_KIND) and star is None:
                positional.extend(v for _, v in value.items)
            else:
                inner = iterate(value)
                star = inner if star is None else join(star, inner)
        elif star is not None:
            star = join(star, evaluate(frame, item))
        else:
            positional.append(evaluate(frame, item))
    args = Arguments(positional, star, keywords, None)
    for keyword in node.keywords:
        value = evaluate(frame, keyword.value)
        if keyword.arg is not None:
            keywords[keyword.arg] = value
        else:
            unpack(args, value)
    return args


def apply(frame: Frame, callee: AbstractValue, args: Arguments, node: nodes.NodeNG | None) -> AbstractValue:
    """The join over everything that the callee may be."""
    result = BOTTOM
    for ref in callee.each:
        value = _apply_ref(frame, callee, ref, args, node)
        result = join(result, value) if result.kinds or not value.kinds else value
    if not callee.refs or (callee.kinds & UNKNOWN_KIND and callee.kinds & (CALLABLE | OBJECT)):
        return join(result, UNKNOWN)
    return result


def _apply_ref(
    frame: Frame, callee: AbstractValue, ref: Any, args: Arguments, node: nodes.NodeNG | None
) -> AbstractValue:
    kind = type(ref)  # no kind of reference has subclasses
    if kind is FunctionInfo:
        return enter(frame, ref, args, node)
    if kind is Bound:
        return enter(frame, ref.function, args, node, ref.owner)
    if kind is Method:
        return builtins.method(frame, ref.owner, ref.name, args, node)
    if kind is str:
        return externals.call(frame, ref, args, node)
    if kind is ClassInfo:
        return construct(frame, ref, args, node)
    if kind is Instance:
        return instance(frame, callee, ref, args, node)
    if kind is Closure:
        return enter(frame, ref.function, args, node, captured=ref.captured)
    if kind is Partial:
        keywords = {**dict(ref.keywords), **args.keywords}
        unpacked = keywords.pop(
            "**", args.double_star
        )  # what `partial(f, **options)` was given, where it is not known by name
        inner = Arguments([*ref.args, *args.positional], args.star, keywords, args.double_star or unpacked)
        return apply(frame, ref.function, inner, node)
    if kind is RecordType:
        return tuples.new_record(ref, args)
    if kind is Giving:
        return cast("AbstractValue", ref.value)
    if kind is Wrapped:
        derived = derivatives.applied(frame, ref, args, node)
        return apply(frame, ref.function, drawn_before(args), node) if derived is None else derived
    return UNKNOWN


def enter(
    frame: Frame,
    function: FunctionInfo,
    args: Arguments,
    node: nodes.NodeNG | None,
    owner: AbstractValue | None = None,
    captured: tuple[tuple[str, AbstractValue], ...] = (),
) -> AbstractValue:
    """The value of a call of a function of the project."""
    bound = bind(function, args, owner)
    facts = frame.facts
    if facts is not None and node is not None:
        facts.calls.setdefault(node, {})[function] = None
        for name, value in (*bound.items(), *captured) if captured else bound.items():
            key = (function, name)
            old = facts.arguments.get(key)
            facts.arguments[key] = value if old is None else join(old, value)
    if node is not None and node is frame.discard:
        return UNKNOWN
    value = frame.analysis.returned(function, bound, captured)
    if owner is not None:
        if heirs.is_abstract(function):
            value = join(value, heirs.returned(frame.analysis, function, args, owner))
        elif value.kinds and not value.kinds & ~(HOST | NONE) and not value.deps and owner == frame.owner:
            for method, answer in heirs.chosen(frame.analysis, function, args):
                value = join(value, answer)
                if facts is not None and node is not None:
                    facts.hooks.setdefault(node, {})[method] = None
    return registries.found(frame.analysis, function, args, value, frame.module)


def construct(frame: Frame, cls: ClassInfo, args: Arguments, node: nodes.NodeNG | None) -> AbstractValue:
    """A new instance; record-like classes keep what their fields were given."""
    analysis = frame.analysis
    value = analysis.new(cls, args)
    facts = frame.facts
    if facts is not None and node is not None:
        init = analysis.resolver.method(cls, "__init__")
        if init is not None:
            facts.calls.setdefault(node, {})[init] = None
            for name, passed in bind(init, args, value).items():
                if name != init.params[0].name if init.params else True:
                    key = (init, name)
                    old = facts.arguments.get(key)
                    facts.arguments[key] = passed if old is None else join(old, passed)
    return value


def instance(
    frame: Frame, callee: AbstractValue, ref: Instance, args: Arguments, node: nodes.NodeNG | None
) -> AbstractValue:
    """Calling an object: `__call__`, or `forward` of a module."""
    if isinstance(ref.cls, str):
        return externals.call_instance(frame, callee, ref.cls, args, node)
    resolver = frame.analysis.resolver
    owner = make(OBJECT, refs=frozenset({ref}), elem=callee.elem, items=callee.items)
    for name in ("__call__", "forward"):
        function = resolver.method(ref.cls, name)
        if function is not None and function.takes_self:
            return enter(frame, function, args, node, owner)
    for base in resolver.mro(ref.cls):
        if isinstance(base, str) and base.startswith("torch.nn."):
            return externals.call_instance(frame, callee, base, args, node)
    return UNKNOWN


def special(
    frame: Frame, value: AbstractValue, name: str, values: list[AbstractValue], node: nodes.NodeNG | None
) -> AbstractValue:
    """The value of calling the method `name` of an object implicitly (`__getitem__`, `__len__`, ...)."""
    found = read(frame, value, name)
    if not any(isinstance(r, (Bound, FunctionInfo)) for r in found.refs):
        return UNKNOWN
    args = Arguments(values)
    if node is None and frame.facts is not None and values:
        for ref in found.each:
            if type(ref) is Bound:
                _keep(frame.facts, ref.function, bind(ref.function, args, ref.owner))
    return apply(frame, found, args, node)


def _keep(facts: Facts, function: FunctionInfo, bound: dict[str, AbstractValue]) -> None:
    """Record what a call passes, joined with what others of the scope do."""
    for name, value in bound.items():
        key = (function, name)
        old = facts.arguments.get(key)
        facts.arguments[key] = value if old is None else join(old, value)


def _super(frame: Frame) -> AbstractValue:
    function = frame.function
    while function is not None and function.cls is None:
        function = function.parent
    if function is None or function.cls is None:
        return UNKNOWN
    owner = frame.owner if frame.owner.kinds else make(OBJECT, refs=frozenset({Instance(function.cls)}))
    return make(OBJECT | CALLABLE, refs=frozenset({Super(function.cls, owner)}))


def decorated(frame: Frame, node: nodes.FunctionDef, value: AbstractValue) -> AbstractValue:
    """A nested function after its decorators; all but wrappers of torch are taken to keep it."""
    if node.decorators is None:
        return value
    for decorator in reversed(node.decorators.nodes):
        found = _evaluate.evaluate(frame, decorator)
        refs = found.refs
        if any(isinstance(r, str) and r.startswith("torch.") for r in refs) or any(
            type(r).__name__ == "Partial" for r in refs
        ):
            wrapped = apply(frame, found, Arguments([value]), decorator)
            if any(type(r).__name__ == "Wrapped" for r in wrapped.refs):
                value = wrapped
    return value
