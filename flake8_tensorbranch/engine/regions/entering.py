"""Regions that a file makes by its own means: checkpointing decorators, home-made checkpoints."""

from __future__ import annotations

from collections.abc import Iterator

from astroid import nodes

from flake8_tensorbranch.engine.inference.decorating import taker
from flake8_tensorbranch.engine.inference.program import Program, functions_of
from flake8_tensorbranch.engine.lattice import UNKNOWN, AbstractValue, make
from flake8_tensorbranch.engine.lookup.options import Options
from flake8_tensorbranch.engine.lookup.origins import Expr, Origins
from flake8_tensorbranch.engine.regions.homemade import applied, home_made
from flake8_tensorbranch.syntax.binding import assigned
from flake8_tensorbranch.syntax.names import ClassInfo, FunctionInfo, dotted


def handed(program: Program, scope: FunctionInfo | None, function: nodes.NodeNG | None) -> list[FunctionInfo]:
    """The functions that a wrapper of the file is given: a decorator, a maker of closures, a module around another.

    `function` is what an entry in `scope` is given: a parameter of a function around it, or an attribute that the
    constructor sets to a parameter. Anything else has none.
    """
    if isinstance(function, nodes.Attribute):
        return _constructed(program, scope, function)
    if not isinstance(function, nodes.Name):
        return []
    maker = scope
    while maker is not None and not any(p.name == function.name for p in maker.params):
        if function.name in maker.local_names:
            return []
        maker = maker.parent
    if maker is None or maker is scope or maker.params[0].name != function.name:
        return []
    found: dict[FunctionInfo, None] = dict.fromkeys(_decorated(program, maker))
    for facts in program.facts.values():
        for node, callees in facts.calls.items():
            if maker in callees and isinstance(node, nodes.Call) and node.args:
                found.update(dict.fromkeys(functions_of(program.analysis, facts.values.get(node.args[0], UNKNOWN))))
    return list(found)


def _constructed(program: Program, scope: FunctionInfo | None, attribute: nodes.Attribute) -> list[FunctionInfo]:
    """The functions of what the constructor of the class was given for an attribute of its object."""
    init = scope.cls.methods.get("__init__") if scope is not None and scope.cls is not None else None
    if scope is None or init is None or (dotted(attribute) or "").split(".")[:-1] != [scope.params[0].name]:
        return []
    sources = [assigned(store) for store in init.attribute_stores if store.attrname == attribute.attrname]
    stored = {s.name for s in sources if isinstance(s, nodes.Name)}
    names = [p.name for p in init.params if p.name in stored]
    origins = Origins(program)
    found: dict[FunctionInfo, None] = {}
    if scope.cls is not None and len(init.params) > 1 and init.params[1].name in names:
        found.update(dict.fromkeys(_under(program, scope.cls)))  # the class is the decorator
    for caller, facts in program.facts.items():
        for node, callees in facts.calls.items():
            for name in names if init in callees else ():
                given = origins.argument(Expr(program.index, caller, node), init, name)
                if given is not None:
                    found.update(dict.fromkeys(functions_of(program.analysis, origins.value(given))))
    return list(found)


def _decorated(program: Program, maker: FunctionInfo) -> Iterator[FunctionInfo]:
    """The functions of the file that a decorator, or what a factory of it gives, is written over."""
    resolver = program.analysis.resolver
    for function in program.index.functions:
        node = function.node
        if not isinstance(node, nodes.FunctionDef) or node.decorators is None:
            continue
        for decorator in node.decorators.nodes:
            called = decorator if isinstance(decorator, nodes.Call) else None
            target = resolver.expression(program.index, called.func if called else decorator, function.parent)
            takes = taker(target, called is not None) if isinstance(target, FunctionInfo) else None
            if takes is maker or (called is not None and target is not None and target is maker.parent):
                yield function


def _under(program: Program, cls: ClassInfo) -> Iterator[FunctionInfo]:
    """The functions of the file that a class is written over as a decorator."""
    resolver = program.analysis.resolver
    for function in program.index.functions:
        node = function.node
        decorators = node.decorators.nodes if isinstance(node, nodes.FunctionDef) and node.decorators else ()
        if any(resolver.expression(program.index, d, function.parent) is cls for d in decorators):
            yield function


def made_by_hand(program: Program) -> Iterator[tuple[nodes.Call, FunctionInfo | None, list[FunctionInfo]]]:
    """The calls of home-made checkpoints: an `autograd.Function` that runs its first argument again in its backward."""
    origins = Origins(program)
    known = home_made(origins)
    if not known:
        return
    for scope, facts in program.facts.items():
        for call in program.index.calls_in(scope):
            if applied(origins, known, Expr(program.index, scope, call)) is not None:
                held = Options(origins).bound(Expr(program.index, scope, call.func))
                first = origins.value(held[0]) if held else facts.values.get(call.args[0]) if call.args else None
                found = list(functions_of(program.analysis, first or UNKNOWN))
                if found:
                    yield call, scope, found


def segmented(chain: AbstractValue, segments: object) -> AbstractValue | None:
    """The functions of a chain that `checkpoint_sequential` checkpoints in so many segments, as far as both are known:
    all but those of the last; None where one segment is the last.
    """
    if isinstance(segments, bool) or not isinstance(segments, int):
        return chain
    if segments == 1:
        return None
    if not chain.items or not 0 < segments <= len(chain.items):
        return chain
    kept = chain.items[: len(chain.items) // segments * (segments - 1)]
    return make(chain.kinds, chain.deps, chain.const, chain.refs, None, kept)
