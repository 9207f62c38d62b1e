"""Decisions on values that flow out of an operator whose result may differ from run to run."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from typing import Final

from astroid import nodes

from flake8_tensorbranch.engine.inference.program import Program
from flake8_tensorbranch.engine.lattice import DATA, MASK, NONDET, TENSOR, UNBACKED, AbstractValue
from flake8_tensorbranch.engine.lookup.origins import Expr, Origins
from flake8_tensorbranch.engine.lookup.slices import backward
from flake8_tensorbranch.engine.regions.trace import noted
from flake8_tensorbranch.engine.reproducibility.switches import Switches
from flake8_tensorbranch.engine.sink import Decides, SinkKind, UnrepeatableSite, ValueSite
from flake8_tensorbranch.knowledge.nondeterministic import (
    ADDING,
    ALIKE,
    COUNTED,
    FLOATS,
    INTEGERS,
    KEEPS,
    REDUCTIONS,
)
from flake8_tensorbranch.syntax.kinds import FRAMES
from flake8_tensorbranch.syntax.names import dotted, last_name

_WORDS: Final = ("index_add", "scatter_add", "scatter_reduce", "index_put", "put_(", ".put(", "bincount", "cumsum")
_SOURCES: Final = ("src", "source", "values")


class Unrepeatable:
    """The nondeterministic operators of a program, asked for one decision at a time."""

    def __init__(self, program: Program) -> None:
        self.program = program
        self.origins = Origins(program)
        self._active: bool | None = None

    @property
    def active(self) -> bool:
        """False where no such operator is named, or determinism is switched on in the module."""
        if self._active is None:
            self._active = self.program.index.mentions(_WORDS) and not (
                self.program.index.mentions(("determinis",)) and Switches(self.origins).deterministic
            )
        return self._active

    def site(self, site: ValueSite) -> UnrepeatableSite | None:
        """The decision as one on such a value; None when it is none."""
        if site.kind not in (SinkKind.BRANCH, SinkKind.LOOP) or not site.deps & DATA or site.decides is Decides.NOTHING:
            return None
        if site.regions or site.guarded or not self.active:
            return None
        for expr in backward(self.origins, Expr(self.program.index, site.function, site.node)):
            for call in self._calls(expr):
                name = self._operator(Expr(expr.module, expr.scope, call))
                if name and ((name.endswith("_") and not _is_size(site.value)) or site.deps & NONDET):
                    way = (noted(expr.module.path, call, f"through `{name}`"),)
                    kind = SinkKind.UNREPEATABLE
                    return UnrepeatableSite(kind, site.node, site.function, site.subject, site.effect, name, False, way)
        return None

    def _calls(self, expr: Expr) -> Iterator[nodes.Call]:
        """The call that an expression is, and the calls that change a named tensor in place."""
        if isinstance(expr.node, nodes.Call):
            yield expr.node
        elif isinstance(expr.node, nodes.Name):
            for call in expr.module.calls_in(expr.scope):
                func = call.func
                if not isinstance(func, nodes.Attribute) or not isinstance(func.expr, nodes.Name):
                    continue
                if func.attrname in ADDING and func.attrname.endswith("_") and func.expr.name == expr.node.name:
                    yield call

    def _operator(self, expr: Expr) -> str:
        """The name of the operator that a call is, where what it adds are no whole numbers; else empty."""
        call = expr.node
        func = call.func
        name = last_name(func)
        if name not in ADDING:  # under another name, or out of a partial
            called = (n.rpartition(".")[2] for n in self.origins.externals(expr) if n.startswith("torch."))
            name = next((n for n in called if n in ADDING), "")
        if not name or not self._meant(call, ADDING[name]):
            return ""
        value = self.origins.value(expr)
        if not value.kinds & TENSOR and not name.endswith("_"):
            return ""
        parts = list(call.args)
        added = parts[-1:]
        if isinstance(func, nodes.Attribute):
            parts.append(func.expr)
            added.append(func.expr)
        weights = _weights(call) if ADDING[name] == "weights" else None
        added = added if weights is None else [weights]
        if any(self._whole(Expr(expr.module, expr.scope, part)) for part in added) or _of_integers(call):
            return ""
        source = next((k.value for k in call.keywords if k.arg in _SOURCES), added[0] if added else None)
        summed, makers = (added, COUNTED) if name == "cumsum" else ([source], ALIKE)
        if any(p is not None and self._made_by(Expr(expr.module, expr.scope, p), makers) for p in summed):
            return ""
        return "" if name == "cumsum" and not any(self._is_float(expr, part) for part in parts) else name

    def _is_float(self, expr: Expr, part: nodes.NodeNG) -> bool:
        """True where something that makes floating point numbers is seen before a whole number is."""
        for found in islice(backward(self.origins, Expr(expr.module, expr.scope, part)), 40):
            node = found.node
            if self._whole(found):
                return False
            if isinstance(node, nodes.BinOp) and node.op == "/":
                return True
            if isinstance(node, nodes.Call):
                func = node.func
                if last_name(func) in FLOATS:
                    return True
        return False

    @staticmethod
    def _meant(call: nodes.Call, condition: str) -> bool:
        keywords = {k.arg: k.value for k in call.keywords}
        if condition == "accumulate":
            given = keywords.get("accumulate") or (call.args[2] if len(call.args) > 2 else None)
            return isinstance(given, nodes.Const) and given.value is True
        if condition == "weights":
            return _weights(call) is not None
        if condition == "reduce":
            given = keywords.get("reduce") or (call.args[3] if len(call.args) > 3 else None)
            return isinstance(given, nodes.Const) and given.value in REDUCTIONS
        return True

    def _made_by(self, expr: Expr, makers: frozenset[str]) -> bool:
        """True where every origin of a tensor is a call of one of `makers`, whatever its dtype and shape become."""
        made = [self._kept(origin) for origin in self.origins.of(expr, calls=False, depth=4)]
        return all(isinstance(o.node, nodes.Call) and last_name(o.node.func) in makers for o in made)

    def _kept(self, expr: Expr, depth: int = 4) -> Expr:
        """What methods that keep the numbers are called on: `mask` in `mask.float().view(-1)`."""
        node = expr.node
        if not depth or not isinstance(node, nodes.Call) or not isinstance(node.func, nodes.Attribute):
            return expr
        if node.func.attrname not in KEEPS or self.origins.value(Expr(expr.module, expr.scope, node.func.expr)).refs:
            return expr
        inner = self.origins.of(Expr(expr.module, expr.scope, node.func.expr), calls=False, depth=4)
        return self._kept(inner[0], depth - 1) if len(inner) == 1 else expr

    def _whole(self, expr: Expr) -> bool:
        """True for whole numbers: a comparison, an integer dtype, `ones_like` of an index; also as floats."""
        found = self.origins.of(expr, calls=False, depth=4)
        for origin in (*found, *(k for o in found if (k := self._kept(o)) is not o)):
            node = origin.node
            if isinstance(node, nodes.Compare) or self.origins.value(origin).deps & MASK:
                return True
            if not isinstance(node, nodes.Call):
                continue
            words = {(dotted(node.func) or getattr(node.func, "attrname", "") or "").rsplit(".", 1)[-1]}
            for given in (*node.args, *(k.value for k in node.keywords)):
                words.add((dotted(given) or "").rsplit(".", 1)[-1])
            if words & INTEGERS or "ones_like" in words:
                return True
        return False


def _is_size(value: AbstractValue) -> bool:
    """True for a number of elements: which ones were selected decides on it, and not what was added up for them."""
    return bool(value.deps & UNBACKED) and not value.deps & DATA


def _of_integers(call: nodes.Call) -> bool:
    """True on the side of a test of `is_floating_point` on which there are whole numbers."""
    child: nodes.NodeNG = call
    up = call.parent
    while up is not None and not isinstance(up, FRAMES):
        if isinstance(up, (nodes.If, nodes.IfExp)) and child is not up.test:
            asked = up.test
            inverted = False
            if isinstance(asked, nodes.UnaryOp) and asked.op == "not":
                asked, inverted = asked.operand, True
            asked = asked.func if isinstance(asked, nodes.Call) else asked
            otherwise = child in up.orelse if isinstance(up, nodes.If) else child is up.orelse
            if last_name(asked) == "is_floating_point" and otherwise is not inverted:
                return True
        child, up = up, up.parent
    return False


def _weights(call: nodes.Call) -> nodes.NodeNG | None:
    """What `torch.bincount(index, weights)` or `index.bincount(weights)` adds up; None where it counts."""
    named: nodes.NodeNG | None = next((k.value for k in call.keywords if k.arg == "weights"), None)
    of_torch = (dotted(call.func) or "").startswith("torch.") or isinstance(call.func, nodes.Name)
    given = call.args[1:2] if of_torch else call.args[:1]
    return named or next(iter(given), None)
