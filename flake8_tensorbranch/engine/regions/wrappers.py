"""Wrappers: functions, decorators and modules of the project that put what they are given into a region."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Final, cast

from astroid import nodes

from flake8_tensorbranch.engine.inference.decorating import taker
from flake8_tensorbranch.engine.inference.evaluate import evaluate
from flake8_tensorbranch.engine.inference.frame import Facts, Frame
from flake8_tensorbranch.engine.inference.program import Program, functions_of
from flake8_tensorbranch.engine.inference.resolve import Variable
from flake8_tensorbranch.engine.inference.summary import Analysis
from flake8_tensorbranch.engine.lattice import NO_CONST, UNKNOWN, AbstractValue
from flake8_tensorbranch.engine.refs import Closure, Partial
from flake8_tensorbranch.engine.regions import applied
from flake8_tensorbranch.engine.regions.applied import Hand, Options
from flake8_tensorbranch.knowledge.regions import REGION_ATTRIBUTES, RegionEntry, entry
from flake8_tensorbranch.knowledge.tracing import ENTRY_WORDS
from flake8_tensorbranch.syntax.kinds import FRAMES
from flake8_tensorbranch.syntax.names import ClassInfo, FunctionInfo, ModuleIndex, dotted

_DEPTH: Final = 3
_CALLABLES: Final = (nodes.Name, nodes.Attribute, nodes.Call, nodes.Lambda)
_GIVEN: Final = frozenset({*_CALLABLES, nodes.List})


@dataclass(frozen=True, slots=True)
class Made:
    """A region that a call of a wrapper, or a decorator, begins in the file under check.

    `imported`: the wrapper is in another file, which does not tell of what this one gives it.
    """

    node: nodes.NodeNG
    scope: FunctionInfo | None
    row: RegionEntry
    options: Options
    functions: list[FunctionInfo]
    imported: bool = False


def made(program: Program) -> Iterator[Made]:
    """The regions that wrappers of the project make in a program's file."""
    analysis = program.analysis
    for scope, facts in program.facts.items():
        for call, callees in facts.calls.items():
            if not isinstance(call, nodes.Call):
                continue
            for callee in callees:
                hands = handed(analysis, callee)
                if callee.name == "__init__":
                    hands = (*held(analysis, callee), *(h for h in hands if h.row.kind != "checkpointed"))
                for hand in hands:
                    given = argument(call, callee, hand.parameter)
                    found = [] if given is None else _functions(analysis, facts, given)
                    if found:
                        row = replace(hand.row, forms=frozenset({"wrap"})) if callee.name == "__init__" else hand.row
                        yield Made(call, scope, row, hand.options, found, callee.module is not program.index)
    methods = [(cls.node, cls.methods["forward"]) for cls in program.index.classes if "forward" in cls.methods]
    for node, function in (*((f.node, f) for f in program.index.functions), *methods):
        decorators = node.decorators if isinstance(node, (nodes.FunctionDef, nodes.ClassDef)) else None
        for decorator in decorators.nodes if decorators is not None else ():
            for hand in (
                *decorating(analysis, function, decorator),
                *applied.decorating(program, function, decorator),
            ):
                row = replace(hand.row, forms=frozenset({"decorator"}))
                yield Made(decorator, function.parent, row, hand.options, [function])
    yield from _overriding(program)


def _overriding(program: Program) -> Iterator[Made]:
    """Methods in the place of those that a base class of another file puts into a region of its own."""
    analysis, index = program.analysis, program.index
    for cls in index.classes:
        bases = analysis.resolver.lineage(cls)
        for base in bases:
            if base.module is index or not any(word in base.module.text for word in ENTRY_WORDS):
                continue
            for method in base.methods.values():
                # The method that begins the region is the object's own, and what it hands over is overridden here.
                if next((b.methods[method.name] for b in bases if method.name in b.methods), None) is not method:
                    continue
                for hand in handed(analysis, method):
                    own = cls.methods.get(hand.parameter.removeprefix("self."))
                    if own is not None and hand.parameter.startswith("self."):
                        yield Made(cls.node, None, hand.row, hand.options, [own])


