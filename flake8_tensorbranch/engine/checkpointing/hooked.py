"""Hooks that make inputs or outputs of modules require grad."""

from __future__ import annotations

from astroid import nodes

from flake8_tensorbranch.engine.lookup.origins import Expr, Origins
from flake8_tensorbranch.engine.refs import Instance
from flake8_tensorbranch.knowledge.modules import FORWARD_HOOKS
from flake8_tensorbranch.syntax.names import ClassInfo, dotted
from flake8_tensorbranch.syntax.printing import source_of


class Hooked:
    """The hooks of one program that mention `requires_grad`.

    `anywhere`: one is set on something unknown, or by the libraries' switch `enable_input_require_grads`.
    `inputs` are classes whose inputs a hook changes.
    """

    def __init__(self, origins: Origins) -> None:
        self.origins = origins
        self.anywhere = False
        self.inputs: set[ClassInfo] = set()
        self._attributes: set[tuple[ClassInfo, str]] = set()
        self._names: set[tuple[object, str]] = set()
        index = origins.program.index
        for function, call in index.all_calls():
            func = call.func
            name = str(dotted(func) or getattr(func, "attrname", "")).rsplit(".", 1)[-1]
            if name == "enable_input_require_grads":
                self.anywhere = True
            elif (
                name in FORWARD_HOOKS
                and isinstance(func, nodes.Attribute)
                and call.args
                and self._relevant(Expr(index, function, call.args[0]))
            ):
                self._file(Expr(index, function, func.expr), name == "register_forward_pre_hook")

    def _relevant(self, hook: Expr) -> bool:
        texts = [hook.node, *(f.node for f, _ in self.origins.functions(hook))]
        return any("requires_grad" in source_of(node) for node in texts)

    def _file(self, subject: Expr, before: bool) -> None:
        classes = [
            r.cls for r in self.origins.value(subject).each if isinstance(r, Instance) and isinstance(r.cls, ClassInfo)
        ]
        self.inputs.update(classes if before else ())
        node = subject.node
        if isinstance(node, nodes.Name):
            self._names.add((subject.scope, node.name))
            self.anywhere = self.anywhere or not classes
            return
        owners: list[ClassInfo] = []
        if isinstance(node, nodes.Attribute):
            refs = self.origins.value(Expr(subject.module, subject.scope, node.expr)).each
            owners = [r.cls for r in refs if isinstance(r, Instance) and isinstance(r.cls, ClassInfo)]
            self._attributes.update((cls, node.attrname) for cls in owners)
        self.anywhere = self.anywhere or not owners

    def output(self, module: Expr) -> bool:
        """True when a hook changes what a module gives, or what it is given."""
        node = module.node
        if isinstance(node, nodes.Attribute):
            for ref in self.origins.value(Expr(module.module, module.scope, node.expr)).each:
                if isinstance(ref, Instance) and (ref.cls, node.attrname) in self._attributes:
                    return True
        return isinstance(node, nodes.Name) and (module.scope, node.name) in self._names
