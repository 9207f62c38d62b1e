"""What a branch decides: tensor work that flows on, a result, an error, or nothing but a log."""

from __future__ import annotations

from typing import Final

from astroid import nodes

from flake8_tensorbranch.engine.branching import asserted, bodies, implied
from flake8_tensorbranch.engine.branching.bests import keeps_best
from flake8_tensorbranch.engine.inference.frame import Facts
from flake8_tensorbranch.engine.inference.program import Program
from flake8_tensorbranch.engine.lattice import HOST, MODULE_KINDS, TENSOR, UNKNOWN, AbstractValue
from flake8_tensorbranch.engine.sink import ENDS, FULL, OFTEN, Decides
from flake8_tensorbranch.knowledge.frameworks import DRIVES_TRAINING, LIGHTNING_STEPS
from flake8_tensorbranch.knowledge.gradients import GRADIENTS_OFF
from flake8_tensorbranch.knowledge.model import lookup
from flake8_tensorbranch.syntax.kinds import FUNCTIONS
from flake8_tensorbranch.syntax.names import FunctionInfo, dotted

_LOOKS_UP: Final = (nodes.Call, nodes.Subscript)
_OPERATIONS: Final = ("torch", "torch.nn.functional")


class Context:
    """The scope around a decision."""

    def __init__(self, program: Program, scope: FunctionInfo | None, facts: Facts) -> None:
        self.program = program
        self.scope = scope
        self.facts = facts
        self._driver: bool | None = None
        self._used: set[str] | None = None  # names that something else than a log reads

    def decides(self, node: nodes.NodeNG) -> tuple[Decides, str, bool]:
        """What the node decides, in words, and whether it leaves a loop early."""
        if isinstance(node, nodes.Assert):
            return Decides.ERROR, "whether an assertion fails", False
        if self._only_fails(node):
            return Decides.ERROR, "whether an error is raised", False
        if isinstance(node, nodes.While):
            return self.rounds(node), OFTEN, True
        if isinstance(node, nodes.If):
            return self._if(node)
        if isinstance(node, nodes.IfExp):
            return self._ifexp(node)
        if isinstance(node, nodes.Comprehension):
            elt = getattr(node.parent, "elt", None) or getattr(node.parent, "value", None)
            work = elt is not None and self._is_tensor(elt)
            return (Decides.WORK if work else Decides.RESULT), "which elements are kept", False
        if isinstance(node, nodes.Match):
            bodies = [s for case in node.cases for s in case.body]
            return self._work(bodies), "which case runs", False
        value = self.facts.values.get(node, UNKNOWN)
        if isinstance(node, nodes.Subscript) or implied.is_look_up(node):
            work = _holds_tensor(value) or self._feeds_tensor(node) or self._is_called_later(node)
            return (Decides.WORK if work else Decides.RESULT), "which one is taken", False
        if isinstance(node, nodes.Call):
            work = _holds_tensor(value)
            return (Decides.WORK if work else Decides.RESULT), "which elements are kept", False
        if value.kinds & TENSOR or self._is_called(node):
            return Decides.WORK, "which operand is used", False
        return Decides.RESULT, "the result of the expression", False

    def _only_fails(self, node: nodes.NodeNG) -> bool:
        """True where an error is all that comes of a loop, of a `match` or of an expression that stands alone."""
        if isinstance(node, nodes.While):
            return not node.orelse and isinstance(node.body[-1], nodes.Raise) and bodies.only_errors(list(node.body))
        if isinstance(node, nodes.Match):
            ways = [list(case.body) for case in node.cases]
            told = [way for way in ways if not all(isinstance(s, nodes.Pass) for s in way)]
            return bool(told) and all(bodies.only_errors(way, self._fails) for way in told)
        if not isinstance(node.parent, nodes.Expr):
            return False
        if isinstance(node, nodes.IfExp):
            for one, other in ((node.body, node.orelse), (node.orelse, node.body)):
                if self._fails(one) and (isinstance(other, nodes.Const) or self._fails(other)):
                    return True
        if isinstance(node, nodes.Call):
            return not asserted.ASKING.isdisjoint(self.facts.externals.get(node, ()))
        return isinstance(node, nodes.BoolOp) and len(node.values) == 2 and self._fails(node.values[1])

    def _fails(self, call: nodes.NodeNG) -> bool:
        """True for a call of functions of the project that always raise."""
        callees = self.program.callees(self.scope, call) if isinstance(call, nodes.Call) else ()
        return bool(callees) and all(bodies.only_raises(callee.node) for callee in callees)

    def rounds(self, loop: nodes.For | nodes.While | nodes.Comprehension) -> Decides:
        """What the rounds of a loop do: tensor work that flows on, or a result."""
        if not isinstance(loop, nodes.Comprehension):
            return self._work([*loop.body, *loop.orelse])
        made = [getattr(loop.parent, part, None) for part in ("elt", "key", "value")]
        return Decides.WORK if any(part is not None and self._computes(part) for part in made) else Decides.RESULT

    def _if(self, node: nodes.If) -> tuple[Decides, str, bool]:
        body, orelse = list(node.body), list(node.orelse)
        fails = self._fails
        if bodies.only_errors(body, fails) and not (
            orelse and bodies.is_elif(node) and bodies.only_errors(orelse, fails)
        ):
            return Decides.ERROR, "whether an error is raised", False
        if orelse and bodies.only_errors(orelse, fails):
            return Decides.ERROR, "whether an error is raised", False
        if bodies.only_logs(body) and (not orelse or bodies.only_logs(orelse)):
            return Decides.NOTHING, "whether something is logged", False
        loop = bodies.loop_around(node)
        exits = list(bodies.exits([*body, *orelse])) if loop is not None else []
        if loop is not None and exits:
            skips = all(isinstance(statement, nodes.Continue) for statement in exits)
            words = FULL if skips else ENDS
            left = bodies.after(node, loop) if skips else [*loop.body, *loop.orelse]
            return self._work([*body, *orelse, *left]), words, True
        returned = [s for s in (*body, *orelse) if isinstance(s, nodes.Return)]
        decides = self._work([*body, *orelse])
        if returned and decides is Decides.RESULT and self._work(bodies.after(node)) is Decides.WORK:
            decides = Decides.WORK
        return decides, bodies.in_words(body, orelse, bodies.after(node)), False

    def _ifexp(self, node: nodes.IfExp) -> tuple[Decides, str, bool]:
        work = self._computes(node.body) or self._computes(node.orelse)
        work = work or self._feeds_tensor(node) or self._is_called_later(node)
        target = node.parent
        while isinstance(target, (nodes.Tuple, nodes.List, nodes.BinOp, nodes.IfExp)):
            target = target.parent
        if isinstance(target, nodes.Assign):
            names = bodies.named(target.targets[0])
            words = f"what `{names}` is" if names else "what is assigned"
        elif isinstance(target, nodes.Return):
            words = "what is returned"
        else:
            words = "which expression is used"
        return (Decides.WORK if work else Decides.RESULT), words, False

    def _feeds_tensor(self, node: nodes.NodeNG) -> bool:
        """True when the expression around the node computes a tensor."""
        up = node.parent
        while up is not None and not up.is_statement:
            if isinstance(up, (nodes.BinOp, nodes.Call)) and self._is_tensor(up):
                return True
            up = up.parent
        return False

    def _is_called(self, node: nodes.NodeNG) -> bool:
        """True for a function that is called in place, and gives a tensor."""
        up = node.parent
        return isinstance(up, nodes.Call) and up.func is node and self._is_tensor(up)

    def _is_called_later(self, node: nodes.NodeNG) -> bool:
        """True for a function, or the key or name of one, that is given a name, and gives a tensor where it is called
        by that.
        """
        assigned = node.parent
        target = assigned.targets[0] if isinstance(assigned, nodes.Assign) and len(assigned.targets) == 1 else None
        if not isinstance(target, nodes.AssignName) or self.scope is None:
            return False
        value = self.facts.values.get(node, UNKNOWN)
        if value.must(HOST):
            called = (c for c in self.scope.calls if type(c.func) in _LOOKS_UP and _is_looked_up(c.func, target.name))
            return any(self._is_tensor(call) or self._is_of_tensors(call.func) for call in called)
        if not value.kinds & MODULE_KINDS:
            return False
        called = (c for c in self.scope.calls if isinstance(c.func, nodes.Name) and c.func.name == target.name)
        return any(self._is_tensor(call) for call in called)

    def _is_of_tensors(self, node: nodes.NodeNG) -> bool:
        """True for `getattr(torch, name)`, and the same of a tensor."""
        if not isinstance(node, nodes.Call) or not isinstance(node.func, nodes.Name) or not node.args:
            return False
        owner = self.facts.values.get(node.args[0], UNKNOWN)
        return bool(owner.kinds & TENSOR) or any(ref in _OPERATIONS for ref in owner.each)

    def _work(self, statements: bodies.Blocks) -> Decides:
        return Decides.WORK if any(self._is_work(s) for s in statements) else Decides.RESULT

    def _is_work(self, statement: nodes.NodeNG) -> bool:
        """True when a statement (or one in it) computes a tensor that flows on."""
        for inner in bodies.statements(statement):
            if isinstance(inner, (nodes.Assign, nodes.AnnAssign, nodes.AugAssign, nodes.Return)):
                value = inner.value
                if value is not None and self._computes(value) and self._flows_on(inner):
                    return True
                if value is not None and self._is_called_later(value):
                    return True
                if isinstance(inner, nodes.AugAssign) and self._is_tensor(inner.target):
                    return True
            elif isinstance(inner, nodes.Expr) and self._is_inplace(inner.value):
                return True
        return False

    def _flows_on(self, statement: nodes.NodeNG) -> bool:
        """False for an assignment to a local that nothing but a log reads, and for what is kept of a finished tensor on
        an object that is no module: a best so far.
        """
        target = statement.targets[0] if isinstance(statement, nodes.Assign) and len(statement.targets) == 1 else None
        scope = self.scope
        if isinstance(statement, nodes.Assign) and isinstance(target, (nodes.AssignAttr, nodes.Tuple)):
            return not keeps_best(self.program.analysis.resolver, scope, statement)
        if not isinstance(target, nodes.AssignName) or scope is None or target.name in scope.declared_global:
            return True
        if self._used is None:
            self._used = {n.name for n in scope.node.nodes_of_class(nodes.Name) if not bodies.is_logged(n)}
        return target.name in self._used or target.name in scope.declared_nonlocal

    def _is_inplace(self, call: nodes.NodeNG) -> bool:
        if not isinstance(call, nodes.Call):
            return False
        func = call.func
        for ref in self.facts.values.get(func, UNKNOWN).each:
            row = lookup(ref, len(call.args)) if isinstance(ref, str) else None
            if row is not None and "inplace" in row.effects and "collective" not in row.effects:
                return True  # collectives are sites of their own
        if isinstance(func, nodes.Attribute):
            if self._is_tensor(func.expr) and func.attrname.endswith("_"):
                return True
            if func.attrname in ("append", "extend", "add", "insert") and any(self._computes(a) for a in call.args):
                return True
        return False

    def _computes(self, node: nodes.NodeNG) -> bool:
        """True when an expression gives a tensor, or a structure with one."""
        value = self.facts.values.get(node, UNKNOWN)
        return _holds_tensor(value)

    def _is_tensor(self, node: nodes.NodeNG) -> bool:
        return bool(self.facts.values.get(node, UNKNOWN).kinds & TENSOR)

    def is_driver(self, node: nodes.NodeNG) -> bool:
        """True when no recorded computation depends on the node: its scope drives training, or gradients are off."""
        if self._driver is None:
            self._driver = self._drives()
        return self._driver or _without_grad(node)

    def _drives(self) -> bool:
        scope = self.scope
        if scope is None:
            return True
        if scope.cls is not None and scope.name in LIGHTNING_STEPS:
            return True
        if any(d.rsplit(".", 1)[-1] in GRADIENTS_OFF for d in scope.decorator_names):
            return True
        for call in scope.calls:
            func = call.func
            if isinstance(func, nodes.Attribute) and func.attrname in DRIVES_TRAINING:
                return True
        for loop in scope.tests:
            if isinstance(loop, nodes.For) and _is_loader(loop.iter, self.facts.values.get(loop.iter, UNKNOWN)):
                return True
        return False


