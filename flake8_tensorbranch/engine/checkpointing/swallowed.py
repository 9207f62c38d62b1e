"""Handlers in a checkpointed region that take the exception by which a recompute stops (facts B2)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from astroid import nodes

from flake8_tensorbranch.engine.checkpointing import missing, saving
from flake8_tensorbranch.engine.checkpointing.earlystop import stops
from flake8_tensorbranch.engine.checkpointing.insides import Activation, Insides
from flake8_tensorbranch.engine.checkpointing.locate import placed, site, skipped
from flake8_tensorbranch.engine.checkpointing.recovery import recovering
from flake8_tensorbranch.engine.lattice import UNKNOWN
from flake8_tensorbranch.engine.lookup import loops
from flake8_tensorbranch.engine.refs import Instance
from flake8_tensorbranch.engine.regions.trace import spelled
from flake8_tensorbranch.engine.sink import RegionSite, SinkKind
from flake8_tensorbranch.syntax.kinds import NESTED
from flake8_tensorbranch.syntax.names import ClassInfo, FunctionInfo, dotted

_BROAD: Final = frozenset({"Exception", "BaseException"})


def sites(insides: Insides) -> Iterator[RegionSite]:
    """One site for each handler around the last tensors that a region saves.

    The stop is raised where the last saved tensor is made: a handler around earlier work never sees it. It is an error
    only where the handler, or what runs after it, saves tensors again or raises something else.
    """
    seen: set[Any] = set()
    for activation in insides.lasting():
        if not stops(insides.origins, activation.entry, activation.function):
            continue
        for at, node in (*_blocks(activation), *_wrapping(activation)):
            found = _suppressing(at, node) if isinstance(node, nodes.With) else _handling(at, node)
            if found is not None and found[0] not in seen and not skipped(at, node):
                seen.add(found[0])
                yield placed(site(SinkKind.SWALLOWED, at, *found), at, "caught here")


def _blocks(activation: Activation) -> Iterator[tuple[Activation, Any]]:
    for node in activation.function.node.nodes_of_class((nodes.Try, nodes.With), NESTED):
        yield activation, node


def _wrapping(activation: Activation) -> Iterator[tuple[Activation, Any]]:
    """The blocks in which the wrappers that decorators put around a function call it, as if they ran in its place."""
    for _, maker, inner in activation.origins.wrapped(activation.function):
        if not maker.params:
            continue
        facts = activation.origins.facts(inner.module, inner)
        run = Activation(
            activation.origins,
            activation.entry,
            inner,
            facts,
            {},
            activation.parent,
            activation.call,
            activation.certain,
        )
        for _, node in _blocks(run):
            calls = (c for s in node.body for c in s.nodes_of_class(nodes.Call, NESTED))
            if any(dotted(c.func) == maker.params[0].name for c in calls):
                yield run, node


def _handling(activation: Activation, node: nodes.Try) -> tuple[Any, str, str] | None:
    """The broad handler of a `try`, how it fails and how it is spelled; None where it does no harm."""
    origins = activation.origins
    if not saving.within(origins, activation, node.body) or saving.within(
        origins, activation, [*node.orelse, *node.finalbody]
    ):
        return None
    flagged = _flagged(activation, node)
    if flagged is not None:
        return flagged
    returns = isinstance(node.body[-1], nodes.Return)
    if saving.after(origins, activation, node, own=not returns, rounds=False):  # in the last round of a loop
        return _replaced(activation, node)
    for handler in node.handlers:
        if handler.type is not None and not _is_broad(activation, handler.type):
            continue
        raises = list(handler.nodes_of_class(nodes.Raise, NESTED))
        if any(_is_same(r, handler) for r in raises):
            return None
        spelling = "except" if handler.type is None else f"except {spelled(handler.type)}"
        if raises and raises[-1] in handler.body:
            return handler, "converts", spelling
        if saving.within(origins, activation, handler.body):
            return handler, "swallows", spelling
        falls = not isinstance(handler.body[-1], nodes.Return)
        rounds = _may_go_on(node)
        if (falls and saving.follows(origins, activation, node, rounds)) or _fails(activation, node, handler.body):
            return handler, "swallows", spelling
        return None
    return None


def _flagged(activation: Activation, node: nodes.Try) -> tuple[Any, str, str] | None:
    """The same for a handler that leaves its work to what a flag lets run behind the `try`, and nothing else saves."""
    origins = activation.origins
    for handler in node.handlers:
        spelling = "except" if handler.type is None else f"except {spelled(handler.type)}"
        if handler.type is not None and not _is_broad(activation, handler.type):
            continue
        sides = list(recovering(node, handler))
        if not sides or next(handler.nodes_of_class((nodes.Raise, nodes.Return), NESTED), None) is not None:
            return None
        only = set(sides)
        if saving.after(origins, activation, node, own=False, rounds=False):
            return None
        if any(saving.saves(origins, activation, n) for n in saving.following(node, False) if not _is_in(n, only)):
            return None
        raises = [r for side in sides for r in side.nodes_of_class(nodes.Raise, NESTED)]
        if any(r.exc is None or isinstance(r.exc, nodes.Name) for r in raises):
            return None
        if raises and raises[-1] in only:
            return handler, "converts", spelling
        return (handler, "swallows", spelling) if saving.within(origins, activation, sides) else None
    return None


def _may_go_on(node: nodes.Try) -> bool:
    """True where a loop goes on behind a handler that usually ends here: not one over as many rounds as ever."""
    return any(
        isinstance(loop, nodes.While) or next(loop.nodes_of_class((nodes.Break, nodes.Return), NESTED), None)
        for loop in loops.around(node)
    )


def _fails(activation: Activation, node: nodes.Try | nodes.With, handler: list[Any]) -> bool:
    """True where the way behind a handler cannot do without what the stopped statement has not bound, filled or given
    back to the callers.
    """
    way = missing.stopped(
        activation.function, node, handler, lambda s: saving.within(activation.origins, activation, [s])
    )
    current = activation
    while way == missing.NONE and current.parent is not None and isinstance(current.call, nodes.Call):
        way, _ = missing.given_none(current.call)
        current = current.parent
    return way == missing.FAILS and not _is_caught(current)


def _is_caught(activation: Activation) -> bool:
    """True where a call that leads to an activation stands in a `try` with handlers."""
    current: Activation | None = activation
    while current is not None:
        up = getattr(current.call, "parent", None)
        while up is not None:
            if isinstance(up, nodes.Try) and up.handlers:
                return True
            up = up.parent
        current = current.parent
    return False


def _replaced(activation: Activation, node: nodes.Try) -> tuple[Any, str, str] | None:
    """The broad handler of a `try` that gives None to the caller, which then takes something else that saves tensors,
    and nothing else saves any.
    """
    origins, parent, call = activation.origins, activation.parent, activation.call
    if parent is None or not isinstance(call, nodes.Call) or saving.follows(origins, activation, node, rounds=False):
        return None
    for handler in node.handlers:
        if handler.type is not None and not _is_broad(activation, handler.type):
            continue
        if missing.stopped(activation.function, node, handler.body, lambda _: False) != missing.NONE:
            return None
        only = missing.given_none(call)[1]
        later = [n for n in saving.following(call, False) if not _is_in(n, set(only))]
        others = any(saving.saves(origins, parent, n) for n in later)
        if others or saving.after(origins, parent, call, own=False, rounds=False) or _is_caught(activation):
            return None
        spelling = "except" if handler.type is None else f"except {spelled(handler.type)}"
        return (handler, "swallows", spelling) if saving.within(origins, parent, only) else None
    return None


def _is_in(node: Any, tops: set[Any]) -> bool:
    while node is not None and node not in tops:
        node = node.parent
    return node is not None


def _suppressing(activation: Activation, node: nodes.With) -> tuple[Any, str, str] | None:
    """The same for `contextlib.suppress(Exception)`, and for contexts of the project that do as it does."""
    managers = [manager for manager, _ in node.items if isinstance(manager, nodes.Call)]
    for manager in (*managers, *_entered(activation, node, managers)):
        if not _suppresses(activation, manager):
            continue
        origins = activation.origins
        if not isinstance(node.body[-1], nodes.Return):
            last = saving.within(origins, activation, node.body) and not saving.after(
                origins, activation, node, rounds=False
            )
            if last and _fails(activation, node, []):
                return manager, "swallows", spelled(manager)
            continue
        last = saving.within(origins, activation, node.body) and not saving.after(
            origins, activation, node, own=False, rounds=False
        )
        if last and (saving.follows(origins, activation, node) or _follows(activation, node)):
            return manager, "swallows", spelled(manager)
    return None


def _follows(activation: Activation, node: nodes.With) -> bool:
    """True where what stands after a context, and no way in view leads to, may save a tensor."""
    block: Any = getattr(node.parent, "body", None)
    later = block[block.index(node) + 1 :] if isinstance(block, list) and node in block else []
    calls = [call for statement in later for call in statement.nodes_of_class(nodes.Call, NESTED)]
    return any(not activation.reached(call) and saving.may_save(call) for call in calls)


def _entered(activation: Activation, node: nodes.With, managers: list[nodes.Call]) -> Iterator[nodes.Call]:
    """The contexts that an `ExitStack` enters in the body of its `with`."""
    if not any("contextlib.ExitStack" in activation.facts.externals.get(m, ()) for m in managers):
        return
    for statement in node.body:
        for call in statement.nodes_of_class(nodes.Call, NESTED):
            if isinstance(call.func, nodes.Attribute) and call.func.attrname == "enter_context" and call.args:
                if isinstance(call.args[0], nodes.Call):
                    yield call.args[0]


def _suppresses(activation: Activation, manager: nodes.Call) -> bool:
    """True for a context that takes any exception of its body."""
    if "contextlib.suppress" in activation.facts.externals.get(manager, ()):
        types = (a.value if isinstance(a, nodes.Starred) else a for a in manager.args)
        return any(_is_broad(activation, t) for t in types)
    for callee in activation.facts.calls.get(manager, ()):
        if callee.name != "__init__" and callee.is_generator and _takes_all(activation, callee):
            return True
    for ref in activation.facts.values.get(manager, UNKNOWN).each:
        cls = ref.cls if isinstance(ref, Instance) else None
        leave = activation.analysis.resolver.method(cls, "__exit__") if isinstance(cls, ClassInfo) else None
        given = [r.value for r in leave.returns_nodes] if leave is not None else []
        if given and all(isinstance(v, nodes.Const) and v.value is True for v in given):
            return True
    return False


def _takes_all(activation: Activation, generator: FunctionInfo) -> bool:
    """True for a generator that yields under a broad handler which does not raise."""
    for node in generator.node.nodes_of_class(nodes.Try, NESTED):
        if not any(True for statement in node.body for _ in statement.nodes_of_class(nodes.Yield, NESTED)):
            continue
        for handler in node.handlers:
            broad = handler.type is None or _is_broad(activation, handler.type)
            if broad and next(handler.nodes_of_class(nodes.Raise, NESTED), None) is None:
                return True
    return False


def _is_broad(activation: Activation, node: Any) -> bool:
    """True for `Exception` and what is above it, under another name too, and for a tuple that holds it."""
    if isinstance(node, nodes.Tuple):
        return any(_is_broad(activation, e) for e in node.elts)
    if (dotted(node) or "").rsplit(".", 1)[-1] in _BROAD:
        return True
    made = activation.origins.of(activation.expr(node)) if isinstance(node, (nodes.Name, nodes.Attribute)) else []
    return any(o.node is not node and _is_broad(activation, o.node) for o in made)


def _is_same(node: nodes.Raise, handler: nodes.ExceptHandler) -> bool:
    """True for `raise` and for raising the caught exception itself."""
    if node.exc is None:
        return True
    return isinstance(node.exc, nodes.Name) and handler.name is not None and node.exc.name == handler.name.name
