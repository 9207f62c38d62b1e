"""TBR304 in methods of a base and of its subclasses: which of them run in a region, its objects say."""

import torch
from torch import Tensor, nn


# --- a hook of the base, whose answer only some subclasses compute ---------------------------------
class Base(nn.Module):
    def wanted(self, x: Tensor):
        return False

    def forward(self, x: Tensor) -> Tensor:
        if self.wanted(x):  # error: [TBR101]
            return x * 2
        return x


class NeverCompiled(Base):
    def wanted(self, x: Tensor):
        return bool(x.sum() > 0)


class Leaf(Base):
    pass


@torch.compile(fullgraph=True)
def leaf(x: Tensor) -> Tensor:
    return Leaf()(x)


class Head(nn.Module):
    def wanted(self, x: Tensor):
        return False

    def forward(self, x: Tensor) -> Tensor:
        stop = self.wanted(x)
        if stop:  # error: [TBR304]
            return x * 2
        return x


class Compiled(Head):
    def wanted(self, x: Tensor):
        return x.sum() > 0


@torch.compile(fullgraph=True)
def head(x: Tensor) -> Tensor:
    return Compiled()(x)


# --- a method that a subclass overrides, called in the region of its base --------------------------
class Block(nn.Module):
    def act(self, x: Tensor) -> Tensor:
        return x.relu()

    @torch.compile
    def forward(self, x: Tensor) -> Tensor:
        return self.act(x)


class Inheriting(Block):
    def act(self, x: Tensor) -> Tensor:
        if x.sum() > 0:  # error: [TBR304]
            return x.sin()
        return x


class OfItsOwn(Block):
    def act(self, x: Tensor) -> Tensor:
        if x.sum() > 0:  # error: [TBR101]
            return x.sin()
        return x

    def forward(self, x: Tensor) -> Tensor:
        return self.act(x)


# --- a later region's objects count for what an earlier one calls ----------------------------------
class Part(nn.Module):
    def act(self, x: Tensor) -> Tensor:
        return x.relu()

    def forward(self, x: Tensor) -> Tensor:
        return self.act(x)


class Later(Part):
    def act(self, x: Tensor) -> Tensor:
        if x.sum() > 0:  # error: [TBR304]
            return x.sin()
        return x


@torch.compile
def run(part: Part, x: Tensor) -> Tensor:
    return Later()(part(x))