def _functions(analysis: Analysis, facts: Facts, given: nodes.NodeNG) -> list[FunctionInfo]:
    return list(functions_of(analysis, facts.values.get(given, UNKNOWN)))


def decorating(analysis: Analysis, function: FunctionInfo, decorator: nodes.NodeNG) -> Iterator[Hand]:
    """The hands of a decorator of the project, or of what a factory of it returns, that take the decorated function."""
    called = decorator.func if isinstance(decorator, nodes.Call) else None
    target = analysis.resolver.expression(function.module, called or decorator, function.parent)
    init = analysis.resolver.method(target, "__init__") if isinstance(target, ClassInfo) and called is None else None
    if init is not None and len(init.params) > 1:
        kept = (h for h in handed(analysis, init) if h.parameter == init.params[1].name)
        yield from (hand for hand in kept if hand.row.kind != "checkpointed")
        yield from (hand for hand in held(analysis, init) if hand.parameter == init.params[1].name)
    if target is None or type(target) is str:
        return
    for named in (target,) if type(target) is FunctionInfo else _assigned(analysis, target):
        taken = taker(named, called is not None)
        for hand in handed(analysis, taken) if taken is not None else ():
            if taken is not None and taken.params and hand.parameter == taken.params[0].name:
                yield hand


def _assigned(analysis: Analysis, target: object) -> list[FunctionInfo]:
    """The functions of the project that a module assigns to a name: a lambda, what a partial holds."""
    found: list[FunctionInfo] = []
    if type(target) is Variable and any(word in target.module.text for word in ENTRY_WORDS):
        for ref in analysis.of_target(target).each:
            held = ref.function.each if isinstance(ref, Partial) and not ref.args else (ref,)
            found += [f for f in held if isinstance(f, FunctionInfo)]
    return found


def handed(analysis: Analysis, function: FunctionInfo, depth: int = _DEPTH) -> tuple[Hand, ...]:
    """The parameters and attributes whose functions a function puts into a region, itself or in a nested one."""
    memo = function.module.memo
    key = ("handed", function, depth)
    if key not in memo:
        memo[key] = ()  # a cycle sees none
        memo[key] = tuple(dict.fromkeys(_handed(analysis, function, depth)))
    return cast("tuple[Hand, ...]", memo[key])


def held(analysis: Analysis, init: FunctionInfo) -> tuple[Hand, ...]:
    """The parameters of a constructor whose functions the object keeps, and puts into a region when it is called."""
    cls = init.cls
    if cls is None:
        return ()
    kept = {
        f"self.{store.attrname}": store.parent.value.name
        for store in init.attribute_stores
        if isinstance(store.parent, nodes.Assign) and isinstance(store.parent.value, nodes.Name)
    }
    params = {p.name for p in init.params}
    return tuple(
        replace(hand, parameter=kept[hand.parameter])
        for name in ("forward", "__call__")
        if (method := cls.methods.get(name)) is not None
        for hand in handed(analysis, method)
        if kept.get(hand.parameter) in params
    )


def _handed(analysis: Analysis, function: FunctionInfo, depth: int) -> Iterator[Hand]:
    itself = ".compile()" in function.module.text
    for inner in _nest(function):
        for call in inner.calls:
            if not _is_given_one(call) and not (itself and _compiles_itself(call)):
                continue
            for row, options, given in _entries(analysis, inner, call, depth):
                name = _root(function, inner, given)
                if name is not None:
                    yield Hand(name, row, options)


def _is_given_one(call: nodes.Call) -> bool:
    """True for a call one of whose arguments may be a function, by its form."""
    for given in call.args:
        if isinstance(given, _CALLABLES):
            return True
    return any(isinstance(keyword.value, _CALLABLES) for keyword in call.keywords)


def _compiles_itself(call: nodes.Call) -> bool:
    """True for `module.compile()`, which compiles a module's call in place."""
    return isinstance(call.func, nodes.Attribute) and call.func.attrname == "compile" and not call.args


def _literal(node: nodes.NodeNG) -> object:
    return node.value if isinstance(node, nodes.Const) else NO_CONST


