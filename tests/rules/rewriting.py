"""Programs made of a rule's core and a way to write it otherwise, and the lines that they must be reported at."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from flake8_tensorbranch.check import check_source
from flake8_tensorbranch.settings import Settings
from flake8_tensorbranch.source import SourceFile

MARK: Final = "#!"
"""Ends a line that is reported; `#@` does in its place where the core stands in another file."""
_FILE: Final = re.compile(r"^# == (.+)$", re.MULTILINE)

DATA_HEAD: Final = """
import contextlib
import functools
import os
import random
from itertools import count
import numpy as np
import torch
import torch.nn.functional as F
import torch.distributed as dist
from torch import Tensor, nn
from torch.utils.data import DataLoader, Dataset
"""
SWITCHES_HEAD: Final = """
import argparse
import contextlib
import functools
import os
import random
import torch
from torch import nn
import torch.backends.cudnn as cudnn
"""
"""The imports that programs begin with: those of models and data, and of switches."""

OVER: Final = """
def _over(t: Tensor, limit: float = 1.0):
    return VALUE
"""


@dataclass(frozen=True)
class Way:
    """How a class comes by the answer `test`: VALUE is the question, asked of `t`; T is the tensor in the method.

    `before` stands at the top of the module, `members` in the class, `init` in its constructor, `stmts` before the
    test; `files` are other files of the program.
    """

    test: str
    before: str = ""
    members: str = ""
    init: str = ""
    stmts: str = ""
    files: str = ""


def filled(text: str, **parts: str) -> str:
    """A text with its placeholders filled: a line that is one takes the lines of its part, at its own indentation."""
    lines: list[str] = []
    for line in text.strip("\n").splitlines():
        indent, word = line[: len(line) - len(line.lstrip())], line.strip()
        if word in parts:
            lines += [indent + inner if inner else "" for inner in parts[word].strip("\n").splitlines()]
        else:
            for name, part in parts.items():
                line = line if "\n" in part else line.replace(name, part)
            lines.append(line)
    return "\n".join(lines) + "\n"


def wrapped(text: str, name: str, form: str) -> str:
    """A text in which `NAME(inner)` is `form` with `inner` for `{}`; of two arguments, the last for `{last}`."""
    while found := re.search(rf"\b{name}\(", text):
        end, depth = found.end(), 1
        while depth:
            depth += (text[end] == "(") - (text[end] == ")")
            end += 1
        inner = text[found.end() : end - 1]
        first, _, last = inner.rpartition(", ") if "{last}" in form else (inner, "", "")
        text = text[: found.start()] + form.replace("{last}", last).replace("{}", first) + text[end:]
    return text


def marked(text: str) -> list[int]:
    """The lines of the main file that must be reported."""
    lines = _FILE.split(text)[0].splitlines()
    mark = "#@" if "#@" in text else MARK
    return [number for number, line in enumerate(lines, 1) if mark in line]


def reported(folder: Path, text: str, code: str, torch: str | None = None) -> list[int]:
    """The lines of the main file at which a code is reported; `# == name.py` begins another file of the program."""
    main, *others = _FILE.split(text)
    for name, content in zip(others[::2], others[1::2], strict=True):
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content, encoding="utf-8")
    path = folder / "main.py"
    path.write_text(main, encoding="utf-8")
    settings = Settings(enable=("TBR",), torch_version=torch)
    return sorted({d.line for d in check_source(SourceFile(str(path), main), settings) if d.code == code})


def alternatives(text: str) -> tuple[str, str]:
    """The two programs that a text with `{{bad||good}}` in it stands for."""
    found = re.compile(r"\{\{(.*?)\|\|(.*?)\}\}", re.DOTALL)
    return found.sub(r"\1", text), found.sub(r"\2", text)
