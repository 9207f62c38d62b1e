"""Branches on a tensor's value without the branch: the capped update done always, or both ways and `torch.where`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from astroid import nodes

from flake8_tensorbranch.engine.lattice import HOST, TENSOR, UNKNOWN, AbstractValue
from flake8_tensorbranch.engine.repairs.imports import spelled
from flake8_tensorbranch.engine.repairs.text import Edits, Text, end, quoted, replacing, speaks_to_tools, start
from flake8_tensorbranch.knowledge.tensors import CLAMPS, FINITE_SLOPE, REDUCES_TO_ONE, STEEP
from flake8_tensorbranch.syntax.binding import once
from flake8_tensorbranch.syntax.names import FunctionInfo, ModuleIndex, dotted
from flake8_tensorbranch.syntax.printing import source_of

Values = Mapping[nodes.NodeNG, AbstractValue]


class Branch:
    """One `if` or conditional expression that a tensor's value decides."""

    def __init__(self, index: ModuleIndex, scope: FunctionInfo, values: Values, node: nodes.If | nodes.IfExp) -> None:
        self.index = index
        self.scope = scope
        self.values = values
        self.node = node
        self.text = Text.of(index)

    def repairs(self) -> dict[str, Edits]:
        """`always` does what the branch holds in any case, which changes nothing where it was not taken; `where` picks
        between both ways, `traps` does so too but lets an infinite slope of the way not taken reach the gradient.
        """
        if quoted(self.node) or (isinstance(self.node, nodes.If) and not self._plain(self.node)):
            return {}
        if isinstance(self.node, nodes.If):
            capped = self._capped(self.node)
            if capped is not None:
                return {"always": capped}
        return self._where()

    def _plain(self, node: nodes.If) -> bool:
        """Whether the statement is an `if` of its own, not an `elif`, and alone on its lines."""
        before, after = self.text.before(start(node)), self.text.after(end(node)).strip()
        return self.text.source(node).startswith("if") and not before.strip() and (not after or after[0] == "#")

    # The cap

    def _capped(self, node: nodes.If) -> Edits | None:
        """`if scale < 1: x = x * scale`, where `scale` is 1 at most, or is made so."""
        found = _multiplied(node)
        test = node.test
        if found is None or node.orelse:
            return None
        statement, factor = found
        whole = False
        if isinstance(test, nodes.Call) and isinstance(test.func, nodes.Attribute) and test.func.attrname == "any":
            test, whole = (test.func.expr, True) if not test.args and not test.keywords else (test, False)
        if not (isinstance(test, nodes.Compare) and len(test.ops) == 1 and test.ops[0][0] in ("<", "<=")):
            return None
        if source_of(test.left) != source_of(factor) or not _is_one(test.ops[0][1]):
            return None
        if not self._is_tensor(test.left):
            return None
        name = self.text.source(factor)
        said = self.text.source(statement)
        if not self._at_most_one(factor):
            if whole:
                return None  # rows above 1 are multiplied too once another row is below
            first, last = _within(statement, factor, said, self.text)
            said = f"{said[:first]}{name}.clamp(max=1){said[last:]}"
        return self._instead(node, [node], said)

    def _at_most_one(self, factor: nodes.NodeNG) -> bool:
        """Whether the one statement that binds the factor clamps it."""
        value = once(self.scope.local_names, factor.name) if isinstance(factor, nodes.Name) else None
        if not isinstance(value, nodes.Call) or (dotted(value.func) or _attribute(value)).split(".")[-1] not in CLAMPS:
            return False
        return any(k.arg == "max" and _is_one(k.value) for k in value.keywords)

    # Both ways

    def _where(self) -> dict[str, Edits]:
        ways = self._ways()
        if ways is None or not self._is_single(self.node.test):
            return {}
        head, taken, other, replaced = ways
        first, second = self._shaped(taken), self._shaped(other)
        if first is None or second is None or first[0] != second[0]:
            return {}
        name = spelled(self.index, self.scope, "torch", "where")
        if name is None or name[1] is not None or "\n" in "".join(map(self.text.source, (taken, other))):
            return {}
        test, one, two = (self.text.source(n) for n in (self.node.test, taken, other))
        edits = self._instead(self.node, replaced, f"{head}{name[0]}({test}, {one}, {two})")
        return {} if edits is None else {"where" if first[1] and second[1] else "traps": edits}

    def _ways(self) -> tuple[str, nodes.NodeNG, nodes.NodeNG, list[nodes.NodeNG]] | None:
        """What stands before the value, the two values, and the nodes that hold them."""
        node: Any = self.node
        if isinstance(node, nodes.IfExp):
            return "", node.body, node.orelse, [node]
        if len(node.body) != 1 or len(node.orelse) > 1:
            return None
        taken, other = node.body[0], node.orelse[0] if node.orelse else None
        if isinstance(taken, nodes.Return):
            other = other or node.next_sibling()
            if isinstance(other, nodes.Return) and taken.value is not None and other.value is not None:
                return "return ", taken.value, other.value, [node, other] if not node.orelse else [node]
            return None
        name = _assigned(taken)
        if not name or (other is not None and _assigned(other) != name):
            return None
        kept = taken.targets[0] if other is None else other.value
        return f"{name} = ", taken.value, kept, [node]

    def _is_single(self, test: nodes.NodeNG) -> bool:
        """Whether a test is a bool tensor of no dimension: one whole reduction, compared with a number or another."""
        if isinstance(test, nodes.Call):
            return _reduction(test) in ("any", "all") and self._is_tensor(test)
        if not isinstance(test, nodes.Compare) or len(test.ops) != 1 or test.ops[0][0] not in ("<", "<=", ">", ">="):
            return False
        sides = (test.left, test.ops[0][1])
        tensors = [isinstance(s, nodes.Call) and bool(_reduction(s)) and self._is_tensor(s) for s in sides]
        numbers = [self._is_number(s) for s in sides]
        return any(tensors) and all(t or n for t, n in zip(tensors, numbers, strict=True))

    def _is_tensor(self, node: nodes.NodeNG) -> bool:
        return self.values.get(node, UNKNOWN).must(TENSOR)

    def _is_number(self, node: nodes.NodeNG) -> bool:
        if isinstance(node, nodes.UnaryOp):
            return self._is_number(node.operand)
        return isinstance(node, nodes.Const) or self.values.get(node, UNKNOWN).must(HOST)

    def _shaped(self, node: nodes.NodeNG) -> tuple[str, bool] | None:
        """The name whose shape an expression has, and whether its slope is finite; None where that is not sure."""
        if isinstance(node, nodes.AssignName):
            return node.name, True
        if isinstance(node, nodes.Name):
            return (node.name, True) if self._is_tensor(node) else None
        if isinstance(node, nodes.UnaryOp) and node.op == "-":
            return self._shaped(node.operand)
        if isinstance(node, nodes.BinOp) and node.op in ("+", "-", "*", "/"):
            return self._combined(node)
        if not isinstance(node, nodes.Call) or not isinstance(node.func, nodes.Attribute):
            return None
        name = node.func.attrname
        method = (dotted(node.func.expr) or "") not in ("torch", "F", "torch.nn.functional")
        inner, rest = (node.func.expr, node.args) if method else (node.args[0] if node.args else None, node.args[1:])
        if inner is None or not all(self._is_number(a) for a in (*rest, *(k.value for k in node.keywords))):
            return None
        found = self._shaped(inner)
        if found is None or name not in (FINITE_SLOPE | STEEP):
            return None
        return found[0], found[1] and name in FINITE_SLOPE

    def _combined(self, node: nodes.BinOp) -> tuple[str, bool] | None:
        left, right = node.left, node.right
        if self._is_number(right):
            return self._shaped(left)
        if self._is_number(left):
            found = self._shaped(right)
            return None if found is None else (found[0], found[1] and node.op != "/")
        if isinstance(right, nodes.Call) and _reduction(right):
            found = self._shaped(left)
            return None if found is None else (found[0], found[1] and node.op in ("+", "-"))
        first, second = self._shaped(left), self._shaped(right)
        if first is None or second is None or first[0] != second[0]:
            return None
        return first[0], first[1] and second[1] and node.op != "/"

    # The edit

    def _instead(self, node: nodes.NodeNG, replaced: list[nodes.NodeNG], said: str) -> Edits | None:
        """The edit that writes `said` for nodes that follow each other; comments between come before it.

        None where a comment stands within an expression.
        """
        begin, stop = start(replaced[0]), end(replaced[-1])
        source = self.text.between(begin, stop)
        indent = self.text.before(begin)
        if isinstance(node, nodes.IfExp):
            return (replacing(begin, stop, said),) if "#" not in source and "\n" not in source else None
        if "\n" in said or source.count("'''") or source.count('"""') or indent.strip():
            return None
        comments = []
        for line in source.split("\n"):
            code, mark, comment = line.partition("#")
            if mark and ("'" in code or '"' in code or "'" in comment or '"' in comment):
                return None  # perhaps in a string
            if mark and speaks_to_tools(comment):
                return None
            if mark:
                comments.append(f"#{comment.rstrip()}")
        return (replacing(begin, stop, f"\n{indent}".join([*comments, said])),)


