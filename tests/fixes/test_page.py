"""The example of docs/fixes.md is what fixing makes of it."""

from __future__ import annotations

import re
from pathlib import Path

from flake8_tensorbranch.check import check_source
from flake8_tensorbranch.fixes.rounds import fix
from flake8_tensorbranch.fixes.safety import applied
from flake8_tensorbranch.settings import Settings
from flake8_tensorbranch.source import SourceFile

PAGE = Path(__file__).parents[2] / "docs" / "fixes.md"
HEAD = "import torch\nfrom torch import nn\nfrom torch.utils.checkpoint import checkpoint\n\n\n"


def test_the_example() -> None:
    (block,) = re.findall(r"^```diff\n(.*?)^```$", PAGE.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)
    before, after = (
        HEAD + "".join(f"{line[1:]}\n" for line in block.splitlines() if line[0] in (" ", side)) for side in "-+"
    )
    source = SourceFile("p.py", before)
    made = fix(source, before, lambda s: check_source(s, Settings()), lambda f: applied(f, unsafe_fixes=True))
    assert made.text == after
    assert made.left == ()
