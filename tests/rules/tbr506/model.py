"""Checkpoints by names of the file beside this one."""

from torch import Tensor, nn

from . import compat
from .compat import OPTIONS, plain, said, unsaid


def run(block: nn.Module, x: Tensor) -> Tensor:
    x = plain(block, x)  # error: [TBR506]
    x = compat.plain(block, x)  # error: [TBR506]
    x = unsaid(block, x)  # error: [TBR506]
    x = compat.unchosen(block, x)  # ok: [TBR506] reported in the other file, where the choice is missing
    x = said(block, x)  # ok: [TBR506] the other file's partial says it
    x = plain(block, x, **OPTIONS)  # ok: [TBR506] in the other file's dictionary
    return compat.chosen(block, x)  # ok: [TBR506] the other file's wrapper says it
