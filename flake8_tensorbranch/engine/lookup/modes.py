"""Whether gradients are recorded where a node stands, as far as the source around it tells."""

from __future__ import annotations

from typing import Final

from astroid import nodes

from flake8_tensorbranch.engine.lookup.origins import Expr, Origins
from flake8_tensorbranch.knowledge.gradients import GRADIENTS_OFF, GRADIENTS_ON
from flake8_tensorbranch.syntax.kinds import FRAMES, FUNCTIONS
from flake8_tensorbranch.syntax.names import dotted

_SWITCHES: Final = GRADIENTS_OFF | GRADIENTS_ON | {"set_grad_enabled"}
_STATEMENTS: Final = ("set_grad_enabled", "enter_context")
_AS: Final = tuple(f"{name} as " for name in ("no_grad", "inference_mode", "enable_grad", "set_grad_enabled"))


def without_grad(origins: Origins, expr: Expr, depth: int = 3) -> bool:
    """True when the code runs under `no_grad`: around it, over its function, or around every call of it in the file."""
    switch = switched(origins, expr)
    if switch is not None:
        return not switch
    if expr.scope is None or depth <= 0:
        return False
    sites = origins.sites(expr.scope)
    return bool(sites) and all(_is_quiet(origins, site, depth - 1) for site in sites)


def _is_quiet(origins: Origins, site: Expr, depth: int) -> bool:
    """True for a call under `no_grad`, or of what `no_grad` has wrapped."""
    func = getattr(site.node, "func", None)
    if isinstance(func, (nodes.Name, nodes.Call)):
        made = origins.of(Expr(site.module, site.scope, func), calls=False)
        if made and all(isinstance(m.node, nodes.Call) and _made(origins, m, m.node.func) is False for m in made):
            return True
    return without_grad(origins, site, depth)


def switched(origins: Origins, expr: Expr) -> bool | None:
    """What the innermost switch around a place, before it in its block, or over its function, makes of grad mode; None
    without one.
    """
    up: nodes.NodeNG | None = expr.node
    by_statements = expr.module.mentions(_STATEMENTS)
    while up is not None:
        below, up = up, up.parent
        if by_statements and below.is_statement:
            before = _before(origins, expr, below)
            if before is not None:
                return before
        if isinstance(up, nodes.With) and below in up.body:
            for manager, _ in reversed(up.items):
                switch = _made(origins, expr, manager)
                if switch is not None:
                    return switch
        if isinstance(up, FUNCTIONS):
            if isinstance(up, nodes.FunctionDef) and up.decorators is not None:
                for decorator in up.decorators.nodes:
                    outside = expr.scope.parent if expr.scope is not None else None
                    switch = _made(origins, Expr(expr.module, outside, decorator), decorator)
                    if switch is not None:
                        return switch
            elif isinstance(up, nodes.Lambda) and isinstance(up.parent, nodes.Call) and up in up.parent.args:
                outside = expr.scope.parent if expr.scope is not None else None
                if isinstance(up.parent.func, nodes.Call):
                    return _made(origins, Expr(expr.module, outside, up), up.parent.func)
            break
    return None


def _before(origins: Origins, expr: Expr, statement: nodes.NodeNG) -> bool | None:
    """What the last statement before another in its block that switches grad mode, or enters a switch, makes of it."""
    block = next((b for b in _blocks(statement.parent) if statement in b), [statement])
    for earlier in reversed(block[: block.index(statement)]):
        call = getattr(earlier, "value", None)
        if isinstance(call, nodes.Call):
            if isinstance(call.func, nodes.Attribute) and call.func.attrname == "enter_context" and call.args:
                switch = _made(origins, expr, call.args[0])
                if switch is not None:
                    return switch
            elif _last(origins, expr, call.func) == "set_grad_enabled":
                return _asked(call) if call.args or call.keywords else None
        elif not isinstance(earlier, nodes.FunctionDef) and any(
            _last(origins, expr, inner.func) == "set_grad_enabled" for inner in earlier.nodes_of_class(nodes.Call)
        ):
            return None
    return None


def _blocks(node: nodes.NodeNG | None) -> list[list[nodes.NodeNG]]:
    return [b for b in (getattr(node, name, None) for name in ("body", "orelse", "finalbody")) if isinstance(b, list)]


def _made(origins: Origins, expr: Expr, manager: nodes.NodeNG, depth: int = 3) -> bool | None:
    """What a context or decorator, met where `expr` stands, makes of grad mode; None when it has nothing to do with it,
    or may have.
    """
    call = manager if isinstance(manager, nodes.Call) else None
    name = _last(origins, expr, call.func if call is not None else manager)
    if name in GRADIENTS_OFF:
        return call is not None and bool(call.args or call.keywords) and _asked(call) is False
    if name in GRADIENTS_ON:
        return True
    if name == "set_grad_enabled":
        return call is None or _asked(call) is not False
    at = Expr(expr.module, expr.scope, manager)
    if depth <= 0 or not isinstance(manager, (nodes.Call, nodes.Name, nodes.Attribute)):
        return None
    answers: list[bool | None] = []
    if call is not None:
        for callee in origins.callees(at):
            if not callee.is_generator:
                continue
            for yielded in callee.node.nodes_of_class(nodes.Yield):
                answers.append(switched(origins, Expr(callee.module, callee, yielded)))
        if not answers:  # a name of the scope's class, or a function that makes it
            made = origins.step(Expr(expr.module, expr.scope, call.func)) or origins.step(at)
            answers = [_made(origins, m, m.node, depth - 1) for m in made]
    else:
        answers = [_made(origins, m, m.node, depth - 1) for m in origins.step(at)]
    return answers[0] if answers and all(a is answers[0] for a in answers) else None


def _asked(call: nodes.Call) -> bool:
    """What a switch is called with; True where that is not written."""
    given = call.args[0] if call.args else call.keywords[0].value
    return not (isinstance(given, nodes.Const) and given.value is False)


def _last(origins: Origins, expr: Expr, node: nodes.NodeNG) -> str:
    """The last name of what a name or attribute denotes: as torch has it where that is known, else as it is written."""
    path = dotted(node)
    if path is None:
        return ""
    written = path.rsplit(".", 1)[-1]
    if written in _SWITCHES or not expr.module.mentions(_AS):
        return written
    target = origins.program.analysis.resolver.expression(expr.module, node, expr.scope)
    return target.rsplit(".", 1)[-1] if isinstance(target, str) else written


def loop_around(node: nodes.NodeNG, inside: nodes.NodeNG | None = None) -> nodes.NodeNG | None:
    """The innermost loop or comprehension that repeats a node within its function and does not hold `inside`;
    None if there is none.
    """
    below: nodes.NodeNG = node
    up = node.parent
    while up is not None and not isinstance(up, FRAMES):
        repeats = isinstance(up, (nodes.For, nodes.While)) and below in up.body
        repeats = repeats or (isinstance(up, nodes.ComprehensionScope) and not isinstance(below, nodes.Comprehension))
        if repeats and not (inside is not None and up.parent_of(inside)):
            return up
        below, up = up, up.parent
    return None
