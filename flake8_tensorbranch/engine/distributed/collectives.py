"""Which calls every rank of a process group must make: collectives, replicated backwards, sharded forwards."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Final

from astroid import nodes

from flake8_tensorbranch.engine.inference.frame import Callees, Facts
from flake8_tensorbranch.engine.inference.heirs import with_heirs
from flake8_tensorbranch.engine.inference.program import Program
from flake8_tensorbranch.engine.lattice import HOST, OBJECT, TENSOR, UNKNOWN, UNKNOWN_KIND, AbstractValue
from flake8_tensorbranch.engine.refs import Instance
from flake8_tensorbranch.engine.regions import decorators
from flake8_tensorbranch.knowledge import collectives as known
from flake8_tensorbranch.knowledge.reproducibility import TRAINERS
from flake8_tensorbranch.syntax.graph import (
    Block,
    ForBind,
    IterEval,
    LambdaReturn,
    MatchBind,
    MatchSubject,
    Test,
    WithEnter,
    WithExit,
)
from flake8_tensorbranch.syntax.kinds import NESTED
from flake8_tensorbranch.syntax.names import ClassInfo, FunctionInfo, dotted

Labels = Counter[str]
BACKWARD: Final = "backward()"
MOST_FUNCTIONS: Final = 200
"""How many functions are looked into for what a call may run."""
_MODULE: Final = "torch.nn.Module"
_DISTRIBUTED: Final = ("torch.distributed", "from torch import distributed")


class Collectives:
    """The collectives of a program's scopes, each with a label that a message can name."""

    def __init__(self, program: Program) -> None:
        self.program = program
        self.assumed: set[str] = set()  # labels that rest on an assumption: a module of unknown class
        names = {q for facts in program.facts.values() for called in facts.externals.values() for q in called}
        last = {q.rsplit(".", 1)[-1] for q in names}
        self.replicated = bool(last & known.REPLICATING)
        self.sharded = bool(last & known.SHARDING)
        self.steps = frozenset(self._lightning_steps())
        self.active = (
            self.replicated
            or self.sharded
            or bool(self.steps)
            or any(
                known.collective(q)
                for q in names
                if "distributed" in q or "horovod" in q or q.startswith(("accelerate", "deepspeed"))
            )
            or any("accelerate" in q or "lightning" in q or "deepspeed" in q for q in names)
            or any(self._is_lightning(cls) for cls in program.index.classes)
            or ("contextlib.ExitStack" in names and program.index.mentions(_DISTRIBUTED))
            or self._called_abroad()
        )
        self._functions: dict[FunctionInfo, frozenset[str]] = {}
        self._calls: dict[nodes.NodeNG, tuple[frozenset[str], Callees]] = {}
        self._gathering: list[str] | None = None

    def _called_abroad(self) -> bool:
        """True when the file calls a function of another file that calls a collective itself."""
        seen: set[FunctionInfo] = set()
        for facts in self.program.facts.values():
            for callees in facts.calls.values():
                for callee in callees:
                    if callee in seen:
                        continue
                    seen.add(callee)
                    module = callee.module
                    if module is self.program.index or not module.mentions(_DISTRIBUTED):
                        continue
                    called = self.program.analysis.facts_of(module, callee).externals.values()
                    if any(known.collective(q) for names in called for q in names if "distributed" in q):
                        return True
        return False

    # Lightning

    def _is_lightning(self, cls: ClassInfo) -> bool:
        return any(isinstance(b, str) and b in known.LIGHTNING_MODULES for b in self.program.analysis.resolver.mro(cls))

    def _lightning_steps(self) -> Iterator[FunctionInfo]:
        """Training steps whose returned loss the trainer differentiates, where it may run on more than one device."""
        for cls in self.program.index.classes:
            step = cls.methods.get("training_step")
            if step is None or not self._is_lightning(cls) or "automatic_optimization" in cls.stores:
                continue
            if self._trainers() is not False:
                yield step

    def _trainers(self) -> bool | None:
        """Whether a trainer in the file uses several devices; None when there is none, or it does not say."""
        found: bool | None = None
        for facts in self.program.facts.values():
            for called in facts.externals.values():
                for name, args in called.items():
                    if name not in TRAINERS:
                        continue
                    devices = args.keywords.get("devices")
                    single = "strategy" not in args.keywords and "num_nodes" not in args.keywords
                    found = bool(found) or not single or devices is None or devices.const not in (1, "1")
        return found

    @property
    def trainer_seen(self) -> bool:
        """True when the file itself sets up a trainer that may use several devices."""
        return self._trainers() is True

    # Calls

    def facts(self, scope: FunctionInfo | None) -> Facts:
        """The facts of a scope of any file of the project."""
        found = self.program.facts.get(scope)
        if found is None and scope is not None:
            found = self.program.analysis.facts_of(scope.module, scope)
        return found if found is not None else Facts()

    def direct(self, scope: FunctionInfo | None, call: nodes.Call) -> str:
        """The collective that a call itself is; empty when it is none."""
        facts = self.facts(scope)
        for name in facts.externals.get(call, ()):
            found = known.collective(name)
            if found:
                return found
        func = call.func
        if not isinstance(func, nodes.Attribute):
            return ""
        name = func.attrname
        owner = facts.values.get(func.expr, UNKNOWN)
        for ref in owner.each:
            cls = ref.cls if isinstance(ref, Instance) else None
            if isinstance(cls, str):
                if name in known.METHODS.get(cls, ()):
                    return BACKWARD if name == "backward" else name
                if name == "backward" and known.runs_backward(cls):
                    return BACKWARD
            elif cls is not None and self._is_lightning(cls):
                if name in known.LIGHTNING_METHODS:
                    return BACKWARD if name == "manual_backward" else name
                if name in ("log", "log_dict") and _is_true(call, "sync_dist"):
                    return f"{name}(sync_dist=True)"
        if name == "backward" and (self.replicated or self.sharded) and _may_be_loss(owner) and not _without_sync(call):
            return BACKWARD
        return ""

    def writes(self, scope: FunctionInfo | None, call: nodes.Call) -> bool:
        """True for a collective that makes its first argument agree on every rank, in place."""
        return any(known.collective(q) and known.writes_first(q) for q in self.facts(scope).externals.get(call, ()))

    def of_call(self, scope: FunctionInfo | None, call: nodes.Call) -> frozenset[str]:
        """The collectives that run when a call does, in whatever it calls."""
        own, callees = self._own(scope, call)
        found = set(own)
        for callee in callees:
            found |= self.of_function(callee)
        return frozenset(found)

    def _own(self, scope: FunctionInfo | None, call: nodes.Call) -> tuple[frozenset[str], Callees]:
        """The collectives a call itself runs, and the functions of the project that it enters."""
        known_call = self._calls.get(call)
        if known_call is None:
            known_call = self._calls[call] = self._of(scope, call)
        return known_call

    def _of(self, scope: FunctionInfo | None, call: nodes.Call) -> tuple[frozenset[str], Callees]:
        direct = self.direct(scope, call)
        if direct:
            return frozenset({direct}), {}
        facts = self.facts(scope)
        value = facts.values.get(call.func, UNKNOWN)
        if self._is_sharded(value) or self._may_gather(value):
            label = f"{dotted(call.func) or 'a module'}()"
            self.assumed.add(label)
            return frozenset({label}), facts.calls.get(call, {})
        later = self._handed_on(facts, call)
        entered = with_heirs(self.program.analysis, facts.calls.get(call, {}))
        wrappers = [w.wrapper for c in entered if c.decorator_names for w in decorators.around(self.program, c, None)]
        return frozenset(later), dict.fromkeys([*entered, *wrappers])

    def _handed_on(self, facts: Facts, call: nodes.Call) -> Iterator[str]:
        """The collectives that an `ExitStack` is given to run at its end."""
        func = call.func
        if isinstance(func, nodes.Attribute) and func.attrname == "callback" and call.args:
            for ref in facts.values.get(call.args[0], UNKNOWN).each:
                if isinstance(ref, str) and known.collective(ref):
                    yield known.collective(ref)

    def _is_sharded(self, value: AbstractValue) -> bool:
        names = [r.cls for r in value.each if isinstance(r, Instance)]
        if any(isinstance(n, str) and n.rsplit(".", 1)[-1] in known.SHARDING for n in names):
            return True
        return self.sharded and any(
            (isinstance(n, ClassInfo) and self.program.analysis.resolver.is_module(n)) or n == _MODULE for n in names
        )

    def _may_gather(self, value: AbstractValue) -> bool:
        """True for a module of unknown class where a module of the file runs collectives in its forward."""
        if not any(isinstance(r, Instance) and r.cls == _MODULE for r in value.refs):
            return False
        if self._gathering is None:
            self._gathering = []
            resolver = self.program.analysis.resolver
            for cls in self.program.index.classes:
                forward = cls.methods.get("forward")
                if (
                    forward is not None
                    and resolver.is_module(cls)
                    and any(self.direct(forward, c) for c in forward.calls)
                ):
                    self._gathering.append(cls.name)
        return bool(self._gathering)

    def of_function(self, function: FunctionInfo) -> frozenset[str]:
        """The collectives that a function runs, in itself or in what it calls."""
        found = self._functions.get(function)
        if found is None:
            labels: set[str] = set()
            seen = {function}
            work = [function]
            while work:
                caller = work.pop()
                for call in caller.calls:
                    own, callees = self._own(caller, call)
                    labels |= own
                    new = [c for c in callees if c not in seen]
                    if len(seen) < MOST_FUNCTIONS:
                        seen.update(new)
                        work.extend(new)
            found = self._functions[function] = frozenset(labels)
        return found

    # Pieces of code

    def in_block(self, scope: FunctionInfo | None, block: Block) -> Labels:
        """The collectives that the items of a block run."""
        found: Labels = Counter()
        for item in block.items:
            found += self.in_tree(scope, evaluated(item))
            if scope in self.steps and isinstance(item, nodes.Return) and not _is_none(item.value):
                found[BACKWARD] += 1
        return found

    def in_tree(self, scope: FunctionInfo | None, top: nodes.NodeNG | None) -> Labels:
        """The collectives that evaluating an expression or a simple statement runs."""
        found: Labels = Counter()
        for call in calls_in(top):
            found.update(self.of_call(scope, call))
        return found


