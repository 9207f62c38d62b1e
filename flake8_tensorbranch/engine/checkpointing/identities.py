"""What is done to a module and changes nothing that it computes: identities, descriptions, what holds already."""

from __future__ import annotations

from typing import Any, Final

from astroid import nodes

from flake8_tensorbranch.engine.checkpointing.keptgraph import is_parameter
from flake8_tensorbranch.engine.checkpointing.stores import Stored
from flake8_tensorbranch.engine.lattice import TENSOR
from flake8_tensorbranch.engine.lookup.origins import Expr, Origins
from flake8_tensorbranch.engine.refs import Instance
from flake8_tensorbranch.knowledge.modules import DESCRIBES, IDENTITIES
from flake8_tensorbranch.knowledge.tensors import COPIES
from flake8_tensorbranch.syntax.names import ClassInfo, FunctionInfo, dotted

_DEFAULT: Final = frozenset({"float", "float32"})
_OTHER_TYPES: Final = ("half", "double", "float16", "float64", "default_dtype", "dtype=dtype", "torch_dtype")
_FREEZES: Final = (".requires_grad = False", "requires_grad_(False)", "requires_grad=False", "freeze")


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


def holds_already(origins: Origins, what: Expr, given: nodes.NodeNG | None) -> bool:
    """True where parameters are to require grad (`requires_grad_()`) and nothing in the file asks for less: they do
    from the start. `what` is a module or a parameter.
    """
    asks = given is None or (isinstance(given, nodes.Const) and given.value is True)
    if not asks or what.module.mentions(_FREEZES):
        return False
    return not origins.value(what).kinds & TENSOR or is_parameter(origins, what)


def is_itself(tensor: nodes.NodeNG | None, given: nodes.NodeNG | None) -> bool:
    """True for a tensor that gets the values it has, or a copy of them: `p.data = p.data.clone()`."""
    path = dotted(_bare(tensor))
    return path is not None and path == dotted(_bare(given))


def _bare(node: Any) -> nodes.NodeNG | None:
    """The tensor that a chain of `data` and of copies begins with."""
    while True:
        func = node.func if isinstance(node, nodes.Call) and not node.args else None
        if isinstance(func, nodes.Attribute) and func.attrname in COPIES:
            node = func.expr
        elif isinstance(node, (nodes.Attribute, nodes.AssignAttr)) and node.attrname == "data":
            node = node.expr
        else:
            found: nodes.NodeNG | None = node
            return found


def is_that_type(call: Expr) -> bool:
    """True for a cast to torch's default type in a file that names no other: what is built has it."""
    given = [*call.node.args, *(k.value for k in call.node.keywords if k.arg == "dtype")]
    named = {str(a.attrname) for a in given if isinstance(a, nodes.Attribute)} or {call.node.func.attrname}
    return named <= _DEFAULT and not call.module.mentions(_OTHER_TYPES)


def adds_nothing(origins: Origins, said: Expr) -> bool:
    """True for a call that only puts identities into a chain of layers, at its end or elsewhere."""
    call: Any = said.node
    if not isinstance(call, nodes.Call) or not isinstance(call.func, nodes.Attribute):
        return False
    if call.func.attrname not in ("append", "insert", "extend", "add_module", "register_module") or not call.args:
        return False
    chain = origins.value(Expr(said.module, said.scope, call.func.expr))
    if not any(isinstance(r, Instance) and r.cls == "torch.nn.Sequential" for r in chain.each):
        return False
    last = call.args[-1]
    added = last.elts if isinstance(last, (nodes.List, nodes.Tuple)) else [last]
    values = [list(origins.value(Expr(said.module, said.scope, a)).each) for a in added]
    return bool(values) and all(v and all(isinstance(r, Instance) and r.cls in IDENTITIES for r in v) for v in values)
