"""The variable that cuBLAS reads its workspace from: missing, set to what is not deterministic, or set too late."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final

from astroid import nodes

from flake8_tensorbranch.engine.lookup.origins import Expr, line
from flake8_tensorbranch.engine.lookup.slices import backward
from flake8_tensorbranch.engine.refs import Instance
from flake8_tensorbranch.engine.reproducibility.apart import off_again
from flake8_tensorbranch.engine.reproducibility.elsewhere import elsewhere
from flake8_tensorbranch.engine.reproducibility.switches import Setting, Switches
from flake8_tensorbranch.knowledge.reproducibility import (
    ALGORITHMS,
    CUBLAS,
    CUBLAS_LAYERS,
    CUBLAS_VALUES,
    DEBUG_MODE,
    MULTIPLYING,
)
from flake8_tensorbranch.syntax.kinds import FRAMES
from flake8_tensorbranch.syntax.names import FunctionInfo, dotted, last_name

_DEPTH: Final = 3


@dataclass(frozen=True, slots=True)
class Missed:
    """Where the variable does not count: a switch without it, or what sets it, with the work before that (`late`) or
    the value that torch does not take.
    """

    node: nodes.NodeNG
    scope: FunctionInfo | None
    late: nodes.NodeNG | None = None
    value: str = ""


class Workspace:
    """What one module does with the variable."""

    def __init__(self, switches: Switches) -> None:
        self.switches = switches
        self.origins = switches.origins
        self.program = switches.origins.program
        self.index = switches.index

    def missed(self) -> Iterator[Missed]:
        """The places where it does not count though deterministic mode is on."""
        asked = [
            s
            for s in self.switches.settings
            if s.name in (ALGORITHMS, DEBUG_MODE) and s.on and not off_again(self.switches, s)
        ]
        others = elsewhere(self.switches)
        for setting in others.settings if not asked and self.index.mentions(("cuda",)) else ():
            if setting.name in (ALGORITHMS, DEBUG_MODE) and setting.on:
                if not others.mentions(setting.node, setting.scope, (CUBLAS,)):
                    asked.append(setting)
        if not asked:
            return
        mentions = [c for c in self.index.tree.nodes_of_class(nodes.Const) if c.value == CUBLAS]
        named = [k for k in self.index.tree.nodes_of_class(nodes.Keyword) if k.arg == CUBLAS]
        if not mentions and not named:
            if self.index.mentions(("cuda",)):
                for setting in asked:
                    yield Missed(setting.node, setting.scope)
            return
        writes = [(mention, _written(mention)) for mention in (*mentions, *named)]
        outs = [m for m in mentions if _takes_out(m)]
        removed = self._removed(outs, [m for m, v in writes if v is not None], asked) if outs else None
        if removed is not None and self.index.mentions(("cuda",)):
            yield Missed(*removed)
            return
        for mention, value in writes:
            write = mention.statement()
            if isinstance(write, (nodes.If, nodes.Return, nodes.Assert)) or _takes_out(mention) or _reads(mention):
                continue
            scope = self.program.owner(mention)
            literals = [] if value is None else self.switches.literals(scope, value)
            if literals and not any(literal in CUBLAS_VALUES for literal in literals):
                yield Missed(write, scope, value=str(literals[0]))
                continue
            worked = self._work_before(scope, write, _DEPTH)
            if worked is not None:
                yield Missed(write, scope, worked)

    def _removed(
        self, outs: Sequence[nodes.NodeNG], writes: Sequence[nodes.NodeNG], asked: list[Setting]
    ) -> tuple[nodes.NodeNG, FunctionInfo | None] | None:
        """The statement of the module, or of a function that goes on to switch the mode on, which takes the variable
        out after the last write, before any work on CUDA.
        """
        for out in outs:
            statement, scope = out.statement(), self.program.owner(out)
            within = isinstance(statement.parent, nodes.FunctionDef) and any(
                s.scope is scope and line(s.node) > line(statement) for s in asked
            )
            if not within and not isinstance(statement.parent, nodes.Module):
                continue
            places = (statement.parent, self.index.tree)
            if any(w.statement().parent not in places or line(w) > line(statement) for w in writes):
                continue
            if self._work_before(scope, statement, 1) is None:
                return statement, scope
        return None

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
        return any(
            self._multiplies(scope, node) and self._comes_from_cuda(Expr(self.index, scope, node))
            for node in statement.nodes_of_class((nodes.Call, nodes.BinOp), skip_klass=FRAMES)
        )

    def _multiplies(self, scope: FunctionInfo | None, node: Any) -> bool:
        if isinstance(node, nodes.BinOp):
            return bool(node.op == "@")
        if last_name(node.func) in MULTIPLYING:
            return True
        if any(c.name == "forward" or _multiplies(c) for c in self.program.callees(scope, node)):
            return True
        called = self.origins.value(Expr(self.index, scope, node.func)).each
        return any(isinstance(ref, Instance) and ref.cls in CUBLAS_LAYERS for ref in called)

    def _comes_from_cuda(self, expr: Expr) -> bool:
        """True where something that a result is computed from is put on a CUDA device."""
        for found in backward(self.origins, expr, calls=False):
            if isinstance(found.node, nodes.Call):
                name = last_name(found.node.func)
                parts = [*found.node.args, *(k.value for k in found.node.keywords)]
                if name == "cuda" or (name != "device" and any(self._is_cuda(found.scope, part) for part in parts)):
                    return True
        return False

    def _is_cuda(self, scope: FunctionInfo | None, node: nodes.NodeNG) -> bool:
        for origin in self.origins.of(Expr(self.index, scope, node)):
            found = origin.node
            if isinstance(found, nodes.Call) and (dotted(found.func) or "").endswith("device") and found.args:
                found = found.args[0]
            if isinstance(found, nodes.Const) and isinstance(found.value, str) and found.value.startswith("cuda"):
                return True
        return False


def _written(mention: Any) -> nodes.NodeNG | None:
    """What the environment is given under the variable's name; None where the name is used otherwise."""
    up: Any = mention.parent
    value: Any = None
    if isinstance(mention, nodes.Keyword):
        value = mention.value
    elif isinstance(up, nodes.Subscript) and isinstance(up.parent, nodes.Assign) and up in up.parent.targets:
        value = up.parent.value
    elif isinstance(up, nodes.Call) and last_name(up.func) in ("setdefault", "putenv") and len(up.args) == 2:
        value = up.args[1]
    elif isinstance(up, nodes.Dict):
        value = next((v for k, v in up.items if k is mention), None)
    return value  # type: ignore[no-any-return]


def _takes_out(mention: nodes.NodeNG) -> bool:
    """True for `del os.environ["..."]`, `os.environ.pop("...")` and `os.unsetenv("...")`."""
    up = mention.parent
    if isinstance(up, nodes.Subscript):
        return isinstance(up.parent, nodes.Delete)
    return isinstance(up, nodes.Call) and mention in up.args[:1] and last_name(up.func) in ("pop", "unsetenv")


def _reads(mention: nodes.NodeNG) -> bool:
    """True for `os.environ["..."]` or `os.environ.get("...")` that is looked at, and `"..." in os.environ`."""
    up = mention.parent
    if isinstance(up, nodes.Subscript):
        return not isinstance(up.parent, (nodes.Assign, nodes.AugAssign)) or up is up.parent.value
    if isinstance(up, nodes.Call):
        return mention in up.args[:1] and last_name(up.func) in ("get", "getenv")
    return isinstance(up, nodes.Compare)


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
    names = {last_name(c.func) for c in function.calls}
    return bool(names & MULTIPLYING) or any(b.op == "@" for b in function.node.nodes_of_class(nodes.BinOp))
