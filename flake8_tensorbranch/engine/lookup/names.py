"""Whose variable a name is: which function, or the module, binds it."""

from __future__ import annotations

from flake8_tensorbranch.syntax.names import FunctionInfo


def is_own(function: FunctionInfo, name: str) -> bool:
    """True for a local, of which `nonlocal` and `global` say nothing."""
    return name in function.local_names and name not in function.declared_global | function.declared_nonlocal


def owner(function: FunctionInfo | None, name: str) -> FunctionInfo | None:
    """The function whose local a name is; None for a module's."""
    up = function
    while up is not None and not is_own(up, name):
        up = up.parent
    return up
