"""What ranks do together, written in many ways: TBR104."""

from __future__ import annotations

from typing import Final

from tests.rules.rewriting import DATA_HEAD

HEAD: Final = DATA_HEAD
PAIRS: Final[dict[str, dict[str, str]]] = {
    "TBR104": {
        "alias": """
reduce = dist.all_reduce
def step(loss: Tensor, total: Tensor):
    if {{torch.isnan(loss)||loss is None}}:  #!
        return
    reduce(total)
""",
        "from": """
from torch.distributed import all_reduce, ReduceOp
def step(loss: Tensor, total: Tensor):
    if {{torch.isnan(loss)||loss is None}}:  #!
        return
    all_reduce(total, op=ReduceOp.SUM)
""",
        "from_as": """
from torch.distributed import barrier as wait_all
def step(loss: Tensor, total: Tensor):
    if {{torch.isnan(loss)||loss is None}}:  #!
        return
    wait_all()
""",
        "import_as": """
import torch.distributed as td
def step(loss: Tensor, total: Tensor):
    if {{torch.isnan(loss)||loss is None}}:  #!
        return
    td.broadcast(total, src=0)
""",
        "partial": """
sync = functools.partial(dist.all_reduce, op=dist.ReduceOp.SUM)
def step(loss: Tensor, total: Tensor):
    if {{torch.isnan(loss)||loss is None}}:  #!
        return
    sync(total)
""",
        "lambda": """
sync = lambda t: dist.all_reduce(t)
def step(loss: Tensor, total: Tensor):
    if {{torch.isnan(loss)||loss is None}}:  #!
        return
    sync(total)
""",
        "decorator": """
def synced(fn):
    @functools.wraps(fn)
    def run(*args):
        out = fn(*args)
        dist.all_reduce(out)
        return out
    return run
@synced
def total(x):
    return x.sum()
def step(loss: Tensor, x: Tensor):
    if {{torch.isnan(loss)||loss is None}}:  #!
        return
    total(x)
""",
        "method": """
class T:
    def _sync(self, t):
        dist.all_reduce(t)
    def step(self, loss: Tensor, total: Tensor):
        if {{torch.isnan(loss)||loss is None}}:  #!
            return
        self._sync(total)
""",
        "helper2": """
def inner(t):
    dist.all_gather([t, t], t)
def sync(t):
    inner(t)
def step(loss: Tensor, total: Tensor):
    if not {{torch.isnan(loss)||loss is None}}:  #!
        sync(total)
""",
        "stack": """
@contextlib.contextmanager
def together():
    yield
    dist.barrier()
def step(loss: Tensor, total: Tensor):
    if {{torch.isnan(loss)||loss is None}}:  #!
        return
    with contextlib.ExitStack() as stack:
        stack.enter_context(together())
        total.add_(1)
""",
        "stack_callback": """
def step(loss: Tensor, total: Tensor):
    with contextlib.ExitStack() as stack:
        if not {{torch.isnan(loss)||loss is None}}:  #!
            stack.callback(dist.barrier)
        total.add_(1)
""",
        "cm": """
@contextlib.contextmanager
def together():
    dist.barrier()
    yield
def step(loss: Tensor, total: Tensor):
    if {{torch.isnan(loss)||loss is None}}:  #!
        return
    with together():
        total.add_(1)
""",
        "finally": """
def step(loss: Tensor, total: Tensor):
    if {{torch.isnan(loss)||loss is None}}:  #!
        return
    try:
        total.add_(1)
    finally:
        dist.barrier()
""",
        "flag": """
def step(cfg, loss: Tensor, total: Tensor):
    if cfg.skip_nan and {{torch.isnan(loss)||loss is None}}:  #!
        return
    if cfg.sync:
        dist.all_reduce(total)
""",
        "self_fn": """
class T:
    def __init__(self):
        self.sync = dist.all_reduce
    def step(self, loss: Tensor, total: Tensor):
        if {{torch.isnan(loss)||loss is None}}:  #!
            return
        self.sync(total)
""",
        "class_attr": """
class T:
    sync = staticmethod(dist.all_reduce)
    def step(self, loss: Tensor, total: Tensor):
        if {{torch.isnan(loss)||loss is None}}:  #!
            return
        self.sync(total)
""",
        "keyword": """
def step(loss: Tensor, total: Tensor):
    if {{torch.isnan(loss)||loss is None}}:  #!
        return
    dist.all_reduce(tensor=total, op=dist.ReduceOp.MAX, async_op=False)
""",
        "kwargs": """
KW = {"op": dist.ReduceOp.MAX}
def step(loss: Tensor, total: Tensor):
    if {{torch.isnan(loss)||loss is None}}:  #!
        return
    dist.all_reduce(total, **KW)
""",
        "other_file": """
from comm import sync
def step(loss: Tensor, total: Tensor):
    if {{torch.isnan(loss)||loss is None}}:  #!
        return
    sync(total)
# == comm.py
import torch.distributed as dist
def sync(t):
    dist.all_reduce(t)
""",
        "reexport": """
from comm import total_of
def step(loss: Tensor, total: Tensor):
    if {{torch.isnan(loss)||loss is None}}:  #!
        return
    total_of(total)
# == comm/__init__.py
from .reduce import sync as total_of
# == comm/reduce.py
import torch.distributed as dist
def sync(t):
    dist.all_reduce(t)
""",
        "override": """
class T:
    def sync(self, t):
        pass
    def step(self, loss: Tensor, total: Tensor):
        if {{torch.isnan(loss)||loss is None}}:  #!
            return
        self.sync(total)
class D(T):
    def sync(self, t):
        dist.all_reduce(t)
""",
        "base_file": """
from base import Synced
class T(Synced):
    def step(self, loss: Tensor, total: Tensor):
        if {{torch.isnan(loss)||loss is None}}:  #!
            return
        self.sync(total)
# == base.py
import torch.distributed as dist
class Synced:
    def sync(self, t):
        dist.all_reduce(t)
""",
        "table": """
OPS = {"sum": dist.all_reduce}
def step(loss: Tensor, total: Tensor):
    if {{torch.isnan(loss)||loss is None}}:  #!
        return
    OPS["sum"](total)
""",
        "getattr": """
def step(loss: Tensor, total: Tensor):
    if {{torch.isnan(loss)||loss is None}}:  #!
        return
    getattr(dist, "all_reduce")(total)
""",
        "functional": """
import torch.distributed._functional_collectives as fc
def step(loss: Tensor, total: Tensor):
    if {{torch.isnan(loss)||loss is None}}:  #!
        return total
    return fc.all_reduce(total, "sum", dist.group.WORLD)
""",
        "nn": """
import torch.distributed.nn.functional as dnn
def step(loss: Tensor, total: Tensor):
    if {{torch.isnan(loss)||loss is None}}:  #!
        return total
    return dnn.all_reduce(total)
""",
        "accelerate": """
from accelerate import Accelerator
acc = Accelerator()
def step(loss: Tensor, total: Tensor):
    if {{torch.isnan(loss)||loss is None}}:  #!
        return
    acc.gather(total)
""",
        "autograd_fn": """
class Sum(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        dist.all_reduce(x)
        return x
    @staticmethod
    def backward(ctx, g):
        return g
def step(loss: Tensor, total: Tensor):
    if {{torch.isnan(loss)||loss is None}}:  #!
        return total
    return Sum.apply(total)
""",
    },
}
"""Programs with `{{bad||good}}` in them."""

