"""Decorators that begin a region by what they evaluate to: chosen by a test, out of a table, made by a factory."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import cast

from astroid import nodes

from flake8_tensorbranch.engine.inference import attributes, calls
from flake8_tensorbranch.engine.inference.arguments import Arguments, bind
from flake8_tensorbranch.engine.inference.evaluate import evaluate
from flake8_tensorbranch.engine.inference.frame import Frame
from flake8_tensorbranch.engine.inference.program import Program, functions_of
from flake8_tensorbranch.engine.inference.resolve import Variable
from flake8_tensorbranch.engine.lattice import AbstractValue
from flake8_tensorbranch.engine.refs import Wrapped
from flake8_tensorbranch.knowledge.regions import RegionEntry, entry
from flake8_tensorbranch.knowledge.tracing import WRAPPER_WORDS
from flake8_tensorbranch.syntax.names import ClassInfo, FunctionInfo, ModuleIndex

Options = tuple[tuple[str, object], ...]


@dataclass(frozen=True, slots=True)
class Hand:
    """A parameter (or, as `self.name`, an attribute) whose function a region entry is given, and the options."""

    parameter: str
    row: RegionEntry
    options: Options


def decorating(program: Program, function: FunctionInfo, decorator: nodes.NodeNG) -> Iterator[Hand]:
    """The entries that a decorator gives the function to, where calling what it evaluates to gives back torch's
    wrapper of it.
    """
    analysis = program.analysis
    bare = decorator.func if isinstance(decorator, nodes.Call) else decorator
    target = analysis.resolver.expression(program.index, bare, function.parent)
    if isinstance(target, ModuleIndex) or (isinstance(target, str) and target != "builtins.getattr"):
        return
    root = bare
    while target is None and isinstance(root, nodes.Attribute):
        root = root.expr  # an attribute of a class
    if not _module(program, target or analysis.resolver.expression(program.index, root)).mentions(WRAPPER_WORDS):
        return
    memo, key = program.index.memo, ("decorating", target if bare is decorator and target is not None else decorator)
    if key not in memo:
        frame = Frame(analysis, program.index, None)
        given = Arguments([attributes.named(function)])
        memo[key] = _entries(program, function, calls.apply(frame, _value(frame, function, decorator), given, None))
    yield from cast("tuple[Hand, ...]", memo[key])


def _value(frame: Frame, function: FunctionInfo, decorator: nodes.NodeNG) -> AbstractValue:
    """What a decorator is where it runs, once and for constants: those of its file, and what a factory is given."""
    for name in decorator.nodes_of_class(nodes.Name):
        bound = frame.module.bindings.get(name.name, ())
        value = getattr(bound[0].statement, "value", None) if len(bound) == 1 else None
        if isinstance(value, nodes.Const) and (function.parent is None or name.name not in function.parent.local_names):
            frame.state[name.name] = evaluate(frame, value)
    value = evaluate(frame, decorator)
    if isinstance(decorator, nodes.Call) and len(value.refs) > 1:
        factories = [ref for ref in evaluate(frame, decorator.func).each if isinstance(ref, FunctionInfo)]
        args = calls.arguments(frame, decorator)
        if len(factories) == 1 and any(
            isinstance(v.const, (str, int)) for v in (*args.positional, *args.keywords.values())
        ):
            inner = frame.analysis.frame(factories[0], bind(factories[0], args, None))
            exact = frame.analysis.result(factories[0], inner)
            return exact if exact.refs else value
    return value


def _module(program: Program, target: object) -> ModuleIndex:
    """The file that says what a decorator is: that of its definition, or, where it is spelled out, its own."""
    return target.module if isinstance(target, (FunctionInfo, ClassInfo, Variable)) else program.index


def _entries(program: Program, function: FunctionInfo, value: AbstractValue) -> tuple[Hand, ...]:
    found = []
    for ref in value.each:
        row = entry(ref.wrapper) if isinstance(ref, Wrapped) else None
        if row is not None and function in functions_of(program.analysis, ref.function):
            found.append(Hand("", row, ref.options))
    return tuple(found)
