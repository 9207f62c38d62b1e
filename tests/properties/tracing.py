"""Run a random program on a tape of outcomes and record which lines it executed, in order."""

from __future__ import annotations

import random
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from types import FrameType, TracebackType
from typing import Any

FILE = "<program>"
RAISE = {4: "Boom", 5: "Bang"}


class Boom(Exception):
    """One error of a program."""


class Bang(Exception):
    """The other."""


class OutOfTape(BaseException):
    """The program has run long enough."""


@dataclass
class Run:
    """The executed lines; `raised`: which of them (by position) an exception left, `end`: how the function ended."""

    lines: list[int] = field(default_factory=list)
    raised: set[int] = field(default_factory=set)
    end: str = "stopped"


class _World:
    """The functions a program calls, each decided by the next number of the tape."""

    def __init__(self, tape: Sequence[int], patience: int = 40) -> None:
        self.tape = iter(tape)
        self.patience = patience
        self.stopped = False

    def next(self) -> int:
        self.patience -= 1
        if self.patience < 0:
            self.stopped = True
            raise OutOfTape
        number = next(self.tape, 0)
        if number in RAISE:
            raise {"Boom": Boom, "Bang": Bang}[RAISE[number]]
        return number

    def f(self) -> Any:
        number = self.next()
        return [1, 2] if number == 3 else number

    def it(self) -> Iterator[int]:
        self.next()

        def elements() -> Iterator[int]:
            while self.next():
                yield 1

        return elements()

    def cm(self, swallow: bool = False) -> Any:
        world = self

        class Manager:
            def __enter__(self) -> None:
                world.next()

            def __exit__(self, kind: type | None, error: BaseException | None, where: TracebackType | None) -> bool:
                if kind is not OutOfTape:
                    world.next()
                return swallow and kind is not None and issubclass(kind, Exception)

        self.next()
        return Manager()

    def suppress(self) -> Any:
        return self.cm(swallow=True)


# Tapes for every program: calm ones go far, wild ones raise often.
TAPES = [
    random.Random(seed).choices([0, 1, 2, 3, 4, 5], weights=[6, 8, 4, 2, wild, wild], k=40)
    for seed, wild in enumerate((0, 0, 1, 1, 2, 2, 4, 4))
]


def execute(text: str, tape: Sequence[int]) -> Run:
    """Run `run()` of `text`. What follows the end of the tape's patience is not recorded."""
    world = _World(tape)
    run = Run()

    def trace(frame: FrameType, event: str, _arg: object) -> Any:
        if frame.f_code.co_filename != FILE or frame.f_code.co_name != "run":
            return None
        if world.stopped:
            return None
        if event == "line":
            run.lines.append(frame.f_lineno)
        elif event == "exception" and run.lines:
            run.raised.add(len(run.lines) - 1)
        return trace

    names = {"f": world.f, "it": world.it, "cm": world.cm, "suppress": world.suppress, "Boom": Boom, "Bang": Bang}
    exec(compile(text, FILE, "exec"), names)
    before = sys.gettrace()
    sys.settrace(trace)
    try:
        names["run"]()  # type: ignore[operator]
        end = "returned"
    except BaseException as error:
        end = "raised"
        if type(error) not in (Boom, Bang, AssertionError, OutOfTape) and type(error).__name__ != "ExceptionGroup":
            raise
    finally:
        sys.settrace(before)
    if not world.stopped:
        run.end = end
    return run
