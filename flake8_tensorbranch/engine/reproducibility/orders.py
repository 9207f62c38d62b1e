"""Orders of data that are drawn from torch's global generator: by loaders, samplers, splits, permutations."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from astroid import nodes

from flake8_tensorbranch.engine.lookup.options import OMITTED, Options
from flake8_tensorbranch.engine.lookup.origins import Expr
from flake8_tensorbranch.engine.lookup.slices import backward
from flake8_tensorbranch.engine.reproducibility.settled import Settled
from flake8_tensorbranch.engine.reproducibility.switches import Switches
from flake8_tensorbranch.knowledge.randomness import DEFAULT_GENERATOR
from flake8_tensorbranch.knowledge.reproducibility import INDICES, LOADER, PERMUTATION, SAMPLERS
from flake8_tensorbranch.syntax.names import ClassInfo, FunctionInfo, dotted, last_name

_DATA: Final = "torch.utils.data."
_WORDS: Final = ("DataLoader", "Sampler", "random_split", "Subset", "torch.utils.data")
_SHUFFLE: Final = 2
_GENERATOR: Final = "generator"


@dataclass(frozen=True, slots=True)
class Drawn:
    """One such order: the call that draws it, where to say so, what it is drawn by, and whether a generator could be
    given there.
    """

    call: nodes.Call
    scope: FunctionInfo | None
    place: nodes.NodeNG
    by: str
    open: bool


class Orders:
    """The orders of one module."""

    def __init__(self, switches: Switches) -> None:
        self.switches = switches
        self.origins = switches.origins
        self.index = switches.index
        self._options = Options(switches.origins)
        self.settled = Settled(switches)

    def drawn(self) -> Iterator[Drawn]:
        """Those that an earlier draw changes, in the order of the source."""
        if not self.index.mentions(_WORDS):
            return
        permuted: dict[nodes.NodeNG, Drawn] = {}
        for scope, call, path in self.switches.calls:
            for name, before in self._names(scope, call, path):
                found = self._of(scope, call, name, before)
                if found is not None and not self.settled.at(scope, call):
                    yield found
                for drawn in self._permutations(scope, call, name, before):
                    permuted.setdefault(drawn.call, drawn)
            if not path and call.keywords:
                yield from (d for d in self._abroad(scope, call) if not self.settled.at(scope, call))
        for scope in self.index.functions:
            if scope.name == "__iter__" and scope.cls is not None and self._is_sampler(scope.cls):
                for call in scope.calls:
                    if self._is_permutation(Expr(self.index, scope, call)):
                        permuted.setdefault(call, Drawn(call, scope, call, PERMUTATION, True))
        for drawn in permuted.values():
            if not self.settled.at(drawn.scope, drawn.call):
                yield drawn

    def _names(self, scope: FunctionInfo | None, call: nodes.Call, path: str) -> Iterator[tuple[str, int]]:
        """What of `torch.utils.data` a call makes, by any name, a `partial` or a class of the file that adds nothing to
        its construction; with how many arguments stand before its own.
        """
        if path.startswith(_DATA):
            bare = path.removesuffix(".__init__")
            yield bare, len(path) > len(bare)
        elif not path:
            func = call.func
            meant = self.switches.meant(scope, call)
            for name, args in meant.items():
                if name.startswith(_DATA):
                    starred = any(isinstance(a, nodes.Starred) for a in call.args)
                    yield name, 0 if starred else len(call.args) - len(args.positional)
            cls: object = None
            if isinstance(func, nodes.Attribute) and func.attrname == "__init__" and scope is not None:
                cls = scope.cls if isinstance(func.expr, nodes.Call) and last_name(func.expr.func) == "super" else None
            elif isinstance(func, (nodes.Name, nodes.Attribute)) and not meant:
                made = self.origins.program.analysis.resolver.expression(self.index, func, scope)
                cls = made if isinstance(made, ClassInfo) and "__init__" not in made.methods else None
            if isinstance(cls, ClassInfo):
                yield from self._inherited(cls)

    def _inherited(self, cls: ClassInfo) -> Iterator[tuple[str, int]]:
        """The class of torch that constructs the objects of a class of the project, or of one above it."""
        for base in self.origins.program.analysis.resolver.mro(cls):
            if isinstance(base, str):
                if base.startswith(_DATA):
                    yield base, 0
                return
            if base is not cls and "__init__" in base.methods:
                return

    def _of(self, scope: FunctionInfo | None, call: nodes.Call, path: str, before: int) -> Drawn | None:
        name = path.rsplit(".", 1)[-1]
        at = Expr(self.index, scope, call)
        if name in SAMPLERS:
            position = SAMPLERS[name] + before
            args = self.switches.meant(scope, call).get(path)
            told = position < len(call.args) or any(isinstance(a, nodes.Starred) for a in call.args)
            told = told or (args is not None and len(args.positional) > SAMPLERS[name])
            if told or self._given(at, _GENERATOR):
                return None
            named = any(k.arg in (None, _GENERATOR) for k in call.keywords)
            return Drawn(call, scope, call, name, not named)
        if path != LOADER or any(self._given(at, n) for n in (_GENERATOR, "sampler", "batch_sampler")):
            return None
        place = self._shuffles(at, path, before)
        named = any(k.arg in (None, _GENERATOR) for k in call.keywords)
        return None if place is None else Drawn(call, scope, place, "shuffle=True", not named)

    def _abroad(self, scope: FunctionInfo | None, call: nodes.Call) -> Iterator[Drawn]:
        """The order of a loader that a function of another file makes, which is told here to shuffle."""
        given = {k.arg: k.value for k in call.keywords}
        if None in given or _GENERATOR in given:
            return
        for callee in self.origins.program.callees(scope, call):
            if callee.module is self.index or not callee.module.mentions((LOADER.rsplit(".", 1)[-1],)):
                continue
            for made, called in self.origins.facts(callee.module, callee).externals.items():
                told = {k.arg: k.value for k in getattr(made, "keywords", ())}
                if LOADER not in called or {_GENERATOR, "sampler", "batch_sampler"} & told.keys():
                    continue
                passed = told.get("shuffle")
                name = getattr(passed, "name", "") if passed is not None else "shuffle" if None in told else ""
                at = self.origins.argument(Expr(self.index, scope, call), callee, name) if name else None
                if at is not None and self.switches.truths(at.scope, at.node) == {True}:
                    yield Drawn(call, scope, at.node, "shuffle=True", False)

    def _given(self, call: Expr, name: str) -> bool:
        """True where something other than None may be given by a name, and something other than torch's own
        generator.
        """
        for told in self._options.given(call, name):
            if told is OMITTED:
                continue
            if not isinstance(told, Expr) or not (self._is_nothing(told) or self._is_default(told)):
                return True
        return False

    def _is_nothing(self, given: Expr) -> bool:
        """True for None; what a parameter is by default counts where the file has the calls."""
        scope, name = given.scope, getattr(given.node, "name", "")
        if scope is not None and any(p.name == name for p in scope.params) and not self.origins.sites(scope):
            return False
        found = self._options.constants(given)
        return bool(found) and all(constant is None for constant in found)

    def _is_default(self, given: Expr) -> bool:
        found = [self.switches.resolve(o.node, o.scope) for o in self.origins.of(given) if o.module is self.index]
        return bool(found) and all(name in DEFAULT_GENERATOR for name in found)

    def _shuffles(self, loader: Expr, path: str, before: int) -> nodes.NodeNG | None:
        """Where a loader is told to shuffle: the expression at the call, else the call; None where it is not."""
        call = loader.node
        position = _SHUFFLE + before
        if 0 <= position < len(call.args) and not any(isinstance(a, nodes.Starred) for a in call.args[: position + 1]):
            found = [Expr(loader.module, loader.scope, call.args[position])]
        else:
            found = [told for told in self._options.given(loader, "shuffle") if isinstance(told, Expr)]
        if not found:
            args = self.switches.meant(loader.scope, call).get(path)
            told = None if args is None else args.get(_SHUFFLE, "shuffle")
            return call if told is not None and told.const is True else None
        if len(found) != 1 or found[0].module is not self.index:
            return None
        if True not in self.switches.truths(found[0].scope, found[0].node):
            return None
        return found[0].node if call.parent_of(found[0].node) else call  # type: ignore[no-any-return]

    # Permutations

    def _permutations(self, scope: FunctionInfo | None, call: nodes.Call, path: str, before: int) -> Iterator[Drawn]:
        """The permutations whose elements a subset, sampler or loader takes for its indices."""
        name = path.rsplit(".", 1)[-1]
        if name not in INDICES:
            return
        position, word = INDICES[name]
        given = next((k.value for k in call.keywords if k.arg == word), None)
        if given is None and 0 <= position + before < len(call.args):
            given = call.args[position + before]
        if given is None:
            return
        for expr in backward(self.origins, Expr(self.index, scope, given), calls=False):
            if expr.module is self.index and isinstance(expr.node, nodes.Call) and self._is_permutation(expr):
                yield Drawn(expr.node, expr.scope, expr.node, PERMUTATION, True)

    def _is_permutation(self, call: Expr) -> bool:
        named = dotted(call.node.func) is not None and PERMUTATION in self.origins.externals(call)
        return named and not self._given(call, _GENERATOR)

    def _is_sampler(self, cls: ClassInfo) -> bool:
        names = (b for b in self.origins.program.analysis.resolver.mro(cls) if isinstance(b, str))
        return any(name.startswith(_DATA) and name.endswith("Sampler") for name in names)
