"""Comparisons of two results to the last bit: by functions, element by element, by what two things differ in."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Final

from astroid import nodes

from flake8_tensorbranch.engine.lattice import ARRAY, DATA, TENSOR
from flake8_tensorbranch.engine.lookup.origins import Expr
from flake8_tensorbranch.engine.reproducibility.switches import Switches
from flake8_tensorbranch.knowledge.reproducibility import (
    DIGESTS,
    ELEMENTWISE,
    EXACT,
    MEASURES,
    NO_FLOOR,
    READS,
    REDUCES,
    SPELLS_OUT,
    TOLERANT,
    TOLERANT_ELEMENTS,
)
from flake8_tensorbranch.syntax.binding import once
from flake8_tensorbranch.syntax.names import FunctionInfo, ModuleIndex, last_name

_SIDES: Final = ("input", "other", "actual", "expected", "a", "b", "x", "y")
_MAP: Final = "builtins.map"
_FUNCTIONS: Final = {_MAP, *EXACT, *TOLERANT} | {
    f"{module}.{name}" for module in ("torch", "numpy") for name in REDUCES
}
_ASSERTS: Final = ("assertEqual", "assertListEqual", "assertSequenceEqual")
_METHODS: Final = {"equal", *REDUCES, *_ASSERTS}
_DISTANCES: Final = ("dist",)
_TURNS: Final = ("item", "float", "abs")
_NEGATED: Final = {"==": "!=", "!=": "=="}
_TOLERANCES: Final = {"rtol": 2, "atol": 3}


@dataclass(frozen=True, slots=True)
class Comparison:
    """Two sides that must be equal to the last bit."""

    node: nodes.NodeNG
    scope: FunctionInfo | None
    sides: tuple[nodes.NodeNG, nodes.NodeNG]
    decides: bool = False  # in the function of another file that the node is a call of


class Equalities:
    """The exact comparisons of one module, in the order of its scopes."""

    def __init__(self, switches: Switches) -> None:
        self.switches = switches
        self.index = switches.index
        self._called: list[Comparison] | None = None
        self._spelled_out: list[Comparison] | None = None

    def called(self) -> list[Comparison]:
        """Comparisons without tolerance that a function or method makes."""
        if self._called is None:
            self._called = []
            for scope, call, name in self.switches.calls:
                if not name and _is_held(self.index, scope, call.func):
                    name = next((n for n in self.switches.meant(scope, call) if n in _FUNCTIONS), "")
                if name in _FUNCTIONS if name else getattr(call.func, "attrname", "") in _METHODS:
                    self._called.extend(self._of(scope, call, name))
        return self._called

    def all(self) -> list[Comparison]:
        """These, and those that a test spells out."""
        if self._spelled_out is None:
            self._spelled_out = [c for scope in self.index.scopes for c in self._of_tests(scope)]
        return [*self.called(), *self._spelled_out]

    def plain(self) -> list[Comparison]:
        """Comparisons by `==` and `!=` of what is read from tensors or made of their bits, in tests, results and what
        names are bound to.
        """
        found = []
        for scope in self.index.scopes:
            for node in _compares(self.index, scope):
                sides = _results(node.left, node.ops[0][1])
                if sides is not None and any(self._is_read(scope, side) for side in sides):
                    found.append(Comparison(node, scope, sides))
        return found

    def _is_read(self, scope: FunctionInfo | None, side: nodes.NodeNG) -> bool:
        if isinstance(side, nodes.Call) and last_name(side.func) in READS:
            return True
        value = self.switches.origins.value(Expr(self.index, scope, side))
        return bool(value.kinds & (TENSOR | ARRAY) or value.deps & DATA)

    def _of(self, scope: FunctionInfo | None, call: nodes.Call, name: str) -> Iterator[Comparison]:
        func: Any = call.func
        method = func.attrname if isinstance(func, nodes.Attribute) and not name else ""
        sides: tuple[Any, Any] | None = None
        if name in EXACT or (name in TOLERANT and self._without_tolerance(scope, call, name)):
            sides = _given(call)
        elif name == _MAP and len(call.args) == 3 and self.switches.resolve(call.args[0], scope) in EXACT:
            sides = call.args[1], call.args[2]
        elif method in _ASSERTS and len(call.args) >= 2 and all(_spells_out(side) for side in call.args[:2]):
            sides = call.args[0], call.args[1]
        elif method == "equal" and len(call.args) == 1:
            sides = func.expr, call.args[0]
        elif method in REDUCES and not call.args:
            sides = self._elements(scope, func.expr, REDUCES[method])
        elif name.startswith(("torch.", "numpy.")) and last_name(func) in REDUCES and call.args:
            sides = self._elements(scope, call.args[0], REDUCES[last_name(func)])
        if sides is not None:
            yield Comparison(call, scope, sides)

    def _of_tests(self, scope: FunctionInfo | None) -> Iterator[Comparison]:
        """Comparisons that are spelled out: lists of numbers, bytes, a difference or a count of those that must be
        zero.
        """
        for node in _compares(self.index, scope):
            sides = self._spelled(scope, node.left, node.ops[0][1])
            if sides is not None:
                yield Comparison(node, scope, sides)

    def _spelled(self, scope: FunctionInfo | None, left: Any, right: Any) -> tuple[Any, Any] | None:
        if _spells_out(left) and _spells_out(right):
            return left, right
        zero = isinstance(right, nodes.Const) and right.value == 0 and not isinstance(right.value, bool)
        if zero and isinstance(left, nodes.Call) and last_name(left.func) in _DISTANCES:
            return _given(left) if self.switches.resolve(left.func, scope) else _called_on(left)
        below: Any = left
        how = ""
        while isinstance(below, nodes.Call) and last_name(below.func) in MEASURES:
            how = how or last_name(below.func) if last_name(below.func) not in _TURNS else how
            below = self._measured(scope, below)
        if below is left:
            return None
        if not zero:  # as many are equal as there are, or all of them are
            counted = how == "sum" and not isinstance(right, nodes.Const)
            shared = how == "mean" and isinstance(right, nodes.Const) and right.value == 1
            return self._elements(scope, below, "==") if counted or shared else None
        if isinstance(below, nodes.BinOp) and below.op == "-":
            return below.left, below.right
        return self._elements(scope, below, "!=")

    def _measured(self, scope: FunctionInfo | None, call: nodes.Call) -> nodes.NodeNG | None:
        """What a method is called on, or a function with."""
        func: Any = call.func
        if isinstance(func, nodes.Attribute) and not self.switches.resolve(func, scope):
            return func.expr
        return call.args[0] if call.args else None

    def _elements(self, scope: FunctionInfo | None, node: Any, op: str) -> tuple[Any, Any] | None:
        """The sides of a comparison of each element with its like, by `==` or `!=`; None for anything else."""
        if isinstance(node, nodes.Compare) and len(node.ops) == 1 and node.ops[0][0] == op:
            return _results(node.left, node.ops[0][1])
        if not isinstance(node, nodes.Call):
            return None
        func: Any = node.func
        name = self.switches.resolve(func, scope)
        if ELEMENTWISE.get(name) == op:
            return _given(node)
        if op == "==" and name in TOLERANT_ELEMENTS and self._without_tolerance(scope, node, name):
            return _given(node)
        if not name and isinstance(func, nodes.Attribute) and len(node.args) == 1:
            return _results(func.expr, node.args[0]) if ELEMENTWISE.get(f"torch.{func.attrname}") == op else None
        return None

    def _without_tolerance(self, scope: FunctionInfo | None, call: nodes.Call, name: str) -> bool:
        named = self.switches.keywords(scope, call)
        held = (
            {} if self.switches.resolve(call.func, scope) == name else self.switches.meant(scope, call)[name].keywords
        )
        zero = []
        for word, position in _TOLERANCES.items():
            given = call.args[position] if position < len(call.args) else named.get(word)
            if given is None and word in held:  # of a `partial`
                zero.append(held[word].const == 0)
            elif given is None:
                zero.append(word == "atol" and name in NO_FLOOR)
            else:
                zero.append(isinstance(given, nodes.Const) and given.value == 0)
        return all(zero)


def _called_on(call: nodes.Call) -> tuple[Any, Any] | None:
    """What a method is called on, and what it is given first."""
    return _results(call.func.expr, call.args[0]) if isinstance(call.func, nodes.Attribute) and call.args else None


def _is_held(index: ModuleIndex, scope: FunctionInfo | None, func: nodes.NodeNG) -> bool:
    """True for a variable, or an attribute that the object's class stores."""
    if isinstance(func, nodes.Name):
        return _is_variable(index, scope, func.name)
    if scope is None or scope.cls is None or not isinstance(func, nodes.Attribute):
        return False
    return isinstance(func.expr, nodes.Name) and func.attrname in scope.cls.stores


