"""Scopes that end before the backward that recomputes a checkpointed call made in them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cache
from typing import Final

from astroid import nodes

from flake8_tensorbranch.diagnostic import Edit, Related
from flake8_tensorbranch.engine.checkpointing import saving
from flake8_tensorbranch.engine.checkpointing.backward import Backward, Event
from flake8_tensorbranch.engine.checkpointing.flags import FUNCTION_MODE, HOOK, Flags
from flake8_tensorbranch.engine.checkpointing.insides import Activation
from flake8_tensorbranch.engine.checkpointing.mutation import mutations_of
from flake8_tensorbranch.engine.checkpointing.recomputes import Recompute, Recomputes
from flake8_tensorbranch.engine.checkpointing.scopes import Opened, Scopes, choice, keeps_preferred
from flake8_tensorbranch.engine.checkpointing.unhooked import runs_without
from flake8_tensorbranch.engine.lookup.options import OMITTED, UNSEEN
from flake8_tensorbranch.engine.lookup.origins import Expr, Origins, line
from flake8_tensorbranch.engine.regions.region import Entry, Regions
from flake8_tensorbranch.engine.regions.trace import noted
from flake8_tensorbranch.engine.repairs import scopes
from flake8_tensorbranch.engine.sink import ScopeSite, SinkKind
from flake8_tensorbranch.knowledge.scopes import ATTENTION_BACKEND, DEFAULT_CONTEXTS, SELECTIVE, Scope
from flake8_tensorbranch.syntax.names import ClassInfo, FunctionInfo
from flake8_tensorbranch.syntax.printing import source_of

_CACHE: Final = "torch.nn.utils.parametrize.cached"


class Scoped:
    """Finds them in one program."""

    def __init__(self, origins: Origins, regions: Regions, recomputes: Recomputes) -> None:
        self.origins = origins
        self.regions = regions
        self.recomputes = recomputes
        self.backward = Backward(origins)
        self.flags = Flags(origins, recomputes.tree)
        self.holding = recomputes.holding
        self._opened: list[Opened] = []
        self._events: dict[nodes.NodeNG, list[Event]] = {}

    def sites(self) -> Iterator[ScopeSite]:
        index = self.origins.program.index
        seen: set[nodes.NodeNG] = set()
        for made in self.recomputes.home.values():
            call = made.autocast_without_dtype()
            if call is not None and made.cls.module is index:
                yield ScopeSite(
                    SinkKind.SCOPE,
                    call,
                    made.backward,
                    Entry("checkpointed", made.again, made.backward, None, ()),
                    "autocast's dtype",
                    self._related((made.again, "recomputed here")),
                    {"form": "dtype"},
                )
        self._opened = list(Scopes(self.origins, self.flags).all())
        for opened in self._opened:
            if opened.node in seen or not self._matters(opened):
                continue
            site = self._site(opened)
            if site is not None:
                seen.add(opened.node)
                yield site

    @staticmethod
    def _matters(opened: Opened) -> bool:
        if opened.row is not None:
            return opened.row.non_reentrant != "info" and opened.row.state not in ("grad mode", "an observer")
        return opened.changes is not None and bool(opened.changes.keys or opened.changes.everywhere)

    def _site(self, opened: Opened) -> ScopeSite | None:
        index = self.origins.program.index
        scope = opened.function
        for call in sorted(index.calls_in(scope), key=lambda c: (line(c), c.col_offset)):
            if not opened.holds(call):
                continue
            expr = Expr(index, scope, call)
            for made in self.recomputes.behind(expr):
                if not self._exposed(opened, made, expr):
                    continue
                if call not in self._events:
                    self._events[call] = self.backward.of(expr)
                outside = self._outside(opened, self._events[call] or self._within(opened, made))
                if outside is not None:
                    return self._report(opened, made, outside, expr)
        return None

    def _within(self, opened: Opened, made: Recompute) -> list[Event]:
        """The backwards in a function that runs in a function mode: the mode is off while they run."""
        mode = opened.changes is not None and opened.changes.everywhere == FUNCTION_MODE
        return self.backward.of(made.call) if mode else []

    def _outside(self, opened: Opened, events: list[Event]) -> Event | None:
        """A backward that runs after the scope has ended; None when one runs inside of it, or of one that chooses the
        same, or none is in view.
        """
        if opened.row is not None and opened.row.qualname == _CACHE:
            return events[0] if events else None  # the recompute finds the cache filled, or gone: wrong either way
        if opened.changes is not None and opened.changes.everywhere == FUNCTION_MODE:
            return events[0] if events else None  # torch takes modes off while a function runs, and `backward` is one
        alike = [other for other in self._opened if other is opened or _is_alike(opened, other)]
        if any(e.node is not None and scope.holds(e.node) for e in events for scope in alike):
            return None
        for event in events:
            if event.node is None or opened.closes is None or line(event.node) >= line(opened.closes):
                return event
        return None

    def _exposed(self, opened: Opened, made: Recompute, site: Expr) -> bool:
        """Whether the recompute sees another state than the forward did, once the scope has ended, and does what that
        state bears on.
        """
        if made.home is not None:
            if opened.row is not None and opened.row.state == "autocast":
                return not made.home.restores_autocast
            if any(self._opens_again(c, opened, made.home.backward) for c in made.home.backward.calls):
                return False
        elif opened.row is not None and opened.row.restored:
            return False
        if self.regions.of(opened.function, "compiled") is not None:
            return False
        if made.row is not None and made.row.reentrant_keyword and self._protected(made):
            return False
        row = opened.row
        if row is not None:
            variants = self.variants(made)
            if row.non_reentrant == "ok" and made.home is None and (not variants or False in variants):
                return False
            return self._meets(row, made, site)
        changes = opened.changes
        if changes is None:
            return False
        if changes.everywhere:
            if changes.on is not None and self._hooks_another(opened, changes.on, made):
                return False
            held = self.holding.of(made.function, site)
            return held.modules or not held.complete or changes.everywhere != HOOK
        functions = self.recomputes.reads(made)
        own = self._own(opened)
        if not functions:
            # The region is not known: any module of the file may be it.
            functions = [f for f in self.origins.program.index.functions if f.name in ("forward", "__call__")]
            functions = [g for f in functions for g in self.recomputes.tree.reached(f)]
        return self.flags.read_by(changes, [f for f in functions if f not in own], self._last(made)) is not None

    def _last(self, made: Recompute) -> Callable[[FunctionInfo, nodes.NodeNG], bool]:
        """Tells what the region reads once all that a non-reentrant recompute has use for is saved."""
        if self.variants(made) != {False} or made.home is not None:
            return lambda function, node: False

        @cache
        def runs() -> list[Activation]:
            heads = mutations_of(self.origins.program, self.regions).insides.heads
            return [a for h in heads if h.entry.node is made.call.node for a in (h.twin or h).run()]

        def is_over(function: FunctionInfo, node: nodes.NodeNG) -> bool:
            own = [a for a in runs() if a.function is function]
            return bool(own) and all(saving.is_over(self.origins, a, node) for a in own)

        return is_over

    def _hooks_another(self, opened: Opened, carrier: Expr, made: Recompute) -> bool:
        """True where a hook is on a module that the region does not run, as the manager is given it."""
        manager, call = opened.manager, Expr(opened.module, opened.function, opened.node)
        if not isinstance(manager, FunctionInfo) or not isinstance(call.node, nodes.Call):
            return False
        if not isinstance(carrier.node, nodes.Name) or all(p.name != carrier.node.name for p in manager.params):
            return False
        given = self.origins.argument(call, manager, carrier.node.name)
        return given is not None and runs_without(
            self.origins.program.analysis.resolver, given, made, self.recomputes.reads(made), call.node
        )

    def _own(self, opened: Opened) -> set[FunctionInfo]:
        """The functions that make up the scope itself."""
        manager = opened.manager
        if isinstance(manager, ClassInfo):
            return {m for n, m in manager.methods.items() if n in ("__init__", "__enter__", "__exit__")}
        return {manager} if manager is not None else {opened.function} if opened.function is not None else set()

    def _opens_again(self, call: nodes.Call, opened: Opened, backward: FunctionInfo) -> bool:
        expr = Expr(backward.module, backward, call)
        if isinstance(opened.manager, FunctionInfo):
            return opened.manager in self.origins.callees(expr)
        if opened.row is not None:
            return opened.row.qualname in self.origins.externals(expr)
        return (
            any(getattr(r, "cls", None) is opened.manager for r in self.origins.value(expr).refs)
            and opened.manager is not None
        )

    def variants(self, made: Recompute) -> set[bool | None]:
        """The variants of checkpoint a call may be; see `Recomputes.variants`."""
        return self.recomputes.variants(made)

    def _protected(self, made: Recompute) -> bool:
        """True when a `context_fn` that may open scopes is given: a selective policy opens none, the default
        neither.
        """
        for given in self.recomputes.options.given(made.call, "context_fn"):
            if given is OMITTED or given is UNSEEN:
                continue
            assert isinstance(given, Expr)
            for origin in self.origins.of(given):
                names = set(self.origins.externals(origin)) | {
                    r for r in self.origins.value(origin).refs if isinstance(r, str)
                }
                if isinstance(origin.node, nodes.Call) and origin.node.args:
                    names |= {
                        r
                        for r in self.origins.value(Expr(origin.module, origin.scope, origin.node.args[0])).refs
                        if isinstance(r, str)
                    }
                if DEFAULT_CONTEXTS not in names and SELECTIVE not in names:
                    return True
        return False

    def _meets(self, row: Scope, made: Recompute, site: Expr) -> bool:
        """Whether the region may do what a state of torch bears on."""
        text = made.call.module.text
        texts = (text, *(f.module.text for f in made.functions))
        if row.state == "the oneDNN switch" and not any(word in t for t in texts for word in ("LSTM", "GRU", "RNN")):
            return False
        if row.state == "the compiler's stance" and not ("torch.compile" in text or ".compile(" in text):
            return False
        held = self.holding.of(made.function, site)
        if row.qualname == _CACHE:
            return held.state or not held.complete
        if row.state == "the compiler's stance":
            # `module.compile()` leaves no trace in values; a compiled function is another than the one it was made of.
            compiled = (f.cls is not None and self.regions.of(f, "compiled") is not None for f in held.functions)
            return held.compiled or not held.complete or any(compiled)
        return not held.lacks(row)

    def _report(self, opened: Opened, made: Recompute, outside: Event, site: Expr) -> ScopeSite:
        variants = self.variants(made)
        entry = Entry(
            "checkpointed",
            made.call.node,
            made.call.scope,
            made.row,
            tuple(("use_reentrant", v) for v in (False, None, True) if v in variants),
        )
        places = [(made.call, "checkpointed here"), (outside.call, "recomputed by this backward")]
        related = tuple(noted(e.module.path, e.node, message) for e, message in places)
        row, changes = opened.row, opened.changes
        form = "state"
        if row is not None:
            state = row.state
            form = (
                "cache"
                if row.qualname == _CACHE
                else "kernel"
                if row.state == ATTENTION_BACKEND and row.form == "context"
                else form
            )
        elif changes is not None and changes.everywhere:
            state = changes.everywhere
            form = "mode" if state == FUNCTION_MODE else form
        else:
            state = "`" + min(name for _, name, _ in changes.keys) + "`" if changes is not None else ""
        certain = row is None or row.on is None or self.holding.of(made.function, site).runs(row)
        here = Expr(self.origins.program.index, opened.function, opened.node)
        preferred = form == "kernel" and keeps_preferred(self.origins, opened.chosen or here)
        certain = certain and not preferred
        facts: dict[str, object] = {
            "form": form,
            "variants": variants,
            "callee": _callee(made),
            "certain": certain,
            "preferred": preferred,
        }
        repairs = self._repairs(opened, made) if form == "kernel" else {}
        return ScopeSite(SinkKind.SCOPE, opened.node, opened.function, entry, state, related, facts, repairs=repairs)

    def _repairs(self, opened: Opened, made: Recompute) -> dict[str, tuple[Edit, ...]]:
        """The edit that opens the scope in the function of a call of torch's checkpoint."""
        index, call, row = self.origins.program.index, made.call, made.row
        if row is None or row.sequential or made.function is None or call.module is not index:
            return {}
        if self.origins.externals(call) != {row.qualname} or call.scope is not opened.function:
            return {}
        edits = scopes.inside(index, opened.node, call.node, made.function.node)
        return {"inside": edits} if edits is not None else {}

    def _related(self, *places: tuple[nodes.NodeNG, str]) -> tuple[Related, ...]:
        path = self.origins.program.index.path
        return tuple(noted(path, n, m) for n, m in places)


def _callee(made: Recompute) -> str:
    return "a home-made checkpoint" if made.home is not None else "a checkpoint"


def _is_alike(one: Opened, other: Opened) -> bool:
    """True for two scopes of one function that choose the same of torch's states, or are one of the project's own,
    written alike.
    """
    if one.function is not other.function or one.row is not other.row:
        return False
    if one.row is None:
        return one.changes == other.changes and source_of(one.node) == source_of(other.node)
    return (
        isinstance(one.node, nodes.Call)
        and isinstance(other.node, nodes.Call)
        and choice(one.node) == choice(other.node)
    )
