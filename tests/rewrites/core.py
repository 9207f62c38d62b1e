"""Cores and ways: what is wrong in a checkpointed region, the ways that lead into one, and the programs these make."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from textwrap import indent

HERE = Path(__file__).parent
HEAD = """
import contextlib
import functools
import itertools
import os
import random
import time
from dataclasses import dataclass

import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F
""".strip()
LAYER = "proj = nn.Linear(16, 16)"
STEP = """
def train_step(batch, optimizer):
    out = run(batch.requires_grad_())
    loss = LOSS
    loss.backward()
    optimizer.step()
"""
COLUMNS = tuple(
    "alias from-import partial lambda decorator method helper file exit-stack contextmanager try-finally config "
    "wraps attribute keyword module-alias re-export subclass".split()
)
"""The rewrites that each rule has to see through."""

_MARK = re.compile(r"#: (?P<words>[\w ]+)$")
Place = tuple[str, int, str]
"""A file, a line and a code."""


@dataclass(frozen=True)
class Core:
    """One hazard of a rule: the body of the region, a repaired body (empty where something else is repaired).

    `state` stands at the top of the region's module, `options` at the checkpoint; `at` says where the report stands: at
    the marked line of the body or of the state (`body`), at the checkpoint (`call`), or in the step (`step`). `also` is
    what the hazard brings with it; a `raw` one gives the region the batch itself, not what a layer makes of it.
    `loss` is what the step makes of `out`, and `step` another step than `STEP`. `repair`, `repaired_state` and what
    begins with `mended` take the place of what they are named after in the repaired program; empty, it stays as it is.
    """

    code: str
    name: str
    body: str
    repair: str = ""
    state: str = ""
    repaired_state: str = ""
    options: str = "use_reentrant=False"
    mended: str = ""
    at: str = "body"
    loss: str = "out.square().mean()"
    mended_loss: str = ""
    step: str = ""
    mended_step: str = ""
    also: tuple[str, ...] = ()
    raw: bool = False


@dataclass(frozen=True)
class Section:
    """One titled program of a page, with the rewrites that its title names."""

    title: str
    columns: tuple[str, ...]
    text: str


def sections(page: str) -> list[Section]:
    """The programs of a Markdown page; raises ValueError for a rewrite that is none of the columns.

    Each is a title, `## name: rewrite, rewrite`, and a Python block, which `# file: path` lines may divide. In
    `ways.md` a line HEAD, STATE, SETUP or BODY stands for that part of a core and OPTS for its options; `#: call`,
    `#: option` and `#: leads` mark lines (`expected`). In `scopes.md` SCOPE is the scope, `#: here` its line, `#: mode`
    one that is reported of modes alone. A page of `programs` is of one rule; a title without rewrites is a repair or a
    look-alike, and `# error: [TBRnnn]` ends each line that is reported.
    """
    found = []
    for title, text in re.findall(
        r"^## ([^\n]+)\n+```python\n(.*?)^```$", (HERE / page).read_text(encoding="utf-8"), re.M | re.S
    ):
        name, _, words = title.partition(": ")
        columns = tuple(word for word in words.split(", ") if word)
        if not set(columns) <= set(COLUMNS):
            raise ValueError(f"{page}: {title}")
        found.append(Section(name, columns, text))
    return found


def files(text: str) -> dict[str, str]:
    """The modules of a program by their paths: one, or those that `# file: path` lines begin."""
    parts = re.split(r"^# file: (\S+)\n", text, flags=re.MULTILINE)
    return dict(zip(parts[1::2], parts[2::2], strict=True)) if len(parts) > 1 else {"train.py": text}


def program(core: Core, way: Section, repaired: bool = False) -> str:
    """The hazard, or its repair, by one way into the region."""
    body = core.repair if repaired and core.repair else core.body
    options = core.mended if repaired and core.mended else core.options
    state = core.repaired_state if repaired and core.repaired_state else core.state
    state = f"{LAYER}\n{state.strip(chr(10))}".strip()
    setup = state if core.at == "call" else ""
    stands = {"HEAD": HEAD, "STATE": state, "SETUP": setup, "BODY": body.strip("\n")}
    lines = []
    for line in way.text.splitlines():
        word = line.strip()
        if word in stands:
            lines.append(indent(stands[word], line[: len(line) - len(word)]))
        else:
            lines.append(line.replace("OPTS", options))
    text = "\n".join(lines)
    text = text.replace("self.stem(x)", "x") if core.raw else text
    loss = core.mended_loss if repaired and core.mended_loss else core.loss
    step = core.mended_step if repaired and core.mended_step else core.step
    return f"{text}\n\n{(step or STEP.replace('LOSS', loss)).strip(chr(10))}\n"


def marks(text: str) -> Iterator[tuple[str, int, list[str]]]:
    """The marked lines of a program: file, line and the words of the mark."""
    for name, module in files(text).items():
        for number, line in enumerate(module.splitlines(), 1):
            found = _MARK.search(line)
            if found is not None:
                yield name, number, found["words"].split()


def expected(core: Core, text: str) -> list[set[Place]]:
    """What must be reported of a hazard: of each set at least one place."""
    marked = list(marks(text))
    if core.at == "call":
        return [{(name, line, core.code) for name, line, words in marked if {"call", "option"} & set(words)}]
    leads = [(name, line) for name, line, words in marked if "leads" in words and core.at == "body"]
    here = [(name, line, words) for name, line, words in marked if words[0] == "here"]
    return [{(*(leads or [(n, i)])[0], (words[1:] or [core.code])[0])} for n, i, words in here]
