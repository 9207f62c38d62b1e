"""What a call gives to a parameter is the same whoever asks first, for wrappers around methods and functions alike."""

from __future__ import annotations

import pytest
from astroid import nodes

from flake8_tensorbranch.engine.inference.program import Program
from flake8_tensorbranch.engine.inference.summary import Analysis
from flake8_tensorbranch.engine.lookup.origins import Expr, Origins
from flake8_tensorbranch.project import Project

TEXT = """\
def deco(fn):
    def inner(first, second):
        return fn(first, second)
    return inner

class Net:
    @deco
    def part(self, x):
        return x

    def run(self, given):
        return self.part(given)

@deco
def free(a, b):
    return a

def call(one, two):
    return free(one, two)
"""


@pytest.mark.parametrize("asked_before", [False, True])
def test_what_a_call_gives_to_a_wrapper_around_both(asked_before: bool) -> None:
    analysis = Analysis(Project())
    index = analysis.project.index("module_under_test.py", TEXT, None)
    program = Program(analysis, index)
    program.solve()
    origins = Origins(program)
    named = {f.qualname.rsplit(".", 1)[-1]: f for f in index.functions}
    inner = named["inner"]
    sites = {name: Expr(index, named[name], named[name].calls[0]) for name in ("run", "call")}
    if asked_before:
        origins.sites(inner)
    given = {(n, p): origins.argument(site, inner, p) for n, site in sites.items() for p in ("first", "second")}
    names = {key: e.node.name if e is not None and isinstance(e.node, nodes.Name) else None for key, e in given.items()}
    assert names == {
        ("run", "first"): None,
        ("run", "second"): "given",
        ("call", "first"): "one",
        ("call", "second"): "two",
    }
