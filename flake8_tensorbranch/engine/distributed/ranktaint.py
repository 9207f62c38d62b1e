"""What an expression's value inherits from its parts when the question is whether it differs between ranks."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import TYPE_CHECKING, Any, Final

from astroid import nodes

from flake8_tensorbranch.engine import lattice
from flake8_tensorbranch.engine.distributed import marks
from flake8_tensorbranch.engine.distributed.marks import AGREED, CLEAN, OUTSIDE, State, Taint, combined
from flake8_tensorbranch.engine.inference.heirs import with_heirs
from flake8_tensorbranch.engine.inference.operators import length_deps, truth_deps
from flake8_tensorbranch.engine.lattice import (
    CALLABLE,
    DATA,
    HOST,
    NAMESPACE,
    NONE,
    OBJECT,
    SYNCED,
    TENSOR,
    UNBACKED,
    UNKNOWN,
    AbstractValue,
)
from flake8_tensorbranch.engine.refs import Instance
from flake8_tensorbranch.knowledge import collectives as known
from flake8_tensorbranch.knowledge import names
from flake8_tensorbranch.knowledge.containers import FILLS
from flake8_tensorbranch.knowledge.model import method as tensor_method
from flake8_tensorbranch.knowledge.modules import PARAMETERS
from flake8_tensorbranch.knowledge.tensors import METADATA, METADATA_METHODS
from flake8_tensorbranch.syntax.names import ClassInfo, FunctionInfo, dotted, last_name

if TYPE_CHECKING:
    from flake8_tensorbranch.engine.distributed.ranks import Ranks

_METADATA: Final = METADATA | {"training"}
_PRESENCE: Final = frozenset({"len", "isinstance", "hasattr", "callable", "type", "id", "issubclass"})
_VALUES: Final = HOST | TENSOR | lattice.CONTAINER | lattice.MAPPING | lattice.ARRAY | NONE
_PLAIN: Final = HOST | NONE | CALLABLE | NAMESPACE


class Evaluator:
    """Taints of expressions in one scope, in the state before them; calls that agree on a value change the state."""

    def __init__(self, ranks: Ranks, scope: FunctionInfo | None, bind: Callable[[nodes.NodeNG, Taint], None]) -> None:
        self.ranks = ranks
        self.scope = scope
        self.bind = bind
        self.facts = ranks.program.facts[scope]
        self.state: State = {}
        self.agreed: set[str] = set()
        self.seen: dict[nodes.NodeNG, Taint] = {}  # of the item that is executed

    def taint(self, node: nodes.NodeNG) -> Taint:
        """The taint of an expression, evaluated once per item."""
        found = self.seen.get(node)
        if found is None:
            found = self.seen[node] = self._settled(node)
        return found

    def _settled(self, node: nodes.NodeNG) -> Taint:
        found = self._taint(node)
        if not found or found == AGREED:
            return found
        if isinstance(node, nodes.Compare) and self._identifies(node):
            return frozenset(m for m in found if marks.level(m) > marks.DATA)
        value = self.facts.values.get(node, UNKNOWN)
        if value.deps & SYNCED:
            return AGREED
        if value.must(HOST | NONE) and value.deps & lattice.DATA:
            return marks.raised(found, marks.READ)
        return found

    def _taint(self, node: nodes.NodeNG) -> Taint:
        if isinstance(node, nodes.Name):
            return self._name(node)
        if isinstance(node, nodes.Attribute):
            return self._attribute(node)
        if isinstance(node, nodes.Call):
            return self._call(node)
        if isinstance(node, nodes.Compare) and all(op in ("is", "is not") for op, _ in node.ops):
            return combined(self.presence(node.left), *(self.presence(operand) for _, operand in node.ops))
        if isinstance(node, nodes.NamedExpr):
            found = self.taint(node.value)
            self.bind(node.target, found)
            return found
        if isinstance(node, (nodes.ListComp, nodes.SetComp, nodes.DictComp, nodes.GeneratorExp)):
            for generator in node.generators:
                iterated, value = self.taint(generator.iter), self._value(generator.iter)
                self.bind(generator.target, iterated)
                deps = length_deps(value) | elements(generator.iter, value)
                counted = isinstance(generator.iter, nodes.Call) and dotted(generator.iter.func) == "range"
                if counted and self.ranks.differs(self.scope, iterated, value, deps):
                    self.ranks.chosen[generator.iter] = self.scope
                for test in generator.ifs:
                    self._choice(test)
            return self._children(node)
        if isinstance(node, (nodes.Lambda, nodes.Const, nodes.FunctionDef, nodes.ClassDef)):
            return CLEAN
        if isinstance(node, nodes.IfExp):
            steering = marks.raised(self.taint(node.test), marks.STEERED) if self._choice(node.test) else CLEAN
            return combined(self.taint(node.body), self.taint(node.orelse), steering)
        if isinstance(node, nodes.BoolOp):
            for operand in node.values[:-1]:
                self._choice(operand)
        if isinstance(node, (nodes.Subscript, nodes.Starred)):
            path = dotted(node.value)
            if path is not None and path in self.state:
                return combined(
                    marks.read(self.state[path]), *([] if isinstance(node, nodes.Starred) else [self.taint(node.slice)])
                )
        return self._children(node)

    def _choice(self, test: nodes.NodeNG) -> bool:
        """True when a choice within an expression differs between ranks; noted for those who ask what it decides."""
        for leaf in leaves(test):
            value = self._value(leaf)
            if self.ranks.differs(self.scope, self.taint(leaf), value, truth_deps(value)):
                self.ranks.chosen[test] = self.ranks.chosen[leaf] = self.scope
                return True
        return False

    def _identifies(self, node: nodes.Compare) -> bool:
        """True for a search among things that are kept (`model in self.models`) for one that may be an object, and for
        a list that is compared with a module's parameters: these are the same things or not, whatever they hold.
        """
        (operator, right), *others = node.ops
        left, kept = self._value(node.left), self._value(right)
        if others or kept.kinds & TENSOR:
            return False
        if operator in ("in", "not in"):
            return bool(left.kinds & (OBJECT | lattice.UNKNOWN_KIND)) or not left.known
        asked = (last_name(call.func) for call in node.nodes_of_class(nodes.Call))
        return operator in ("==", "!=") and not left.kinds & TENSOR and "parameters" in asked

    def _value(self, node: nodes.NodeNG) -> AbstractValue:
        return self.facts.values.get(node, UNKNOWN)

    def _children(self, node: nodes.NodeNG) -> Taint:
        taint = self._operand if isinstance(node, (nodes.BinOp, nodes.Compare)) else self.taint
        return combined(
            *(taint(c) for c in node.get_children() if not isinstance(c, (nodes.AssignName, nodes.AssignAttr)))
        )

    def _operand(self, node: nodes.NodeNG) -> Taint:
        """What an operand adds to a result: a plain number from outside is a setting, the same on every rank."""
        found = self.taint(node)
        value = self._value(node)
        if not found or not value.must(HOST | NONE) or lattice.all_deps(value) & ~lattice.SHAPE:
            return found
        return frozenset(m for m in found if self.ranks.resolved(self.scope, frozenset({m})) - OUTSIDE)

    def presence(self, node: nodes.NodeNG) -> Taint:
        """The taint of whether a value is None: what it contains says nothing of that."""
        found = self.taint(node)
        if not found:
            return CLEAN
        value = self._value(node)
        if value.known and not value.kinds & (NONE | lattice.UNKNOWN_KIND):
            return CLEAN
        path = dotted(node) if isinstance(node, (nodes.Name, nodes.Attribute)) else None
        if path is not None and path in self.state:
            return self.state.get(marks.presence(path), marks.steered(found))
        if isinstance(node, nodes.Attribute):
            for ref in self._value(node.expr).each:
                if isinstance(ref, Instance) and isinstance(ref.cls, ClassInfo):
                    kept = self._member(ref.cls, marks.presence(node.attrname))
                    if kept is not None:
                        return kept
        return marks.steered(found)

    def _name(self, node: nodes.Name) -> Taint:
        known_taint = self.state.get(node.name)
        if known_taint is not None:
            return marks.read(known_taint)
        if node.name not in getattr(self.scope, "local_names", ()) and self._is_module_name(node.name):
            return CLEAN
        return self._outside(self._value(node))

    def _is_module_name(self, name: str) -> bool:
        """True for what `import name` binds: a module is the same on every rank, whatever its functions are given."""
        bound = self.ranks.program.index.bindings.get(name, ())
        return bool(bound) and all(isinstance(b.statement, nodes.Import) for b in bound)

    def _outside(self, value: AbstractValue) -> Taint:
        """The taint of what this scope did not make."""
        if value.deps & SYNCED:
            return AGREED
        if value.must(_PLAIN | OBJECT) and not value.deps & lattice.DATA:
            return CLEAN
        return OUTSIDE

    def _attribute(self, node: nodes.Attribute) -> Taint:
        path = dotted(node)
        if path is not None and path in self.state:
            return marks.read(self.state[path])
        name = node.attrname
        value = self._value(node)
        if _is_metadata(name) and not lattice.all_deps(value) & UNBACKED and not value.kinds & TENSOR:
            return CLEAN
        if name == "grad" and (self.ranks.collectives.replicated or self.ranks.collectives.sharded):
            return AGREED
        owner = self._value(node.expr)
        for ref in owner.each:
            if isinstance(ref, Instance) and isinstance(ref.cls, ClassInfo):
                found = self._member(ref.cls, name)
                if found is not None:
                    return found
        if owner.must(OBJECT | NAMESPACE | CALLABLE | HOST) and owner.refs:
            return self._outside(value) if value.kinds & TENSOR and not self._is_module(owner) else CLEAN
        return marks.hidden(self.taint(node.expr)) if not owner.must(_VALUES) else self.taint(node.expr)

    def _is_module(self, owner: AbstractValue) -> bool:
        """Parameters of modules are the same on every rank; so are buffers, unless the module stores to them."""
        resolver = self.ranks.program.analysis.resolver
        return any(
            isinstance(r, Instance) and (isinstance(r.cls, str) or resolver.is_module(r.cls)) for r in owner.refs
        )

    def _member(self, cls: ClassInfo, name: str) -> Taint | None:
        """What the objects of a class keep under a name; None where the class says nothing of it."""
        for base in self.ranks.program.analysis.resolver.mro(cls):
            if not isinstance(base, ClassInfo):
                continue
            stored = self.ranks.attributes.get((base, name))
            if stored is not None:
                return marks.read(stored)
            method = base.methods.get(name)
            if method is not None:
                return marks.read(self.ranks.returned.get(method, CLEAN)) if method.is_property else CLEAN
        return None

    # Calls

    def _call(self, node: nodes.Call) -> Taint:
        func = node.func
        arguments = [self._operand(a) for a in node.args] + [self._operand(k.value) for k in node.keywords]
        receiver = self.taint(func.expr) if isinstance(func, nodes.Attribute) else CLEAN
        name = last_name(func)
        value = self._value(node)
        together = combined(receiver, *arguments)
        if self.ranks.collectives.direct(self.scope, node):
            for argument, taint in zip(node.args, arguments, strict=False):
                self.ranks.sized[argument] = self.ranks.resolved(self.scope, taint)
            if self.ranks.collectives.writes(self.scope, node):
                self._agree(node.args[0] if node.args else node.keywords[0].value if node.keywords else None)
            return AGREED
        callees = with_heirs(self.ranks.program.analysis, self.facts.calls.get(node, ()))
        if callees:
            return combined(*(self._enter(node, callee, together) for callee in callees))
        externals = self.facts.externals.get(node, {})
        if any(q in PARAMETERS for q in externals):
            return CLEAN
        if known.is_grad_norm(name) and (self.ranks.collectives.replicated or self.ranks.collectives.sharded):
            return AGREED
        if name == "getattr" and len(node.args) > 1 and isinstance(node.args[1], nodes.Const):
            if _is_metadata(str(node.args[1].value)):
                return CLEAN
        if name == "len" and node.args and isinstance(node.args[0], nodes.Attribute):
            if node.args[0].attrname == "shape":
                return CLEAN  # the number of dimensions
        if name in _PRESENCE and isinstance(func, nodes.Name):
            return (
                combined(*arguments) if value.deps & (UNBACKED | lattice.DATA) else marks.steered(combined(*arguments))
            )
        if (
            name in METADATA_METHODS
            and isinstance(func, nodes.Attribute)
            and not value.deps & (UNBACKED | lattice.DATA)
        ):
            return CLEAN
        unseen = (
            not any(q.startswith(("torch.", "builtins.", "numpy.", "math.")) for q in externals)
            and not self._value(func).kinds & TENSOR
        )
        if unseen and (known.says_agreed(name) or (isinstance(func, nodes.Attribute) and _is_gathering(node, name))):
            if isinstance(node.parent, nodes.Expr):
                for argument in node.args:
                    self._agree(argument)
            return AGREED
        if isinstance(func, nodes.Attribute) and name in FILLS:
            path = dotted(func.expr)
            if path is not None and path in self.state:
                self.state[path] = combined(marks.read(self.state[path]), *arguments)
        if name == "item" and isinstance(func, nodes.Attribute) and not node.args:
            return marks.raised(together, marks.READ)
        if value.deps & (lattice.RANDOM | lattice.REPLAYED) and not together:
            return OUTSIDE
        if unseen:
            opaque = not externals and not self._value(func).must(_PLAIN | OBJECT)
            known_owner = isinstance(func, nodes.Attribute) and self._value(func.expr).must(_VALUES)
            return OUTSIDE if opaque and not together else together if known_owner else marks.hidden(together)
        return together

    def _agree(self, node: Any) -> None:
        """A collective has made the value under a name the same on every rank."""
        if isinstance(node, (nodes.List, nodes.Tuple)):
            for inner in node.elts:
                self._agree(inner)
            return
        path = dotted(node) if isinstance(node, (nodes.Name, nodes.Attribute)) else None
        if path is None:
            return
        old = self.state.get(path, CLEAN)
        self.agreed |= {m[1:] for m in old if m == f"0{path}"}
        self.state[path] = AGREED

    def _enter(self, node: nodes.Call, callee: FunctionInfo, together: Taint) -> Taint:
        """The taint of what a function of the project gives back; what it gets is noted for it."""
        ranks = self.ranks
        given = self._bound(node, callee)
        if callee not in ranks.program.facts:
            return AGREED if ranks.collectives.of_function(callee) else together
        if given is None:
            for param in callee.params[1 if callee.takes_self else 0 :]:  # which of them gets what is not seen
                ranks.note_argument(callee, param.name, marks.hidden(ranks.resolved(self.scope, together)))
            return marks.substituted(ranks.returned.get(callee, CLEAN), {}, together)
        taints = {n: self.taint(a) for n, a in given.items()}
        unpacked = [k.value for k in node.keywords if k.arg is None]
        if unpacked:
            rest = marks.hidden(ranks.resolved(self.scope, combined(*(self.taint(u) for u in unpacked))))
            others = callee.params[1:] if callee.takes_self or callee.is_classmethod else callee.params
            taints.update({p.name: rest for p in others if p.name not in taints})
        for name, taint in taints.items():
            ranks.note_argument(callee, name, ranks.resolved(self.scope, taint))
        for name in sorted(ranks.agreed.get(callee, ())):
            self._agree(given.get(name))
        if callee.name == "__init__":
            return CLEAN
        return marks.substituted(ranks.returned.get(callee, CLEAN), taints)

    def _bound(self, node: nodes.Call, callee: FunctionInfo) -> dict[str, nodes.NodeNG] | None:
        """The expressions that a call gives to parameters by position or name; None where a sequence is unpacked, or
        something else stands between the two.
        """
        if any(isinstance(a, nodes.Starred) for a in node.args) or self.facts.externals.get(node):
            return None
        slots = [p.name for p in callee.params if not p.keyword_only]
        if callee.takes_self or callee.is_classmethod:
            slots = slots[1:]
        if len(node.args) > len(slots) and callee.vararg is None:
            return None
        found = dict(zip(slots, node.args, strict=False))
        names = {p.name for p in callee.params}
        found.update({k.arg: k.value for k in node.keywords if k.arg in names})
        return found


def _is_gathering(node: nodes.Call, name: str) -> bool:
    """True for `accelerator.gather(flag)` of an object that is not seen; a tensor's own `gather` takes an index."""
    return name in known.GATHERING and len(node.args) == 1 and not any(k.arg in ("dim", "index") for k in node.keywords)


@cache
def _is_metadata(name: str) -> bool:
    """True for an attribute that says something of a tensor, or a module, and nothing of its values."""
    row = tensor_method(name) if name in names.TENSOR_PROPERTIES else None
    return name in _METADATA or (row is not None and row.returns in ("host", "static") and "data" not in row.deps)


def elements(iterable: nodes.NodeNG, value: AbstractValue) -> int:
    """What the length of a `range` or another made iterable depends on, where the value itself says it."""
    return (
        value.deps & (DATA | UNBACKED)
        if isinstance(iterable, nodes.Call) and not value.kinds & (TENSOR | NONE | HOST)
        else 0
    )


def leaves(test: nodes.NodeNG) -> list[nodes.NodeNG]:
    """The parts of a test whose truth is taken."""
    if isinstance(test, nodes.BoolOp):
        return [leaf for operand in test.values for leaf in leaves(operand)]
    if isinstance(test, nodes.UnaryOp) and test.op == "not":
        return leaves(test.operand)
    return leaves(test.value) if isinstance(test, nodes.NamedExpr) else [test]
