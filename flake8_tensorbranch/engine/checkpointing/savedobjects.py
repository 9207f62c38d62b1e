"""Arguments of home-made checkpoints that are saved by `save_for_backward` although they are no tensors."""

from __future__ import annotations

from typing import Any, Final

from astroid import nodes

from flake8_tensorbranch.engine.checkpointing.recomputes import Recompute
from flake8_tensorbranch.engine.lattice import (
    CALLABLE,
    CONTAINER,
    HOST,
    MAPPING,
    NONE,
    OBJECT,
    UNKNOWN,
    UNKNOWN_KIND,
    AbstractValue,
)
from flake8_tensorbranch.engine.lookup.origins import Expr, Origins
from flake8_tensorbranch.engine.refs import Closure
from flake8_tensorbranch.syntax.binding import once
from flake8_tensorbranch.syntax.names import ClassInfo, FunctionInfo, dotted
from flake8_tensorbranch.syntax.printing import source_of

_NO_TENSOR: Final = OBJECT | HOST | CONTAINER | MAPPING
_MOST: Final = 8

Given = list[tuple[str, AbstractValue]]
"""The arguments of one run of a call, as they are written, and their values."""


def saves_object(origins: Origins, made: Recompute) -> str:
    """The argument of a home-made checkpoint that it saves with `save_for_backward` although it is no tensor: what the
    call gives it, or what the callers give to the function that makes the call; empty if there is none.
    """
    home, call = made.home, made.call.node
    if home is None or not isinstance(call, nodes.Call):
        return ""
    saved = _saved(home.forward)
    slots = [p.name for p in home.forward.params if not p.keyword_only][1:]
    held = [(source_of(b.node), origins.value(b)) for b in made.bound]
    for own in _given(origins, made.call):
        given = held + own
        if all(v.must(_NO_TENSOR | CALLABLE | NONE) for _, v in given[1:]):
            continue  # without a tensor among the inputs nothing is saved
        for position, (text, value) in enumerate(given):
            name = slots[position] if position < len(slots) else home.forward.vararg
            functions = value.refs and all(isinstance(r, (FunctionInfo, ClassInfo, Closure)) for r in value.refs)
            if name in saved and (value.must(_NO_TENSOR) or functions):
                return text
    return ""


def _saved(forward: FunctionInfo) -> set[str]:
    """The parameters that a forward saves, under a name that a list of them was given, too."""
    found: set[str] = set()
    for inner in forward.calls:
        if isinstance(inner.func, nodes.Attribute) and inner.func.attrname == "save_for_backward":
            for argument in inner.args:
                plain: Any = argument.value if isinstance(argument, nodes.Starred) else argument
                found.update(_named(forward, plain))
    return found


def _named(forward: FunctionInfo, node: Any) -> list[str]:
    if isinstance(node, nodes.Call) and dotted(node.func) in ("list", "tuple") and len(node.args) == 1:
        node = node.args[0]
    if not isinstance(node, nodes.Name):
        return []
    made = once(forward.local_names, node.name)
    return _named(forward, made) if made is not None and not isinstance(made, nodes.Name) else [node.name]


def _given(origins: Origins, call: Expr) -> list[Given]:
    """The arguments of a call; where they are parameters that nothing else is known of, as each caller gives them."""
    scope = call.scope
    sites = (
        origins.sites(scope) if scope is not None and any(_is_open(origins, call, a) for a in call.node.args) else []
    )
    if scope is None or not sites:
        return [_of(origins, call, None)]
    return [_of(origins, call, site) for site in sites[:_MOST] if isinstance(site.node, nodes.Call)]


def _is_open(origins: Origins, call: Expr, argument: nodes.NodeNG) -> bool:
    scope = call.scope
    node: Any = argument.value if isinstance(argument, nodes.Starred) else argument
    if scope is None or not isinstance(node, nodes.Name):
        return False
    if isinstance(argument, nodes.Starred):
        return bool(node.name == scope.vararg)
    loose = bool(origins.value(Expr(call.module, scope, node)).kinds & UNKNOWN_KIND)
    return loose and any(p.name == node.name for p in scope.params)


def _of(origins: Origins, call: Expr, site: Expr | None) -> Given:
    found: Given = []
    for argument in call.node.args:
        node: Any = argument.value if isinstance(argument, nodes.Starred) else argument
        value = origins.value(Expr(call.module, call.scope, node))
        open_ = site is not None and _is_open(origins, call, argument)
        if not isinstance(argument, nodes.Starred):
            given = origins.argument(site, call.scope, node.name) if open_ and site and call.scope else None
            found.append((source_of(argument), value if given is None else origins.value(given)))
        elif open_ and site is not None and call.scope is not None:
            taken = sum(not p.keyword_only for p in call.scope.params)
            taken -= int(call.scope.takes_self or call.scope.is_classmethod)
            found.extend((t, v) for t, v in _of(origins, site, None)[taken:])
        elif value.items is not None and value.kinds == CONTAINER:
            found.extend((source_of(node), v) for _, v in value.items)
        else:
            found.append((source_of(argument), UNKNOWN))
            break  # how many there are is not known
    return found
