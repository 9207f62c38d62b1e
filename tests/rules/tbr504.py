"""TBR504: tensors that leave a reentrant checkpoint in a list or dict."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import torch
from torch import nn
from torch.distributed.algorithms._checkpoint.checkpoint_wrapper import CheckpointImpl, checkpoint_wrapper
from torch.utils.checkpoint import checkpoint


class Levels(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.stem = nn.Linear(4, 4)
        self.layers = nn.ModuleList(nn.Linear(4, 4) for _ in range(2))

    def as_list(self, x: torch.Tensor) -> list[torch.Tensor]:
        return [layer(x) for layer in self.layers]

    def as_dict(self, x: torch.Tensor) -> dict[str, torch.Tensor]:
        out = {"hidden": self.layers[0](x), "gate": self.layers[1](x)}
        return out

    def as_tuple(self, x: torch.Tensor) -> tuple[torch.Tensor, ...]:
        return tuple(layer(x) for layer in self.layers)

    def pair(self, x: torch.Tensor) -> tuple[torch.Tensor, None]:
        return self.layers[0](x), None

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        h = self.stem(x)
        several = checkpoint(self.as_list, h, use_reentrant=True)  # error: [TBR504]
        named = checkpoint(self.as_dict, h, use_reentrant=True)  # error: [TBR504]
        return several[0] + named["hidden"] + h

    def by_lambda(self, x: torch.Tensor) -> torch.Tensor:
        h = self.stem(x)
        out = checkpoint(lambda y: {"y": self.layers[0](y)}, h, use_reentrant=True)  # error: [TBR504]
        return out["y"] + h

    def rightly(self, x: torch.Tensor) -> torch.Tensor:
        h = self.stem(x)
        several = checkpoint(self.as_tuple, h, use_reentrant=True)  # ok: [TBR504] a tuple
        first, _ = checkpoint(self.pair, h, use_reentrant=True)  # ok: [TBR504] None beside it does not matter
        named = checkpoint(self.as_dict, h, use_reentrant=False)  # ok: [TBR504] this variant does not care
        return several[0] + first + named["hidden"]

    def unknown(self, block: nn.Module, x: torch.Tensor) -> torch.Tensor:
        return checkpoint(block, self.stem(x), use_reentrant=True)  # ok: [TBR504] nothing is known of its output


class Beside(nn.Module):
    """A list beside a tensor, in the tuple that the region returns."""

    def __init__(self) -> None:
        super().__init__()
        self.stem = nn.Linear(4, 4)
        self.layer = nn.Linear(4, 4)
        self.aux = nn.Linear(4, 1)

    def run(self, x: torch.Tensor) -> tuple[torch.Tensor, list[torch.Tensor]]:
        x = self.layer(x)
        losses = []
        losses.append(self.aux(x).square().mean())
        return x, losses

    def named(self, x: torch.Tensor) -> tuple[torch.Tensor, dict[str, torch.Tensor]]:
        return self.layer(x), {"aux": self.aux(x).mean()}

    def sizes(self, x: torch.Tensor) -> tuple[torch.Tensor, list[int]]:
        return self.layer(x), [x.shape[0], x.shape[1]]

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        h, losses = checkpoint(self.run, self.stem(x), use_reentrant=True)  # error: [TBR504]
        return h.sum() + sum(losses)

    def by_name(self, x: torch.Tensor) -> torch.Tensor:
        h, extra = checkpoint(self.named, self.stem(x), use_reentrant=True)  # error: [TBR504]
        return h.sum() + extra["aux"] * 0.1

    def kept(self, x: torch.Tensor) -> tuple[torch.Tensor, list[torch.Tensor]]:
        h, losses = checkpoint(self.run, self.stem(x), use_reentrant=True)  # ok: [TBR504] nothing computes with it here
        return h, losses

    def logged(self, x: torch.Tensor) -> torch.Tensor:
        h, losses = checkpoint(self.run, self.stem(x), use_reentrant=True)  # ok: [TBR504] only its number is asked for
        print(sum(losses).item())
        with torch.no_grad():
            print(torch.stack(losses).mean())
        return h

    def measured(self, x: torch.Tensor) -> torch.Tensor:
        h, sizes = checkpoint(self.sizes, self.stem(x), use_reentrant=True)  # ok: [TBR504] sizes have no graph
        return h * sizes[0]

    def by_index(self, x: torch.Tensor) -> torch.Tensor:
        both = checkpoint(self.named, self.stem(x), use_reentrant=True)  # error: [TBR504]
        extra = both[1]
        return both[0].sum() + extra["aux"]

    def in_a_loop(self, x: torch.Tensor) -> torch.Tensor:
        h, extra = checkpoint(self.named, self.stem(x), use_reentrant=True)  # error: [TBR504]
        total = h.sum()
        for _, loss in extra.items():
            total = total + loss
        return total

    def its_size(self, x: torch.Tensor) -> torch.Tensor:
        h, extra = checkpoint(self.named, self.stem(x), use_reentrant=True)  # ok: [TBR504] only a size
        return h * extra["aux"].numel()

    def off(self, x: torch.Tensor) -> tuple[torch.Tensor, dict[str, torch.Tensor]]:
        return self.layer(x), {"aux": self.aux(x).detach()}

    def off_the_graph(self, x: torch.Tensor) -> torch.Tensor:
        h, extra = checkpoint(self.off, self.stem(x), use_reentrant=True)  # ok: [TBR504] detached by the region itself
        return h * extra["aux"]

    def other_variant(self, x: torch.Tensor) -> torch.Tensor:
        h, losses = checkpoint(self.run, self.stem(x), use_reentrant=False)  # ok: [TBR504] it does not care
        return h.sum() + sum(losses)


class Branches(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.stem = nn.Linear(3, 3)
        self.leaf = nn.Linear(3, 3)

    def grown(self, x: torch.Tensor) -> list[torch.Tensor]:
        outs = []
        for _ in range(2):
            outs.append(self.leaf(x))
        return outs

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        a, b = checkpoint(lambda t: self.grown(t), self.stem(x), use_reentrant=True)  # error: [TBR504]
        return a + b


class Named(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.leaf = nn.Linear(3, 3)

    def forward(self, x: torch.Tensor) -> dict[str, torch.Tensor]:
        return {"x": self.leaf(x)}


class Holding(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.stem = nn.Linear(3, 3)
        self.named = checkpoint_wrapper(Named(), checkpoint_impl=CheckpointImpl.REENTRANT)
        self.other = checkpoint_wrapper(Named(), checkpoint_impl=CheckpointImpl.NO_REENTRANT)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        y = self.named(self.stem(x))["x"]  # error: [TBR504]
        return self.other(y)["x"]  # ok: [TBR504] the other variant looks into dicts


@dataclass
class Record:
    a: torch.Tensor


class Pair(NamedTuple):
    a: torch.Tensor
    b: torch.Tensor


class Recording(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.stem = nn.Linear(3, 3)

    def record(self, x: torch.Tensor) -> Record:
        return Record(a=x.sin())

    def pair(self, x: torch.Tensor) -> Pair:
        return Pair(x.sin(), x.cos())

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        a = checkpoint(self.record, self.stem(x), use_reentrant=True).a  # error: [TBR504]
        return a + checkpoint(self.pair, self.stem(x), use_reentrant=True)[0]  # ok: [TBR504] a tuple


class Collecting(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.stem = nn.Linear(4, 4)

    def halves(self, x: torch.Tensor) -> list[torch.Tensor]:
        return list(x.sin().chunk(2))

    def sizes(self, x: torch.Tensor) -> tuple[torch.Tensor, list[int]]:
        return x.sin(), list(x.shape)

    def fixed(self, x: torch.Tensor) -> tuple[torch.Tensor, ...]:
        return tuple(x.sin().chunk(2))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        first, _ = checkpoint(self.halves, self.stem(x), use_reentrant=True)  # error: [TBR504]
        second, _ = checkpoint(self.fixed, self.stem(x), use_reentrant=True)  # ok: [TBR504] a tuple
        third, _ = checkpoint(self.sizes, self.stem(x), use_reentrant=True)  # ok: [TBR504] a list of numbers
        return first + second + third.sum()


class Nesting(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.stem = nn.Linear(4, 4)

    def nested(self, x: torch.Tensor) -> tuple[torch.Tensor, tuple[torch.Tensor, torch.Tensor]]:
        return x.sin(), (x.cos(), x.tan())

    def sized(self, x: torch.Tensor) -> tuple[torch.Tensor, tuple[int, int]]:
        return x.sin(), (x.shape[0], 2)

    def listed(self, x: torch.Tensor) -> tuple[torch.Tensor, list[torch.Tensor]]:
        return x.sin(), [x.cos(), x.tan()]

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        first, pair = checkpoint(self.nested, self.stem(x), use_reentrant=True)  # error: [TBR504]
        second, (left, right) = checkpoint(self.nested, self.stem(x), use_reentrant=True)  # error: [TBR504]
        third, (rows, columns) = checkpoint(self.sized, self.stem(x), use_reentrant=True)  # ok: [TBR504] numbers
        fourth, kept = checkpoint(self.nested, self.stem(x), use_reentrant=False)  # ok: [TBR504] looks into all
        total = first + pair[0] + second * left + right.detach() + third * rows * columns + fourth * kept[1]
        fifth, several = checkpoint(self.listed, self.stem(x), use_reentrant=True)  # error: [TBR504]
        for one in several:
            total = total + one
        sixth, shown = checkpoint(self.listed, self.stem(x), use_reentrant=True)  # ok: [TBR504] read for a log
        for one_of in shown:
            print(one_of.detach())
        return total + fifth + sixth


def pair(x: torch.Tensor) -> tuple[torch.Tensor, dict[str, torch.Tensor]]:
    return x.tanh(), {"aux": x.mean()}


def total(both: tuple[torch.Tensor, dict[str, torch.Tensor]]) -> torch.Tensor:
    return both[0] + both[-1]["aux"]


def first(both: tuple[torch.Tensor, dict[str, torch.Tensor]]) -> torch.Tensor:
    return both[0] * 2


def handed_on(x: torch.Tensor) -> torch.Tensor:
    return total(checkpoint(pair, x, use_reentrant=True))  # error: [TBR504]


def first_only(x: torch.Tensor) -> torch.Tensor:
    return first(checkpoint(pair, x, use_reentrant=True))  # ok: [TBR504] nothing is computed with the dict


def collected(x: torch.Tensor) -> torch.Tensor:
    kept = []
    for _ in range(2):
        x, extra = checkpoint(pair, x, use_reentrant=True)  # error: [TBR504]
        kept.append(extra["aux"])
    return x + sum(kept)


class Box:
    def __init__(self, hidden: torch.Tensor) -> None:
        self.hidden = hidden


class Halves(tuple):  # type: ignore[type-arg]
    pass


def boxed(x: torch.Tensor) -> torch.Tensor:
    y = checkpoint(lambda h: Halves((h.sin(), h.cos())), x, use_reentrant=True)  # ok: [TBR504] a tuple
    return y[0] + checkpoint(lambda h: Box(h.tanh()), x, use_reentrant=True).hidden  # error: [TBR504]


class Fields(NamedTuple):
    hidden: torch.Tensor
    aux: torch.Tensor


def fields(x: torch.Tensor) -> Fields:
    return Fields(x.sin(), x.cos())


def by_field(x: torch.Tensor) -> torch.Tensor:
    out = checkpoint(fields, x, use_reentrant=True)  # error: [TBR504] "gives a named tuple back as a plain one"
    return out.hidden


def by_position(x: torch.Tensor) -> torch.Tensor:
    out = checkpoint(fields, x, use_reentrant=True)  # ok: [TBR504] a plain tuple has positions
    return out[0]


def comprehended(x: torch.Tensor) -> torch.Tensor:
    outs = [checkpoint(pair, h, use_reentrant=True) for h in (x, x * 2)]  # error: [TBR504]
    return x + sum(h + extra["aux"] for h, extra in outs)


class Keeps(nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        x, self.extra = checkpoint(pair, x, use_reentrant=True)  # error: [TBR504]
        return x + self.extra["aux"]