def _nest(function: FunctionInfo) -> Iterator[FunctionInfo]:
    yield function
    for inner in function.nested:
        yield from _nest(inner)


def _entries(
    analysis: Analysis, scope: FunctionInfo, call: nodes.Call, depth: int
) -> Iterator[tuple[RegionEntry, Options, nodes.NodeNG]]:
    """The entries that a call makes: the row, its literal options, and the expression of the function."""
    row: RegionEntry | None = None
    options: Options = tuple((k.arg, _literal(k.value)) for k in call.keywords if k.arg)
    target = analysis.resolver.expression(scope.module, call.func, scope)
    if target == "functools.partial" and isinstance(call.parent, (nodes.Return, nodes.Lambda)):
        yield from _given_back(analysis, scope, call, options)
        return
    if isinstance(target, str):
        row = entry(target)
    elif isinstance(target, Variable):
        for ref in analysis.of_target(target).each:
            if isinstance(ref, Partial) and not ref.args:
                row = next((found for n in ref.function.each if isinstance(n, str) and (found := entry(n))), None)
                options = (*((k, v.const) for k, v in ref.keywords), *options)
    elif isinstance(target, FunctionInfo):
        for hand in handed(analysis, target, depth - 1) if depth > 1 else ():
            given = argument(call, target, hand.parameter)
            if given is not None:
                yield hand.row, hand.options, given
        return
    elif isinstance(call.func, nodes.Attribute):
        method = entry("torch.nn.Module.compile") if _compiles_itself(call) else None
        if method is not None:
            yield method, options, call.func.expr
            return
        row = REGION_ATTRIBUTES.get(call.func.attrname)
    if row is None or row.argument < 0:
        return
    options = _with_unpacked(row, call, options)
    if len(call.args) > row.argument and not any(isinstance(a, nodes.Starred) for a in call.args[: row.argument + 1]):
        yield row, options, call.args[row.argument]
    else:
        for keyword in call.keywords:
            if keyword.arg == row.keyword:
                yield row, options, keyword.value


def _with_unpacked(row: RegionEntry, call: nodes.Call, options: Options) -> Options:
    """The options of a call, with that of the variant as unknown where it may be among what the call unpacks."""
    name = row.reentrant_keyword
    hidden = bool(name) and name not in dict(options) and any(k.arg is None for k in call.keywords)
    return (*options, (name, NO_CONST)) if hidden else options


def _given_back(
    analysis: Analysis, scope: FunctionInfo, partial: nodes.Call, options: Options
) -> Iterator[tuple[RegionEntry, Options, nodes.NodeNG]]:
    """The entry that a function gives back as a `partial` of it: `return partial(checkpoint, fn)`."""
    named = analysis.resolver.expression(scope.module, partial.args[0], scope) if partial.args else None
    row = entry(named) if isinstance(named, str) else None
    if row is not None and row.argument >= 0 and len(partial.args) > row.argument + 1:
        yield row, _with_unpacked(row, partial, options), partial.args[row.argument + 1]


def _root(function: FunctionInfo, scope: FunctionInfo, given: nodes.NodeNG, depth: int = 4) -> str | None:
    """The parameter of `function` (or attribute of its object) that an expression in `scope` is or calls, if any."""
    if depth <= 0:
        return None
    if isinstance(given, nodes.Attribute):
        path = dotted(given) or ""
        owner = function.params[0].name if function.takes_self else ""
        if owner and path == f"{owner}.{given.attrname}":
            return f"self.{given.attrname}"
        module = path.rpartition(".")[0] if given.attrname in ("forward", "__call__") else ""
        return module if any(p.name == module for p in function.params) else None
    if isinstance(given, nodes.Call):
        partial = (dotted(given.func) or "").rsplit(".", 1)[-1] == "partial"
        return _root(function, scope, given.args[0], depth - 1) if partial and given.args else None
    if isinstance(given, nodes.Lambda):
        body = given.body
        return _root(function, scope, body.func, depth - 1) if isinstance(body, nodes.Call) else None
    if not isinstance(given, nodes.Name):
        return None
    looped = _looped(given)
    if looped is not None:
        return _root(function, scope, looped, depth - 1)
    up: FunctionInfo | None = scope
    while up is not None:
        for nested in up.nested:
            if nested.name == given.name:
                roots = (_root(function, nested, c.func, depth - 1) for c in nested.calls)
                return next((r for r in roots if r is not None), None)
        bound = up.local_names.get(given.name)
        if bound:
            if any(p.name == given.name for p in up.params):
                return given.name if up is function else None
            values = [b.parent.value for b in bound if isinstance(b.parent, nodes.Assign)]
            return _root(function, up, values[0], depth - 1) if len(values) == len(bound) == 1 else None
        if up is function:
            return None
        up = up.parent
    return None


