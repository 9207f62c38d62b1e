"""Checkpoint calls whose arguments do not fit: misplaced flags, swapped parameters."""

from __future__ import annotations

from dataclasses import replace

from astroid import nodes

from flake8_tensorbranch.engine.checkpointing.backward import Backward
from flake8_tensorbranch.engine.checkpointing.recomputes import Recompute, Recomputes
from flake8_tensorbranch.engine.inference.arguments import passed
from flake8_tensorbranch.engine.inference.program import functions_of
from flake8_tensorbranch.engine.lattice import TENSOR, UNKNOWN_KIND
from flake8_tensorbranch.engine.lookup.origins import Expr, Origins
from flake8_tensorbranch.engine.refs import Instance, Partial
from flake8_tensorbranch.knowledge.gradients import ONE_INPUT_MODULES
from flake8_tensorbranch.knowledge.modules import ITERATES_TENSORS
from flake8_tensorbranch.knowledge.regions import RegionEntry
from flake8_tensorbranch.knowledge.tracing import FUNCTIONAL_CALLS
from flake8_tensorbranch.syntax.names import FunctionInfo, dotted


def positional_flag(origins: Origins, made: Recompute, row: RegionEntry) -> bool:
    """True when a bool stands where only the function's own arguments do, and the function takes none more."""
    call = made.call.node
    if row.sequential or not isinstance(call, nodes.Call):
        return False
    facts = origins.facts(made.call.module, made.call.scope)
    positional = facts.externals.get(call, {}).get(row.qualname) or passed(facts.values, call)
    given = positional.positional[row.passed :]
    if positional.star is not None:
        return _behind_a_star(origins, made, row)
    if (
        not given
        or not call.args
        or not (isinstance(given[-1].const, bool) or _is_bool(origins, replace(made.call, node=call.args[-1])))
    ):
        return False
    function = positional.get(row.argument, row.keyword)
    refs = function.each if function is not None else ()
    if made.functions:
        taken = max((_taken(r, f) for r in refs if isinstance(r, Partial) for f in made.functions), default=0)
        return all(f.vararg is None and len(given) + taken > _capacity(f) for f in made.functions)
    layers = [r for r in refs if isinstance(r, Instance) and isinstance(r.cls, str)]
    return (
        bool(layers)
        and len(layers) == len(refs)
        and len(given) > 1
        and all(str(r.cls).rsplit(".", 1)[-1] in ONE_INPUT_MODULES for r in layers)
    )


def _is_bool(origins: Origins, where: Expr) -> bool:
    """True for a comparison of no tensors, a `not`, and what holds True or False wherever it comes from."""
    last = where.node
    if isinstance(last, nodes.Compare):
        return not origins.value(where).kinds & (TENSOR | UNKNOWN_KIND)
    if isinstance(last, nodes.UnaryOp):
        return last.op == "not"
    found = [o.node for o in origins.of(where)]
    return bool(found) and all(isinstance(n, nodes.Const) and isinstance(n.value, bool) for n in found)


def _behind_a_star(origins: Origins, made: Recompute, row: RegionEntry) -> bool:
    """The same of a flag behind the `*args` of the function around, or the last of them: of each call of that which is
    in view.
    """
    call, scope = made.call.node, made.call.scope
    args = call.args[row.passed :]
    if (
        scope is None
        or not 0 < len(args) < 3
        or made.function is None
        or not isinstance(made.function.node, nodes.Name)
    ):
        return False
    star, *flags = args
    if not isinstance(star, nodes.Starred) or dotted(star.value) != scope.vararg:
        return False
    if not all(_is_bool(origins, replace(made.call, node=flag)) for flag in flags):
        return False
    name = made.function.node.name
    if not any(p.name == name for p in scope.params):
        return bool(made.functions) and all(_decorated_by(origins, scope, f, flags) for f in made.functions)
    sites = origins.sites(scope)
    return bool(sites) and all(
        too_many(origins, site, scope, origins.argument(site, scope, name), len(flags)) for site in sites
    )


def _taken(partial: Partial, function: FunctionInfo) -> int:
    """How many of a function's parameters a partial has bound already."""
    named = {name for name, _ in partial.keywords}
    return len(partial.args) + sum(p.name in named and not p.keyword_only for p in function.params)


def flag_behind(origins: Origins, site: Expr, helper: FunctionInfo, made: Recompute, function: Expr) -> bool:
    """The same of a helper of another file that checkpoints what a call gives it, with its own `*args` and no more, or
    flags.
    """
    rest = made.call.node.args[made.skipped :] if made.call.scope is helper else []
    if not rest or not isinstance(rest[0], nodes.Starred) or dotted(rest[0].value) != helper.vararg:
        return False
    if not all(_is_bool(origins, replace(made.call, node=flag)) for flag in rest[1:]):
        return False
    return too_many(origins, site, helper, function, len(rest) - 1)


