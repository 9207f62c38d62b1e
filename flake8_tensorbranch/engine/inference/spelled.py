"""Attributes of whose names only an end is written where they are read: `getattr(self, f"{side}_mean")`."""

from __future__ import annotations

from typing import Final

from astroid import nodes

from flake8_tensorbranch.engine.inference import attributes
from flake8_tensorbranch.engine.inference.frame import Frame
from flake8_tensorbranch.engine.lattice import BOTTOM, UNKNOWN, AbstractValue, join
from flake8_tensorbranch.engine.refs import Instance
from flake8_tensorbranch.syntax.names import ClassInfo

_MOST: Final = 6  # attributes that one spelling may mean
_SHORTEST: Final = 3  # characters that tell an attribute


def read(frame: Frame, value: AbstractValue, call: nodes.NodeNG | None) -> AbstractValue:
    """What the attributes hold that `getattr(value, <spelling>)` may mean; UNKNOWN where nothing tells."""
    if not isinstance(call, nodes.Call) or len(call.args) < 2:
        return UNKNOWN
    start, end = _ends(call.args[1])
    if len(start) + len(end) < _SHORTEST:
        return UNKNOWN
    names: set[str] = set()
    for ref in value.each:
        if isinstance(ref, Instance) and isinstance(ref.cls, ClassInfo):
            for base in frame.analysis.resolver.mro(ref.cls):
                if isinstance(base, ClassInfo):
                    names.update(n for n in (*base.stores, *base.body) if n.startswith(start) and n.endswith(end))
    if not 0 < len(names) <= _MOST:
        return UNKNOWN
    result = BOTTOM
    for name in sorted(names):
        result = join(result, attributes.read(frame, value, name))
    return result


def _ends(node: nodes.NodeNG) -> tuple[str, str]:
    """How a spelled text begins and ends, as far as it is written there."""
    if isinstance(node, nodes.JoinedStr) and node.values:
        return _text(node.values[0]), _text(node.values[-1])
    if isinstance(node, nodes.BinOp) and node.op == "+":
        return _ends(node.left)[0] or _text(node.left), _text(node.right)
    return "", ""


def _text(node: nodes.NodeNG) -> str:
    return node.value if isinstance(node, nodes.Const) and isinstance(node.value, str) else ""
