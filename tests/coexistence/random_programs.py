"""Random modules with the undefined name `missing` in many places and suppression comments of F821 around them."""

from __future__ import annotations

import ast
import sys
from random import Random

_PIECES = [
    *("#", " ", "  ", "noqa", "NOQA", ":", ": ", ",", "F821", "F821", "E501", "F401", "x", "ruff", "ruff:", "ruff: "),
    *("# ruff: ", "# noqa: ", "# noqa", "flake8: ", "flake8:", "ignore", "ignore[F821]", "ignore[", "[", "]", "F821]"),
    *("file-ignore[", "disable[", "enable[", "reason", "-", ".", ";", "(", "\t", "=", "F8", "ABC", "f821", "é", "\xa0"),
]
_BEGINNINGS = ["# noqa", "# noqa:", "# ruff: ignore[", "# ruff: noqa", "# flake8: noqa", "#noqa: ", "# x # noqa: "]
_DIRECTIVES = {
    "# noqa": 3,
    "# noqa: F821": 6,
    "# noqa: E501": 1,
    "# ruff: ignore[F821]": 8,
    "# ruff: ignore[E501, F821] x": 2,
    "# ruff: disable[F821]": 14,
    "# ruff: enable[F821]": 12,
    "# ruff: disable[F821, E501]": 3,
    "# ruff: enable[F821, E501]": 3,
    "# ruff: enable[E501, F821]": 1,
    "# ruff: file-ignore[F821]": 0.3,
    "# ruff: noqa: F821": 0.3,
    "# text": 3,
    "# a # ruff: ignore[F821]": 3,
    "# a # ruff: disable[F821]": 1,
    "# ruff: disable[F821] # ruff: ignore[F821]": 1,
}
_SIMPLE = [
    "missing{t}",
    "missing(); y = missing{t}",
    "x = [{t}\n    missing,{t}\n    missing,{t}\n]{t}",
    "x = missing + \\\n    missing + \\\n    missing{t}",
    'x = missing, """text\n  # noqa: F821\nend""", missing{t}',
    'x = missing, f"""text {{missing}}\n  text {{missing}}\nend""", missing{t}',
    'x = missing + "# noqa: F821"',
    'x = missing, "abc \\\ndef", missing{t}',
    'x = (missing, """t\n  t""", missing, \\\n   missing,{t}\n missing){t}',
]
if sys.version_info >= (3, 12):
    _SIMPLE.append('x = missing, f"a {{{t}\n  missing{t}\n}} b {{missing}}", missing{t}')
_HEADERS = ["if missing:{t}", "def f(a=missing,{t}\n      b=missing):{t}", "@missing{t}\nclass A(missing):{t}"]


def comment_programs(seed: int, number: int) -> list[str]:
    """Modules of one statement, with one comment made of pieces behind or above it."""
    random = Random(seed)
    made: list[str] = []
    while len(made) < number:
        comment = random.choice(_BEGINNINGS) if random.random() < 0.6 else "#"
        comment += "".join(random.choice(_PIECES) for _ in range(random.randint(0, 6)))
        made.append(f"missing  {comment}\n" if random.random() < 0.5 else f"{comment}\nmissing\n")
    return made


def block_programs(seed: int, number: int) -> list[str]:
    """Modules of nested blocks, with directives at all ends of lines and between all lines."""
    random = Random(seed)
    made: list[str] = []
    while len(made) < number:
        lines = [*_block(random, "", 0), *_block(random, "", 0)]
        text = "\n".join(lines) + ("\n" if random.random() < 0.9 else "")
        try:
            ast.parse(text)
        except SyntaxError:
            continue
        made.append(text)
    return made


def _directive(random: Random) -> str:
    return random.choices(list(_DIRECTIVES), list(_DIRECTIVES.values()))[0]


def _block(random: Random, indent: str, depth: int) -> list[str]:
    lines: list[str] = []
    for _ in range(random.randint(1, 3)):
        lines += _own_lines(random, indent)
        compound = depth < 3 and random.random() < 0.25
        for row in random.choice(_HEADERS if compound else _SIMPLE).split("\n"):
            while "{t}" in row:
                row = row.replace("{t}", f"  {_directive(random)}" if random.random() < 0.4 else "", 1)
            if random.random() < 0.1 and lines and not row.endswith("\\"):
                lines += _own_lines(random, indent)
            lines.append(indent + row.replace("{{", "{").replace("}}", "}"))
        if compound:
            lines += _block(random, indent + "    ", depth + 1)
    return lines + _own_lines(random, indent)


def _own_lines(random: Random, indent: str) -> list[str]:
    lines = []
    while random.random() < 0.3:
        where = random.choices([indent, indent + "    ", indent[:-4], indent + "  "], [72, 12, 12, 4])[0]
        lines.append(where + _directive(random))
        if random.random() < 0.15:
            lines.append("")
    return lines