def too_many(origins: Origins, site: Expr, helper: FunctionInfo, given: Expr | None, flags: int = 0) -> bool:
    """True when a call of a helper that hands its `*args` on, with `flags` more, gives the function a bool too much."""
    functions = [f for f, _ in origins.functions(given)] if given is not None else []
    own = len([p for p in helper.params if not p.keyword_only]) - int(helper.takes_self or helper.is_classmethod)
    args = site.node.args
    if not functions or any(isinstance(a, nodes.Starred) for a in args):
        return False
    if not flags and not (args[own:] and _is_bool(origins, replace(site, node=args[-1]))):
        return False
    return all(f.vararg is None and len(args) - own + flags > _capacity(f) for f in functions)


def _decorated_by(origins: Origins, wrapper: FunctionInfo, function: FunctionInfo, flags: list[nodes.NodeNG]) -> bool:
    """The same of what a decorator's wrapper, `def inner(*args)`, adds to the calls of the function it stands at."""
    own = [p for p in wrapper.params if not p.keyword_only]
    calls = origins.sites(wrapper)
    if own or function.vararg is not None or not flags or wrapper not in (w for _, _, w in origins.wrapped(function)):
        return False
    given = [len(c.node.args) for c in calls if not any(isinstance(a, nodes.Starred) for a in c.node.args)]
    return bool(given) and all(count + len(flags) > _capacity(function) for count in given)


def only_the_flag_is_too_much(made: Recompute, row: RegionEntry) -> bool:
    """True when a call with such a flag is right once the flag has gone."""
    given = len(made.arguments) - row.passed - 1
    return all(given <= _capacity(f) for f in made.functions) if made.functions else given == 1


def _capacity(function: object) -> int:
    params = [p for p in getattr(function, "params", []) if not p.keyword_only]
    return len(params) - (
        1 if getattr(function, "takes_self", False) or getattr(function, "is_classmethod", False) else 0
    )


def functional_calls(origins: Origins, recomputes: Recomputes, backward: Backward) -> list[tuple[Expr, Recompute]]:
    """Calls of `functional_call` on modules that checkpoint inside, and whose output a later backward
    differentiates.
    """
    found: list[tuple[Expr, Recompute]] = []
    index = origins.program.index
    for scope, call in index.all_calls():
        expr = Expr(index, scope, call)
        called = origins.facts(index, scope).externals.get(call, {})
        modules = [called[n].get(0, "module") for n in called if n in FUNCTIONAL_CALLS]  # through a partial, too
        if not modules or modules[0] is None or _gives_its_own(origins, expr):
            continue
        for function in functions_of(origins.program.analysis, modules[0]):
            inner = (recomputes.direct(call) for call in recomputes.tree.calls(function))
            made = next((m for m in inner if m is not None and _keeps_state(recomputes, m)), None)
            if made is not None and backward.of(expr):
                found.append((expr, made))
                break
    return found


def _gives_its_own(origins: Origins, expr: Expr) -> bool:
    """True when a module is called with its own parameters: the recompute reads the same."""
    written, keywords = list(expr.node.args), list(expr.node.keywords)
    for bound in origins.of(Expr(expr.module, expr.scope, expr.node.func), calls=False):
        if isinstance(bound.node, nodes.Call) and "functools.partial" in origins.externals(bound):
            written, keywords = [*bound.node.args[1:], *written], [*bound.node.keywords, *keywords]
    words = {k.arg: k.value for k in keywords}
    module = written[0] if written else words.get("module")
    path = None if module is None else dotted(module)
    given = written[1] if len(written) > 1 else words.get("parameter_and_buffer_dicts")
    while isinstance(given, nodes.Call) and dotted(given.func) == "dict":
        given = given.args[0] if len(given.args) == 1 and not given.keywords else None
    for origin in origins.of(Expr(expr.module, expr.scope, given), calls=False) if given is not None else ():
        node = origin.node
        if isinstance(node, nodes.Call) and dotted(node.func) == "dict" and node.args:
            node = node.args[0]
        func = getattr(node, "func", None)
        named = isinstance(func, nodes.Attribute) and func.attrname in ITERATES_TENSORS and dotted(func.expr) == path
        if not named or origin.scope is not expr.scope:
            return False
    return given is not None


def _keeps_state(recomputes: Recomputes, made: Recompute) -> bool:
    """True unless the region, in full view, reads no tensor of a module."""
    held = recomputes.holding.of(made.function)
    return held.state or not held.complete
