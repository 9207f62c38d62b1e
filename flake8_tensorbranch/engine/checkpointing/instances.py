"""The objects of a class that a file makes, and whether all of them are frozen where they are kept."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, Final

from astroid import nodes

from flake8_tensorbranch.engine.lookup.origins import Expr, Origins
from flake8_tensorbranch.syntax.names import ClassInfo, FunctionInfo, names_own

if TYPE_CHECKING:
    from flake8_tensorbranch.engine.checkpointing.frozen import Frozen

_GATHERING: Final = (nodes.List, nodes.ListComp, nodes.GeneratorExp, nodes.Dict)


class Instances:
    """Answers for the classes of one program."""

    def __init__(self, frozen: Frozen, origins: Origins) -> None:
        self.known = frozen
        self.origins = origins
        self._made: dict[ClassInfo, list[Expr]] | None = None
        self._frozen: dict[ClassInfo, bool | None] = {}

    def frozen(self, cls: ClassInfo) -> bool | None:
        """True where every object of the class that the file makes is frozen, False where one of them trains; None
        where it makes none, or hands one on.
        """
        if cls not in self._frozen:
            self._frozen[cls] = None  # while it is asked
            found = [self._kept(made) for made in self._all().get(cls, ())]
            self._frozen[cls] = False if False in found else None if None in found or not found else True
        return self._frozen[cls]

    def _all(self) -> dict[ClassInfo, list[Expr]]:
        if self._made is None:
            self._made = {}
            index = self.origins.program.index
            resolver = self.origins.program.analysis.resolver
            for scope, call in index.all_calls():
                cls = resolver.expression(index, call.func, scope)
                if isinstance(cls, ClassInfo) and resolver.is_module(cls):
                    for base in resolver.mro(cls):
                        if isinstance(base, ClassInfo):
                            self._made.setdefault(base, []).append(Expr(index, scope, call))
        return self._made

    def _kept(self, made: Expr) -> bool | None:
        """Whether one object is frozen where it is kept; None where that does not show."""
        if self.known.built(made):
            return True
        below, up = made.node, made.node.parent
        while up is not None:
            if isinstance(up, nodes.Attribute) and isinstance(up.parent, nodes.Call):
                if self.known.built(Expr(made.module, made.scope, up.parent)):
                    return True
                below, up = up.parent, up.parent.parent
            elif isinstance(up, _GATHERING) or self._gathers(made, up, below):
                below, up = up, up.parent
            elif isinstance(up, nodes.Tuple) and isinstance(up.parent, nodes.Assign):
                up = up.parent
            else:
                break
        targets = list(_targets(up, below)) if isinstance(up, nodes.Assign) else []
        found = [self._target(made.scope, target) for target in targets]
        return None if not found or None in found else all(found)

    def _gathers(self, made: Expr, up: nodes.NodeNG, below: nodes.NodeNG) -> bool:
        """True for the call of a container of modules, around what it is given."""
        if not isinstance(up, nodes.Call) or below not in up.args:
            return False
        return any(name.startswith("torch.nn.") for name in self.origins.externals(Expr(made.module, made.scope, up)))

    def _target(self, scope: FunctionInfo | None, target: Any) -> bool | None:
        if isinstance(target, nodes.AssignName):
            return self.known.named(scope, target.name)
        if isinstance(target, nodes.AssignAttr) and scope is not None and scope.cls is not None:
            own = isinstance(target.expr, nodes.Name) and names_own(scope, target.expr.name)
            return self.known.attribute(scope.cls, target.attrname) if own else None
        return None


def _targets(statement: nodes.Assign, value: nodes.NodeNG) -> Iterator[Any]:
    """What an assignment binds a part of its value to."""
    for target in statement.targets:
        whole = statement.value
        if whole is value:
            yield target
        elif isinstance(whole, nodes.Tuple) and isinstance(target, nodes.Tuple) and value in whole.elts:
            position = whole.elts.index(value)
            yield target.elts[position] if position < len(target.elts) else None