def _looped(name: nodes.Name) -> nodes.NodeNG | None:
    """What a loop or comprehension around a name goes over, where the name is its variable."""
    up = name.parent
    while up is not None and not isinstance(up, FRAMES):
        loops = [up] if isinstance(up, nodes.For) else getattr(up, "generators", ())
        for loop in loops:
            if isinstance(loop.target, nodes.AssignName) and loop.target.name == name.name:
                found: nodes.NodeNG = loop.iter
                return found
        up = up.parent
    return None


def calls_imported(analysis: Analysis, index: ModuleIndex, call: nodes.Call) -> bool:
    """True for a call of a wrapper, or of a configured region entry, that another file defines."""
    if not call.args or type(call.args[0]) not in _GIVEN:
        return False
    func: nodes.NodeNG = call.func
    root = func
    while type(root) is not nodes.Name:
        if type(root) is nodes.Attribute:
            root = root.expr
        elif type(root) is nodes.Call:
            func = root = root.func  # `compiled(dynamic=True)(step)`
        else:
            return False
    for binding in index.bindings.get(root.name, ()):
        if binding.imported is None or (binding.imported[1] is None and func is root):
            continue
        module = index.absolute(binding.imported[0], binding.level)
        path = None if module is None else analysis.project.find(index, module)
        if path is None or not analysis.project.mentions(path, ENTRY_WORDS):
            continue
        target = analysis.resolver.expression(index, func)
        if isinstance(target, str):
            return entry(target) is not None
        if isinstance(target, FunctionInfo) and func is call.func:
            return bool(handed(analysis, target))
        if isinstance(target, ClassInfo):
            init = analysis.resolver.method(target, "__init__")
            return init is not None and bool(held(analysis, init) or handed(analysis, init))
        return _begins(analysis, evaluate(Frame(analysis, index, None), call.func))
    return False


def _begins(analysis: Analysis, value: AbstractValue) -> bool:
    """True where one of the things that a value may be puts what it is given into a region."""
    for ref in value.each:
        for name in ref.function.each if isinstance(ref, Partial) else (ref,):
            function = name.function if isinstance(name, Closure) else name
            if isinstance(function, FunctionInfo) and handed(analysis, function):
                return True
            if isinstance(function, str) and entry(function):
                return True
    return False


def inherited(analysis: Analysis, cls: ClassInfo) -> frozenset[str]:
    """The methods that a class has from bases of other files and that put what they are given into a region."""
    memo = cls.module.memo
    key = ("inherited wrappers", cls)
    if key not in memo:
        bases = (b for b in analysis.resolver.lineage(cls) if b.module is not cls.module)
        saying = (b for b in bases if any(word in b.module.text for word in ENTRY_WORDS))
        memo[key] = frozenset(m.name for b in saying for m in b.methods.values() if handed(analysis, m))
    return cast("frozenset[str]", memo[key])


def argument(call: nodes.Call, function: FunctionInfo, name: str) -> nodes.NodeNG | None:
    """The expression that a call gives a parameter; None where none is seen."""
    for keyword in call.keywords:
        if keyword.arg == name:
            return keyword.value
    names = [p.name for p in function.params if not p.keyword_only]
    if name not in names:
        return None
    place = names.index(name) - (1 if function.takes_self or function.is_classmethod else 0)
    if not 0 <= place < len(call.args) or any(isinstance(a, nodes.Starred) for a in call.args[: place + 1]):
        return None
    return call.args[place]
