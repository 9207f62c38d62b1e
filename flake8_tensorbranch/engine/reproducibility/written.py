"""Draws without a seed that an assertion holds to numbers which stand in the source."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, Final

from astroid import nodes

from flake8_tensorbranch.engine.inference.arguments import Arguments
from flake8_tensorbranch.engine.lattice import TENSOR
from flake8_tensorbranch.engine.lookup.origins import Expr, Origins
from flake8_tensorbranch.engine.lookup.slices import backward
from flake8_tensorbranch.engine.refs import Instance
from flake8_tensorbranch.engine.reproducibility.switches import Switches
from flake8_tensorbranch.knowledge.model import lookup
from flake8_tensorbranch.knowledge.randomness import DRAWN_IN_PLACE
from flake8_tensorbranch.knowledge.reproducibility import DISTRIBUTIONS, SAMPLES
from flake8_tensorbranch.syntax.binding import once
from flake8_tensorbranch.syntax.names import FunctionInfo, ModuleIndex, last_name

_DIGITS: Final = 3
_NUMBER: Final = re.compile(rf"\d\.\d{{{_DIGITS}}}")
_ASSERTING: Final = ("assert", "raise ")
_BY_CALL: Final = ("assert_close", "assert_allclose", "assert_almost_equal", "assertAlmostEqual", "assert_array_almost")
_STATIC: Final = ("shape", "size", "dtype", "device", "ndim", "dim", "numel")


def held_draws(origins: Origins, switches: Switches) -> Iterator[tuple[nodes.NodeNG, FunctionInfo | None, Expr]]:
    """Assertions that hold a result to written numbers though it was drawn without a seed: with the draw."""
    if switches.seeds:
        return
    for scope, test in held_to_numbers(origins.program.index):
        draw = _draw(origins, scope, test)
        if draw is not None:
            yield test, scope, draw


def _draw(origins: Origins, scope: FunctionInfo | None, test: nodes.NodeNG) -> Expr | None:
    """The first draw from torch's default generator that a value depends on."""
    for expr in backward(origins, Expr(origins.program.index, scope, test)):
        if isinstance(expr.node, nodes.Call) and getattr(expr.node.parent, "attrname", "") not in _STATIC:
            if _is_draw(origins, expr):
                return expr
    return None


def _is_draw(origins: Origins, call: Expr) -> bool:
    facts = origins.facts(call.module, call.scope)
    for name, args in facts.externals.get(call.node, {}).items():
        row = lookup(name, len(args.positional), args.names(), kinds=args.kinds())
        if row is not None and "rng" in row.effects and not _is_off(name, args):
            return not _generated(origins, call, args)
    func = call.node.func
    if not isinstance(func, nodes.Attribute):
        return False
    owner = origins.value(Expr(call.module, call.scope, func.expr))
    if func.attrname in DRAWN_IN_PLACE and owner.must(TENSOR):
        return not _generated(origins, call, None)
    if func.attrname not in SAMPLES:
        return False
    return any(isinstance(r, Instance) and str(r.cls).startswith(DISTRIBUTIONS) for r in owner.each)


def _is_off(name: str, args: Arguments) -> bool:
    """True for a dropout that drops nothing as it is called."""
    if "dropout" not in name:
        return False
    chance, training = args.get(1, "p"), args.get(2, "training")
    return any(given is not None and given.const in (0, False) for given in (chance, training))


def _generated(origins: Origins, call: Expr, args: Arguments | None) -> bool:
    """True when a draw is given a generator, as far as the calls in the file show."""
    given = next((k.value for k in call.node.keywords if k.arg == "generator"), None)
    if given is None:  # of a `partial`
        held = None if args is None else args.keywords.get("generator")
        return held is not None and held.const is not None
    index = origins.program.index
    if not isinstance(given, nodes.Const) and any(f not in origins.program.facts for f in index.functions):
        return True  # not every caller is known
    found = origins.of(Expr(call.module, call.scope, given))
    return any(not (isinstance(o.node, nodes.Const) and o.node.value is None) for o in found)


def held_to_numbers(index: ModuleIndex) -> Iterator[tuple[FunctionInfo | None, nodes.NodeNG]]:
    """The tests of assertions, and calls that assert, in which a measured number is written, with their scopes."""
    if not index.mentions(_ASSERTING) or _NUMBER.search(index.text) is None:
        return
    by_call = index.mentions(_BY_CALL)
    for scope in index.scopes:
        for node in index.tests_in(scope):
            test = _asserted(node)
            if test is not None and _measured(index, scope, test):
                yield scope, test
        for call in index.calls_in(scope) if by_call else ():
            given: list[Any] = call.args
            if str(last_name(call.func)).startswith("assert") and isinstance(call.parent, nodes.Expr):
                if any(_measured(index, scope, argument) for argument in given):
                    yield scope, call


def _asserted(node: nodes.NodeNG) -> nodes.NodeNG | None:
    """The test of an assertion, or of a branch that raises; None for any other statement."""
    if isinstance(node, nodes.Assert):
        return node.test
    return node.test if isinstance(node, nodes.If) and any(isinstance(s, nodes.Raise) for s in node.body) else None


def _measured(index: ModuleIndex, scope: FunctionInfo | None, whole: nodes.NodeNG) -> bool:
    """True where such a number is written in an expression, or bound to a name in it by itself or in a comparison."""
    for node in whole.nodes_of_class((nodes.Const, nodes.Name)):
        if isinstance(node, nodes.Const):
            if _precise(node):
                return True
            continue
        bound = None if scope is None else once(scope.local_names, node.name)
        if bound is None and (scope is None or node.name not in scope.local_names):
            bindings = index.bindings.get(node.name, ())
            bound = getattr(bindings[0].statement, "value", None) if len(bindings) == 1 else None
        bare = bound.operand if isinstance(bound, nodes.UnaryOp) else bound
        if isinstance(bare, nodes.Const) and _precise(bare):
            return True
        if isinstance(bound, nodes.Compare) and any(_precise(c) for c in bound.nodes_of_class(nodes.Const)):
            return True
    return False


def _precise(node: nodes.Const) -> bool:
    """True for a number that was copied from a result: a float with three decimals or more."""
    value = node.value
    if not isinstance(value, float) or value != value:
        return False
    decimals = repr(value).partition(".")[2]
    return "e" not in decimals and len(decimals) >= _DIGITS and abs(value) >= 0.1
