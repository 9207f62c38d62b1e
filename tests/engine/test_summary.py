"""Queries are pure: no answer depends on what was asked before, in which order, or with how much fuel."""

from __future__ import annotations

import itertools
import random
from pathlib import Path
from typing import Any

import pytest

from flake8_tensorbranch.engine.inference.program import Program
from flake8_tensorbranch.engine.inference.summary import FUEL, Analysis
from flake8_tensorbranch.engine.lattice import BOTTOM, TENSOR_VALUE, UNKNOWN, AbstractValue, leq
from flake8_tensorbranch.engine.words import describe
from flake8_tensorbranch.project import Project
from flake8_tensorbranch.syntax.names import FunctionInfo, ModuleIndex
from tests.engine.sections import MAIN, Section, read_page

PAGES = sorted(Path(__file__).parent.glob("*.md"))
SECTIONS = [section for page in PAGES for section in read_page(page) if set(section.files) == {MAIN}]
ORDERS = 3

TANGLE = """\
import torch
from torch import Tensor, nn

def even(x, n):
    return x if n == 0 else odd(x * 2, n - 1)

def odd(x, n):
    if x.sum() > 0:
        return even(x, n - 1)
    return LIMIT.item()

def twice(f, x):
    return f(f(x))

class A(nn.Module):
    def __init__(self, other=None):
        super().__init__()
        self.other = other or B()
        self.scale = nn.Parameter(torch.ones(1))
        self.count = 0

    @property
    def norm(self):
        return self.other.norm if self.count else self.scale.norm()

    def forward(self, x):
        self.count += 1
        self.last = self.other(x)
        return twice(lambda t: even(t, self.count), self.last)

class B(A):
    def __init__(self):
        super().__init__(A())

    def forward(self, x: Tensor):
        return super().forward(x) if self.norm > 1 else odd(x, x.shape[0])

LIMIT = A()(torch.ones(3))
DONE = bool(LIMIT.any())
"""

CHAIN = """\
import torch

def f0(x): return f1(x)
def f1(x): return f2(x)
def f2(x): return f3(x)
def f3(x): return f4(x) + g(x)
def f4(x): return x.item()
def g(x): return f4(x) * 2
"""

CYCLE = """\
import torch

def f0(x): return x.sum() if x.any() else f1(x)
def f1(x): return f2(x)
def f2(x): return f0(x * 2)
"""


def load(text: str) -> tuple[Analysis, ModuleIndex]:
    analysis = Analysis(Project())
    return analysis, analysis.project.index("asked.py", text)


def told(value: AbstractValue) -> tuple[Any, ...]:
    """The value in terms that two projects share."""
    items = None if value.items is None else tuple((key, told(inner)) for key, inner in value.items)
    elem = None if value.elem is None else told(value.elem)
    return describe(value), value.kinds, value.deps, repr(value.const), sorted(map(str, value.refs)), elem, items


