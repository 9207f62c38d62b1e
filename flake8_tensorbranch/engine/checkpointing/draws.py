"""Where what a recompute draws anew enters the work of a checkpointed region, beside the branches it decides."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain
from typing import Any, Final

from astroid import nodes

from flake8_tensorbranch.engine.branching import drawings
from flake8_tensorbranch.engine.checkpointing import places, reseeded, saving
from flake8_tensorbranch.engine.checkpointing.insides import Activation
from flake8_tensorbranch.engine.checkpointing.locate import placed, site, skipped
from flake8_tensorbranch.engine.checkpointing.lostdraws import is_lost
from flake8_tensorbranch.engine.checkpointing.mutation import Mutations
from flake8_tensorbranch.engine.checkpointing.places import Place
from flake8_tensorbranch.engine.checkpointing.uses import assignments
from flake8_tensorbranch.engine.lattice import (
    ARRAY,
    CALLABLE,
    CONTAINER,
    HOST,
    OBJECT,
    RANDOM,
    TENSOR,
    UNKNOWN,
    UNKNOWN_KIND,
    AbstractValue,
)
from flake8_tensorbranch.engine.lookup.loops import inside
from flake8_tensorbranch.engine.refs import Instance, Method
from flake8_tensorbranch.engine.regions.trace import spelled
from flake8_tensorbranch.engine.sink import RegionSite, SinkKind
from flake8_tensorbranch.knowledge.randomness import DRAWN_IN_PLACE, MAKERS, RESEEDS, SEEDS, SIZES
from flake8_tensorbranch.knowledge.regions import host_source
from flake8_tensorbranch.knowledge.tensors import ADDS
from flake8_tensorbranch.syntax.kinds import NESTED
from flake8_tensorbranch.syntax.names import ModuleIndex, dotted, last_name

DEPTH: Final = 3
_GENERATORS: Final = frozenset(MAKERS.values())
_COMPOUND: Final = (nodes.If, nodes.For, nodes.While, nodes.With, nodes.Try, nodes.Match)


def sites(mutations: Mutations) -> Iterator[RegionSite]:
    """One site for each statement at which a draw enters; one that flows on is not reported again."""
    seen: set[tuple[ModuleIndex, int]] = set()
    kept = mutations.drawn
    insides = mutations.insides
    strangers = (a for a in insides.strange() if any(v.deps & RANDOM for v in a.facts.values.values()))
    for activation in chain(insides.here(), strangers):
        if mutations.seeds(activation.entry):
            continue
        for node, subject in _Draws(activation, kept).entries():
            line = (activation.function.module, int(node.statement().lineno or 0))
            lost = is_lost(activation, node) or _is_over(activation, node, subject)
            if line not in seen and not lost and not skipped(activation, node):
                seen.add(line)
                reseeds = any(n in RESEEDS or n in SEEDS for n in activation.facts.externals.get(subject, {}))
                replayed = activation.entry.option("preserve_rng_state", True) is True
                weighed = drawings.of(activation.function, activation.facts, subject) == drawings.WEIGHED
                form = "reseeds" if reseeds else "weighed" if replayed and weighed else "enters"
                found = site(SinkKind.RANDOM, activation, subject, form, spelled(subject))
                yield placed(found, activation, "drawn here")


def _is_over(activation: Activation, node: Any, drawn: nodes.NodeNG) -> bool:
    """True for what is drawn and added to what no tensor saved later depends on, whose derivative needs neither; and
    for a drawn number that the forward's graph keeps: a non-reentrant recompute has stopped before (facts B9).
    """
    added = _sum(activation, node)
    if added is not None:
        return not saving.after(activation.origins, activation, added)
    if activation.entry.reentrant is not False or not _is_number(activation, drawn):
        return False
    if isinstance(node, nodes.Call) or (isinstance(node, nodes.BinOp) and node.op == "**" and node.left is drawn):
        return False
    return not saving.after(activation.origins, activation, node)


def _sum(activation: Activation, node: Any) -> nodes.NodeNG | None:
    """The sum or difference of tensors that something drawn is a part of, alone or by operations on it alone."""
    while node is not None:
        if isinstance(node, (nodes.BinOp, nodes.AugAssign)) and node.op.rstrip("=") in ("+", "-"):
            return node
        if isinstance(node, nodes.Call) and not node.keywords and last_name(node.func) in ADDS:
            return node if activation.facts.values.get(node, UNKNOWN).must(TENSOR) else None
        if not isinstance(node, (nodes.Call, nodes.Attribute)) or _holds_others(activation, node):
            return None
        node = node.parent
    return None


def _holds_others(activation: Activation, node: nodes.NodeNG) -> bool:
    """True for an expression with a part that may be a tensor and is not drawn."""
    for part in node.nodes_of_class((nodes.Name, nodes.Attribute)):
        value = activation.facts.values.get(part, UNKNOWN)
        own = isinstance(part, nodes.Attribute) or part.name in activation.function.local_names
        if value.kinds & (TENSOR | UNKNOWN_KIND if own else TENSOR) and not value.deps & RANDOM and not value.refs:
            return True
    return False


def _is_number(activation: Activation, drawn: Any) -> bool:
    """True for a draw of one number, not of an array."""
    if activation.facts.values.get(drawn, UNKNOWN).must(HOST):
        return True
    made = list(assignments(activation, drawn.name)) if isinstance(drawn, nodes.Name) else [drawn]
    call: Any = made[0] if len(made) == 1 else None
    size = SIZES.get(last_name(call.func)) if isinstance(call, nodes.Call) else None
    return size is not None and len(call.args) <= size and all(k.arg not in ("size", None) for k in call.keywords)


class _Draws:
    """The draws of one activation."""

    def __init__(self, activation: Activation, kept: set[Place]) -> None:
        self.activation = activation
        self.kept = kept  # state that holds what the region drew
        self.values = activation.facts.values
        self.mixed: set[str] = set()  # locals that hold results into which a draw has gone

    def entries(self) -> Iterator[tuple[nodes.NodeNG, nodes.NodeNG]]:
        """Expressions that a draw enters, each with the part that is drawn."""
        function = self.activation.function
        if function.is_lambda:
            body: Any = function.node.body
            yield from self._in(body)
            return
        statement: Any
        for statement in inside(function):
            if not statement.is_statement or statement is function.node:
                continue
            found = False
            for top in _own(statement):
                for entry in self._in(top):
                    found = True
                    yield entry
                    break
            adds = isinstance(statement, nodes.AugAssign) and not found and self._is_tensor(statement.target)
            if adds and self._drawn(statement.value):
                found = True
                yield statement, statement.value
            filled = None if found else self._filled(statement)
            if filled is not None:
                receiver: Any = filled.func
                self.mixed.update(n.name for n in receiver.expr.nodes_of_class(nodes.Name))
                yield filled, filled
            if found or any(self._is_mixed(top) for top in _own(statement)):
                self.mixed.update(
                    n.name for n in statement.nodes_of_class(nodes.AssignName, NESTED) if n.statement() is statement
                )

    def _in(self, top: nodes.NodeNG) -> Iterator[tuple[nodes.NodeNG, nodes.NodeNG]]:
        for node in top.nodes_of_class((nodes.BinOp, nodes.Call, nodes.Subscript), NESTED):
            drawn = self._entry(node)
            if drawn is not None:
                yield node, drawn
        if isinstance(top.parent, (nodes.For, nodes.Comprehension)) and top is top.parent.iter and self._drawn(top):
            yield top, top

    def _entry(self, node: Any) -> nodes.NodeNG | None:
        """The drawn part of an expression that brings it into a tensor, or lets it choose what runs."""
        if node not in self.values:
            return None
        if isinstance(node, nodes.Call):
            chosen = self._chooses(node)
            if chosen is not None:
                return chosen
            if self.activation.facts.calls.get(node):
                return None  # followed into the function
            parts = [*node.args, *(k.value for k in node.keywords if k.arg != "generator")]
            if isinstance(node.func, nodes.Attribute):
                parts.append(node.func.expr)
        elif isinstance(node, nodes.BinOp):
            parts = [node.left, node.right]
        else:
            parts = [node.value, node.slice]
        if not self._is_tensor(node) and not any(self._is_input(p, DEPTH) for p in parts):
            return None
        drawn = [p for p in parts if self._drawn(p) and not self._is_mixed(p) and not self._mixes(p)]
        if not drawn:
            return None
        scalars = [p for p in drawn if not self._is_tensor(p)]
        if scalars:
            return scalars[0]
        fresh = any(self._may_be_tensor(p) and p not in drawn for p in parts)
        return drawn[0] if fresh else None

    def _chooses(self, node: nodes.Call) -> nodes.NodeNG | None:
        """A call that draws by being made: a shuffle, a new seed, a callee picked by a draw."""
        names = self.activation.facts.externals.get(node, {})
        if any(n in RESEEDS or (n.endswith(".shuffle") and host_source(n) is not None) for n in names):
            return node
        if any(n in SEEDS for n in names) and node.args and self._drawn(node.args[0]):
            return node
        func = node.func
        if isinstance(func, nodes.Attribute) and func.attrname == "shuffle":
            for ref in self._value(func).each:
                if isinstance(ref, Method) and any(
                    isinstance(r, Instance) and r.cls in _GENERATORS for r in ref.owner.refs
                ):
                    return node
        if isinstance(func, nodes.Name):
            value = self._value(func)
            return func if value.deps & RANDOM and value.kinds & (CALLABLE | OBJECT) else None
        if isinstance(func, nodes.Call) and self._value(func).deps & RANDOM:
            if self._value(func).kinds & (CALLABLE | OBJECT):
                return None if self._is_repeated(func) else func
        if isinstance(func, (nodes.Call, nodes.Subscript)):
            inner = func.slice if isinstance(func, nodes.Subscript) else func
            return inner if self._drawn(inner) else None
        return None

    def _value(self, node: nodes.NodeNG) -> AbstractValue:
        return self.values.get(node, UNKNOWN)

    def _is_tensor(self, node: nodes.NodeNG) -> bool:
        return bool(self._value(node).kinds & TENSOR)

    def _is_input(self, node: Any, depth: int) -> bool:
        """True for a parameter that nothing is known of, or a local made of one: a region is handed tensors."""
        value = self._value(node)
        function = self.activation.function
        if not isinstance(node, nodes.Name) or depth <= 0 or not value.kinds & UNKNOWN_KIND or value.refs:
            return False
        if any(p.name == node.name and p.default is None for p in function.params):
            return True
        made = list(assignments(self.activation, node.name))
        return bool(made) and all(
            any(self._is_input(n, depth - 1) for n in m.nodes_of_class(nodes.Name)) for m in made if m is not None
        )

    def _may_be_tensor(self, node: nodes.NodeNG) -> bool:
        known = self.values.get(node)
        return known is not None and bool(known.kinds & (TENSOR | UNKNOWN_KIND)) and not known.refs

    def _filled(self, statement: Any) -> nodes.Call | None:
        """The call of a statement `m.uniform_(generator=g)` that fills a tensor anew; None for any other statement."""
        call = statement.value if isinstance(statement, nodes.Expr) else None
        if not isinstance(call, nodes.Call) or not isinstance(call.func, nodes.Attribute):
            return None
        if call.func.attrname not in DRAWN_IN_PLACE or not self._may_be_tensor(call.func.expr):
            return None
        given = [k.value for k in call.keywords if k.arg == "generator"]
        return call if given and self._value(call).deps & RANDOM and not self._is_repeated(call) else None

    def _drawn(self, node: Any) -> bool:
        """True when a value is drawn, or an index has a part that is."""
        value = self._value(node)
        if value.deps & RANDOM and value.kinds & (HOST | ARRAY | TENSOR | CONTAINER):
            return not self._is_repeated(node)
        if self.kept and isinstance(node, nodes.Attribute) and places.of(self.activation, node) in self.kept:
            return True
        if isinstance(node, nodes.Slice):
            return any(self._drawn(p) for p in (node.lower, node.upper, node.step) if p is not None)
        return isinstance(node, nodes.Tuple) and any(self._drawn(e) for e in node.elts)

    def _is_repeated(self, node: Any) -> bool:
        """True for draws from a generator that the run of the region makes itself, with the same seed each time."""
        calls: list[nodes.Call] = [node] if isinstance(node, nodes.Call) else []
        if isinstance(node, nodes.Name):
            calls = [v for v in assignments(self.activation, node.name) if isinstance(v, nodes.Call)]
        sources: list[Any] = []
        for call in calls:
            sources.extend(k.value for k in call.keywords if k.arg == "generator")
            if isinstance(call.func, nodes.Attribute) and not sources:
                sources.append(call.func.expr)
        return bool(sources) and all(reseeded.made_alike(self.activation, s, calls[0]) for s in sources)

    def _mixes(self, node: Any) -> bool:
        """True for an operation on tensors of which some are not drawn: the draw enters inside of it."""
        if isinstance(node, nodes.Call) and not self.activation.facts.calls.get(node) and self._is_source(node):
            return False
        return isinstance(node, (nodes.BinOp, nodes.Call, nodes.Subscript)) and any(
            (self._is_tensor(n) or self._value(n) is UNKNOWN)
            and not self._value(n).deps & RANDOM
            and not _only_shapes(n, node)
            for n in node.nodes_of_class((nodes.Name, nodes.Attribute), NESTED)
        )

    def _is_source(self, call: nodes.Call) -> bool:
        """True for a call that draws by itself, whatever weighs the draw: nothing that goes into it is drawn."""
        parts = [*call.args, *(k.value for k in call.keywords if k.arg != "generator")]
        if isinstance(call.func, nodes.Attribute):
            parts.append(call.func.expr)
        return not any(self._value(n).deps & RANDOM for part in parts for n in part.nodes_of_class(nodes.NodeNG))

    def _is_mixed(self, node: nodes.NodeNG) -> bool:
        return any(n.name in self.mixed for n in node.nodes_of_class(nodes.Name, NESTED))


def _only_shapes(name: Any, top: nodes.NodeNG) -> bool:
    """True for a name within `top` that gives a size, dtype or device alone: `zeros_like(x)`, `x.shape`."""
    up = name.parent
    if isinstance(up, nodes.Attribute) and up.attrname in (
        "shape",
        "size",
        "dtype",
        "device",
        "new_empty",
        "new_zeros",
    ):
        return True
    return (
        isinstance(up, nodes.Call)
        and up is not top
        and name in up.args[:1]
        and (dotted(up.func) or "").rsplit(".", 1)[-1].endswith("_like")
    )


def _own(statement: Any) -> list[nodes.NodeNG]:
    """The expressions that a statement itself evaluates."""
    if isinstance(statement, nodes.With):
        return [manager for manager, _ in statement.items]
    return [
        c
        for c in statement.get_children()
        if not c.is_statement and not isinstance(c, (nodes.AssignName, nodes.Arguments, nodes.Decorators))
    ]
