"""What only a mapped function cannot do: draw by a layer, write into a tensor that is one for the whole batch."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from astroid import nodes

from flake8_tensorbranch.engine.checkpointing.contents import Contents
from flake8_tensorbranch.engine.checkpointing.evaluating import evaluates
from flake8_tensorbranch.engine.inference.frame import Facts
from flake8_tensorbranch.engine.inference.program import Program
from flake8_tensorbranch.engine.lattice import TENSOR, UNKNOWN
from flake8_tensorbranch.engine.lookup.origins import Expr, Origins
from flake8_tensorbranch.engine.refs import Instance
from flake8_tensorbranch.engine.regions import trace
from flake8_tensorbranch.engine.regions.batched import KIND, Batched
from flake8_tensorbranch.engine.regions.region import Entry, Membership, Regions
from flake8_tensorbranch.engine.sink import SinkKind, TracedSite
from flake8_tensorbranch.knowledge.layers import DRAWING
from flake8_tensorbranch.knowledge.model import method as tensor_row
from flake8_tensorbranch.syntax.binding import binder
from flake8_tensorbranch.syntax.names import FunctionInfo

_MODES: Final = (".eval(", ".train(")
_BY_TYPE: Final = "torch.Tensor."


def sites(program: Program, regions: Regions, batched: Batched) -> Iterator[TracedSite]:
    """The layers that draw where no `randomness` is given, and the writes (tests/oracle/test_forms_nested.py)."""
    begun = [entry for entry, _ in regions.entries if entry.kind == KIND]
    if not begun:
        return
    origins = Origins(program)
    contents = Contents(origins)
    for begin in begun:
        node = begin.node
        if isinstance(node, nodes.Call) and node.args and not begin.option("randomness"):
            start = Expr(program.index, begin.scope, node.args[0])
            if _draws(origins, contents, begin, start, start):
                only = {KIND: Membership(begin, ())}
                yield TracedSite(SinkKind.MAPPED_DRAW, node, begin.scope, trace.spelled(node.args[0]), only)
    for scope, member in regions.members(KIND).items():
        facts = program.facts[scope]
        for node, written in _writes(batched, scope, facts):
            way = trace.way(program, scope, node, {KIND: member})
            form: dict[str, object] = {
                "out": isinstance(node, nodes.Call) and any(k.value is written for k in node.keywords)
            }
            yield TracedSite(SinkKind.MAPPED_WRITE, node, scope, trace.spelled(written), {KIND: member}, form, way)
        if member.entry.option("randomness") or program.index.mentions(_MODES):
            continue  # in which mode a layer is that others build, is not followed
        for node in facts.values:
            if (
                type(node) is nodes.Call
                and not facts.calls.get(node)
                and any(type(r) is Instance for r in facts.values.get(node.func, UNKNOWN).each)
            ):
                layer = Expr(program.index, scope, node.func)
                if _draws(origins, contents, member.entry, layer, Expr(program.index, scope, node)):
                    way = trace.way(program, scope, node, {KIND: member})
                    subject = trace.spelled(node)
                    yield TracedSite(SinkKind.MAPPED_DRAW, node, scope, subject, {KIND: member}, {}, way)


def _draws(origins: Origins, contents: Contents, begin: Entry, layer: Expr, at: Expr) -> bool:
    """True for a layer of torch.nn, or a chain with one in it, that draws and is not in evaluation mode."""
    found = next(contents.layers((), layer, DRAWING), None)
    if found is None or any(_is_evaluated(o.node) for o in (layer, *origins.of(layer))):
        return False
    node: Any = begin.node
    start = Expr(at.module, begin.scope, node.args[0]) if isinstance(node, nodes.Call) and node.args else None
    return not evaluates(origins, begin, start, at, [])


def _is_evaluated(node: object) -> bool:
    return isinstance(node, nodes.Call) and getattr(node.func, "attrname", "") == "eval"


def _writes(batched: Batched, scope: FunctionInfo, facts: Facts) -> Iterator[tuple[nodes.NodeNG, nodes.NodeNG]]:
    """The operations that write a mapped value into a tensor that is none, each with that tensor, and those that write
    to an `out=`, for which `vmap` has no rule.
    """

    def whole(node: nodes.NodeNG) -> bool:
        return facts.values.get(node, UNKNOWN).must(TENSOR) and not batched.reads(scope, node)

    node: Any
    for node in scope.node.nodes_of_class((nodes.Assign, nodes.AugAssign), (nodes.FunctionDef, nodes.Lambda)):
        for target in node.targets if isinstance(node, nodes.Assign) else [node.target]:
            if isinstance(target, nodes.Subscript):
                if whole(target.value) and any(batched.reads(scope, part) for part in (node.value, target.slice)):
                    yield target, target.value
            elif isinstance(node, nodes.AugAssign) and isinstance(target, nodes.AssignName):
                if batched.reads(scope, node.value) and _is_own(batched, scope, facts, target.name):
                    yield target, target
    for node in facts.values:
        if type(node) is not nodes.Call:
            continue
        given = [*node.args, *(k.value for k in node.keywords)]
        names = facts.externals.get(node, {})
        into = next((k.value for k in node.keywords if k.arg == "out"), None)
        if into is not None and any(n.startswith("torch.") for n in names):
            if any(batched.reads(scope, a) for a in given):
                yield node, into
            continue
        owner, name = getattr(node.func, "expr", None), str(getattr(node.func, "attrname", ""))
        if given and any(n.startswith(_BY_TYPE) for n in names):
            owner = given.pop(0)
        if owner is None or not name.endswith("_") or name.endswith("__"):
            continue
        row = tensor_row(name)
        if row is not None and "inplace" in row.effects and whole(owner):
            if any(batched.reads(scope, a) for a in given):
                yield node, owner


def _is_own(batched: Batched, scope: FunctionInfo, facts: Facts, name: str) -> bool:
    """True for a local that is a tensor of its own before a statement adds to it."""
    made = [binder(bound) for bound in scope.local_names.get(name, ())]
    first = [m for m in made if not isinstance(m, nodes.AugAssign)]
    sources = [m.value for m in first if isinstance(m, nodes.Assign)]
    return (
        bool(sources)
        and len(sources) == len(first)
        and all(facts.values.get(s, UNKNOWN).must(TENSOR) and not batched.made_of(scope, s, name) for s in sources)
    )
