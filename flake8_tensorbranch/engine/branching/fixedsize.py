"""Sizes that no call changes: of tensors that a module keeps from its constructor on, or that fixed numbers make."""

from __future__ import annotations

from typing import Final

from astroid import nodes

from flake8_tensorbranch.engine.inference.frame import Facts
from flake8_tensorbranch.engine.inference.resolve import Resolver
from flake8_tensorbranch.engine.lattice import HOST, SHAPE, TENSOR, UNBACKED, UNKNOWN, all_deps
from flake8_tensorbranch.engine.refs import Instance
from flake8_tensorbranch.knowledge.modules import BUILDERS
from flake8_tensorbranch.knowledge.tensors import SAME_SHAPE
from flake8_tensorbranch.syntax.names import ClassInfo, FunctionInfo

_SIZES: Final = SHAPE | UNBACKED
_READS: Final = frozenset({"shape", "size", "numel", "nelement", "__len__"})
_COMPUTES: Final = frozenset(
    {"len", "range", "int", "float", "min", "max", "abs", "sum", "enumerate", "reversed", "zip", "list", "tuple"}
)
_DEPTH: Final = 12
_ARITHMETIC: Final = (nodes.BinOp, nodes.List, nodes.Tuple, nodes.UnaryOp)
_FACTORIES: Final = frozenset(
    {"arange", "empty", "eye", "full", "linspace", "ones", "rand", "randn", "tensor", "zeros"}
)


def is_fixed(
    resolver: Resolver, scope: FunctionInfo | None, facts: Facts, node: nodes.NodeNG, depth: int = _DEPTH
) -> bool:
    """True when every size that an expression depends on is of a tensor that a module keeps from its constructor on."""
    if depth <= 0:
        return False
    value = facts.values.get(node, UNKNOWN)
    if value.kinds & TENSOR:
        return _is_kept(resolver, facts, node) or _is_made(resolver, scope, facts, node, depth - 1)
    if not value.known:
        return False
    if not all_deps(value) & _SIZES and not isinstance(node, (nodes.Tuple, nodes.List)):
        return True
    parts: list[nodes.NodeNG]
    if isinstance(node, nodes.Name):
        found = _assigned(scope, node.name)
        if not found:
            return False
        parts = found
    elif isinstance(node, nodes.Attribute):
        if node.attrname not in _READS:
            return False
        parts = [node.expr]
    elif isinstance(node, nodes.Call):
        func = node.func
        if isinstance(func, nodes.Attribute) and func.attrname in _READS:
            parts = [func.expr, *node.args]
        elif isinstance(func, nodes.Name) and func.name in _COMPUTES and node.args:
            parts = list(node.args)
        else:
            return False
    else:
        parts = [child for child in node.get_children() if child in facts.values]
    return bool(parts) and all(is_fixed(resolver, scope, facts, part, depth - 1) for part in parts)


def _assigned(scope: FunctionInfo | None, name: str) -> list[nodes.NodeNG]:
    """What a local is assigned from, all of it; nothing where it is bound in any other way."""
    found: list[nodes.NodeNG] = []
    for bound in scope.local_names.get(name, ()) if scope is not None else ():
        statement = bound.parent
        while isinstance(statement, (nodes.Tuple, nodes.List)):
            statement = statement.parent
        if not isinstance(statement, (nodes.Assign, nodes.AnnAssign, nodes.NamedExpr)) or statement.value is None:
            return []
        found.append(statement.value)
    return found


def _is_kept(resolver: Resolver, facts: Facts, node: nodes.NodeNG) -> bool:
    """True for an attribute of a module that nothing but its constructor stores."""
    if not isinstance(node, nodes.Attribute):
        return False
    refs = facts.values.get(node.expr, UNKNOWN).refs
    return bool(refs) and all(
        isinstance(ref, Instance) and _is_stored_once(resolver, ref.cls, node.attrname) for ref in refs
    )


def _is_made(resolver: Resolver, scope: FunctionInfo | None, facts: Facts, node: nodes.NodeNG, depth: int) -> bool:
    """True for a tensor that a factory makes of numbers which no call changes, also where something of the same shape
    is computed of it.
    """
    if isinstance(node, nodes.Name):
        found = _assigned(scope, node.name)
        whole = all(facts.values.get(part, UNKNOWN).must(TENSOR) for part in found)
        return bool(found) and whole and all(is_fixed(resolver, scope, facts, part, depth) for part in found)
    if isinstance(node, nodes.BinOp):
        sides = (node.left, node.right)
        return all(_is_number(resolver, facts, s) or is_fixed(resolver, scope, facts, s, depth) for s in sides)
    if not isinstance(node, nodes.Call):
        return False
    func = node.func
    if any(name.startswith("torch.") and name[6:] in _FACTORIES for name in facts.externals.get(node, ())):
        return bool(node.args) and all(_is_number(resolver, facts, a) for a in node.args)
    if isinstance(func, nodes.Attribute) and func.attrname in SAME_SHAPE:
        if not facts.values.get(func.expr, UNKNOWN).must(TENSOR):
            return False
        return is_fixed(resolver, scope, facts, func.expr, depth)
    return False


def _is_number(resolver: Resolver, facts: Facts, node: nodes.NodeNG) -> bool:
    """True for literals, numbers that a module keeps from its constructor on, and arithmetic of these."""
    if isinstance(node, nodes.Const):
        return True
    if type(node) in _ARITHMETIC:
        return all(_is_number(resolver, facts, child) for child in node.get_children())
    return facts.values.get(node, UNKNOWN).must(HOST) and _is_kept(resolver, facts, node)


def _is_stored_once(resolver: Resolver, cls: ClassInfo | str, name: str) -> bool:
    if isinstance(cls, str):
        return cls.startswith("torch.nn.") and name in ("weight", "bias")
    writers = [w for base in resolver.lineage(cls) for w in base.stores.get(name, ())]
    return bool(writers) and all(writer.name in BUILDERS for writer in writers)
