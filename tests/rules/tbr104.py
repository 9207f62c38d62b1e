"""TBR104: a value that differs between ranks decides whether, how often or with which shape a collective runs."""

from dataclasses import dataclass

import lightning.pytorch as pl
import torch
import torch.distributed as dist
from torch import Tensor, nn
from torch import distributed as D
from torch.nn.parallel import DistributedDataParallel as Wrapped


def synchronised() -> bool:
    return dist.is_available() and dist.is_initialized()


def averaged(x: Tensor) -> Tensor:
    if not synchronised():
        return x
    x = x.clone()
    dist.all_reduce(x)
    return x / dist.get_world_size()


def agree(flag: Tensor) -> None:
    if synchronised():
        dist.all_reduce(flag, op=dist.ReduceOp.MAX)


# --- what a call unpacks goes to the parameters that nothing else is given to
def chunked(model: nn.Module, ids: Tensor, size: int, limit: int = 0, **extra: Tensor) -> None:
    for start in range(0, ids.shape[0], size):  # ok: [TBR104] a setting, the same on every rank
        model(ids[start : start + size])
        dist.barrier()
    if limit > 3:  # error: [TBR104]
        dist.barrier()


def in_chunks(model: nn.Module, ids: Tensor, size: int) -> None:
    extra = {"limit": int(ids.sum())} if ids.any() else {}
    chunked(model, ids, size=size, **extra)


# --- one rank leaves, the others wait -------------------------------------------------------------
def early_return(loss: Tensor, total: Tensor) -> None:
    if torch.isnan(loss):  # error: [TBR104] "whether `all_reduce` runs"
        return
    dist.all_reduce(total)


def trip_count(n: Tensor, x: Tensor) -> None:
    for _ in range(int(n)):  # error: [TBR104] "how often `all_reduce` runs"
        dist.all_reduce(x)


def until_small(x: Tensor) -> None:
    while x.norm() > 1:  # error: [TBR104] "how often `barrier` runs"
        x = x / 2
        D.barrier()


def another_collective(x: Tensor, t: Tensor) -> None:
    if x.sum() > 0:  # error: [TBR104]
        dist.all_reduce(t)
    else:
        dist.broadcast(t, 0)


def in_a_ternary(x: Tensor, t: Tensor) -> Tensor:
    return averaged(t) if x.any() else t  # error: [TBR104]


def ragged(x: Tensor, out: list[Tensor]) -> None:
    dist.all_gather(out, x[x > 0])  # error: [TBR104] "another size"


# --- backward under DDP ---------------------------------------------------------------------------
class Broken(Exception):
    pass


def checked(loss: Tensor) -> Tensor:
    if not torch.isfinite(loss):  # error: [TBR104] "whether `backward()` runs"
        raise Broken
    return loss


def maybe_loss(model, x):
    loss = model(x).mean()
    if loss.isnan():  # error: [TBR101]
        return None
    return loss


def fit(model, loader, optimizer, patience: int) -> None:
    model = Wrapped(model)
    best, misses = float("inf"), 0
    for x in loader:
        try:
            checked(model(x).mean()).backward()
        except Broken:
            optimizer.zero_grad()
            continue
        loss = maybe_loss(model, x)
        if loss is None:  # error: [TBR104]
            continue
        loss.backward()
        if loss.item() < best:
            best, misses = loss.item(), 0
        else:
            misses += 1
        if misses > patience:  # error: [TBR104] "how often `backward()` runs"
            break
        optimizer.step()


class Layered(nn.Module):
    def __init__(self):
        super().__init__()
        self.first = nn.Linear(2, 2)
        self.second = nn.Linear(2, 2)

    def forward(self, x):
        h = self.first(x)
        if h.sum() > 10:  # error: [TBR104] "whether `self.second` runs"
            h = self.second(h)
        return h


def replicate() -> nn.Module:
    return Wrapped(Layered())


class Tagger(pl.LightningModule):
    def __init__(self):
        super().__init__()
        self.net = nn.Linear(4, 2)

    def training_step(self, batch, batch_idx):
        loss = self.net(batch).mean()
        if torch.isnan(loss):  # error: [TBR104]
            return None
        return loss