def _is_loader(node: nodes.NodeNG, value: AbstractValue) -> bool:
    if isinstance(node, nodes.Call) and node.args:
        node = node.args[0]
    name = (dotted(node) or "").rsplit(".", 1)[-1].lower()
    return name.endswith(("loader", "dataloader", "loaders")) or any("DataLoader" in str(r) for r in value.refs)


def _holds_tensor(value: AbstractValue) -> bool:
    if value.kinds & TENSOR:
        return True
    if value.kinds & MODULE_KINDS:
        return False
    if value.items is not None:
        return any(_holds_tensor(v) for _, v in value.items)
    return value.elem is not None and _holds_tensor(value.elem)


def _is_looked_up(node: nodes.NodeNG, key: str) -> bool:
    """True for `table[key]`, `table.get(key)` and `getattr(owner, key)`."""
    if isinstance(node, nodes.Call) and getattr(node.func, "name", "") == "getattr" and len(node.args) > 1:
        return getattr(node.args[1], "name", "") == key
    return getattr(implied.looked_up(node)[1], "name", "") == key


def _without_grad(node: nodes.NodeNG) -> bool:
    up = node.parent
    while up is not None and not isinstance(up, (nodes.Module, nodes.ClassDef)):
        if isinstance(up, nodes.With):
            for expression, _ in up.items:
                target = expression.func if isinstance(expression, nodes.Call) else expression
                name = target.attrname if isinstance(target, nodes.Attribute) else getattr(target, "name", "")
                if name in GRADIENTS_OFF:
                    return True
        if isinstance(up, FUNCTIONS):
            return False
        up = up.parent
    return False


