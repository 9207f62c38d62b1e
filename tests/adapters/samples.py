"""Files that hosts and editors really hand over, each with what flake8 or the plugin must say of it."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

BRANCH = """\
import torch


def scale(x: torch.Tensor) -> torch.Tensor:
    if x.sum() > 0:
        x = x * 2
    return x
"""
BRANCH_PLACE = "5:8: TBR101 "
NOT_PYTHON = r"\d+:\d+: E9\d\d "
WIDE = """\
import torch


def scale(x: torch.Tensor) -> torch.Tensor:
    é = "ü"; y = x * 2 if x.sum() > 0 else x
    return y
"""
WIDE_PLACE = "5:27: TBR101 "
RAISE = """\
import torch


def checked(x: torch.Tensor) -> torch.Tensor:
    if x.sum() > 0:
        raise ValueError("positive")
    return x
"""


class Sample(NamedTuple):
    """A file's bytes, and patterns for the lines (after the path) that flake8 prints for it with `--select=TBR,E9`."""

    name: str
    data: bytes
    expected: tuple[str, ...] = ()


def _nested_blocks(depth: int) -> str:
    head = "import torch\n\n\ndef f(x: torch.Tensor, flag: bool) -> torch.Tensor:\n"
    blocks = "".join(" " * (4 + level) + "if flag:\n" for level in range(depth))
    return head + blocks + " " * (4 + depth) + "x = x * 2\n    return x\n"


def _long(lines: int) -> str:
    function = "\n\ndef f{0}(x: torch.Tensor) -> torch.Tensor:\n    y = x * {0}\n    return y + 1\n\n\nA{0} = {0}\n"
    return BRANCH + "".join(function.format(number) for number in range(lines // 8))


SAMPLES = (
    Sample("branch.py", BRANCH.encode(), (BRANCH_PLACE,)),
    Sample("crlf.py", BRANCH.replace("\n", "\r\n").encode(), (BRANCH_PLACE,)),
    Sample("cr.py", BRANCH.replace("\n", "\r").encode(), (BRANCH_PLACE,)),
    Sample("bom.py", b"\xef\xbb\xbf" + BRANCH.encode(), (BRANCH_PLACE,)),
    Sample("no_newline.py", BRANCH.encode().rstrip(), (BRANCH_PLACE,)),
    Sample("form_feed.py", BRANCH.replace("\n\n\n", "\n\x0c\n\n").encode(), (BRANCH_PLACE,)),
    Sample("wide.py", WIDE.encode(), (WIDE_PLACE,)),
    Sample("latin1.py", b"# coding: latin-1\n" + WIDE.encode("latin-1"), ("6:27: TBR101 ",)),
    Sample("silenced.py", BRANCH.replace("> 0:", "> 0:  # noqa: TBR101").encode()),
    Sample("other_noqa.py", BRANCH.replace("> 0:", "> 0:  # noqa: E501").encode(), (BRANCH_PLACE,)),
    Sample("empty.py", b""),
    Sample("only_newline.py", b"\n"),
    Sample("no_torch.py", b"if x.sum() > 0:\n    x = 1\n"),
    Sample("long.py", _long(20_000).encode(), (BRANCH_PLACE,)),
    Sample("nested_brackets.py", b"import torch\nx = " + b"[" * 180 + b"]" * 180 + b"\n"),
    Sample("nested_blocks.py", _nested_blocks(95).encode()),
    Sample("syntax_error.py", b"import torch\nx = (\n", (NOT_PYTHON,)),
    Sample("nul.py", b"import torch\nx = 1\x00\n", (NOT_PYTHON,)),
    Sample("too_many_brackets.py", b"import torch\nx = " + b"(" * 500 + b"1" + b")" * 500 + b"\n", (NOT_PYTHON,)),
    Sample("too_many_blocks.py", _nested_blocks(500).encode(), (NOT_PYTHON,)),
    Sample("unknown_coding.py", b"# coding: no-such, read as latin-1\n" + BRANCH.encode(), ("6:8: TBR101 ",)),
    Sample("undecodable.py", BRANCH.encode() + b"\xff = 1  # read as latin-1\n", (BRANCH_PLACE,)),
)


def written(folder: Path, samples: Iterable[Sample]) -> Path:
    """The folder, with the samples in it as files."""
    for sample in samples:
        folder.joinpath(sample.name).write_bytes(sample.data)
    return folder