def facts_in_order(text: str, seed: int | None) -> dict[Any, Any]:
    """The facts of all scopes, asked for in a random order (None: the file's), other questions in between."""
    analysis, index = load(text)
    scopes: list[FunctionInfo | None] = [None, *index.functions]
    if seed is not None:
        chance = random.Random(seed)
        chance.shuffle(scopes)
        for function in chance.sample(index.functions, k=len(index.functions) // 2):
            ask(analysis, function, chance)
    found = {}
    for scope in scopes:
        facts = analysis.facts_of(index, scope)
        found[place(scope)] = {
            (type(node).__name__, node.lineno, node.col_offset, node.end_col_offset): told(value)
            for node, value in facts.values.items()
        }
    return found


def place(scope: FunctionInfo | None) -> tuple[Any, ...]:
    return () if scope is None else (scope.qualname, scope.node.lineno, scope.node.col_offset)


def ask(analysis: Analysis, function: FunctionInfo, chance: random.Random) -> None:
    question = chance.randrange(4)
    if question == 0:
        analysis.returned(function, {p.name: TENSOR_VALUE for p in function.params if p.name != "self"})
    elif question == 1:
        analysis.locals_of(function)
    elif question == 2:
        analysis.stores(function)
    elif function.cls is not None:
        analysis.attribute(function.cls, "scale", analysis.instance_of(function.cls))


def assert_same_in_any_order(text: str, orders: int) -> None:
    plain = facts_in_order(text, None)
    assert any(plain.values())
    for seed in range(orders):
        assert facts_in_order(text, seed) == plain, f"seed {seed}"


@pytest.mark.parametrize("section", SECTIONS, ids=lambda section: section.name)
def test_facts_do_not_depend_on_the_order_of_questions(section: Section) -> None:
    assert_same_in_any_order(section.files[MAIN], ORDERS)


@pytest.mark.parametrize("text", [TANGLE, CHAIN, CYCLE], ids=["tangle", "chain", "cycle"])
def test_tangled_facts_do_not_depend_on_the_order_of_questions(text: str) -> None:
    assert_same_in_any_order(text, 12)


def test_solving_wanted_scopes_alone_gives_their_facts() -> None:
    analysis, index = load(CHAIN)
    whole = Program(analysis, index)
    whole.solve()
    for name in ("f0", "f3", "f4"):
        fresh, again = load(CHAIN)
        wanted = next(f for f in again.functions if f.name == name)
        part = Program(fresh, again)
        part.solve({wanted})
        full = next(f for f in index.functions if f.name == name)
        assert [told(v) for v in part.facts[wanted].values.values()] == [
            told(v) for v in whole.facts[full].values.values()
        ]


def returned(analysis: Analysis, index: ModuleIndex, name: str, fuel: int) -> AbstractValue:
    function = next(f for f in index.functions if f.name == name)
    analysis.fuel = fuel
    try:
        return analysis.returned(function, {"x": TENSOR_VALUE})
    finally:
        analysis.fuel = FUEL


@pytest.mark.parametrize("text", [CHAIN, CYCLE], ids=["chain", "cycle"])
def test_answers_do_not_depend_on_earlier_fuel(text: str) -> None:
    names = [f.name for f in load(text)[1].functions]
    questions = [(name, fuel) for name in names for fuel in range(FUEL + 3)]
    fresh = {(name, fuel): told(returned(*load(text), name, fuel)) for name, fuel in questions}
    for seed in range(8):
        shuffled = list(questions)
        random.Random(seed).shuffle(shuffled)
        analysis, index = load(text)
        for name, fuel in shuffled:
            assert told(returned(analysis, index, name, fuel)) == fresh[name, fuel], f"{name} with {fuel}, seed {seed}"


def test_fuel_counts_nested_queries() -> None:
    answers = [returned(*load(CHAIN), "f0", fuel) for fuel in range(FUEL + 4)]
    assert answers[0] == UNKNOWN, "nothing is known of what was not looked at"
    enough = next(fuel for fuel, answer in enumerate(answers) if describe(answer) == "host[data]")
    assert enough >= 5, "five calls deep"
    assert {describe(answer) for answer in answers[enough:]} == {"host[data]"}
    assert all("host" not in describe(answer) for answer in answers[: enough - 1])


def test_without_fuel_a_recursive_call_adds_nothing() -> None:
    text = "def down(x, n):\n    return x if n == 0 else down(x * 2, n - 1)\n"
    assert [returned(*load(text), "down", fuel) for fuel in (0, FUEL)] == [BOTTOM, TENSOR_VALUE]


def is_cut(memo: dict[Any, Any]) -> bool:
    """True when some answer in the table holds for one amount of fuel only."""
    return any(isinstance(key, tuple) and len(key) == 2 and isinstance(key[0], tuple) for key in memo)


@pytest.mark.parametrize("name", ["f0", "f1", "f2", "g"])
def test_an_exact_answer_serves_every_larger_amount(name: str) -> None:
    for fuel in range(1, 20):
        analysis, index = load(CHAIN)
        value = returned(analysis, index, name, fuel)
        if is_cut(index.memo):
            continue
        assert fuel > 1, "every one of them calls others"
        known = set(index.memo)
        assert returned(analysis, index, name, 20) == value
        assert set(index.memo) == known, "asked again with more fuel, nothing is computed"
        assert told(returned(*load(CHAIN), name, 20)) == told(value)
        return
    pytest.fail("a chain has an end")


def test_more_fuel_never_takes_back_what_a_tensor_decides() -> None:
    for name in ("f0", "f1", "f2"):
        answers = [returned(*load(CYCLE), name, fuel) for fuel in range(FUEL + 3)]
        for less, more in itertools.pairwise(answers):
            assert not less.known or less.kinds & ~more.kinds == 0 or leq(less, more)


def test_the_classes_above_one_in_a_cycle_do_not_depend_on_who_asks_first() -> None:
    heads = ("A(C, X)", "B(A, Y)", "C(B, Z)", "D(B)", "X", "Y", "Z")
    text = "".join(f"class {head}: ...\n" for head in heads)
    orders = []
    for asked in itertools.permutations(range(4)):
        analysis = Analysis(Project())
        classes = analysis.project.index("cycle.py", text, None).classes
        for position in asked:
            analysis.resolver.mro(classes[position])
        orders.append([[str(getattr(b, "name", b)) for b in analysis.resolver.mro(c)] for c in classes])
    assert all(order == orders[0] for order in orders)
    assert [sorted(order) for order in orders[0]][:3] == [["A", "B", "C", "X", "Y", "Z"]] * 3