def _multiplied(node: nodes.If) -> tuple[nodes.NodeNG, nodes.NodeNG] | None:
    """The one statement that multiplies a name by a factor, and the factor."""
    statement: Any = node.body[0] if len(node.body) == 1 else None
    if isinstance(statement, nodes.AugAssign) and isinstance(statement.target, nodes.AssignName):
        factor = statement.value if statement.op == "*=" else None
    elif _assigned(statement) and isinstance(statement.value, nodes.BinOp) and statement.value.op == "*":
        sides = (statement.value.left, statement.value.right)
        names = [getattr(side, "name", "") for side in sides]
        factor = sides[1 - names.index(_assigned(statement))] if _assigned(statement) in names else None
    else:
        return None
    return (statement, factor) if isinstance(factor, (nodes.Name, nodes.Attribute)) else None


def _assigned(statement: Any) -> str:
    """The one name that a statement assigns; empty for any other statement."""
    if isinstance(statement, nodes.Assign) and len(statement.targets) == 1:
        target = statement.targets[0]
        return str(target.name) if isinstance(target, nodes.AssignName) else ""
    return ""


def _attribute(call: nodes.Call) -> str:
    return str(call.func.attrname) if isinstance(call.func, nodes.Attribute) else ""


def _reduction(call: nodes.Call) -> str:
    """The name of a reduction to a single element; empty for any other call."""
    name = _attribute(call)
    if name not in REDUCES_TO_ONE or call.keywords or not isinstance(call.func, nodes.Attribute):
        return ""
    wanted = 1 if dotted(call.func.expr) == "torch" else 0
    return name if len(call.args) == wanted else ""


def _is_one(node: nodes.NodeNG) -> bool:
    return isinstance(node, nodes.Const) and not isinstance(node.value, bool) and node.value == 1


def _within(statement: nodes.NodeNG, part: nodes.NodeNG, said: str, text: Text) -> tuple[int, int]:
    """Where a part of a statement stands in its text."""
    first = len(text.between(start(statement), start(part)))
    return first, first + len(text.source(part))


__all__ = ["Branch"]
