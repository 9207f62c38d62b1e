"""Sites about determinism: settings against each other, comparisons across runs, copied generators."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from astroid import nodes

from flake8_tensorbranch.diagnostic import Edit, Related
from flake8_tensorbranch.engine.inference.program import Program
from flake8_tensorbranch.engine.lookup.origins import Expr, Origins
from flake8_tensorbranch.engine.regions import trace
from flake8_tensorbranch.engine.repairs import settings as edits
from flake8_tensorbranch.engine.reproducibility.comparisons import Comparisons, held_to_numbers
from flake8_tensorbranch.engine.reproducibility.switches import Switches
from flake8_tensorbranch.engine.sink import SinkKind, SwitchSite
from flake8_tensorbranch.knowledge.randomness import SEEDING
from flake8_tensorbranch.knowledge.reproducibility import (
    ALGORITHMS,
    DATASETS,
    DEBUG_MODE,
    GENERATORS,
    LOADER,
    MULTIPLYING,
    SAMPLERS,
)
from flake8_tensorbranch.knowledge.versions import has
from flake8_tensorbranch.settings import Settings
from flake8_tensorbranch.syntax.kinds import FRAMES
from flake8_tensorbranch.syntax.names import ClassInfo, FunctionInfo, dotted, last_name

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
        yield from self._datasets()
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
        for setting, promise, switch in self.switches.autotuned():
            note = "deterministic here" if switch else "seeded for a reproducible run here"
            certain = switch and setting.truths == {True}
            repair = edits.off(setting.value)
            yield self._site(
                "autotuned", setting.node, setting.scope, certain, promise, repair, note=note, switch=str(switch)
            )

    def _warn_only(self) -> Iterator[SwitchSite]:
        compared = next(iter(self.comparisons.exact()), None)
        if compared is None:
            return
        for setting in self.switches.warn_only:
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

    def _shuffled(self) -> Iterator[SwitchSite]:
        switched = self.switches.deterministic
        promise = switched[0].node if switched else self.switches.promise()
        samplers = [(s, c, name) for s, c, name in self.switches.calls if name.startswith("torch.utils.data.")]
        if promise is None and samplers:
            promise = self._switched_abroad()
        if promise is None:
            return
        for scope, call, path in samplers:
            name = path.rsplit(".", 1)[-1]
            told = len(call.args) > SAMPLERS.get(name, -1) or any(k.arg in (None, "generator") for k in call.keywords)
            if name in SAMPLERS and not told and not any(isinstance(a, nodes.Starred) for a in call.args):
                repair = edits.seeded(self.index, scope, call)
                yield self._site("shuffled", call, scope, True, promise, repair, note="deterministic here", by=name)
        for scope, call in self.loaders:
            given = {k.arg: k.value for k in call.keywords}
            shuffle = given.get("shuffle") or (call.args[2] if len(call.args) > 2 else None)
            if (
                shuffle is None
                or None in given
                or "generator" in given
                or "sampler" in given
                or "batch_sampler" in given
            ):
                continue
            if True in self.switches.truths(scope, shuffle):
                repair = edits.seeded(self.index, scope, call)
                by = "shuffle=True"
                yield self._site("shuffled", shuffle, scope, True, promise, repair, note="deterministic here", by=by)

    def _switched_abroad(self) -> Any:
        """A call of another file's function that switches determinism on; None when there is none."""
        for facts in self.program.facts.values():
            for call, callees in facts.calls.items():
                for callee in callees:
                    if callee.module is self.index or not callee.module.mentions((ALGORITHMS.rsplit(".", 1)[-1],)):
                        continue
                    for node, called in self.origins.facts(callee.module, callee).externals.items():
                        args = called.get(ALGORITHMS)
                        mode = None if args is None else args.get(0, "mode")
                        if mode is not None and mode.const is True and not _conditional(node):
                            return call
        return None

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

    # Generators on datasets

    def _datasets(self) -> Iterator[SwitchSite]:
        if any(k.arg in ("worker_init_fn", None) for _, call in self.loaders for k in call.keywords):
            return
        workers = [self._workers(scope, call) for scope, call in self.loaders]
        if workers and not any(workers):
            return
        for cls in self.index.classes:
            if not self._is_dataset(cls):
                continue
            init = cls.methods.get("__init__")
            if init is None or any(
                isinstance(n, nodes.Call) and "get_worker_info" in (dotted(n.func) or "")
                for n in cls.node.nodes_of_class(nodes.Call)
            ):
                continue
            for store in init.attribute_stores:
                value = getattr(store.parent, "value", None)
                kind = self._generator(init, value)
                if kind and self._drawn_from(cls, store.attrname):
                    name = dotted(store) or store.attrname
                    drawn = "__getitem__" if "__getitem__" in cls.methods else "__iter__"
                    yield self._site("copied-generator", store, init, bool(workers), name=name, kind=kind, drawn=drawn)

    def _workers(self, scope: FunctionInfo | None, call: nodes.Call) -> bool:
        given = next((k.value for k in call.keywords if k.arg == "num_workers"), None)
        if given is None:
            return len(call.args) > 5
        return not (isinstance(given, nodes.Const) and given.value == 0)

    def _generator(self, scope: FunctionInfo, value: Any) -> str:
        value = _unseeded(value)
        if not isinstance(value, nodes.Call):
            return ""
        known = self.switches.resolve(value.func, scope)
        known = known if known in GENERATORS else ""
        return known or self._made_by_a_helper(Expr(self.index, scope, value))

    def _made_by_a_helper(self, call: Expr) -> str:
        """The kind of generator that a function of the project returns, of this file or another."""
        if not self.origins.callees(call):
            return ""
        found = set()
        for origin in self.origins.of(call):
            made = _unseeded(origin.node)
            names = self.origins.externals(Expr(origin.module, origin.scope, made)) if made is not call.node else ()
            found.add(next((name for name in names if name in GENERATORS), ""))
        return found.pop() if len(found) == 1 else ""

    def _is_dataset(self, cls: ClassInfo) -> bool:
        for base in self.program.analysis.resolver.mro(cls):
            if (
                isinstance(base, str)
                and base.startswith(("torch.utils.data.", "torchvision.datasets."))
                and base.endswith(DATASETS)
            ):
                return True
        return False

    def _drawn_from(self, cls: ClassInfo, attribute: str) -> bool:
        """True when the methods that workers run use the attribute, and none of them sets or seeds it anew."""
        begin = [m for n, m in cls.methods.items() if n in ("__getitem__", "__getitems__", "__iter__")]
        seen: set[FunctionInfo] = set()
        used = False
        while begin:
            method = begin.pop()
            if method in seen:
                continue
            seen.add(method)
            if any(s.attrname == attribute for s in method.attribute_stores):
                return False
            if any(_seeds(call, attribute) for call in method.calls):
                return False
            own = method.params[0].name if method.params else ""
            for node in method.node.nodes_of_class(nodes.Attribute):
                if isinstance(node.expr, nodes.Name) and node.expr.name == own:
                    used = used or node.attrname == attribute
                    if node.attrname in cls.methods:
                        begin.append(cls.methods[node.attrname])
        return used


