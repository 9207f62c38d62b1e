"""Which benchmarks are on while determinism is: nothing keeps the two apart, no test, flag, order or caller."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from typing import Any, Final

from astroid import nodes

from flake8_tensorbranch.engine.branching.bodies import is_text
from flake8_tensorbranch.engine.lookup.guards import guards
from flake8_tensorbranch.engine.lookup.origins import Expr, line
from flake8_tensorbranch.engine.reproducibility.elsewhere import elsewhere
from flake8_tensorbranch.engine.reproducibility.switches import Setting, Switches
from flake8_tensorbranch.knowledge.reproducibility import BENCHMARK
from flake8_tensorbranch.syntax.printing import source_of

_BENCHMARK: Final = BENCHMARK.rsplit(".", 1)[-1]
_LEAVES: Final = (nodes.Return, nodes.Raise, nodes.Continue, nodes.Break)


def autotuned(switches: Switches) -> Iterator[tuple[Setting, nodes.NodeNG, bool]]:
    """Benchmarks left on in a deterministic run: the setting, the promise, and whether that is a switch."""
    deterministic = switches.deterministic
    others = elsewhere(switches)
    benchmarks = others.benchmarks if deterministic else []
    if not deterministic and any(s.name == BENCHMARK and s.on for s in switches.settings):
        deterministic = [s for s in others.deterministic if not others.mentions(s.node, s.scope, (_BENCHMARK,))]
    for setting in (*switches.settings, *benchmarks):
        if setting.name != BENCHMARK or not setting.on or not _runs(switches, setting):
            continue
        against = next((d for d in deterministic if _meet(switches, setting, d)), None)
        if against is not None:
            yield setting, against.node, True
        elif not deterministic and not any(s.name == BENCHMARK and False in s.truths for s in switches.settings):
            promise = switches.promise()
            if promise is not None:
                yield setting, promise, False


def _meet(switches: Switches, benchmark: Setting, deterministic: Setting) -> bool:
    """True when the two may hold at once: not on two sides of one test, not undone, not opposites of one flag."""
    if not _runs(switches, deterministic) or _exclusive(benchmark, deterministic):
        return False
    same = benchmark.scope is deterministic.scope
    if (
        deterministic in elsewhere(switches).settings
        and not same
        and None not in (benchmark.scope, deterministic.scope)
    ):
        return False
    if same and _opposite(benchmark.value, deterministic.value):
        return False
    if same and not _asked_for(switches, benchmark, deterministic):
        return False
    if any(off_again(switches, *on) for on in ((benchmark,), (deterministic,), (benchmark, deterministic))):
        return False
    if not same and _offered(switches, benchmark) and _offered(switches, deterministic):
        return False
    for other in switches.settings:
        if other.truths != {False}:
            continue
        if other.name != BENCHMARK:
            if same and other.scope is benchmark.scope and _between(deterministic, other, benchmark):
                return False
        elif other is not benchmark and other.scope is deterministic.scope:
            scoped = other.value is None or isinstance(other.node.statement(), (nodes.With, nodes.AsyncWith))
            if scoped and not other.node.statement().parent_of(deterministic.node):
                continue  # off in the body of that `with` alone
            if not same or line(other.node) > line(benchmark.node):
                return False
    return True


def off_again(switches: Switches, *on: Setting) -> bool:
    """True where one of some settings is off again, in the block that switches them on, with nothing but settings
    between.
    """
    statements = [s.node.statement() for s in on]
    up = statements[0].parent
    block = next((b for n in ("body", "orelse", "finalbody") if statements[0] in (b := getattr(up, n, None) or [])), [])
    if not all(statement in block for statement in statements):
        return False
    at = {s.node.statement(): s for s in switches.settings}
    for statement in block[max(map(block.index, statements)) + 1 :]:
        setting = at.get(statement)
        if setting is None or setting.value is None:
            return False
        if setting.truths == {False} and setting.name in {s.name for s in on}:
            return True
    return False


def _between(deterministic: Setting, off: Setting, benchmark: Setting) -> bool:
    """True where determinism is off again, whatever the tests say, before the benchmark is switched on."""
    if not line(deterministic.node) < line(off.node) < line(benchmark.node):
        return False
    if any(isinstance(up, nodes.ExceptHandler) for up in off.node.node_ancestors()):
        return False
    known = {**_tests(deterministic.node), **_tests(benchmark.node)}
    return all(known.get(test) is outcome for test, outcome in guards(off.node).items())


def _exclusive(left: Setting, right: Setting) -> bool:
    """True when the tests around two settings let only one of them run; in one function, also a way out before one."""
    if left.scope is not right.scope:
        return False
    first, second = _tests(left.node), _tests(right.node)
    return any(second.get(test, outcome) is not outcome for test, outcome in first.items())


def _tests(node: Any) -> dict[str, bool]:
    """What must have come out true or false where a node runs: the tests around it, and those before it that leave the
    function or round when they come out otherwise.
    """
    found = dict(guards(node))
    child, up = node.statement(), node.statement().parent
    while up is not None:
        for block in (getattr(up, name, None) for name in ("body", "orelse", "finalbody")):
            if isinstance(block, list) and child in block:
                for before in block[: block.index(child)]:
                    if isinstance(before, nodes.If) and not before.orelse and isinstance(before.body[-1], _LEAVES):
                        test, outcome = _stripped(before.test)
                        found.setdefault(source_of(test), not outcome)
        if isinstance(up, (nodes.FunctionDef, nodes.Module)):
            break
        child, up = up, up.parent
    return found


def _stripped(test: nodes.NodeNG) -> tuple[nodes.NodeNG, bool]:
    """A test without the `not` before it, and the outcome of what is left where the test comes out true."""
    outcome = True
    while isinstance(test, nodes.UnaryOp) and test.op == "not":
        test, outcome = test.operand, not outcome
    return test, outcome


def _opposite(left: nodes.NodeNG | None, right: nodes.NodeNG | None) -> bool:
    """True when one expression is `not` the other."""
    if left is None or right is None:
        return False
    (one, first), (other, second) = _stripped(left), _stripped(right)
    return first is not second and source_of(one) == source_of(other)


def _asked_for(switches: Switches, benchmark: Setting, deterministic: Setting) -> bool:
    """False when two parameters of one function set the two, and no call in the file asks for both."""
    function = benchmark.scope
    if function is None or benchmark.value is None or deterministic.value is None:
        return True
    names = [getattr(v, "name", "") for v in (benchmark.value, deterministic.value)]
    defaults = {p.name: p.default for p in function.params}
    calls = switches.origins.sites(function)
    if not calls or names[0] == names[1] or not all(name in defaults for name in names):
        return True
    for call in calls:
        both = []
        for name in names:
            given = switches.origins.argument(call, function, name)
            if given is None and defaults[name] is not None:
                given = Expr(function.module, function.parent, defaults[name])
            both.append({True, False} if given is None else switches.truths(given.scope, given.node))
        if (True, True) in product(*both):
            return True
    return False


def _offered(switches: Switches, setting: Setting) -> bool:
    """True in a function that only sets switches and that nothing in the file calls: it is there for others."""
    function = setting.scope
    if function is None or function.cls is not None or switches.origins.sites(function):
        return False
    own = {s.node.statement() for s in switches.settings if s.scope is function}
    return all(is_text(s) or s in own for s in getattr(function.node, "body", ()))


def _runs(switches: Switches, setting: Setting) -> bool:
    """False for a setting that the file as it stands never comes to: its flow does not, or a variable of the module in
    a test around it says so.
    """
    if isinstance(setting.node, nodes.Call):
        values = switches.origins.facts(switches.index, setting.scope).values
        if values and setting.node not in values:
            return False
    child, up = setting.node, setting.node.parent
    while up is not None:
        if isinstance(up, nodes.If) and child is not up.test:
            test, outcome = _stripped(up.test)
            local = () if setting.scope is None else setting.scope.local_names
            if isinstance(test, nodes.Name) and test.name not in local:
                if switches.truths(setting.scope, test) == {(child in up.body) is not outcome}:
                    return False
        child, up = up, up.parent
    return True