def form(node: nodes.NodeNG, test: nodes.NodeNG) -> str:
    """How the source spells the decision: `identity` where it is asked whether something is `True` or `False`, by a
    `match` or by `is`, or a `bool` is held to a number: torch 2.13 gives such a question one answer when it traces
    (tests/oracle/test_forms_guards.py).
    """
    if _asks_identity(node) if isinstance(node, nodes.Match) else _is_identity(test):
        return "identity"
    names = {
        nodes.If: "if",
        nodes.IfExp: "ternary",
        nodes.While: "while",
        nodes.For: "for",
        nodes.AsyncFor: "for",
        nodes.Assert: "assert",
        nodes.Comprehension: "comprehension",
        nodes.BoolOp: "and/or",
        nodes.UnaryOp: "not",
        nodes.Match: "match",
        nodes.Compare: "and/or",
    }
    return names.get(type(node), "use")


def _asks_identity(match: nodes.Match) -> bool:
    """True when a pattern, alone or as an alternative, is `True` or `False`, or a number that a `bool` is held to."""
    patterns = [case.pattern for case in match.cases]
    either = [p for pattern in patterns if isinstance(pattern, nodes.MatchOr) for p in pattern.patterns]
    read = _is_bool(match.subject)
    return any(
        (isinstance(p, nodes.MatchSingleton) and p.value is not None)
        or (read and isinstance(p, nodes.MatchValue) and _is_number(p.value))
        for p in (*patterns, *either)
    )


def _is_identity(test: nodes.NodeNG) -> bool:
    """True for `flag is True` and its like, and for `bool(t) == 1`, which a tracer decides likewise."""
    if not isinstance(test, nodes.Compare):
        return False
    operator, right = test.ops[-1]
    if operator in ("==", "!=") and len(test.ops) == 1:
        sides = (test.left, right)
        return any(_is_bool(one) and _is_number(other) for one, other in (sides, sides[::-1]))
    if operator not in ("is", "is not"):
        return False
    return isinstance(right, nodes.Const) and isinstance(right.value, bool)


def _is_bool(node: nodes.NodeNG) -> bool:
    return isinstance(node, nodes.Call) and isinstance(node.func, nodes.Name) and node.func.name == "bool"


def _is_number(node: nodes.NodeNG) -> bool:
    return isinstance(node, nodes.Const) and type(node.value) is int
