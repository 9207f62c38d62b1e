"""Sites about determinism: settings against each other, comparisons across runs, copied generators."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from astroid import nodes

from flake8_tensorbranch.diagnostic import Edit, Related
from flake8_tensorbranch.engine.inference.program import Program
from flake8_tensorbranch.engine.lookup.origins import Expr, Origins, line
from flake8_tensorbranch.engine.regions import trace
from flake8_tensorbranch.engine.repairs import settings as edits
from flake8_tensorbranch.engine.reproducibility.apart import autotuned
from flake8_tensorbranch.engine.reproducibility.comparisons import Comparisons, held_to_numbers
from flake8_tensorbranch.engine.reproducibility.copied import Copied
from flake8_tensorbranch.engine.reproducibility.orders import Orders
from flake8_tensorbranch.engine.reproducibility.switches import Setting, Switches
from flake8_tensorbranch.engine.sink import SinkKind, SwitchSite
from flake8_tensorbranch.knowledge.reproducibility import (
    ALGORITHMS,
    DEBUG_MODE,
    LOADER,
    MULTIPLYING,
)
from flake8_tensorbranch.knowledge.versions import has
from flake8_tensorbranch.settings import Settings
from flake8_tensorbranch.syntax.names import FunctionInfo, dotted, last_name

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
_CUBLAS: Final = "CUBLAS_WORKSPACE_CONFIG"


def sites(program: Program, settings: Settings) -> Iterator[SwitchSite]:
    """The sites of a module."""
    index = program.index
    if index.mentions(_WORDS) or (index.mentions(("assert ",)) and any(held_to_numbers(index))):
        yield from _Finder(program, settings).sites()


class _Finder:
    def __init__(self, program: Program, settings: Settings) -> None:
        self.program = program
        self.index = program.index
        self.settings = settings
        self.origins = Origins(program)
        self.switches = Switches(self.origins)
        self.comparisons = Comparisons(self.origins, self.switches)
        self.loaders = [(scope, call) for scope, call, name in self.switches.calls if name == LOADER]

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
        compared = next(iter(self.comparisons.equalities.all()), None) if self.switches.warn_only else None
        if compared is None:
            return
        for setting in self.switches.warn_only:
            if self._taken_back(setting):
                continue
            said = trace.spelled(compared.node)
            repair = edits.raising(self.index, setting.node)
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
        ]
        compared = [line(c.node) for c in self.comparisons.equalities.all() if c.scope is setting.scope]
        return bool(later) and not any(begin < at < later[0] for at in compared)

    def _shuffled(self) -> Iterator[SwitchSite]:
        switched = self.switches.deterministic
        promise = switched[0].node if switched else self.switches.promise()
        if promise is None and self.index.mentions(("torch.utils.data",)):
            promise = next((s.node for s in self.switches.abroad), None)
        if promise is None:
            return
        for drawn in Orders(self.switches).drawn():
            repair = edits.seeded(self.index, drawn.scope, drawn.call) if drawn.open else None
            note = "deterministic here"
            yield self._site("shuffled", drawn.place, drawn.scope, True, promise, repair, note=note, by=drawn.by)

    # cuBLAS

    def _cublas(self) -> Iterator[SwitchSite]:
        consts = [c for c in self.index.tree.nodes_of_class(nodes.Const) if c.value == _CUBLAS]
        asked = [s for s in self.switches.settings if s.name in (ALGORITHMS, DEBUG_MODE) and s.on]
        if not asked:
            return
        if not consts:
            if self.index.mentions(("cuda",)):
                for setting in asked:
                    yield self._site("cublas", setting.node, setting.scope, certain=False, late="")
            return
        for const in consts:
            write = const.statement()
            if isinstance(write, (nodes.If, nodes.Return, nodes.Assert)):
                continue
            scope = self.program.owner(const)
            worked = self._work_before(scope, write, 3)
            if worked is not None:
                yield self._site(
                    "cublas", write, scope, True, worked, note="cuBLAS may have been used here", late="True"
                )

    def _work_before(self, scope: FunctionInfo | None, node: nodes.NodeNG, depth: int) -> nodes.NodeNG | None:
        """A statement that multiplies on a CUDA device before a node runs, here or in a caller."""
        for statement in _before(node):
            if self._multiplies_on_cuda(scope, statement):
                return statement
        if scope is None or depth == 0:
            return None
        for site in self.origins.sites(scope):
            found = self._work_before(site.scope, site.node.statement(), depth - 1)
            if found is not None:
                return found
        return None

    def _multiplies_on_cuda(self, scope: FunctionInfo | None, statement: nodes.NodeNG) -> bool:
        if isinstance(statement, (nodes.FunctionDef, nodes.ClassDef, nodes.Import, nodes.ImportFrom)):
            return False
        on_cuda = False
        multiplies = False
        for node in statement.nodes_of_class((nodes.Call, nodes.BinOp)):
            if isinstance(node, nodes.BinOp):
                multiplies = multiplies or node.op == "@"
                continue
            func = node.func
            name = last_name(func)
            parts = [*node.args, *(k.value for k in node.keywords)]
            if name == "cuda" or (name != "device" and any(self._is_cuda(scope, part) for part in parts)):
                on_cuda = True
            multiplies = multiplies or name in MULTIPLYING
            for callee in self.program.callees(scope, node):
                multiplies = multiplies or callee.name == "forward" or _multiplies(callee)
        return on_cuda and multiplies

    def _is_cuda(self, scope: FunctionInfo | None, node: nodes.NodeNG) -> bool:
        for origin in self.origins.of(Expr(self.index, scope, node)):
            found = origin.node
            if isinstance(found, nodes.Call) and (dotted(found.func) or "").endswith("device") and found.args:
                found = found.args[0]
            if isinstance(found, nodes.Const) and isinstance(found.value, str) and found.value.startswith("cuda"):
                return True
        return False

    # Comparisons

    def _compared(self) -> Iterator[SwitchSite]:
        for found, how, picker in self.comparisons.stored():
            said = trace.spelled(found.node)
            note = f"{how} here"
            yield self._site("compared", found.node, found.scope, True, picker, note=note, said=said, how=how, drawn="")
        for test, scope, draw in self.comparisons.drawn():
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


def _before(node: nodes.NodeNG) -> Iterator[nodes.NodeNG]:
    """The statements that have run in a scope before a node, as far as they stand in enclosing blocks."""
    child, up = node, node.parent
    while up is not None:
        for block in ("body", "orelse", "finalbody"):
            statements = getattr(up, block, None)
            if isinstance(statements, list) and child in statements:
                yield from statements[: statements.index(child)]
        if isinstance(up, (nodes.FunctionDef, nodes.Module, nodes.ClassDef)):
            return
        child, up = up, up.parent


def _multiplies(function: FunctionInfo) -> bool:
    names = {
        c.func.attrname if isinstance(c.func, nodes.Attribute) else getattr(c.func, "name", "") for c in function.calls
    }
    return bool(names & MULTIPLYING) or any(b.op == "@" for b in function.node.nodes_of_class(nodes.BinOp))
