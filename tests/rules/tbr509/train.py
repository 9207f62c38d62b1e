"""Checkpoints modules of the file beside this one."""

from torch import Tensor, nn
from torch.utils.checkpoint import checkpoint

from .router import Logging, Router, total


def stored(stem: nn.Linear, router: Router, x: Tensor) -> None:
    y = checkpoint(router, stem(x), use_reentrant=True)  # error: [TBR509]
    (y.mean() + 0.1 * router.aux).backward()


def through_a_helper(stem: nn.Linear, router: Router, x: Tensor) -> None:
    y = checkpoint(router, stem(x), use_reentrant=True)  # error: [TBR509]
    total(y, router).backward()


def not_reentrant(stem: nn.Linear, router: Router, x: Tensor) -> None:
    y = checkpoint(router, stem(x), use_reentrant=False)  # ok: [TBR509] the stored loss has its graph
    total(y, router).backward()


def logged(stem: nn.Linear, layer: Logging, x: Tensor) -> None:
    y = checkpoint(layer, stem(x), use_reentrant=True)  # ok: [TBR509] the other file stores it detached
    (y.mean() + layer.seen).backward()
