"""Suppression comments in all spellings and places, with what flake8 and ruff make of them.

`@` stands for a code. Where it is F821, ruff finds it in the sample; where it is TBR101, we do, in the same line.
"""

from __future__ import annotations

from typing import NamedTuple


class Comment(NamedTuple):
    """A comment at the end of the reported line, and whether flake8 and ruff take it to suppress the code."""

    text: str
    flake8: bool
    ruff: bool


COMMENTS = [
    Comment("# noqa", True, True),
    Comment("# NOQA", True, True),
    Comment("# NoQA", True, True),
    Comment("# noqa: @", True, True),
    Comment("# noqa:@", True, True),
    Comment("# noqa: E501, @", True, True),
    Comment("# noqa: E501,@", True, True),
    Comment("# noqa: E501 @", True, True),
    Comment("# noqa: @,", True, True),
    Comment("# noqa: @ reason", True, True),
    Comment("# noqa: @ - reason", True, True),
    Comment("# noqa: @ (reason)", True, True),
    Comment("# noqa: @ # second", True, True),
    Comment("#noqa: @", False, True),
    Comment("#  noqa: @", False, True),
    Comment("#\tnoqa: @", False, True),
    Comment("# noqa : @", True, True),
    Comment("# noqa:  @", True, True),
    Comment("# noqa: ,@", True, True),
    Comment("# noqa:E501@", False, True),
    Comment("# noqa: @: reason", True, False),
    Comment("# noqa: @.", True, False),
    Comment("# noqa: @abc", True, False),
    Comment("# noqa @", True, True),
    Comment("# noqa: (@)", True, False),
    Comment("# noqa=@", True, False),
    Comment("# noqa[@]", True, False),
    Comment("# noqa; @", True, False),
    Comment("# noqa-@", True, False),
    Comment("# noqa@", True, False),
    Comment("# noqa:", True, False),
    Comment("# noqa: all", True, False),
    Comment("# noqa: TBR", True, False),
    Comment("# noqa: some-name", True, False),
    Comment("# noqa: f821", False, False),
    Comment("# noqa: tbr101", False, False),
    Comment("# noqa: E501 # noqa: @", False, False),
    Comment("# text # noqa: @", True, True),
    Comment("# type: ignore # noqa: @", True, True),
    Comment("# ruff: ignore[@]", True, True),
    Comment("# ruff: ignore[E501, @]", True, True),
    Comment("# ruff: ignore[@,]", True, True),
    Comment("# ruff: ignore [@]", True, True),
    Comment("#ruff:ignore[@] why", True, True),
    Comment("# text # ruff: ignore[@]", True, True),
    Comment("# ruff: noqa", False, False),
    Comment("# ruff: noqa: @", False, False),
    Comment("# flake8: noqa", False, False),
    Comment("# flake8: noqa: @", False, False),
    Comment("# ruff: file-ignore[@]", False, False),
    Comment("# ruff: disable[@]", False, False),
]
MALFORMED = [
    Comment("# ruff: ignore[E501 @]", False, False),
    Comment("# ruff: ignore[]", False, False),
    Comment("# ruff: ignore", False, False),
    Comment("# ruff: ignore[@", False, False),
    Comment("# ruff: ignore @]", False, False),
    Comment("# ruff: ignore[,@]", False, False),
    Comment("# RUFF: IGNORE[@]", False, False),
    Comment("# RUFF: ignore[@]", False, False),
    Comment("# ruff: Ignore[@]", False, False),
    Comment("# ruff ignore[@]", False, False),
    Comment("# ruff: ignores[@]", False, False),
    Comment("# ruff: tbr[@]", False, False),
    Comment("# ruff: File-Ignore[@]", False, False),
]
# On a line of its own, at the top of the file.
OWN_LINE = [
    Comment("# noqa: @", False, False),
    Comment("# ruff: noqa", True, True),
    Comment("# ruff: NOQA", True, True),
    Comment("#ruff:noqa", True, True),
    Comment("# ruff : noqa", True, True),
    Comment("# Ruff: noqa", False, False),
    Comment("# text # ruff: noqa", True, True),
    Comment("    # ruff: noqa: @", True, True),
    Comment("# ruff: noqa: @", True, True),
    Comment("# ruff: noqa: E501, @ why", True, True),
    Comment("# ruff: noqa: some-name", False, False),
    Comment("# flake8: noqa", True, True),
    Comment("    # flake8: noqa", True, True),
    Comment("# flake8: noqa: @", True, True),
    Comment("# flake8=noqa", True, False),
    Comment("# FLAKE8: NOQA", True, False),
    Comment('"""\n# flake8: noqa\n"""', True, False),
    Comment("#flake8: noqa", False, True),
    Comment("# ruff: file-ignore[@]", True, True),
    Comment("    # ruff: file-ignore[@]", False, False),
    Comment("# text # ruff: file-ignore[@]", False, False),
    Comment("# ruff: disable[@]", True, True),
    Comment("# ruff: disable[@]\n# ruff: enable[@]", False, False),
    Comment("# ruff: disable[@]\n# ruff: enable[@, E501]", True, True),
    Comment("# ruff: enable[@]", False, False),
]
LINE = "import torch\n\n\ndef f(x: torch.Tensor) -> torch.Tensor:\n    return x if x.sum() > missing else x * 2  {}\n"


