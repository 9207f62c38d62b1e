"""Kinds of nodes that open a scope, under the names that the rest asks for."""

from __future__ import annotations

from typing import Final

from astroid import nodes

FUNCTIONS: Final = (nodes.FunctionDef, nodes.Lambda)
"""What runs when it is called; `async def` is a `FunctionDef`."""

NESTED: Final = (*FUNCTIONS, nodes.ClassDef)
"""What a scope may hold that has a scope of its own."""

FRAMES: Final = (*FUNCTIONS, nodes.Module)
"""What statements run in."""

SCOPE_NODES: Final = (*NESTED, nodes.Module)
"""Every scope but comprehensions."""