# --- state that a rank's values changed -----------------------------------------------------------
@dataclass
class Patience:
    limit: int = 1
    best: float = float("-inf")
    misses: int = 0

    def update(self, score) -> None:
        if score > self.best:
            self.best, self.misses = score, 0
        else:
            self.misses += 1

    @property
    def exhausted(self) -> bool:
        return self.misses >= self.limit


def rounds(batches: list[Tensor], patience: Patience) -> None:
    for batch in batches:
        patience.update(batch.mean().item())
        if patience.exhausted:  # error: [TBR104]
            break
        dist.barrier()


# --- the ranks agreed first -----------------------------------------------------------------------
def reduced_flag(loss: Tensor, total: Tensor) -> None:
    flag = torch.isnan(loss).float()
    dist.all_reduce(flag, op=dist.ReduceOp.MAX)
    if flag.item() > 0:  # ok: [TBR104] reduced in place
        return
    dist.all_reduce(total)


def reduced_by_a_helper(loss: Tensor, total: Tensor) -> None:
    flag = torch.isnan(loss).float()
    agree(flag)
    if flag:  # ok: [TBR104] the helper reduces its argument, where there is more than one process
        return
    if averaged(loss) > 3:  # ok: [TBR104] what the helper returns is reduced
        return
    dist.all_reduce(total)


def gathered(loss: Tensor, total: Tensor) -> None:
    flags = [None] * dist.get_world_size()
    dist.all_gather_object(flags, bool(torch.isnan(loss)))
    if any(flags):  # ok: [TBR104] every rank sees every flag
        return
    dist.all_reduce(total)


def decided_by_one(metric: Tensor) -> None:
    stop = torch.zeros(1)
    if dist.get_rank() == 0 and metric.item() > 3:  # error: [TBR101]
        stop.fill_(1)
    dist.broadcast(stop, 0)
    for _ in range(3):
        if stop.item():  # ok: [TBR104] broadcast
            break
        dist.barrier()


# --- nothing that waits ---------------------------------------------------------------------------
def clipped(model, loader, optimizer, log) -> None:
    model = Wrapped(model)
    for x in loader:
        loss = model(x).mean()
        if loss.item() > 10:  # ok: [TBR104] only a log
            log.warning("large loss")
        if torch.isnan(loss):  # ok: [TBR104] backward runs either way
            loss = loss * 0
        loss.backward()
        norm = nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        if not torch.isfinite(norm):  # ok: [TBR104] gradients are the same on every rank, and nothing is left out
            optimizer.zero_grad()
            continue
        optimizer.step()


def same_on_both_sides(x: Tensor, t: Tensor) -> None:
    if x.sum() > 0:  # error: [TBR101]
        # ok: [TBR104] both sides run the same collective
        dist.all_reduce(t)
    else:
        t = t * 2
        dist.all_reduce(t)


def validated(loss: Tensor, total: Tensor) -> None:
    if not torch.isfinite(loss):  # ok: [TBR104] an error nobody catches ends the job
        raise RuntimeError("the loss is not finite")
    dist.all_reduce(total)


def made_here(t: Tensor) -> None:
    for s in torch.linspace(0, 1, 10).tolist():
        if s > 0.5:  # ok: [TBR104] the same numbers on every rank
            dist.all_reduce(t)


def configuration(x: Tensor, group=None) -> Tensor:
    if group is not None:  # ok: [TBR104] not a value
        dist.all_reduce(x, group=group)
    if x.requires_grad and x.ndim > 1:  # ok: [TBR104] properties of a tensor, not its value
        dist.barrier()
    return x


class Buffered:
    """What a buffer contains says nothing of whether there is one."""

    def __init__(self) -> None:
        self._buffer = None
        self._made = None

    def prepare(self, batch: Tensor) -> object:
        if self._buffer is None:  # ok: [TBR104] a list is there on every rank, whatever is in it
            self._buffer = [self.generated(batch)]
        if self._made is None:  # ok: [TBR104] so is the dict that a call gives
            self._made = self.generated(batch)
        return self._buffer[0], self._made

    def generated(self, batch: Tensor) -> dict[str, object]:
        extra = batch * 2 if batch.sum().item() > 0 else None  # error: [TBR101]
        gathered = [None] * 4
        dist.all_gather_object(gathered, batch)
        return {"extra": extra, "gathered": gathered}


