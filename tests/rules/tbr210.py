# options: --tbr-enable=TBR210
"""TBR210: values decide the size of a tensor that a checkpointed region saves."""

import torch
from torch import Tensor, nn
from torch.utils.checkpoint import checkpoint


class Experts(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.w = nn.Parameter(torch.randn(4, 8, 8))

    def forward(self, x: Tensor, ids: Tensor, counts: list[int] | None = None) -> Tensor:
        order = ids.argsort()
        sizes = torch.bincount(ids, minlength=4).tolist() if counts is None else counts
        parts = [p @ w for p, w in zip(x[order].split(sizes), self.w)]
        return torch.cat(parts)[order.argsort()]


class Layer(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.router = nn.Linear(8, 4)
        self.experts = Experts()
        self.fc = nn.Linear(8, 8)

    def choose(self, x: Tensor) -> Tensor:
        return self.router(x).topk(2, -1).indices  # error: [TBR210] "routes"

    def routed(self, x: Tensor) -> Tensor:
        ids = torch.argmax(self.router(x), -1)  # error: [TBR210] "routes"
        return self.experts(x, ids)

    def looped(self, x: Tensor) -> Tensor:
        chosen = self.choose(x)
        out = torch.zeros_like(x)
        for e in range(4):
            rows = torch.where((chosen == e).any(-1))[0]
            out = out.index_add(0, rows, torch.tanh(self.fc(x[rows])))
        return out

    def masked(self, x: Tensor) -> Tensor:
        h = torch.tanh(self.fc(x))
        kept = h[h[:, 0] > 0]  # error: [TBR210] "values decide the size"
        return torch.sin(kept)

    def begins(self, x: Tensor, valid: Tensor) -> Tensor:
        h = torch.tanh(self.fc(x))
        first = valid.long().argmax(-1)  # ok: [TBR210] a mask made outside: no rounding moves its first place
        kept = h[torch.arange(len(h)) >= first]  # error: [TBR210] "values decide the size"
        asked = (h[:, 0] > 0.5).long().argmax(-1)  # error: [TBR210] "routes"
        return torch.sin(kept[torch.arange(len(kept)) >= asked])

    def listed(self, x: Tensor) -> Tensor:
        h = torch.tanh(self.fc(x))
        return h.index_select(0, (h[:, 0] > 0).nonzero().squeeze(1)).sin()  # error: [TBR210] "values decide the size"

    def gathered(self, x: Tensor, mask: Tensor) -> Tensor:
        ids = self.router(x).argmax(-1)
        h = x @ self.experts.w[0]
        h = h * ids[:, None]
        rows = self.experts.w[ids]  # ok: [TBR210] as many rows as there are ids, whatever they are
        return torch.einsum("td,tde->te", h[mask], rows[mask])  # ok: [TBR210] the mask is made outside

    def forward(self, x: Tensor) -> Tensor:
        x = checkpoint(self.routed, x, use_reentrant=False)
        x = checkpoint(self.looped, x, use_reentrant=False)
        x = checkpoint(self.masked, x, use_reentrant=False)
        x = checkpoint(self.begins, x, x[:, 0] > 0, use_reentrant=False)
        x = checkpoint(self.listed, x, use_reentrant=False)
        return checkpoint(self.gathered, x, x[:, 0] > 0, use_reentrant=False)


class Outside(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.router = nn.Linear(8, 4)
        self.experts = Experts()

    def forward(self, x: Tensor) -> Tensor:
        ids = self.router(x).argmax(-1)  # ok: [TBR210] routed outside and passed in
        counts = torch.bincount(ids, minlength=4).tolist()
        return checkpoint(self.experts, x, ids, counts, use_reentrant=False)


class TopOne(nn.Module):
    """One result of the router decides sizes, the other only weighs."""

    def __init__(self) -> None:
        super().__init__()
        self.fc = nn.Linear(8, 4)

    def forward(self, x: Tensor) -> tuple[Tensor, Tensor]:
        scores = self.fc(x).softmax(-1)
        chosen = scores.argmax(-1)  # error: [TBR210]
        best = torch.max(scores, dim=-1).values  # ok: [TBR210] a weight
        return chosen, best


class Picked(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.router = TopOne()
        self.fc = nn.Linear(8, 8)

    def forward(self, x: Tensor) -> Tensor:
        chosen, best = self.router(x)
        rows = torch.where(chosen == 1)[0]
        return x.index_add(0, rows, torch.tanh(self.fc(x[rows])) * best[rows, None])


def picked(model: Picked, x: Tensor) -> Tensor:
    return checkpoint(model, x, use_reentrant=False)


class Selected(nn.Module):
    """Indices that are handed over are the same in the recompute, scores are computed anew."""

    def __init__(self) -> None:
        super().__init__()
        self.fc = nn.Linear(8, 8)

    def forward(self, x: Tensor, is_index_global: Tensor, scores: Tensor) -> Tensor:
        at, longest = self.found(is_index_global)
        rows = self.fc(x)[at[0]].sin()  # ok: [TBR210] the indices were handed over
        more = torch.arange(longest).sin()  # ok: [TBR210] so was their number
        high = self.fc(x)[(self.fc(scores)[:, 0] > 0).nonzero().squeeze(1)].sin()  # error: [TBR210]
        return torch.cat([rows, high]).sum() + more.sum()

    @staticmethod
    def found(is_index_global: Tensor) -> tuple[tuple[Tensor, ...], Tensor]:
        return is_index_global.nonzero(as_tuple=True), is_index_global.long().sum(dim=1).max()


def selected(model: Selected, x: Tensor, ids: Tensor, scores: Tensor) -> Tensor:
    return checkpoint(model, x, ids > 0, scores, use_reentrant=False)


class Repeated(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.router = nn.Linear(8, 4)
        self.fc = nn.Linear(8, 8)

    def forward(self, x: Tensor) -> Tensor:
        ids = self.router(x).argmax(-1)  # error: [TBR210]
        h = torch.tanh(self.fc(x.repeat_interleave(ids + 1, dim=0)))
        return h.sum() + torch.tanh(self.fc(x.repeat_interleave(2, dim=0))).sum()  # ok: [TBR210] a number


def repeated(module: Repeated, x: Tensor) -> Tensor:
    return checkpoint(module, x, use_reentrant=False)


class Padded(nn.Module):
    """`output_size` is the size: repeats of another sum are refused, in the forward too."""

    def __init__(self) -> None:
        super().__init__()
        self.router = nn.Linear(8, 4)
        self.fc = nn.Linear(8, 8)

    def forward(self, x: Tensor) -> Tensor:
        ids = self.router(x).argmax(-1)
        counts = torch.bincount(ids, minlength=4)  # ok: [TBR210] four classes, four counts
        bias = self.router.weight.repeat_interleave(counts, dim=0, output_size=x.shape[0])  # ok: [TBR210] as many as x
        bias = bias + torch.repeat_interleave(self.router.weight, counts, 0, output_size=x.shape[0])
        return torch.tanh(self.fc(x) + bias)


def padded(module: Padded, x: Tensor) -> Tensor:
    return checkpoint(module, x, use_reentrant=False)


class Parted(nn.Module):
    """Counts are no size, lists of them are."""

    def __init__(self) -> None:
        super().__init__()
        self.router = nn.Linear(8, 4)
        self.fc = nn.Linear(8, 8)

    def forward(self, x):
        ids = self.router(x).argmax(-1)  # error: [TBR210]
        counts = torch.bincount(ids, minlength=4).tolist()
        return torch.cat([torch.tanh(self.fc(part)) for part in x.split(counts)])


def parted(module: Parted, x: Tensor) -> Tensor:
    return checkpoint(module, x, use_reentrant=False)
