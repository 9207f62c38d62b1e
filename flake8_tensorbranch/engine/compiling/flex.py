"""Calls of `flex_attention` that no compiled region reaches."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from astroid import nodes

from flake8_tensorbranch.engine.branching.tracers import Tracers
from flake8_tensorbranch.engine.inference.heirs import with_heirs
from flake8_tensorbranch.engine.inference.program import Program
from flake8_tensorbranch.engine.lookup.origins import Expr, Origins
from flake8_tensorbranch.engine.refs import Partial, Wrapped
from flake8_tensorbranch.engine.regions.region import Entry, Regions
from flake8_tensorbranch.engine.regions.trace import noted
from flake8_tensorbranch.engine.sink import SinkKind, TracedSite
from flake8_tensorbranch.syntax.kinds import FRAMES
from flake8_tensorbranch.syntax.names import FunctionInfo, ModuleIndex
from flake8_tensorbranch.syntax.printing import source_of

_FLEX: Final = "torch.nn.attention.flex_attention.flex_attention"
_TRACED: Final = ("exported", "traced")


def sites(program: Program, regions: Regions) -> Iterator[TracedSite]:
    """The calls that run uncompiled: always, or where a switch leaves the compile call out."""
    if "flex_attention" not in program.index.text:
        return
    finder = _Flex(program, regions)
    for scope in program.index.scopes:
        for node, called in program.facts[scope].externals.items():
            if _FLEX in called and isinstance(node, nodes.Call):
                yield from finder.at(scope, node)


class _Flex:
    """Judges calls of `flex_attention` of one file."""

    def __init__(self, program: Program, regions: Regions) -> None:
        self.program = program
        self.regions = regions
        self.origins = Origins(program)
        self.tracers = Tracers(program.analysis)
        self.wraps = {
            node
            for scope in program.index.scopes
            for node, called in program.facts[scope].externals.items()
            if "torch.compile" in called
        }
        self.entries = [(e, f) for e, f in regions.entries if e.kind == "compiled"]

    def at(self, scope: FunctionInfo | None, node: nodes.Call) -> Iterator[TracedSite]:
        """The site of a call, unless it is compiled or may be: by a call whose target is not in view."""
        if self._is_wrapped(scope, node.func) or self.tracers.guard(self.program.index, scope, node):
            return
        if scope is not None and any(self.regions.of(scope, kind) is not None for kind in _TRACED):
            return
        if any(not functions and self._is_open(entry) for entry, functions in self.entries):
            return
        covering = [e for e, functions in self.entries if scope is not None and scope in self._reached(functions)]
        switches = [self._switch(entry) for entry in covering]
        if covering and not all(switch is not None for switch in switches):
            return
        checkpointed = scope is not None and self.regions.of(scope, "checkpointed") is not None
        where = next((s for s in switches if s is not None), None)
        path = self.program.index.path
        related = () if where is None else (noted(path, where, "compiled only here"),)
        facts: dict[str, object] = {
            "switch": "" if where is None else source_of(where),
            "checkpointed": checkpointed,
        }
        yield TracedSite(SinkKind.FLEX, node, scope, "flex_attention", {}, facts, related)

    def _is_wrapped(self, scope: FunctionInfo | None, node: nodes.NodeNG) -> bool:
        """True for `torch.compile(flex_attention)` under a name."""
        refs = self.program.value(scope, node).refs
        if isinstance(node, nodes.Name):
            # `flex_attention = torch.compile(flex_attention)` after the import.
            for binding in self.program.index.bindings.get(node.name, ()):
                value = getattr(binding.statement, "value", None)
                if value in self.wraps:
                    return True
            if self._is_bound_there(self.program.index, node.name):
                return True
        inner = [i for r in refs for i in (r.function.refs if isinstance(r, Partial) else (r,))]  # any order
        return any(isinstance(r, Wrapped) and r.wrapper == "torch.compile" for r in inner)

    def _is_bound_there(self, module: ModuleIndex, name: str, hops: int = 4) -> bool:
        """True where the file that a name is imported from binds it to a compiled function after its own import."""
        for binding in module.bindings.get(name, ()) if hops else ():
            value = getattr(binding.statement, "value", None)
            if module is not self.program.index and isinstance(value, nodes.Call):
                if self.program.analysis.resolver.expression(module, value.func) == "torch.compile":
                    return True
            origin = binding.imported
            absolute = None if origin is None or origin[1] is None else module.absolute(origin[0], binding.level)
            other = None if absolute is None else self.program.analysis.project.load(module, absolute)
            if other is not None and origin is not None and self._is_bound_there(other, str(origin[1]), hops - 1):
                return True
        return False

    def _is_open(self, entry: Entry) -> bool:
        """True for a compile call whose argument is not in view: it may be what calls flex_attention."""
        node = entry.node
        if not isinstance(node, nodes.Call) or isinstance(node.parent, nodes.Decorators) or not node.args:
            return True
        value = self.program.value(entry.scope, node.args[0])
        return not any(isinstance(r, str) or hasattr(r, "cls") for r in value.refs)

    def _reached(self, functions: list[FunctionInfo]) -> list[FunctionInfo]:
        order = [f for f in functions if f in self.program.facts]
        for current in order:
            for callees in self.program.facts[current].calls.values():
                entered = with_heirs(self.program.analysis, callees)
                order.extend(c for c in entered if c in self.program.facts and c not in order and not _disabled(c))
        return order

    def _switch(self, entry: Entry) -> nodes.NodeNG | None:
        """The test that lets a compile call run and is false by default; None where it runs, or nothing tells.

        A test elsewhere of the same switch that raises keeps uncompiled code out: then it counts as run.
        """
        child, up = entry.node, entry.node.parent if entry.node is not None else None
        while up is not None and not isinstance(up, FRAMES):
            if (
                isinstance(up, (nodes.If, nodes.IfExp))
                and (child is up.body if isinstance(up, nodes.IfExp) else child in up.body)
                and self._is_off(Expr(self.program.index, entry.scope, up.test))
            ):
                return None if self._is_demanded(up.test) else up.test
            child, up = up, up.parent
        return None

    def _is_off(self, test: Expr) -> bool:
        """True when every value in view of a switch is False: defaults and what calls pass."""
        if not isinstance(test.node, (nodes.Name, nodes.Attribute)):
            return False
        found = [o.node.value if isinstance(o.node, nodes.Const) else True for o in self.origins.of(test)]
        return bool(found) and all(value is False for value in found) and not self._is_passed_true(test.node)

    def _is_passed_true(self, node: nodes.NodeNG) -> bool:
        """True when some call of the file gives a keyword of the switch's name anything but False."""
        name = node.attrname if isinstance(node, nodes.Attribute) else getattr(node, "name", "")
        return any(
            keyword.arg == name and not (isinstance(keyword.value, nodes.Const) and keyword.value.value is False)
            for _, call in self.program.index.all_calls()
            for keyword in call.keywords
        )

    def _is_demanded(self, test: nodes.NodeNG) -> bool:
        name = test.attrname if isinstance(test, nodes.Attribute) else getattr(test, "name", "")
        for scope in self.program.index.scopes:
            for node in self.program.index.tests_in(scope):
                if isinstance(node, nodes.If) and any(isinstance(s, nodes.Raise) for s in node.body):
                    read = node.test.nodes_of_class((nodes.Attribute, nodes.Name))
                    if any(getattr(n, "attrname", getattr(n, "name", "")) == name for n in read):
                        return True
        return False


def _disabled(function: FunctionInfo) -> bool:
    """True for what `torch.compiler.disable` keeps out of compiled code."""
    return any(d.endswith(("compiler.disable", "_dynamo.disable")) for d in function.decorator_names)