class Uneven:
    def __init__(self) -> None:
        self._extra = None

    def prepare(self, batch: Tensor) -> None:
        self._extra = batch * 2 if batch.sum().item() > 0 else None  # error: [TBR101]
        if self._extra is None:  # error: [TBR104] "whether `all_reduce` runs"
            dist.all_reduce(batch)


class Codebook(nn.Module):
    def __init__(self, entries: int, threshold=2) -> None:
        super().__init__()
        self.threshold = threshold
        self.register_buffer("size", torch.ones(entries))

    def forward(self, x: Tensor) -> Tensor:
        # ok: [TBR104] a setting and a buffer nobody stores to
        if not torch.any(self.size < self.threshold):  # error: [TBR101]
            return x
        parts = [torch.empty_like(x) for _ in range(2)]
        dist.all_gather(parts, x)
        return torch.cat(parts)

    def own(self, x: Tensor) -> None:
        if torch.any(x < self.threshold):  # error: [TBR104] "whether `all_reduce` runs"
            dist.all_reduce(self.size)


class Status:
    """A status that one method agrees on decides in another."""

    def __init__(self) -> None:
        self._status = 0

    @property
    def status(self) -> int:
        return self._status

    def update(self, status: int) -> None:
        self._status = status


class Agreement:
    def __init__(self) -> None:
        self.word = torch.zeros(2, dtype=torch.int64)

    def agreed(self, size: int, status: int) -> tuple[int, int]:
        if dist.get_world_size() > 1:
            self.word[0] = size
            self.word[1] = status
            dist.all_reduce(self.word, op=dist.ReduceOp.MAX)
            size, status = self.word.tolist()
        return size, status


class Serving:
    def __init__(self, status: Status, agreement: Agreement) -> None:
        self.status = status
        self.agreement = agreement

    def turn(self) -> bool:
        size, status = self.agreement.agreed(1, 2)
        self.status.update(status)
        if self.status.status == 3:  # ok: [TBR104] every rank has the status that all agreed on
            return False
        return True

    def run(self) -> None:
        while self.turn():  # ok: [TBR104] it ends on every rank in the same round
            pass


def padded(tensor: Tensor, dim: int = 0) -> Tensor:
    if getattr(tensor, "is_nested", False):  # ok: [TBR104] metadata, not a value
        return tensor
    if dim >= len(tensor.shape):  # ok: [TBR104] the number of dimensions
        return tensor
    dist.all_reduce(tensor)
    return tensor


def applied(func, data, *args, **kwargs):
    if isinstance(data, (tuple, list)):
        return [applied(func, item, *args, **kwargs) for item in data]
    return func(data, *args, **kwargs)


def gathered(tensor: Tensor, dim: int = 0) -> Tensor:
    if dim >= 1:  # ok: [TBR104] which argument is unpacked into `dim` is not known
        return tensor
    dist.all_reduce(tensor)
    return tensor


def gathered_all(batch: Tensor, limit: float) -> list[Tensor]:
    kept = batch[batch > limit]
    return applied(gathered, [kept, kept.sum().item()], dim=0)


class Loop:
    def __init__(self, accelerator, model: nn.Module) -> None:
        self.accelerator = accelerator
        self.model = model

    def turn(self, batch: Tensor) -> None:
        loss = self.model(batch).mean()
        bad = torch.isnan(loss)
        if self.accelerator.gather(bad).any():  # ok: [TBR104] gathered by an object that is not in view
            dist.barrier()
        anywhere = self.accelerator.reduce(bad, reduction="sum")
        if anywhere.any():  # ok: [TBR104] reduced by it
            dist.barrier()
        picked = self.table.gather(0, bad.long())
        if picked.any():  # error: [TBR104]
            dist.barrier()
        if bad:  # error: [TBR104]
            dist.barrier()
