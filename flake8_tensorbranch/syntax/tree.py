"""Build astroid trees from one file's text, without astroid's inference, its builtins bootstrap or its module cache."""

from __future__ import annotations

import ast
import gc
import os
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from astroid import nodes
from astroid.manager import AstroidManager

from flake8_tensorbranch.syntax.direct import DirectRebuilder

__all__ = ["TreeError", "build_module", "paused_gc"]


class TreeError(Exception):
    """A file has no tree: it does not parse, or it nests deeper than the interpreter's recursion limit."""

    def __init__(self, path: str, reason: str) -> None:
        super().__init__(f"{path or '<unknown>'}: {reason}")
        self.path = path
        self.reason = reason


@contextmanager
def paused_gc() -> Iterator[None]:
    """Keep the cyclic collector off inside the block; a collector that was already off stays off.

    Building a tree only allocates objects that live on, so every collection in between is wasted work.
    """
    if not gc.isenabled():
        yield
        return
    gc.disable()
    try:
        yield
    finally:
        gc.enable()


class _Rebuilder(DirectRebuilder):
    """astroid's rebuilder, which leaves the `ast` tree as it was and enters `from` imports into locals."""

    def __init__(self) -> None:
        super().__init__(AstroidManager())  # not the text: it serves `position` alone
        self._stripped: list[tuple[Any, list[ast.stmt]]] = []
        self._from_imports: list[tuple[nodes.ImportFrom, frozenset[str]]] = []

    def _get_doc(self, node: Any) -> Any:
        # The base class cuts the docstring out of `node.body`; other checkers read the same tree after us.
        body = node.body
        result = super()._get_doc(node)
        if node.body is not body:
            self._stripped.append((node, body))
        return result

    def _get_position_info(self, node: Any, parent: Any) -> None:
        """No `position` of the keyword and name of definitions: it takes a tokenizer, and nothing here reads it."""

    def visit_importfrom(self, node: ast.ImportFrom, parent: nodes.NodeNG) -> nodes.ImportFrom:
        """Visit `from ... import ...`, remembering which names `global` has moved to the module here."""
        new: nodes.ImportFrom = super().visit_importfrom(node, parent)
        declared = frozenset(self._global_names[-1]) if self._global_names else frozenset()
        self._from_imports.append((new, declared))
        return new

    def restore(self) -> None:
        """Give every docstring back to its `ast` node."""
        while self._stripped:
            node, body = self._stripped.pop()
            node.body = body

    def bind_from_imports(self, module: nodes.Module) -> None:
        """Enter the names of `from` imports into locals, as `AstroidBuilder` does, but import nothing for `*`."""
        for node, declared_global in self._from_imports:
            if node.modname == "__future__":
                module.future_imports.update(name for name, _ in node.names)
            for name, alias in node.names:
                if name == "*":
                    continue
                bound = alias or name
                owner: Any = module if bound in declared_global else node.parent
                owner.set_local(bound, node)
                bindings = owner.scope().locals[bound]
                if len(bindings) > 1:
                    bindings.sort(key=lambda binding: binding.fromlineno or 0)


def build_module(text: str, path: str, tree: ast.Module | None = None, name: str = "") -> nodes.Module:
    """Return the astroid module of `text`, built over `tree` if the caller has parsed it already.

    The result has parents, positions and `locals` (names bound by `from m import *` are not in them); nothing
    outside of `text` is read and `tree` is handed back unchanged. Raises `TreeError` when `text` does not parse
    or nests too deeply.
    """
    with paused_gc():
        try:
            if tree is None:
                tree = ast.parse(text)
            rebuilder = _Rebuilder()
            try:
                package = os.path.basename(path) == "__init__.py"
                module: nodes.Module = rebuilder.visit_module(tree, name, path, package)
            finally:
                rebuilder.restore()
            rebuilder.bind_from_imports(module)
        except SyntaxError as error:
            raise TreeError(path, f"syntax error: {error}") from error
        except ValueError as error:  # text with null bytes, before Python 3.12
            raise TreeError(path, f"not Python text: {error}") from error
        except (RecursionError, MemoryError) as error:
            raise TreeError(path, "nested too deeply") from error
    return module