def _seeds(call: nodes.Call, attribute: str) -> bool:
    """True for `self.g.manual_seed(i)` and `self.rng.seed(i)`, of an attribute, with a seed that is no literal."""
    func = call.func
    if not isinstance(func, nodes.Attribute) or func.attrname not in SEEDING or not call.args:
        return False
    held = isinstance(func.expr, nodes.Attribute) and func.expr.attrname == attribute
    return held and not isinstance(call.args[0], nodes.Const)


def _unseeded(value: Any) -> Any:
    """What a generator is made by, without the `manual_seed` calls that give it back."""
    while (
        isinstance(value, nodes.Call)
        and isinstance(value.func, nodes.Attribute)
        and value.func.attrname == "manual_seed"
    ):
        value = value.func.expr
    return value


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


def _conditional(node: nodes.NodeNG) -> bool:
    """True for a node that its function does not run every time."""
    up = node.parent
    while up is not None and not isinstance(up, FRAMES):
        if isinstance(up, (nodes.If, nodes.IfExp, nodes.For, nodes.While, nodes.Try, nodes.BoolOp)):
            return True
        up = up.parent
    return False


def _multiplies(function: FunctionInfo) -> bool:
    names = {
        c.func.attrname if isinstance(c.func, nodes.Attribute) else getattr(c.func, "name", "") for c in function.calls
    }
    return bool(names & MULTIPLYING) or any(b.op == "@" for b in function.node.nodes_of_class(nodes.BinOp))
