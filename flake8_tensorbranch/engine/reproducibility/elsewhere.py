"""What calls of other files' functions switch and compare: the switches and exact comparisons that these hold."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from typing import Final, cast

from astroid import nodes

from flake8_tensorbranch.engine.inference.program import Program
from flake8_tensorbranch.engine.lookup.origins import Expr, Origins
from flake8_tensorbranch.engine.reproducibility.equalities import Comparison, Equalities
from flake8_tensorbranch.engine.reproducibility.switches import Setting, Switches
from flake8_tensorbranch.knowledge.reproducibility import BENCHMARK, EXACT, SWITCH_WORDS, TOLERANT
from flake8_tensorbranch.syntax.kinds import FRAMES
from flake8_tensorbranch.syntax.names import FunctionInfo, ModuleIndex

_COMPARING: Final = tuple(sorted({name.rsplit(".", 1)[-1] for name in EXACT | TOLERANT} | {".equal(", ").all()"}))


class Elsewhere:
    """The functions of other files that one file calls; what stands behind a test there is left out."""

    def __init__(self, switches: Switches) -> None:
        self.switches = switches
        self.origins = switches.origins
        self._files: dict[ModuleIndex, Switches] = {}

    @cached_property
    def settings(self) -> list[Setting]:
        """The switches, each at the call here that leads to it."""
        found = []
        for scope, call, function in self._entered(SWITCH_WORDS):
            for setting in self._file(function.module).settings:
                if setting.scope is function and not _conditional(setting.node):
                    found.append(Setting(setting.name, call, scope, None, setting.truths))
        return found

    @property
    def deterministic(self) -> list[Setting]:
        """The calls that switch determinism on."""
        return [s for s in self.settings if s.name != BENCHMARK and s.on]

    @cached_property
    def benchmarks(self) -> list[Setting]:
        """The calls that switch the benchmark on, and say nothing of determinism."""
        both = {s.node for s in self.settings if s.name != BENCHMARK}
        return [s for s in self.settings if s.name == BENCHMARK and s.on and s.node not in both]

    @cached_property
    def warn_only(self) -> list[Setting]:
        """The calls that switch deterministic mode on with warnings only."""
        found = []
        for scope, call, function in self._entered(SWITCH_WORDS):
            for setting in self._file(function.module).warn_only:
                if setting.scope is function and not _conditional(setting.node):
                    found.append(Setting(setting.name, call, scope, None, setting.truths))
        return found

    @cached_property
    def compared(self) -> Comparison | None:
        """The first call whose function compares two of its results to the last bit."""
        for scope, call, function in self._entered(_COMPARING):
            if any(c.scope is function for c in Equalities(self._file(function.module)).all()):
                return Comparison(call, scope, (call, call))
        return None

    @cached_property
    def handed(self) -> list[Comparison]:
        """The calls whose function compares two things that it is given, to the last bit."""
        found = []
        for scope, call, function in self._entered(_COMPARING):
            for inner in Equalities(self._file(function.module)).all() if call.args else ():
                if inner.scope is function and function in self.origins.facts(self.switches.index, scope).calls[call]:
                    names = [getattr(side, "name", "") for side in inner.sides]
                    sides = [self.origins.argument(Expr(self.switches.index, scope, call), function, n) for n in names]
                    if all(sides) and not isinstance(inner.node.parent, nodes.Expr):
                        first, second = (s.node for s in sides if s is not None)
                        found.append(Comparison(call, scope, (first, second), True))
        return found

    def mentions(self, call: nodes.NodeNG, scope: FunctionInfo | None, words: tuple[str, ...]) -> bool:
        """True where the file of a function that a call here enters holds one of the words."""
        callees = self.origins.facts(self.switches.index, scope).calls.get(call, {})
        return any(c.module is not self.switches.index and c.module.mentions(words) for c in callees)

    def _entered(self, words: tuple[str, ...]) -> Iterator[tuple[FunctionInfo | None, nodes.Call, FunctionInfo]]:
        """The calls of other files' functions, with these and what they call, where a file holds one of the words."""
        for scope, facts in self.origins.program.facts.items():
            for call, callees in facts.calls.items():
                others = [c for c in callees if c.module is not self.switches.index and c.module.mentions(words)]
                if not isinstance(call, nodes.Call):
                    continue
                for callee in others:
                    inner = self.origins.facts(callee.module, callee).calls.values() if callee.calls else ()
                    below = [c for found in inner for c in found if c.module.mentions(words)]
                    for function in dict.fromkeys((callee, *below)):
                        yield scope, call, function

    def _file(self, module: ModuleIndex) -> Switches:
        if module not in self._files:
            self._files[module] = Switches(Origins(Program(self.origins.program.analysis, module)))
        return self._files[module]


def elsewhere(switches: Switches) -> Elsewhere:
    """The same for all who ask of one file."""
    memo = switches.origins.memo
    if "elsewhere" not in memo:
        memo["elsewhere"] = Elsewhere(switches)
    return cast("Elsewhere", memo["elsewhere"])


def _conditional(node: nodes.NodeNG) -> bool:
    """True for a node that its function does not run every time."""
    up = node.parent
    while up is not None and not isinstance(up, FRAMES):
        if isinstance(up, (nodes.If, nodes.IfExp, nodes.For, nodes.While, nodes.Try, nodes.BoolOp)):
            return True
        up = up.parent
    return False
