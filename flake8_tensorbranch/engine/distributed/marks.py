"""Marks: what can make a value differ between ranks, as sets that a call's arguments are put into.

A mark is a level and a source. Levels: DATA, the value is a tensor or was made from one; READ, it was read from a
tensor on the host; STEERED, it is assigned, returned or changed on one side only of a test that differs. The source is
a parameter of the function, or nothing for a source outside of it. No mark at all: the same on every rank. `AGREED`
says that a collective made it so; where ways meet it wins: a collective is left out where there is one process only.
"""

from __future__ import annotations

from typing import Final

Taint = frozenset[str]
State = dict[str, Taint]

DATA: Final = 0
READ: Final = 1
STEERED: Final = 2

CLEAN: Final[Taint] = frozenset()
AGREED: Final[Taint] = frozenset({"~"})
OUTSIDE: Final[Taint] = frozenset({"0"})
STEERING: Final[Taint] = frozenset({"2"})


def parameter(name: str) -> Taint:
    """The taint of a parameter's value."""
    return frozenset({f"0{name}"})


def presence(path: str) -> str:
    """The key under which a state keeps the taint of whether a variable is None."""
    return f"{path}?"


def level(mark: str) -> int:
    """The level of a mark."""
    return int(mark[0])


def raised(taint: Taint, to: int) -> Taint:
    """A taint whose marks are at least of a level."""
    return frozenset(m if m == "~" or level(m) >= to else f"{to}{m[1:]}" for m in taint)


def hidden(taint: Taint) -> Taint:
    """What is left of a taint behind something that is not seen: a source, of which no more is known."""
    return frozenset(m if m == "~" else f"{DATA}{m[1:]}" for m in taint)


def combined(*taints: Taint) -> Taint:
    """The taint of what is computed from several values: agreed only if nothing in it differs."""
    found = frozenset().union(*taints)
    return found - AGREED if len(found) > 1 else found


def read(taint: Taint) -> Taint:
    """The taint of a variable when it is read: agreed on one of the ways to it is agreed."""
    return AGREED if "~" in taint else taint


def steered(taint: Taint) -> Taint:
    """What is left of a taint where only its presence is asked (`x is None`, `len(list)`), not its value."""
    return frozenset(m for m in taint if m != "~" and level(m) == STEERED)


def substituted(taint: Taint, arguments: State, missing: Taint = CLEAN) -> Taint:
    """A function's taint with its parameters replaced by what a call gives them."""
    if "~" in taint:
        return AGREED
    parts = [
        frozenset({m}) if len(m) == 1 else raised(arguments.get(m[1:], missing), level(m))
        for m in taint  # any order
    ]
    return combined(*parts) if parts else CLEAN
