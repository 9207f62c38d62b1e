"""TBR502 on `checkpoint_sequential`: the options of `checkpoint` that it does not have raise in both variants."""

from contextlib import nullcontext

from torch import Tensor, nn
from torch.utils.checkpoint import checkpoint, checkpoint_sequential


def contexts():
    return nullcontext(), nullcontext()


def run(chain: nn.Sequential, x: Tensor) -> Tensor:
    x.requires_grad_()
    x = checkpoint_sequential(chain, 2, x, use_reentrant=False, determinism_check="none")  # error: [TBR502] "no `determinism_check`"
    x = checkpoint_sequential(chain, 2, x, use_reentrant=True, context_fn=contexts)  # error: [TBR502] "no `context_fn`"
    x = checkpoint_sequential(chain, 2, x, use_reentrant=False, debug=True)  # error: [TBR502] "no `debug`"
    x = checkpoint_sequential(chain, segments=2, input=x, use_reentrant=True, preserve_rng_state=False)  # ok: [TBR502] its own
    return checkpoint(chain, x, use_reentrant=False, determinism_check="none")  # ok: [TBR502] an option of checkpoint
