"""Whether gradients are recorded where a node stands, as far as the source around it tells."""

from __future__ import annotations

from astroid import nodes

from flake8_tensorbranch.engine.lookup.origins import Expr, Origins
from flake8_tensorbranch.knowledge.gradients import GRADIENTS_OFF, GRADIENTS_ON
from flake8_tensorbranch.syntax.kinds import FRAMES, FUNCTIONS
from flake8_tensorbranch.syntax.names import dotted


def without_grad(origins: Origins, expr: Expr, depth: int = 3) -> bool:
    """True when the code runs under `no_grad`: around it, over its function, or around every call of it in the file."""
    switch = switched(expr)
    if switch is not None:
        return not switch
    if expr.scope is None or depth <= 0:
        return False
    sites = origins.sites(expr.scope)
    return bool(sites) and all(without_grad(origins, site, depth - 1) for site in sites)


def switched(expr: Expr) -> bool | None:
    """What the innermost switch around a place, or over its function, makes of grad mode; None without one."""
    up: nodes.NodeNG | None = expr.node
    while up is not None:
        below, up = up, up.parent
        if isinstance(up, nodes.With) and below in up.body:
            for manager, _ in reversed(up.items):
                switch = _switch(manager)
                if switch is not None:
                    return switch
        if isinstance(up, FUNCTIONS):
            if isinstance(up, nodes.FunctionDef) and up.decorators is not None:
                for decorator in up.decorators.nodes:
                    switch = _switch(decorator)
                    if switch is not None:
                        return switch
            break
    return None


def _switch(node: nodes.NodeNG) -> bool | None:
    """What a context or decorator makes of grad mode; None when it has nothing to do with it."""
    call = node if isinstance(node, nodes.Call) else None
    name = (dotted(call.func if call is not None else node) or "").rsplit(".", 1)[-1]
    argument = call.args[0].value if call is not None and call.args and isinstance(call.args[0], nodes.Const) else None
    if name in GRADIENTS_OFF:
        return argument is False
    if name in GRADIENTS_ON:
        return True
    if name == "set_grad_enabled":
        return argument is not False
    return None


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
