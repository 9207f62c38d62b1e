"""What the engine relies on in astroid's trees, for every astroid 4."""

from __future__ import annotations

import ast
import gc
import subprocess
import sys
import textwrap

import pytest
from astroid import nodes

from flake8_tensorbranch.syntax import direct
from flake8_tensorbranch.syntax.tree import TreeError, build_module, paused_gc

SOURCE = '''\
"""Module."""
from __future__ import annotations
import torch.nn as nn
from torch import Tensor, zeros as z
from os.path import *

count = 0

class Model(nn.Module):
    """Class."""

    def forward(self, x: Tensor) -> Tensor:
        """Method."""
        global count
        if x.sum() > 0:
            from torch import ones
            y = x
        from torch import count
        return y

async def run():
    """Only a docstring."""
'''


def test_parents_positions_and_locals() -> None:
    module = build_module(SOURCE, "pkg/model.py", name="pkg.model")
    assert (module.name, module.file, module.package) == ("pkg.model", "pkg/model.py", False)
    model = module.body[5]
    forward = model.body[0]
    assert isinstance(model, nodes.ClassDef)
    assert isinstance(forward, nodes.FunctionDef)
    assert (model.lineno, model.col_offset, model.end_lineno) == (9, 0, 19)
    branch = forward.body[1]
    assert isinstance(branch, nodes.If)
    assert (branch.lineno, branch.test.col_offset, branch.test.end_col_offset) == (15, 11, 22)
    assert branch.parent is forward
    assert forward.parent is model
    assert branch.test.scope() is forward
    assert branch.test.root() is module
    assert forward.doc_node is not None
    assert list(module.locals).count("Model") == 1
    assert {"nn", "Tensor", "z", "Model", "run", "annotations", "count"} <= set(module.locals)
    assert set(forward.locals) == {"self", "x", "y", "ones"}
    assert module.locals["Tensor"] == [module.body[2]]
    assert forward.locals["ones"] == [branch.body[0]]
    assert module.future_imports == {"annotations"}


def test_global_from_import_binds_in_the_module() -> None:
    module = build_module("def f():\n    global a\n    from m import a, b as c\nfrom m import a", "x.py")
    function, outer = module.body
    inner = function.body[1]
    assert module.locals["a"] == [inner, outer]
    assert set(function.locals) == {"c"}


def test_the_ast_tree_is_handed_back_unchanged() -> None:
    tree = ast.parse(SOURCE)
    before = ast.dump(tree, include_attributes=True)
    build_module(SOURCE, "model.py", tree)
    assert ast.dump(tree, include_attributes=True) == before


def test_the_ast_tree_is_unchanged_after_a_failure() -> None:
    tree = ast.parse(f'def f():\n    """Doc."""\n    return {"-" * 80}x')
    deep = tree.body[0].body[1]
    for _ in range(3_000):
        deep.value = ast.copy_location(ast.UnaryOp(ast.USub(), deep.value), deep)
    with pytest.raises(TreeError, match=r"^deep\.py: nested too deeply$") as raised:
        build_module("", "deep.py", tree)
    assert isinstance(raised.value.__cause__, RecursionError)
    assert isinstance(tree.body[0].body[0], ast.Expr)


@pytest.mark.parametrize(
    ("text", "reason"), [("x = (", "syntax error"), ("x = 1\0", "null bytes"), ("(" * 300, "too many nested")]
)
def test_text_without_a_tree(text: str, reason: str) -> None:
    with pytest.raises(TreeError, match=reason) as raised:
        build_module(text, "bad.py")
    assert raised.value.path == "bad.py"


@pytest.mark.parametrize(("path", "package"), [("a/__init__.py", True), ("__init__.py", True), ("a/init.py", False)])
def test_package(path: str, package: bool) -> None:
    assert build_module("", path).package is package


def test_odd_line_ends_and_no_text_still_build() -> None:
    assert build_module("def f():\r    '''a\r    b'''\r\x0cclass C: pass\r", "x.py").locals.keys() == {"f", "C"}
    assert build_module("", "x.py", ast.parse("def f(): pass")).body[0].position is None


def test_building_loads_no_module_and_bootstraps_nothing() -> None:
    script = """
        import sys
        from astroid.manager import AstroidManager
        from flake8_tensorbranch.syntax.cfg import build_cfg
        from flake8_tensorbranch.syntax.tree import build_module
        before = set(sys.modules), set(AstroidManager().astroid_cache)
        text = sys.stdin.read()
        for node in build_module(text, "model.py").nodes_of_class(object):
            pass
        build_cfg(build_module(text, "model.py"))
        assert (set(sys.modules), set(AstroidManager().astroid_cache)) == before, set(sys.modules) - before[0]
        assert "torch" not in sys.modules
    """
    run = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(script)], input=SOURCE, capture_output=True, text=True, check=False
    )
    assert run.returncode == 0, run.stderr


def test_gc_is_paused_and_comes_back() -> None:
    def fail() -> None:
        with paused_gc():
            assert not gc.isenabled()
            raise KeyError

    assert gc.isenabled()
    with pytest.raises(KeyError):
        fail()
    assert gc.isenabled()
    gc.disable()
    try:
        with paused_gc():
            pass
        assert not gc.isenabled()
    finally:
        gc.enable()


EVERY_FORM = (
    SOURCE
    + """\

def forms(a, /, b: int = 3, *rest, key="x", **named):
    global count
    del a, named["x"], rest.y
    (b, *c), d.e, f[0] = g(1, *rest, h=..., **named)
    b += lambda q=1: q
    i: int = (j := b"k")
    for k in [l for l in m if l]:
        pass
    match i:
        case {"x": Point(0, y=None), **others} | [1, *_] as whole if whole:
            count = f"{i!r:>{b}}"
"""
)


def listed(module: nodes.Module) -> list[object]:
    """Every node with all its fields: nodes in them by class and place."""
    found: list[object] = []
    stack: list[nodes.NodeNG] = [module]
    while stack:
        node = stack.pop()
        found.append((type(node), short(vars(node))))
        stack.extend(node.get_children())
    return found


def short(value: object) -> object:
    if isinstance(value, nodes.NodeNG):
        return type(value), value.lineno, value.col_offset
    if isinstance(value, dict):
        return {key: short(inner) for key, inner in value.items()}
    return [short(v) for v in value] if isinstance(value, (list, tuple)) else value


def test_nodes_made_directly_are_those_astroid_makes(monkeypatch: pytest.MonkeyPatch) -> None:
    assert direct._AS_KNOWN
    made = listed(build_module(EVERY_FORM, "x.py"))
    monkeypatch.setattr(direct, "_AS_KNOWN", False)
    usual = listed(build_module(EVERY_FORM, "x.py"))
    assert made == usual