BAD: Final[dict[str, dict[str, str]]] = {
    "TBR104": {
        "rank_rank": """
from torch.distributed import get_rank as rank
def is_main():
    return dist.get_rank() == 0
class T:
    def __init__(self):
        self.rank = dist.get_rank()
    def save(self, t):
        if dist.get_rank() == 0:  #!
            dist.all_reduce(t)
""",
        "rank_env": """
from torch.distributed import get_rank as rank
def is_main():
    return dist.get_rank() == 0
class T:
    def __init__(self):
        self.rank = dist.get_rank()
    def save(self, t):
        if int(os.environ["RANK"]) == 0:  #!
            dist.all_reduce(t)
""",
        "rank_alias": """
from torch.distributed import get_rank as rank
def is_main():
    return dist.get_rank() == 0
class T:
    def __init__(self):
        self.rank = dist.get_rank()
    def save(self, t):
        if rank() == 0:  #!
            dist.all_reduce(t)
""",
        "rank_helper": """
from torch.distributed import get_rank as rank
def is_main():
    return dist.get_rank() == 0
class T:
    def __init__(self):
        self.rank = dist.get_rank()
    def save(self, t):
        if is_main():  #!
            dist.all_reduce(t)
""",
        "rank_attr": """
from torch.distributed import get_rank as rank
def is_main():
    return dist.get_rank() == 0
class T:
    def __init__(self):
        self.rank = dist.get_rank()
    def save(self, t):
        if self.rank == 0:  #!
            dist.all_reduce(t)
""",
    },
}
"""Programs that are reported."""

SILENT: Final[dict[str, dict[str, str]]] = {
    "TBR104": {
        "dist.all_reduce(flag, op=dist.ReduceOp.MAX)": """
def sync(t):
    dist.all_reduce(t)
reduce = dist.all_reduce
self_sync = functools.partial(dist.all_reduce, op=dist.ReduceOp.MAX)
def step(loss: Tensor, total: Tensor):
    flag = torch.isnan(loss).float()
    dist.all_reduce(flag, op=dist.ReduceOp.MAX)
    if flag.item() > 0:
        return
    dist.all_reduce(total)
""",
        "sync(flag)": """
def sync(t):
    dist.all_reduce(t)
reduce = dist.all_reduce
self_sync = functools.partial(dist.all_reduce, op=dist.ReduceOp.MAX)
def step(loss: Tensor, total: Tensor):
    flag = torch.isnan(loss).float()
    sync(flag)
    if flag.item() > 0:
        return
    dist.all_reduce(total)
""",
        "reduce(flag)": """
def sync(t):
    dist.all_reduce(t)
reduce = dist.all_reduce
self_sync = functools.partial(dist.all_reduce, op=dist.ReduceOp.MAX)
def step(loss: Tensor, total: Tensor):
    flag = torch.isnan(loss).float()
    reduce(flag)
    if flag.item() > 0:
        return
    dist.all_reduce(total)
""",
        "self_sync(flag)": """
def sync(t):
    dist.all_reduce(t)
reduce = dist.all_reduce
self_sync = functools.partial(dist.all_reduce, op=dist.ReduceOp.MAX)
def step(loss: Tensor, total: Tensor):
    flag = torch.isnan(loss).float()
    self_sync(flag)
    if flag.item() > 0:
        return
    dist.all_reduce(total)
""",
    },
}
"""Programs that are not."""
