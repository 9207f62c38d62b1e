"""Functions outside torch that pass on what they are given: the thing itself, its elements, or a changed copy."""

from __future__ import annotations

from typing import Final

PASSED_ON: Final[dict[str, int]] = {
    "copy.copy": 0,
    "copy.deepcopy": 0,
    "typing.cast": 1,
    "contextlib.nullcontext": 0,  # `with nullcontext(x) as y`
    # Loops over these are loops over what they are given (tqdm 4.67, rich 14: both yield the items themselves).
    **dict.fromkeys(
        (
            *(f"tqdm.{place}tqdm" for place in ("", "auto.", "std.", "notebook.", "autonotebook.")),
            "rich.progress.track",
        ),
        0,
    ),
}
"""Functions that give back one of their arguments, by its position."""

CHAINED: Final = frozenset(f"itertools.{name}" for name in ("chain", "product", "islice", "cycle", "repeat"))
"""Functions whose result yields the elements of their arguments."""

KEEPING: Final = {
    "builtins.filter": (0, 1),
    "itertools.filterfalse": (0, 1),
    "itertools.takewhile": (0, 1),
    "itertools.dropwhile": (0, 1),
    "itertools.compress": (None, 0),
}
"""Functions whose result yields those elements of an argument that a function of them, or a flag beside each, lets
through: the positions of that function (None for flags, which come second) and of the elements.
"""

FOLDING: Final = {"functools.reduce": False, "itertools.accumulate": True}
"""Functions that put the elements of an argument together two by two, and whether every step of that is given."""

REPLACING: Final = frozenset({"dataclasses.replace", "copy.replace", "attr.evolve", "attrs.evolve"})
"""Functions that give a copy of a record, the fields they are given by name replaced."""

COMPARING_OPERATORS: Final = {
    "lt": "<",
    "le": "<=",
    "eq": "==",
    "ne": "!=",
    "gt": ">",
    "ge": ">=",
    "is_": "is",
    "is_not": "is not",
}
BINARY_OPERATORS: Final = {
    "add": "+",
    "sub": "-",
    "mul": "*",
    "truediv": "/",
    "floordiv": "//",
    "mod": "%",
    "pow": "**",
    "matmul": "@",
    "and_": "&",
    "or_": "|",
    "xor": "^",
    "lshift": "<<",
    "rshift": ">>",
}
UNARY_OPERATORS: Final = {"neg": "-", "pos": "+", "inv": "~", "invert": "~", "not_": "not"}
"""The operators that functions of the module `operator` stand for (docs.python.org/3/library/operator.html)."""
