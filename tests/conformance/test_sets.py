"""No set decides an order: what is read from one in turn is sorted, or does not care, and then says so.

The order of a set follows hashes, and so addresses and the seed of this process. mypy tells which expressions are sets:
in a copy of the sources, each that is read in turn is wrapped in `reveal_type`.
"""

from __future__ import annotations

import ast
import re
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

api = pytest.importorskip("mypy.api")

PACKAGE = Path(__file__).parent.parent.parent / "flake8_tensorbranch"
PARTS = (
    *("engine", "syntax", "rules"),
    *("check.py", "cousins.py", "decisions.py", "importers.py", "project.py", "reach.py"),
)
SAID = "# any order"  # what a line says that reads a set in turn and does not care
CARELESS = {"any", "all", "set", "frozenset", "sum", "isdisjoint", "issubset", "issuperset", "len", "Counter"}
SORTING = {"sorted", "min", "max"}  # order-free without a key, which may tie
READING = {"list", "tuple", "iter", "next", "enumerate", "zip", "map", "filter", "extend", "fromkeys", "deque", "join"}
SET = re.compile(r"(?:builtins\.|typing\.)?(?:set|frozenset|AbstractSet)\[(?!(?:builtins\.)?(?:int|bool)\])")


def read_in_turn(tree: ast.AST) -> Iterator[ast.expr]:
    """The expressions that something is read from in turn where the order may matter."""
    free: set[int] = set()
    found: list[ast.expr] = []
    for node in ast.walk(tree):
        if isinstance(node, ast.SetComp):
            free.update(id(c.iter) for c in node.generators)
        elif isinstance(node, ast.Set):
            free.update(id(e.value) for e in node.elts if isinstance(e, ast.Starred))
        elif isinstance(node, ast.Call):
            name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
            given = [a.value if isinstance(a, ast.Starred) else a for a in node.args]
            if name in CARELESS or (name in SORTING and not node.keywords):
                free.update(id(a) for a in given)
                inner = [a for a in given if isinstance(a, (ast.GeneratorExp, ast.ListComp))]
                free.update(id(c.iter) for a in inner for c in a.generators)
            elif name in READING | SORTING:
                found += given
    for node in ast.walk(tree):
        if isinstance(node, (ast.For, ast.comprehension)):
            found.append(node.iter)
        elif isinstance(node, ast.YieldFrom) or (isinstance(node, ast.Starred) and isinstance(node.ctx, ast.Load)):
            found.append(node.value)
    return (e for e in dict.fromkeys(found) if id(e) not in free and not isinstance(e, (ast.GeneratorExp, ast.Lambda)))


def wrapped(text: str) -> str:
    """The source with `reveal_type` around these expressions."""
    lines = [line.encode() for line in text.splitlines(keepends=True)]
    marks: list[tuple[int, int, int, bytes]] = []
    for expr in read_in_turn(ast.parse(text)):
        assert expr.end_lineno is not None
        assert expr.end_col_offset is not None
        if SAID not in lines[expr.lineno - 1].decode() and SAID not in lines[expr.end_lineno - 1].decode():
            size = (expr.end_lineno - expr.lineno) * 1000 + expr.end_col_offset - expr.col_offset
            marks.append((expr.lineno, expr.col_offset, -size, b"reveal_type("))
            marks.append((expr.end_lineno, expr.end_col_offset, -(10**9) + size, b")"))
    for line, column, _, mark in sorted(marks, reverse=True):
        whole = lines[line - 1]
        lines[line - 1] = whole[:column] + mark + whole[column:]
    return b"".join(lines).decode()


def revealed(folder: Path) -> list[str]:
    """The lines of a package that read a set in turn, with its type."""
    options = ["--python-version=3.12", "--ignore-missing-imports", "--hide-error-context", "--no-error-summary"]
    limit = sys.getrecursionlimit()  # mypy raises it for good
    try:
        out, err, _ = api.run([*options, f"--cache-dir={folder / 'cache'}", str(folder / PACKAGE.name)])
    finally:
        sys.setrecursionlimit(limit)
    assert not err
    notes = re.findall(r'^(.*?):(\d+): note: Revealed type is "(.*)"$', out, re.MULTILINE)
    assert len(notes) > 20, out[-2000:]
    return [
        f"{Path(path).relative_to(folder)}:{line}: {kind}"
        for path, line, kind in dict.fromkeys(notes)
        if any(SET.match(part) for part in kind.split(" | "))
    ]


def copied(folder: Path) -> Path:
    shutil.copytree(PACKAGE, folder / PACKAGE.name, ignore=shutil.ignore_patterns("__pycache__"))
    for path in (folder / PACKAGE.name).rglob("*.py"):
        if path.relative_to(folder / PACKAGE.name).parts[0] in PARTS:
            path.write_text(wrapped(path.read_text(encoding="utf-8")), encoding="utf-8")
    return folder


def test_no_set_decides_an_order(tmp_path: Path) -> None:
    found = revealed(copied(tmp_path))
    assert not found, f"sort them, read `each` instead of `refs`, or say `{SAID}`: {found}"


def test_a_set_that_decides_an_order_is_found(tmp_path: Path) -> None:
    code = """\
names = {"a", "b"}
for name in names:
    print(name)
for name in names:  # any order
    print(name)
for name in sorted(names):
    print(name)
print([n for n in names], all(n for n in names), {n for n in names}, next(iter(names)), [*names])
print(sorted(names, key=len), max(names), [i for i in {1, 2}], *("x" for _ in range(20)))
"""
    folder = tmp_path / PACKAGE.name
    folder.mkdir()
    (folder / "__init__.py").write_text(wrapped(code) + "".join("reveal_type(1)\n" for _ in range(20)))
    assert [found.split(":")[1] for found in revealed(tmp_path)] == ["2", "8", "9"]
