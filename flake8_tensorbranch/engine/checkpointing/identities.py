"""What is done to a module and changes nothing that it computes: identities, descriptions, what holds already."""

from __future__ import annotations

from typing import Any

from astroid import nodes

from flake8_tensorbranch.engine.checkpointing.stores import Stored
from flake8_tensorbranch.engine.lookup.origins import Expr, Origins
from flake8_tensorbranch.engine.refs import Instance
from flake8_tensorbranch.knowledge.modules import DESCRIBES, IDENTITIES
from flake8_tensorbranch.syntax.names import ClassInfo, FunctionInfo

_FREEZES = (".requires_grad = False", "requires_grad_(False)", "requires_grad=False", "freeze")


def is_identity(origins: Origins, call: Expr) -> bool:
    """True for a parametrization that gives back the parameter: `nn.Identity()`, a forward of its argument alone."""
    node: Any = call.node
    given = (
        node.args[2]
        if len(node.args) > 2
        else next((k.value for k in node.keywords if k.arg == "parametrization"), None)
    )
    made = [] if given is None else list(origins.value(Expr(call.module, call.scope, given)).each)
    return bool(made) and all(isinstance(r, Instance) and _gives_back(origins, r.cls) for r in made)


def _gives_back(origins: Origins, cls: ClassInfo | str) -> bool:
    if not isinstance(cls, ClassInfo):
        return cls in IDENTITIES
    forward: FunctionInfo | None = origins.program.analysis.resolver.method(cls, "forward")
    if forward is None or len(forward.params) != 2 or len(forward.returns_nodes) != 1:
        return False
    if not isinstance(forward.node, nodes.FunctionDef) or len(forward.node.body) != 1:
        return False
    value = forward.returns_nodes[0].value
    return isinstance(value, nodes.Name) and value.name == forward.params[1].name


def describes(stored: Stored) -> bool:
    """True for an attribute of a layer of torch that its forward does not read, or text."""
    text = isinstance(stored.value, nodes.Const) and isinstance(stored.value.value, str)
    return stored.name in DESCRIBES or text


def holds_already(call: Expr) -> bool:
    """True for `requires_grad_()` where nothing in the file asks for less: parameters require grad from the start."""
    node: Any = call.node
    given = node.args[0] if node.args else next((k.value for k in node.keywords), None)
    asks = given is None or (isinstance(given, nodes.Const) and given.value is True)
    return asks and not call.module.mentions(_FREEZES)
