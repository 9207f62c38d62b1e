"""Random programs of all statements that direct control, made to be run under a tape of outcomes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from hypothesis import strategies as st

# What a program may call. `f` returns a small number or raises, `it` an iterator, `cm` and `suppress` context managers.
CALL = "f()"
ERRORS = ("Boom", "Bang")


class _Writer:
    """Writes one program, one statement a line, drawing every choice from hypothesis."""

    def __init__(self, draw: Callable[[st.SearchStrategy[Any]], Any], star: bool) -> None:
        self.draw = draw
        self.with_star = star
        self.lines: list[str] = []
        self.left = 30  # statements still to write, so that programs stay small

    def pick(self, *choices: str) -> str:
        return str(self.draw(st.sampled_from(choices)))

    def maybe(self) -> bool:
        return bool(self.draw(st.booleans()))

    def write(self, depth: int, line: str) -> None:
        self.lines.append("    " * depth + line)

    def suite(self, depth: int, loop: bool, jumps: bool = True) -> None:
        """A block of one to four statements; in a `loop` it may break, with `jumps` return."""
        for _ in range(self.draw(st.sampled_from([1, 2, 3, 4]))):
            self.statement(depth, loop, jumps)

    def statement(self, depth: int, loop: bool, jumps: bool) -> None:
        self.left -= 1
        plain = ["call", "assign"]
        simple = ["assert", "raise"]
        if jumps:
            simple += ["return", "return_const"]
        if loop:
            simple += ["break", "continue"]
        compound = ["if_", "for_", "while_", "try_", "try_", "with_", "match"]
        if self.with_star:
            compound.append("star")
        # Jumps are rare, or else no program would run far.
        small = depth > 4 or self.left <= 0
        kind = self.pick(*plain, *plain, *plain, *simple) if small else self.pick(*compound, *plain, *plain, *simple)
        if kind == "call":
            self.write(depth, CALL)
        elif kind == "assign":
            self.write(depth, "x = 1")
        elif kind == "assert":
            self.write(depth, f"assert {CALL}")
        elif kind == "raise":
            self.write(depth, f"raise {self.pick(*ERRORS)}")
        elif kind == "return":
            self.write(depth, f"return {CALL}")
        elif kind == "return_const":
            self.write(depth, "return 0")
        elif kind in ("break", "continue"):
            self.write(depth, kind)
        else:
            getattr(self, kind)(depth, loop, jumps)

    def if_(self, depth: int, loop: bool, jumps: bool) -> None:
        self.write(depth, f"if {self.pick(CALL, CALL, CALL, 'True', 'False')}:")
        self.suite(depth + 1, loop, jumps)
        if self.maybe():
            self.write(depth, f"elif {CALL}:")
            self.suite(depth + 1, loop, jumps)
        if self.maybe():
            self.write(depth, "else:")
            self.suite(depth + 1, loop, jumps)

    def loop(self, depth: int, head: str, loop: bool, jumps: bool) -> None:
        self.write(depth, head)
        self.write(depth + 1, CALL)  # where a program that ran out of tape is stopped
        self.suite(depth + 1, True, jumps)
        if self.maybe():
            self.write(depth, "else:")
            self.suite(depth + 1, loop, jumps)

    def for_(self, depth: int, loop: bool, jumps: bool) -> None:
        self.loop(depth, "for i in it():", loop, jumps)

    def while_(self, depth: int, loop: bool, jumps: bool) -> None:
        self.loop(depth, f"while {self.pick(CALL, CALL, 'True', '1', '0')}:", loop, jumps)

    def try_(self, depth: int, loop: bool, jumps: bool) -> None:
        self.write(depth, "try:")
        self.suite(depth + 1, loop, jumps)
        heads = self.draw(st.lists(st.sampled_from(["except Boom:", "except Bang as e:"]), max_size=2, unique=True))
        if self.maybe():
            heads.append("except:")
        for head in heads:
            self.write(depth, head)
            self.suite(depth + 1, loop, jumps)
        if heads and self.maybe():
            self.write(depth, "else:")
            self.suite(depth + 1, loop, jumps)
        if not heads or self.maybe():
            self.write(depth, "finally:")
            self.suite(depth + 1, loop, jumps)
            # CPython raises on from the line of the last statement, which must therefore be a plain one.
            self.write(depth + 1, CALL)

    def star(self, depth: int, loop: bool, jumps: bool) -> None:
        self.write(depth, "try:")
        self.suite(depth + 1, loop, jumps)
        for head in ("except* Boom:", "except* Bang as e:"):
            self.write(depth, head)
            self.suite(depth + 1, False, False)

    def with_(self, depth: int, loop: bool, jumps: bool) -> None:
        self.write(depth, f"with {self.pick('cm()', 'cm() as a, cm()', 'suppress()')}:")
        self.suite(depth + 1, loop, jumps)

    def match(self, depth: int, loop: bool, jumps: bool) -> None:
        self.write(depth, f"match {CALL}:")
        patterns = ("0", "1 | 2", "[a, b]", "int(a)", "2 as a", f"_ if {CALL}", f"1 if {CALL}")
        for pattern in self.draw(st.lists(st.sampled_from(patterns), min_size=1, max_size=3)):
            self.write(depth + 1, f"case {pattern}:")
            self.suite(depth + 2, loop, jumps)
        if self.maybe():
            self.write(depth + 1, f"case {self.pick('_', 'a')}:")
            self.suite(depth + 2, loop, jumps)


@st.composite
def programs(draw: Callable[[st.SearchStrategy[Any]], Any], star: bool = False) -> str:
    """A function `run()` over `f`, `it`, `cm`, `suppress`, `Boom` and `Bang`; every loop calls `f` first.

    Half of the programs stand in a `try` as a whole, so that every exception in them matters to the graph.
    """
    writer = _Writer(draw, star)
    writer.write(0, "def run():")
    if writer.maybe():
        writer.write(1, "try:")
        writer.suite(2, False)
        writer.write(1, "except Boom:")
        writer.write(2, "x = 2")
    else:
        writer.suite(1, False)
    return "\n".join(writer.lines) + "\n"
