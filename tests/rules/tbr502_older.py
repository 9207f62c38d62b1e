# options: --tbr-torch=2.6
"""TBR502 on torch 2.6: `early_stop` is no option of checkpoint yet, and goes to the function."""

from torch import Tensor, nn
from torch.utils.checkpoint import checkpoint


def run(layer: nn.Module, x: Tensor) -> Tensor:
    x.requires_grad_()
    y = checkpoint(layer, x, use_reentrant=True, early_stop=False)  # error: [TBR502] "`early_stop`"
    return checkpoint(layer, y, use_reentrant=True, debug=False)  # ok: [TBR502] an option already