def evaluated(item: object) -> nodes.NodeNG | None:
    """The part of the tree that an item of a block evaluates; None for an item that evaluates nothing of its own."""
    if isinstance(item, (Test, MatchSubject, LambdaReturn, IterEval, WithEnter)):
        node = item.node
        if isinstance(item, IterEval):
            found: nodes.NodeNG = node.iter
        elif isinstance(item, WithEnter):
            found = node.items[item.index][0]
        elif isinstance(item, MatchSubject):
            found = node.subject
        elif isinstance(item, LambdaReturn):
            found = node.body
        else:
            found = node
        return found
    if isinstance(item, (ForBind, WithExit, MatchBind, nodes.FunctionDef, nodes.ClassDef)):
        return None
    return item if isinstance(item, nodes.NodeNG) else None


def calls_in(top: nodes.NodeNG | None) -> Iterator[nodes.Call]:
    """The calls below a node, without those in functions defined there."""
    stack = [] if top is None else [top]
    while stack:
        node = stack.pop()
        if isinstance(node, NESTED):
            continue
        if isinstance(node, nodes.Call):
            yield node
        stack.extend(node.get_children())


def _may_be_loss(owner: AbstractValue) -> bool:
    return bool(owner.kinds & (TENSOR | UNKNOWN_KIND)) or not owner.kinds & (OBJECT | HOST)


def _without_sync(node: nodes.NodeNG) -> bool:
    up = node.parent
    while up is not None and not isinstance(up, (nodes.FunctionDef, nodes.Module)):
        if isinstance(up, nodes.With):
            for expression, _ in up.items:
                if (dotted(expression.func if isinstance(expression, nodes.Call) else expression) or "").endswith(
                    "no_sync"
                ):
                    return True
        up = up.parent
    return False


def _is_none(node: nodes.NodeNG | None) -> bool:
    return node is None or (isinstance(node, nodes.Const) and node.value is None)


def _is_true(call: nodes.Call, keyword: str) -> bool:
    given = next((k.value for k in call.keywords if k.arg == keyword), None)
    return isinstance(given, nodes.Const) and given.value is True
