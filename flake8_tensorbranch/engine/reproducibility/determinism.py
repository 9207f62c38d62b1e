"""Sites about determinism: settings against each other, comparisons across runs, copied generators."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from astroid import nodes

from flake8_tensorbranch.diagnostic import Edit, Related
from flake8_tensorbranch.engine.inference.program import Program
from flake8_tensorbranch.engine.lookup.guards import exclusive
from flake8_tensorbranch.engine.lookup.origins import Origins, line
from flake8_tensorbranch.engine.regions import trace
from flake8_tensorbranch.engine.repairs import settings as edits
from flake8_tensorbranch.engine.reproducibility.apart import autotuned
from flake8_tensorbranch.engine.reproducibility.comparisons import Comparisons
from flake8_tensorbranch.engine.reproducibility.copied import Copied
from flake8_tensorbranch.engine.reproducibility.elsewhere import elsewhere
from flake8_tensorbranch.engine.reproducibility.orders import Orders
from flake8_tensorbranch.engine.reproducibility.switches import Setting, Switches
from flake8_tensorbranch.engine.reproducibility.workspace import Workspace
from flake8_tensorbranch.engine.reproducibility.written import held_draws, held_to_numbers
from flake8_tensorbranch.engine.sink import SinkKind, SwitchSite
from flake8_tensorbranch.knowledge.reproducibility import (
    ALGORITHMS,
    COMPILE_WORDS,
    DEBUG_MODE,
    LOADER,
    LOADING_WORDS,
)
from flake8_tensorbranch.knowledge.versions import has
from flake8_tensorbranch.settings import Settings
from flake8_tensorbranch.syntax.names import FunctionInfo

_WORDS: Final = (
    "determinis",
    "cudnn",
    "torch.load",
    "torch.equal",
    "array_equal",
    "Dataset",
    "shuffle",
    "benchmark",
    "RandomSampler",
    "random_split",
)


def sites(program: Program, settings: Settings) -> Iterator[SwitchSite]:
    """The sites of a module."""
    index = program.index
    compiled = index.mentions(COMPILE_WORDS) and index.mentions(LOADING_WORDS)
    if index.mentions(_WORDS) or compiled or any(held_to_numbers(index)):
        yield from _Finder(program, settings).sites()


class _Finder:
    def __init__(self, program: Program, settings: Settings) -> None:
        self.program = program
        self.index = program.index
        self.settings = settings
        self.origins = Origins(program)
        self.switches = Switches(self.origins)
        self.comparisons = Comparisons(self.origins, self.switches)
        bound = self.index.mentions((LOADER.rsplit(".", 1)[-1],)) and self.index.mentions(("partial",))
        self.loaders = [
            (scope, call)
            for scope, call, name in self.switches.calls
            if name == LOADER or (bound and not name and LOADER in self.switches.meant(scope, call))
        ]

    def sites(self) -> Iterator[SwitchSite]:
        yield from self._autotune()
        yield from self._warn_only()
        if not has("cublas-unchecked", self.settings.torch_version):
            yield from self._cublas()
        yield from self._compared()
        yield from self._copied()
        yield from self._shuffled()

    def _site(
        self,
        what: str,
        node: Any,
        scope: FunctionInfo | None,
        certain: bool = True,
        other: Any = None,
        repair: tuple[Edit, ...] | None = None,
        **facts: str,
    ) -> SwitchSite:
        related: tuple[Related, ...] = ()
        if other is not None:
            related = (trace.noted(self.index.path, other, facts.get("note", "see here")),)
        repairs = {what: repair} if repair is not None else {}
        return SwitchSite(SinkKind.SWITCH, node, scope, what, facts, certain, related, repairs=repairs)

    # Settings against each other

    def _autotune(self) -> Iterator[SwitchSite]:
        for setting, promise, switch in autotuned(self.switches):
            note = "deterministic here" if switch else "seeded for a reproducible run here"
            certain = switch and setting.truths == {True}
            repair = edits.off(setting.value)
            yield self._site(
                "autotuned", setting.node, setting.scope, certain, promise, repair, note=note, switch=str(switch)
            )

    def _warn_only(self) -> Iterator[SwitchSite]:
        warning = (*self.switches.warn_only, *elsewhere(self.switches).warn_only)
        compared = next(iter(self.comparisons.equalities.all()), None) if warning else None
        if compared is None and warning:
            compared = elsewhere(self.switches).compared
        if compared is None:
            return
        for setting in warning:
            if self._taken_back(setting) or any(
                isinstance(u, nodes.ExceptHandler) for u in setting.node.node_ancestors()
            ):
                continue
            said = trace.spelled(compared.node)
            abroad = setting not in self.switches.warn_only
            repair = None if abroad else edits.raising(self.index, setting.node)
            yield self._site(
                "warn-only",
                setting.node,
                setting.scope,
                True,
                compared.node,
                repair,
                note="compared here",
                compared=said,
                option="`warn_only`" if setting.name == ALGORITHMS else "debug mode `warn`",
            )

    def _taken_back(self, setting: Setting) -> bool:
        """True when a later statement of the same block sets the mode anew, without warnings only, before anything is
        compared in that scope.
        """
        begin, block = line(setting.node), setting.node.statement().parent
        later = [
            line(other.node)
            for other in self.switches.settings
            if other.name in (ALGORITHMS, DEBUG_MODE)
            and other not in self.switches.warn_only
            and other.node.statement().parent is block
            and line(other.node) > begin
            and not exclusive(other.node, setting.node)
        ]
        between = [line(c.node) for c in self.comparisons.equalities.all() if c.scope is setting.scope]
        if setting.scope is not None and setting.scope.is_generator:  # the body of a `with`
            between += [line(node) for node in setting.scope.node.nodes_of_class((nodes.Yield, nodes.YieldFrom))]
        return bool(later) and not any(begin < at < later[0] for at in between)

    def _shuffled(self) -> Iterator[SwitchSite]:
        switched = self.switches.deterministic
        promise = switched[0].node if switched else self.switches.promise()
        if promise is None and self.index.mentions(("torch.utils.data",)):
            promise = next((s.node for s in elsewhere(self.switches).deterministic), None)
        if promise is None:
            return
        for drawn in Orders(self.switches).drawn():
            repair = edits.seeded(self.index, drawn.scope, drawn.call) if drawn.open else None
            note = "deterministic here"
            yield self._site("shuffled", drawn.place, drawn.scope, True, promise, repair, note=note, by=drawn.by)

    def _cublas(self) -> Iterator[SwitchSite]:
        for found in Workspace(self.switches).missed():
            note = "cuBLAS may have been used here"
            certain = bool(found.late or found.value)
            late = "True" if found.late is not None else ""
            yield self._site(
                "cublas", found.node, found.scope, certain, found.late, note=note, late=late, value=found.value
            )

    # Comparisons

    def _compared(self) -> Iterator[SwitchSite]:
        for found, how, picker in self.comparisons.stored():
            said = trace.spelled(found.node)
            note = f"{how} here"
            yield self._site("compared", found.node, found.scope, True, picker, note=note, said=said, how=how, drawn="")
        for test, scope, draw in held_draws(self.origins, self.switches):
            said = trace.spelled(draw.node)
            here = draw.node if draw.module is self.index else None
            yield self._site(
                "compared", test, scope, True, here, note="drawn here", said=said, how="drawn", drawn="True"
            )

    def _copied(self) -> Iterator[SwitchSite]:
        for found in Copied(self.origins, self.switches, self.loaders).all():
            store, drawn = found.store, found.drawn
            yield self._site(
                "copied-generator", store, found.scope, found.certain, name=found.name, kind=found.kind, drawn=drawn
            )
