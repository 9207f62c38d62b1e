"""Whether a checkpointed region reads what is set, taken away or changed: an attribute, or an item of what it holds."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from astroid import nodes

from flake8_tensorbranch.engine.checkpointing import saving
from flake8_tensorbranch.engine.checkpointing.alterations import Alteration
from flake8_tensorbranch.engine.checkpointing.behind import owner
from flake8_tensorbranch.engine.checkpointing.insides import Activation
from flake8_tensorbranch.engine.checkpointing.recomputes import Recompute
from flake8_tensorbranch.engine.checkpointing.stores import Stored
from flake8_tensorbranch.engine.lattice import UNKNOWN
from flake8_tensorbranch.engine.lookup.origins import Expr, Origins
from flake8_tensorbranch.engine.refs import Instance
from flake8_tensorbranch.knowledge.containers import FILLS, KEYED
from flake8_tensorbranch.knowledge.modules import ITERATES_MODULES, ITERATES_TENSORS, OWN_DICTIONARIES
from flake8_tensorbranch.syntax.kinds import NESTED
from flake8_tensorbranch.syntax.names import ClassInfo, FunctionInfo, last_name


def is_read(
    origins: Origins, change: Alteration, made: Recompute, region: list[Activation], reentrant: bool | None
) -> bool:
    """True when the region reads an attribute that is set between, and does not set it itself before."""
    stored = change.stored
    assert stored is not None
    owners = {r.cls for r in origins.value(change.target).refs if isinstance(r, Instance)}
    if stored.key is not None and made.function is not None and _is_it(origins, made.function, stored.name, owners):
        # The region runs what the attribute holds; a non-reentrant recompute stops before what is added at the end.
        if reentrant is not False or not _adds_last(change.node, stored):
            return True
    if stored.name == "forward" and _runs(made, region, owners):
        return True
    for activation in region:
        function = activation.function
        found = [
            r
            for r in reads(activation, stored.name, owners)
            if not (stored.key is not None and (_fills(r) or _apart_by_key(r, stored)))
            and not saving.is_over(origins, activation, r)
        ]
        if found:
            filled = (getattr(f.value, "attrname", "") for f in function.fills) if stored.key is not None else ()
            return stored.name not in (*(s.attrname for s in function.attribute_stores), *filled)
    return False


def beginning(cls: ClassInfo | str, name: str) -> nodes.NodeNG | None:
    """What the constructor of a class stores in an attribute, or its body; None where that is not one expression."""
    if not isinstance(cls, ClassInfo):
        return None
    made = [s for w in cls.stores.get(name, ()) if w.name == "__init__" for s in w.attribute_stores]
    found: list[Any] = [getattr(s.parent, "value", None) for s in made if s.attrname == name]
    found = found or [getattr(s, "value", None) for s in cls.body.get(name, ())]
    return found[0] if len(found) == 1 else None


def is_apart(origins: Origins, target: Expr, made: Recompute, region: list[Activation], part: str = "") -> bool:
    """True for what an attribute holds of an object whose class's code the region begins in, and never reads it; `part`
    is the attribute where the target is the object.
    """
    holder, name = (target.node, part) if part and isinstance(target.node, nodes.Name) else _first(target.node)
    refs = [r.cls for r in origins.value(replace(target, node=holder)).each if isinstance(r, Instance)] if name else []
    cls = refs[0] if len(refs) == 1 else None
    if not isinstance(cls, ClassInfo) or made.call.node.parent_of(target.node):
        return False
    line = origins.program.analysis.resolver.mro(cls)
    own = [a.function for a in region if _class_of(a.function) in line]
    if not own:  # it begins in what an attribute holds
        begin = made.function and replace(made.function, node=owner(_bound(made.function.node), made.function.scope))
        first, held = _first(begin.node) if begin else (None, "")
        whose = origins.value(replace(begin, node=first)).refs if begin and held else ()
        if not any(isinstance(r, Instance) and r.cls is cls for r in whose) or held == name:
            return False
    if any(n.attrname == name for n in made.call.node.nodes_of_class(nodes.Attribute)):
        return False
    return not any(_may_read(function, name) for function in own)


def _bound(node: Any) -> Any:
    """The function that `partial` is given first; the node itself for anything else."""
    return node.args[0] if isinstance(node, nodes.Call) and last_name(node.func) == "partial" and node.args else node


def _first(node: Any) -> tuple[Any, str]:
    """The object at the root of a chain, and the attribute that the chain takes of it; no name for anything else."""
    while isinstance(node, (nodes.Attribute, nodes.AssignAttr, nodes.Subscript)):
        inner = node.value if isinstance(node, nodes.Subscript) else node.expr
        if isinstance(inner, nodes.Name):
            return inner, "" if isinstance(node, nodes.Subscript) else node.attrname
        node = inner
    return node, ""


def _class_of(function: FunctionInfo) -> ClassInfo | None:
    """The class in whose methods a function is defined."""
    up: FunctionInfo | None = function
    while up is not None and up.cls is None:
        up = up.parent
    return None if up is None else up.cls


def _may_read(function: FunctionInfo, name: str) -> bool:
    """True for a function that names an attribute, or goes over attributes without their names."""
    names = {name, *OWN_DICTIONARIES, *ITERATES_MODULES, *ITERATES_TENSORS, "get_submodule", "get_parameter"}
    attributes = (n.attrname for n in function.node.nodes_of_class(nodes.Attribute))
    return any(n in names for n in attributes) or any(
        n.name in ("getattr", "super", "vars", "locals") for n in function.node.nodes_of_class(nodes.Name)
    )


def reads(activation: Activation, name: str, owners: set[ClassInfo | str]) -> Iterator[nodes.Attribute]:
    """Where a run reads an attribute of an object of one of these classes."""
    for read in activation.function.node.nodes_of_class(nodes.Attribute, NESTED) if owners else ():
        if read.attrname == name:
            refs = activation.facts.values.get(read.expr, UNKNOWN).refs
            if any(isinstance(r, Instance) and isinstance(r.cls, ClassInfo) and r.cls in owners for r in refs):
                yield read


def _runs(made: Recompute, region: list[Activation], owners: set[ClassInfo | str]) -> bool:
    """True where the region calls objects of these classes, not a `forward` that the checkpoint call itself holds."""
    node: Any = made.function.node if made.function is not None else None
    held = isinstance(node, nodes.Attribute) and node.attrname == "forward"
    return any(
        a.function.name == "forward" and a.function.cls in owners and (a.parent is not None or not held) for a in region
    )


def _is_it(origins: Origins, function: Expr, name: str, owners: set[ClassInfo | str]) -> bool:
    """True where a checkpointed function is what an attribute of an object of these classes holds."""
    node: Any = function.node
    if not isinstance(node, nodes.Attribute) or node.attrname != name:
        return False
    refs = origins.value(replace(function, node=node.expr)).refs
    return any(isinstance(r, Instance) and isinstance(r.cls, ClassInfo) and r.cls in owners for r in refs)


def _adds_last(statement: Any, stored: Stored) -> bool:
    """True for a change of a list that leaves what is there in its place: `append`, `extend`, `+=`."""
    return stored.method in ("append", "extend") or (isinstance(statement, nodes.AugAssign) and statement.op == "+=")


def _fills(read: nodes.Attribute) -> bool:
    """True for what only puts something in: `self.seen.append(x)`."""
    method: Any = read.parent
    if not isinstance(method, nodes.Attribute) or method.attrname not in FILLS:
        return False
    return isinstance(method.parent, nodes.Call) and isinstance(method.parent.parent, nodes.Expr)


def _apart_by_key(read: nodes.Attribute, stored: Stored) -> bool:
    """True for a read of other items than those that are set: each stands there."""
    up: Any = read.parent
    asked: Any = None
    if isinstance(up, nodes.Subscript) and up.value is read:
        asked = up.slice
    elif isinstance(up, nodes.Attribute) and up.attrname in KEYED and isinstance(up.parent, nodes.Call):
        asked = up.parent.args[0] if up.parent.args else None
    if not isinstance(asked, nodes.Const):
        return False
    key, changed = stored.key, _keys(stored)
    if isinstance(asked.value, int) and asked.value >= 0 and _adds_last(None, stored):
        return True
    if isinstance(key, nodes.Subscript) and isinstance(key.slice, nodes.Const) and isinstance(asked.value, int):
        gone = key.slice.value
        return isinstance(gone, int) and 0 <= asked.value < gone
    return bool(changed) and asked.value not in changed


def _keys(stored: Stored) -> list[object]:
    """The keys of the items that are set, by a subscript or by `update`; empty where they do not stand there."""
    key = stored.key
    if stored.method == "update":
        named: list[object] = [k.arg for k in key.keywords]
        given = [k for a in key.args for k, _ in (a.items if isinstance(a, nodes.Dict) else [(None, None)])]
        known = None not in named and all(isinstance(k, nodes.Const) for k in given)
        return [*named, *(k.value for k in given if isinstance(k, nodes.Const))] if known else []
    return [key.value] if isinstance(key, nodes.Const) else []
