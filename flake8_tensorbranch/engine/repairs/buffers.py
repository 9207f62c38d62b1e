"""Numbers that a module keeps, made buffers."""

from __future__ import annotations

from typing import Any

from astroid import nodes

from flake8_tensorbranch.engine.repairs.imports import spelled
from flake8_tensorbranch.engine.repairs.text import Edits, replaced
from flake8_tensorbranch.syntax.names import ClassInfo, ModuleIndex, dotted


def registered(index: ModuleIndex, cls: ClassInfo | None, name: str) -> Edits | None:
    """The edit by which a module's `__init__` registers a buffer in the place of the int attribute it sets.

    Where the attribute is read, a tensor must do: that is for a person. None unless `__init__` sets it once, to a
    literal, and the file has torch at hand.
    """
    init = cls.methods.get("__init__") if cls is not None and cls.module is index else None
    stores = [s for s in init.attribute_stores if s.attrname == name] if init is not None else []
    if init is None or len(stores) != 1:
        return None
    statement: Any = stores[0].parent
    if not isinstance(statement, nodes.Assign) or len(statement.targets) != 1:
        return None
    value = statement.value
    tensor = spelled(index, init, "torch", "tensor")
    if not isinstance(value, nodes.Const) or type(value.value) is not int or tensor is None or tensor[1] is not None:
        return None
    owner = dotted(stores[0].expr)
    return (replaced(statement, f'{owner}.register_buffer("{name}", {tensor[0]}({value.value}))'),)
