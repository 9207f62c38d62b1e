"""Static name resolution: what a name or dotted path denotes, through imports, re-exports and base classes."""

from __future__ import annotations

import builtins
from dataclasses import dataclass
from typing import Final, cast

from astroid import nodes

from flake8_tensorbranch.knowledge.model import canonical
from flake8_tensorbranch.knowledge.modules import MODULE_BASES
from flake8_tensorbranch.project import Project
from flake8_tensorbranch.syntax.names import Binding, ClassInfo, FunctionInfo, ModuleIndex, dotted

MAX_HOPS: Final = 12  # imports followed for one name
MAX_STARS: Final = 24  # a module with more star imports is a catalogue: following it would read the whole project


@dataclass(frozen=True, slots=True)
class Variable:
    """A module-level name that statements assign."""

    module: ModuleIndex
    name: str


Target = str | FunctionInfo | ClassInfo | ModuleIndex | Variable
_BUILTINS: Final = frozenset(dir(builtins))


class Resolver:
    """Resolves names over `Project`; answers depend on the files' content alone."""

    def __init__(self, project: Project) -> None:
        self.project = project
        self._mros: dict[ClassInfo, list[ClassInfo | str]] = {}

    def name(self, module: ModuleIndex, name: str, hops: int = MAX_HOPS) -> Target | None:
        """What a name means at module level; a plain string is the qualified name of something external."""
        bindings = module.bindings.get(name)
        if bindings:
            return self._binding(module, name, bindings, hops)
        if name in _BUILTINS:
            return f"builtins.{name}"
        for modname, level in module.star_imports if len(module.star_imports) <= MAX_STARS else ():
            found = self._from_star(module, modname, level, name, hops)
            if found is not None:
                return found
        return None

    def _binding(self, module: ModuleIndex, name: str, bindings: list[Binding], hops: int) -> Target | None:
        for binding in bindings:
            if binding.item is not None:
                if len(bindings) > 1 and isinstance(binding.statement.parent, nodes.ExceptHandler):
                    if any(type(b.statement) is nodes.Assign for b in bindings):
                        break  # `try: f = g` comes first
                # The last of several definitions wins, as it does at run time.
                return next(b.item for b in reversed(bindings) if b.item is not None)
            if binding.imported is not None:
                found = self.imported(module, binding, hops)
                if found is not None:
                    return found
        if len(bindings) == 1 and hops > 0:
            statement = bindings[0].statement
            if isinstance(statement, nodes.Assign) and len(statement.targets) == 1:
                path = dotted(statement.value)
                if path is not None and path != name and isinstance(statement.targets[0], nodes.AssignName):
                    aliased = self.path(module, path, None, hops - 1)
                    if aliased is not None:
                        return aliased
        return Variable(module, name)

    def imported(self, module: ModuleIndex, binding: Binding, hops: int = MAX_HOPS) -> Target | None:
        """What an import binds."""
        assert binding.imported is not None
        modname, attribute = binding.imported
        absolute = module.absolute(modname, binding.level)
        if absolute is None or hops <= 0:
            return None
        if attribute is None:
            return self._module(module, absolute)
        return self._from(module, absolute, attribute, hops - 1)

    def _module(self, importer: ModuleIndex, name: str) -> Target:
        if name.split(".", 1)[0] != "torch":
            loaded = self.project.load(importer, name)
            if loaded is not None:
                return loaded
        return name

    def _from(self, importer: ModuleIndex, absolute: str, attribute: str, hops: int) -> Target | None:
        if absolute == "torch" or absolute.startswith("torch."):
            return canonical(f"{absolute}.{attribute}")
        loaded = self.project.load(importer, absolute)
        if loaded is not None and loaded.path != importer.path:
            return self.member(loaded, attribute, hops)
        # A package that imports from itself means its submodule.
        submodule = self.project.load(importer, f"{absolute}.{attribute}") if absolute else None
        if submodule is not None:
            return submodule
        return canonical(f"{absolute}.{attribute}")

    def _from_star(self, module: ModuleIndex, modname: str, level: int, name: str, hops: int) -> Target | None:
        absolute = module.absolute(modname, level)
        if absolute is None or hops <= 0 or name.startswith("_"):
            return None
        if absolute.split(".", 1)[0] == "torch":
            return canonical(f"{absolute}.{name}") if absolute in ("torch", "torch.nn.functional") else None
        loaded = self.project.load(module, absolute)
        if loaded is None or loaded is module:
            return None
        if name in loaded.bindings or loaded.star_imports:
            return self.name(loaded, name, hops - 1) if name not in _BUILTINS else None
        return None

    def member(self, module: ModuleIndex, name: str, hops: int = MAX_HOPS) -> Target | None:
        """The attribute `name` of a first-party module: a binding, a re-export, or a submodule."""
        if hops <= 0:
            return None
        if name in module.bindings:
            found = self.name(module, name, hops - 1)
            if found is not None:
                return found
        if module.is_package:
            submodule = self.project.load(module, f"{module.name}.{name}")
            if submodule is not None:
                return submodule
        if module.star_imports and name not in _BUILTINS:
            return self.name(module, name, hops - 1)
        return None

    def path(
        self, module: ModuleIndex, path: str, scope: FunctionInfo | None = None, hops: int = MAX_HOPS
    ) -> Target | None:
        """What a dotted path means where it is written; local imports count, local variables do not."""
        if hops != MAX_HOPS:
            return self._follow(module, path, scope, hops)
        key = ("path", path, scope)
        if key not in module.memo:
            module.memo[key] = self._follow(module, path, scope, hops)
        return cast("Target | None", module.memo[key])

    def _follow(self, module: ModuleIndex, path: str, scope: FunctionInfo | None, hops: int) -> Target | None:
        head, *rest = path.split(".")
        target: Target | None = None
        local = module.local_imports.get(head)
        if local is not None and (scope is None or head not in module.bindings):
            target = self.imported(module, local[0], hops)
        if target is None:
            target = self._in_scope(module, head, scope, hops)
        for part in rest:
            if target is None:
                return None
            target = self._attribute(module, target, part, hops)
        return target

    def _in_scope(self, module: ModuleIndex, head: str, scope: FunctionInfo | None, hops: int) -> Target | None:
        up = scope
        while up is not None:
            for inner in up.nested:
                if inner.name == head:
                    return inner
            if head in up.local_names and head not in module.local_imports:
                return None
            up = up.parent
        return self.name(module, head, hops)

    def outside(self, importer: ModuleIndex, qualname: str) -> ModuleIndex | None:
        """The module of a namespace package that `import package.module` made known under its whole name."""
        key = ("spelled", None)
        names = importer.memo.get(key)
        if names is None:
            names = importer.memo[key] = _dotted_imports(importer)
        return self.project.load(importer, qualname) if qualname in cast("frozenset[str]", names) else None

    def _attribute(self, module: ModuleIndex, target: Target, part: str, hops: int) -> Target | None:
        if isinstance(target, str):
            return self.outside(module, f"{target}.{part}") or canonical(f"{target}.{part}")
        if isinstance(target, ModuleIndex):
            return self.member(target, part, hops)
        if isinstance(target, ClassInfo):
            for cls in self.mro(target):
                if isinstance(cls, ClassInfo):
                    if part in cls.methods:
                        return cls.methods[part]
                    for inner in cls.body.get(part, ()):
                        if isinstance(inner, nodes.ClassDef):
                            found = cls.module.scope_of.get(inner)
                            return found if isinstance(found, ClassInfo) else None
        return None

    def expression(
        self, module: ModuleIndex, node: nodes.NodeNG | None, scope: FunctionInfo | None = None
    ) -> Target | None:
        """What a name or attribute chain in the source denotes, without evaluating anything."""
        path = dotted(node)
        return None if path is None else self.path(module, path, scope)

    def mro(self, cls: ClassInfo) -> list[ClassInfo | str]:
        """The classes an attribute is looked up in, first-party ones as such, external ones by name (depth first, last
        one kept).
        """
        known = self._mros.get(cls)
        if known is None:
            known = self._mros[cls] = self._linear(cls, ())[0]
        return known

    def _linear(self, cls: ClassInfo, below: tuple[ClassInfo, ...]) -> tuple[list[ClassInfo | str], bool]:
        """The order of one class, whose subclasses `below` are asked for already; True where it came back to one of
        them, which then stands alone: such an order is that of the question, not of the class.
        """
        known = self._mros.get(cls)
        if known is not None:
            return known, False
        if cls in below:
            return [cls], True
        order: list[ClassInfo | str] = [cls]
        cyclic = False
        for base in cls.bases:
            node = base.value if isinstance(base, nodes.Subscript) else base
            if isinstance(node, nodes.Call):
                continue
            target = self.expression(cls.module, node, cls.parent)
            if isinstance(target, ClassInfo) and target is not cls:
                inner, again = self._linear(target, (*below, cls))
                cyclic = cyclic or again
            elif isinstance(target, str):
                inner = [target]
            else:
                path = dotted(node)
                inner = [f"?.{path}"] if path else []
            order = [c for c in order if c not in inner or c is cls] + [c for c in inner if c is not cls]
        if not cyclic:
            self._mros[cls] = order
        return order, cyclic

    def lineage(self, cls: ClassInfo) -> list[ClassInfo]:
        """A class and its bases of any distance that stand in the project, nearest first."""
        return [base for base in self.mro(cls) if isinstance(base, ClassInfo)]

    def is_module(self, cls: ClassInfo | str) -> bool:
        """True for a subclass of `torch.nn.Module`, as far as the bases can be seen."""
        for base in [cls] if isinstance(cls, str) else self.mro(cls):
            if isinstance(base, str) and (
                base in MODULE_BASES
                or base.startswith("torch.nn.")
                or base.rsplit(".", 1)[-1] in ("Module", "LightningModule")
            ):
                return True
        return False

    def has_base(self, cls: ClassInfo, *names: str) -> bool:
        """True when a base (of any distance) has one of these last names."""
        for base in self.mro(cls):
            last = base.rsplit(".", 1)[-1] if isinstance(base, str) else base.name
            if last in names:
                return True
        return False

    def method(self, cls: ClassInfo, name: str, after: ClassInfo | None = None) -> FunctionInfo | None:
        """The method `name` that an object of `cls` has; with `after`, the one `super()` finds there."""
        skipping = after is not None
        for base in self._mros.get(cls) or self.mro(cls):
            if skipping:
                skipping = base is not after
            elif type(base) is ClassInfo and name in base.methods:
                return base.methods[name]
        return None


def _dotted_imports(module: ModuleIndex) -> frozenset[str]:
    """The names with a dot that a module imports and that belong neither to torch nor to a package in one file."""
    found: set[str] = set()
    for bindings in (*module.bindings.values(), *module.local_imports.values()):
        for binding in bindings:
            if isinstance(binding.statement, nodes.Import):
                found.update(n for n, alias in binding.statement.names if "." in n and not alias)
    return frozenset(n for n in found if not n.startswith("torch."))
