# options: --tbr-enable=TBR105
"""TBR001: a TBR code in a suppression comment that hides nothing."""

from __future__ import annotations

import torch

x = torch.ones(1)  # noqa: TBR101 # error: 28 [TBR001] "unused suppression of TBR101: it hides nothing here"


def branch(x: torch.Tensor) -> torch.Tensor:
    # ok: [TBR001] it hides the finding of this line
    if x.sum() > 0:  # noqa: TBR101 # error: [TBR101]
        x = x * 2
    return x


def several(x: torch.Tensor) -> torch.Tensor:
    if x.sum() > 0:  # noqa: TBR201, E501, TBR101, TBR101 # error: 30 [TBR001] "of TBR201, TBR101:" # error: [TBR101]
        x = x * 2
    return x


def opt_in(x: torch.Tensor) -> int:
    # ok: [TBR001] TBR103 is not enabled here
    if x.sum() > 0:  # noqa: TBR103
        return 1
    assert x.min() == 0, "zero"  # noqa: TBR105 # error: [TBR105]
    return 2  # noqa: TBR105 # error: [TBR001]


@torch.no_grad()
def driver(x: torch.Tensor) -> int:
    steps = 0
    # ok: [TBR001] what TBR102 says of driver code is not enabled, and would be said here
    while x.sum() > 0:  # noqa: TBR102
        x = x - 1
        steps += 1
    return steps


def named(x: torch.Tensor) -> torch.Tensor:
    # ruff: ignore[tbr-branch-on-value]
    # ok: [TBR001] the comment above hides the finding
    if x.sum() > 0:  # error: [TBR101]
        x = x * 2
    return x  # ruff: ignore[E501, tbr-loop-on-value] # error: [TBR001] "of tbr-loop-on-value"


def ranges(x: torch.Tensor) -> torch.Tensor:
    # ruff: disable[TBR101]
    # ok: [TBR001] the range holds it
    if x.sum() > 0:  # error: [TBR101]
        x = x * 2
    # ruff: enable[TBR101]
    return x


# ok: [TBR001] the tool's own codes are never called unused
y = x + 1  # noqa: TBR000, TBR001, TBR002
# ok: [TBR001] codes of other tools are theirs
z = x + 1  # noqa: E501, ABC101
# ok: [TBR001] a comment may say that it wants to be kept
z = x + 1  # noqa: TBR101, TBR001