class Place(NamedTuple):
    """Statements of a function, with a comment somewhere, and whether it reaches the decision in them.

    `new_flake8` is for flake8 under Python 3.12 and newer, where it differs.
    """

    text: str
    flake8: bool
    ruff: bool
    new_flake8: bool | None = None


DECIDED = "x if x.sum() > missing else x * 2"
PLACES = {
    "brackets, the reported line": Place(f"x = torch.relu(\n    {DECIDED},  # noqa: @\n)", True, True),
    "brackets, the closing one": Place(f"x = torch.relu(\n    {DECIDED},\n)  # noqa: @", False, False),
    "brackets, the first line": Place(f"x = torch.relu(  # noqa: @\n    {DECIDED},\n)", False, False),
    "backslash, the last line": Place(f"x = \\\n    {DECIDED} + \\\n    x  # noqa: @", True, True),
    "string, behind its end": Place(f'x, s = {DECIDED}, """\ntext\n"""  # noqa: @', True, True),
    "string, inside of it": Place(f'x, s = {DECIDED}, """\n# noqa: @\n"""', True, False),
    "string, behind its end, ignore": Place(f'x, s = {DECIDED}, """\ntext\n"""  # ruff: ignore[@]', True, True),
    "escaped line break in a string": Place(f"x, s = {DECIDED}, 'a\\\nb'  # noqa: @", True, False),
    "f-string with a line break in braces": Place(
        f'x, s = {DECIDED}, f"""{{\n    x.ndim}}\n"""  # noqa: @', True, True, new_flake8=False
    ),
    "one-line string": Place(f"x, s = {DECIDED}, '# noqa: @'", True, False),
    "own line above, noqa": Place(f"# noqa: @\nx = {DECIDED}", False, False),
    "own line above": Place(f"# ruff: ignore[@]\nx = {DECIDED}", True, True),
    "own line above, blank line and comment between": Place(f"# ruff: ignore[@]\n\n# text\nx = {DECIDED}", True, True),
    "own line above, two statements before": Place(f"# ruff: ignore[@]\nx = x + 1\nx = {DECIDED}", False, False),
    "own line above a statement of many lines": Place(
        f"# ruff: ignore[@]\nx = torch.relu(\n    torch.relu(\n        {DECIDED}\n    )\n)", True, True
    ),
    "own line above an if: its header": Place(
        f"# ruff: ignore[@]\nif ({DECIDED}) is not x:\n    x = x + 1", True, True
    ),
    "own line above an if: not its body": Place(f"# ruff: ignore[@]\nif x.ndim:\n    x = {DECIDED}", False, False),
    "own line in brackets": Place(f"x = torch.relu(\n    # ruff: ignore[@]\n    {DECIDED}\n)", True, True),
    "own line in brackets, a line before": Place(
        f"x = torch.add(\n    # ruff: ignore[@]\n    x,\n    {DECIDED}\n)", False, False
    ),
    "ignore at the end, next line": Place(f"x = x + 1  # ruff: ignore[@]\nx = {DECIDED}", False, False),
    "ignore at the end of a bracket": Place(f"x = torch.relu(  # ruff: ignore[@]\n    {DECIDED}\n)", False, False),
    "range": Place(f"# ruff: disable[@]\nx = {DECIDED}\n# ruff: enable[@]", True, True),
    "range, before it": Place(f"x = {DECIDED}\n# ruff: disable[@]\nx = x + 1\n# ruff: enable[@]", False, False),
    "range, behind it": Place(f"# ruff: disable[@]\nx = x + 1\n# ruff: enable[@]\nx = {DECIDED}", False, False),
    "range, other order": Place(
        f"# ruff: disable[@, E501]\nx = x + 1\n# ruff: enable[E501, @]\nx = {DECIDED}", True, True
    ),
    "range, other indentation": Place(
        f"# ruff: disable[@]\nif x.ndim:\n    x = x + 1\n    # ruff: enable[@]\nx = {DECIDED}", True, True
    ),
    "range to the end of its block": Place(f"if x.ndim:\n    # ruff: disable[@]\n    x = {DECIDED}", True, True),
    "range to the end of its block, behind it": Place(
        f"if x.ndim:\n    # ruff: disable[@]\n    x = x + 1\nx = {DECIDED}", False, False
    ),
    "range that begins at the end of a line": Place(f"x = x + 1  # ruff: disable[@]\nx = {DECIDED}", False, False),
}


def placed(text: str) -> str:
    """A module whose function has these statements."""
    rows = [row and f"    {row}" for row in text.split("\n")]
    # What stands inside of strings keeps its column, which matters to nobody.
    return "import torch\n\n\ndef f(x: torch.Tensor) -> torch.Tensor:\n" + "\n".join(rows) + "\n    return x\n"
