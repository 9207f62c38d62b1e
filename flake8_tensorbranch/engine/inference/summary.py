"""Queries over the project's functions and classes: returned values, kept attributes, module variables.

Every query is a pure function of (query, fuel, content of the project): fuel counts how many more queries may nest. A
query without fuel answers UNKNOWN, but BOTTOM ("adds nothing to what is known") where it may have been led back to
itself: for functions that recurse by name, variables that functions write, and what methods store (`self.step += 1`
asks for `self.step`), for which the fuel counts rounds of a fixpoint from below. An answer that never ran out of fuel
is exact and serves every larger amount. So answers depend neither on the order of questions nor on what else was asked.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any, Final, TypeVar, cast

from astroid import nodes

from flake8_tensorbranch.engine.inference import annotations as types
from flake8_tensorbranch.engine.inference import attributes, calls, parameters, randomness, rebinding, storing, transfer
from flake8_tensorbranch.engine.inference.arguments import Arguments, coarse, combine, is_open, is_read
from flake8_tensorbranch.engine.inference.classes import Classes
from flake8_tensorbranch.engine.inference.frame import Facts, Frame, State
from flake8_tensorbranch.engine.inference.heirs import is_base
from flake8_tensorbranch.engine.inference.leads import only_tensors, recurs
from flake8_tensorbranch.engine.inference.outcomes import affirmed, decided, falls_through, is_stub, open_constant
from flake8_tensorbranch.engine.inference.resolve import Resolver, Target, Variable
from flake8_tensorbranch.engine.inference.states import merge, widen
from flake8_tensorbranch.engine.lattice import (
    BOTTOM,
    CONTAINER,
    HOST,
    NAMESPACE,
    NO_CONST,
    NONE,
    NONE_VALUE,
    OBJECT,
    SYNCED,
    TENSOR,
    UNKNOWN,
    UNKNOWN_KIND,
    AbstractValue,
    container,
    join,
    join_all,
    make,
    with_deps,
)
from flake8_tensorbranch.engine.refs import Super
from flake8_tensorbranch.engine.solver import Budget, Plan, plan, solve
from flake8_tensorbranch.project import Project
from flake8_tensorbranch.syntax.cfg import build_cfg
from flake8_tensorbranch.syntax.graph import Block, Cfg, Edge
from flake8_tensorbranch.syntax.names import Binding, ClassInfo, FunctionInfo, ModuleIndex

FUEL: Final = 5
T = TypeVar("T")
_STORES: Final = (nodes.Assign, nodes.AnnAssign, nodes.AugAssign)


class Analysis:
    """All queries of one project; memo tables live on the modules they speak of."""

    def __init__(self, project: Project) -> None:
        self.project = project
        self.resolver = Resolver(project)
        self.classes = Classes(self)
        self.fuel = FUEL
        self.keep_unused = False  # whether the values of calls that nobody uses are wanted, too
        self._cut = False
        self._depth = 0

    # Fuel and memo

    def query(self, memo: dict[object, object], key: object, compute: Callable[[], T], bottom: T) -> T:
        """The answer of `compute`, tabulated as the module's docstring says."""
        fuel = self.fuel
        exact = memo.get(key)
        if exact is not None:
            depth, value = cast("tuple[int, T]", exact)
            if depth <= fuel:
                self._depth = max(self._depth, depth)
                return value
        partial = memo.get((key, fuel))
        if partial is not None:
            self._cut = True
            return cast("tuple[T]", partial)[0]
        if fuel == 0:
            self._cut = True
            return bottom
        cut, depth = self._cut, self._depth
        self._cut, self._depth, self.fuel = False, 0, fuel - 1
        try:
            value = compute()
            needed = self._depth + 1
            if self._cut:
                memo[(key, fuel)] = (value,)
            else:
                memo[key] = (needed, value)
        finally:
            self.fuel = fuel
            self._cut, self._depth = self._cut or cut, max(depth, self._depth + 1)
        return value

    # Activations

    def cfg(self, module: ModuleIndex, scope: Any) -> Cfg:
        """The control-flow graph of a scope, built once."""
        key = ("cfg", scope)
        known = module.memo.get(key)
        if known is None:
            known = module.memo[key] = build_cfg(scope)
        return cast("Cfg", known)

    def run(self, frame: Frame, scope: Any) -> State | None:
        """Solve one activation to its fixpoint; the state at the exit, None if it is never reached. Fills the frame."""
        cfg = self.cfg(frame.module, scope)
        entry = frame.state

        def step(block: Block, state: State) -> State:
            frame.state = dict(state)
            transfer.execute(frame, block.items)
            return frame.state

        def pass_edge(edge: Edge, state: State) -> State | None:
            return state if edge.test is None else transfer.pass_test(frame, edge, state)

        key = ("plan", scope)
        planned = frame.module.memo.get(key)
        if planned is None:
            budget = Budget(visits=60 * len(cfg.blocks) + 400, widen_after=12)
            planned = frame.module.memo[key] = (plan(cfg), budget)
        order, budget = cast("tuple[Plan, Budget]", planned)
        solution = solve(cfg, entry, step, merge, operator.eq, pass_edge, budget, widen, order)
        if solution.exhausted:
            frame.returns = frame.yields = UNKNOWN
            frame.stores = dict.fromkeys(frame.stores, UNKNOWN)
            frame.bound = dict.fromkeys(frame.bound, UNKNOWN)
            if frame.facts is not None:
                frame.facts.values.clear()
                frame.facts.exhausted = True
            return None
        return solution.before[cfg.exit]

    def frame(
        self, function: FunctionInfo, bound: State, captured: State | None = None, facts: Facts | None = None
    ) -> Frame:
        """An activation of a function whose parameters (and free names) hold `bound`, completed by what is declared."""
        params = self.parameters(function)
        free = {n: v for n, v in bound.items() if n not in params} if captured is None and function.free else captured
        frame = Frame(self, function.module, function, facts, free, function.cls)
        frame.shared = rebinding.writers(function)
        for name, value in params.items():
            passed = bound.get(name)
            frame.bind(name, value if passed is None else combine(passed, value))
        if frame.self_name is not None:
            frame.owner = frame.state.get(frame.self_name, BOTTOM)
        return frame

    def parameters(self, function: FunctionInfo) -> State:
        """Parameter values before any call is seen."""
        memo = function.module.memo
        key = ("parameters", function)
        if key not in memo:
            memo[key] = {}
            memo[key] = parameters.declared(self, function)
        return cast("State", memo[key])

    def declared_type(self, function: FunctionInfo, name: str) -> AbstractValue | None:
        """What the annotation of a parameter says: it holds for later assignments of unknown values, too."""
        for param in function.params:
            if param.name == name:
                declared = self.parameters(function).get(name) if param.annotation is not None else None
                return (
                    declared if declared is not None and declared.known and not declared.kinds & UNKNOWN_KIND else None
                )
        return None

    def returned(
        self, function: FunctionInfo, bound: State, captured: tuple[tuple[str, AbstractValue], ...] = ()
    ) -> AbstractValue:
        """The value of a call with these arguments."""
        said = self.declared_return(function)
        vague = said is not None and said.elem is None and any(is_read(v) for v in bound.values())
        if said is not None and not is_open(said) and not said.kinds & HOST and not (vague and said.must(CONTAINER)):
            # A declaration is enough where the body could add little: far from the root, and for plain objects.
            told = said.must(OBJECT | NONE) and not (self.classes.is_record(said) or is_base(self, said, function))
            if told or (said.must(TENSOR) and only_tensors(function)):
                return said
            if self.fuel < FUEL - 1:
                self._cut = True  # with more fuel the body is looked into
                return said
            self._depth = max(self._depth, FUEL - 1)  # with less fuel it is not
        params = self.parameters(function)
        arguments = tuple(
            sorted((n, coarse(v)) for n, v in bound.items() if n in params and v.known and v != params[n])
        )
        key = ("returned", function, arguments, captured)

        def compute() -> AbstractValue:
            # Solved for what the answer is tabulated by, or it would depend on who asked first.
            frame = self.frame(function, dict(arguments), dict(captured))
            return self.result(function, frame)

        end = UNKNOWN if self.fuel == 0 and not recurs(function) else BOTTOM
        value = self.query(function.module.memo, key, compute, end)
        if value.known and not value.kinds & UNKNOWN_KIND:
            return value
        if said is None or not said.known:
            return value if value.known else types.documented_return(function) or value
        return (
            said
            if not value.known
            else join(make(value.kinds & ~UNKNOWN_KIND, value.deps, refs=value.refs, elem=value.elem), said)
        )

    def result(self, function: FunctionInfo, frame: Frame) -> AbstractValue:
        """What an activation of a function gives back."""
        if is_stub(function):
            return BOTTOM  # a declaration, an abstract method: the annotation speaks
        end = self.run(frame, function.node)
        value = frame.returns
        if function.is_generator:
            return container(frame.yields if frame.yields.kinds else UNKNOWN)
        if not function.is_lambda and end is not None and falls_through(self.cfg(function.module, function.node)):
            value = join(value, NONE_VALUE)
        if value.const is not NO_CONST and isinstance(value.const, str):
            value = make(value.kinds, value.deps)
        value = affirmed(value)
        return decided(frame, function, value) if len(function.returns_nodes) > 1 else value

    def declared_return(self, function: FunctionInfo) -> AbstractValue | None:
        """What the return annotation says."""
        node = function.node
        if not isinstance(node, nodes.FunctionDef):
            return None
        written = node.returns
        if written is None and function.module.memo.get("comments") is not types.NO_COMMENTS:
            written = types.commented(function)[1]
        said = None if written is None else self.annotation(function.module, written, function)
        if said is not None and said.must(TENSOR) and any(type(r.value) is nodes.Tuple for r in function.returns_nodes):
            return None  # the body is right
        return said

    def facts_of(self, module: ModuleIndex, function: FunctionInfo | None, bound: State | None = None) -> Facts:
        """Everything found out about one scope whose parameters hold `bound` (joined to what is declared)."""

        def compute() -> Facts:
            facts = Facts()
            if function is None:
                self.run(Frame(self, module, None, facts), module.tree)
            else:
                self.run(self.frame(function, bound or {}, None, facts), function.node)
            return facts

        return compute() if bound else self.query(module.memo, ("facts", function), compute, Facts())

    def stores(self, function: FunctionInfo, chained: ClassInfo | None = None, by: ModuleIndex | None = None) -> State:
        """What a method leaves on its object: of a constructor that `chained` calls, as calls in the file `by` say."""
        by = by or function.module

        def compute() -> State:
            if function.name != "__init__":
                bound = parameters.read_by_callers(self, function, by)
            else:
                bound = self.classes.constructed(function)
                if chained:
                    bound = {**bound, **self.classes.passed_up(chained, function)}
            frame = self.frame(function, bound)
            self.run(frame, function.node)
            return frame.stores

        return self.query(by.memo, ("stores", function, chained), compute, {})

    def locals_of(self, function: FunctionInfo) -> State:
        """The join of everything a function binds each local name to."""

        def compute() -> State:
            frame = self.frame(function, {})
            self.run(frame, function.node)
            return frame.bound

        return self.query(function.module.memo, ("locals", function), compute, {})

    def enclosing(self, function: FunctionInfo, name: str) -> AbstractValue:
        """A free name of a nested function, as the enclosing functions bind it."""
        up = function.parent
        while up is not None:
            if name in up.local_names:
                value = self.locals_of(up).get(name, BOTTOM)
                return value if value.kinds else UNKNOWN
            up = up.parent
        return self.global_value(function.module, name)

    def shared(self, value: AbstractValue, writers: list[FunctionInfo], name: str) -> AbstractValue:
        return rebinding.shared(self, value, writers, name)

    # Module variables

    def global_value(self, module: ModuleIndex, name: str) -> AbstractValue:
        """The value of a module-level or builtin name."""
        key = ("global", name)
        target = module.memo.get(key, key)
        if target is key:
            target = module.memo[key] = self.resolver.name(module, name)
        return self.of_target(cast("Target | None", target))

    def module_member(self, module: ModuleIndex, name: str) -> AbstractValue:
        """An attribute of a first-party module."""
        return self.of_target(self.resolver.member(module, name))

    def imported(self, module: ModuleIndex, binding: Binding) -> AbstractValue:
        """What an import binds."""
        return self.of_target(self.resolver.imported(module, binding))

    def of_target(self, target: Target | None) -> AbstractValue:
        """What a resolved name holds."""
        if type(target) is str:
            return attributes.external(target)
        if isinstance(target, (FunctionInfo, ClassInfo)):
            return attributes.named(target)
        if isinstance(target, ModuleIndex):
            return make(NAMESPACE, refs=frozenset({target}))
        if isinstance(target, Variable):
            return self._variable(target)
        return UNKNOWN

    def _variable(self, target: Variable) -> AbstractValue:
        module, name = target.module, target.name

        def compute() -> AbstractValue:
            value = BOTTOM
            for binding in module.bindings.get(name, []):
                if not isinstance(binding.statement, _STORES):
                    value = join(value, UNKNOWN)
                    continue
                frame = Frame(self, module, None)
                transfer.execute(frame, [binding.statement])
                value = join(value, frame.state.get(name, UNKNOWN))
            if name in module.global_stores:
                return rebinding.module_variable(self, module, name, value)
            # A flag of the module may be set from outside.
            return randomness.settled(open_constant(value))

        return self.query(module.memo, ("variable", name), compute, BOTTOM if name in module.global_stores else UNKNOWN)

    # Classes: see `classes.py`

    def attribute(self, cls: ClassInfo, name: str, owner: AbstractValue, unread: bool = False) -> AbstractValue:
        return self.classes.attribute(cls, name, owner, unread)

    def class_member(self, cls: ClassInfo, name: str) -> AbstractValue:
        return self.classes.member(cls, name)

    def super_attribute(self, ref: Super, name: str) -> AbstractValue:
        return self.classes.super_attribute(ref, name)

    def new(self, cls: ClassInfo, args: Arguments) -> AbstractValue:
        return self.classes.new(cls, args)

    def instance_of(self, cls: ClassInfo) -> AbstractValue:
        return self.classes.instance(cls)

    # Services of the transfer functions

    def assign(self, frame: Frame, target: nodes.NodeNG, value: AbstractValue) -> None:
        transfer.assign(frame, target, value)

    def rebind(self, frame: Frame, node: nodes.NodeNG, value: AbstractValue) -> None:
        storing.rebind(frame, node, value)

    def iterable(self, frame: Frame, value: AbstractValue) -> AbstractValue:
        """What iterating a value iterates: the result of `__iter__` of an object, the tuple that a record is."""
        return value if value.kinds != OBJECT else self.classes.iterable(frame, value)

    def special(self, frame: Frame, value: AbstractValue, name: str, values: list[AbstractValue]) -> AbstractValue:
        return calls.special(frame, value, name, values, None)

    def mark_synced(self, frame: Frame, node: nodes.NodeNG) -> None:
        """A collective made this value the same on every rank."""
        path = attributes.state_path(node)
        value = frame.state.get(path) if path is not None else None
        if value is not None and path is not None:
            elem = None if value.elem is None else with_deps(value.elem, SYNCED)
            items = None if value.items is None else tuple((k, with_deps(v, SYNCED)) for k, v in value.items)
            frame.state[path] = make(value.kinds, value.deps | SYNCED, value.const, value.refs, elem, items)

    def annotation(self, module: ModuleIndex, node: nodes.NodeNG, scope: FunctionInfo | None) -> AbstractValue | None:
        """What an annotation says, once per node."""
        key = ("annotation", node)
        if key not in module.memo:
            module.memo[key] = types.value(self, module, node, scope)
        return cast("AbstractValue | None", module.memo[key])

    def instance_type(self, frame: Frame, node: nodes.NodeNG) -> AbstractValue | None:
        """What `isinstance(x, <node>)` makes of x; None where the type is not known."""
        if isinstance(node, nodes.Tuple):
            parts = [self.instance_type(frame, item) for item in cast("list[nodes.NodeNG]", node.elts)]
            return None if any(p is None for p in parts) else join_all(p for p in parts if p is not None)
        return self.annotation(frame.module, node, frame.function)
