"""TBR002: a suppression comment names a TBR code or name that does not exist."""

from __future__ import annotations

import torch

x = torch.ones(1)  # noqa: TBR999 # error: 28 [TBR002] "no such code: TBR999"
x = torch.ones(1)  # noqa: TBR1 # error: 28 [TBR002] "no such code: TBR1"
x = torch.ones(1)  # noqa: E501, TBR1010, TBR100 # error: 34 [TBR002] "TBR1010, TBR100"
x = torch.ones(1)  # ruff: ignore[tbr-branch-on-values] # error: [TBR002] "did you mean tbr-branch-on-value?"
x = torch.ones(1)  # ruff: ignore[tbr101] # error: [TBR002] "did you mean TBR101?"
# ok: [TBR002] other prefixes are not ours, even where they begin with our letters
x = torch.ones(1)  # noqa: TBRX101, TB101, E999
# ok: [TBR002] it is not a suppression but a word in a sentence
x = torch.ones(1)  # see TBR999
# ok: [TBR002] a comment may say that it wants to be kept
x = torch.ones(1)  # noqa: TBR999, TBR002