def _is_variable(index: ModuleIndex, scope: FunctionInfo | None, name: str) -> bool:
    """True for a name that an assignment binds, here or in the module."""
    if scope is not None and name in scope.local_names:
        return once(scope.local_names, name) is not None
    bindings = index.bindings.get(name, ())
    return len(bindings) == 1 and isinstance(bindings[0].statement, nodes.Assign)


def _spells_out(side: Any) -> bool:
    """True for numbers or bytes out of a tensor, or a digest of these."""
    if not isinstance(side, nodes.Call):
        return False
    if last_name(side.func) in SPELLS_OUT:
        return True
    inside = (c for c in side.nodes_of_class(nodes.Call) if c is not side)
    return last_name(side.func) in DIGESTS and any(last_name(c.func) in SPELLS_OUT for c in inside)


def _compares(index: ModuleIndex, scope: FunctionInfo | None) -> Iterator[nodes.Compare]:
    """The comparisons by `==` or `!=` in what a scope tests, returns or binds to names."""
    decided: list[Any] = [getattr(n, "test", None) for n in index.tests_in(scope)]
    if scope is not None:
        decided += [r.value for r in scope.returns_nodes]
        body: Any = [] if scope.is_lambda else getattr(scope.node, "body", [])
        decided += [s.value for s in body if isinstance(s, nodes.Assign)]
    for whole in decided:
        for node in whole.nodes_of_class(nodes.Compare) if whole is not None else ():
            if len(node.ops) == 1 and node.ops[0][0] in _NEGATED:
                yield node


def _given(call: nodes.Call) -> tuple[Any, Any] | None:
    """The two things that a call compares, by position or by the names that the libraries have for them."""
    found = [*call.args, *(k.value for k in call.keywords if k.arg in _SIDES)]
    return _results(found[0], found[1]) if len(found) >= 2 else None


def _results(left: Any, right: Any) -> tuple[Any, Any] | None:
    """The sides of a comparison of results: a number that is written out is none."""
    return None if isinstance(left, nodes.Const) or isinstance(right, nodes.Const) else (left, right)
