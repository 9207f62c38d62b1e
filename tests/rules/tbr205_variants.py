"""What a second run gets wrong is said for the variant at hand: written, left out, or not known."""

from __future__ import annotations

import random
from typing import Any

from torch import Tensor, nn
from torch.utils.checkpoint import checkpoint


class Base(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.fc = nn.Linear(4, 4)
        self.steps = 0
        self.table = None


class Written(Base):
    def branches(self, h: Tensor) -> Tensor:
        if h.norm() > 1:  # error: [TBR201] "gives wrong gradients silently"
            h = h.cos()
        return h.sin()

    def counts(self, h: Tensor) -> Tensor:
        self.steps += 1  # error: [TBR205] "(wrong in silence)"
        return (h * self.steps).sin()

    def draws(self, h: Tensor) -> Tensor:
        return (h * random.random()).sin()  # error: [TBR203] "(wrong in silence)"

    def caches(self, h: Tensor) -> Tensor:
        if self.table is None:
            self.table = self.fc.weight.tanh()  # error: [TBR209] "(its parameter gets no gradient)"
        return (h @ self.table).sin()

    def routes(self, h: Tensor) -> Tensor:
        chosen = self.fc(h).argmax(-1)  # error: [TBR210] "a flip is a shape error or silent"
        return h[chosen == 1].sin()

    def forward(self, x: Tensor, options: dict[str, Any]) -> Tensor:
        x = self.fc(x)
        for region in (self.branches, self.counts, self.draws, self.caches, self.routes):
            x = checkpoint(region, x, use_reentrant=True)
        return x


class Other(Base):
    def branches(self, h: Tensor) -> Tensor:
        if h.norm() > 1:  # error: [TBR201] "raises CheckpointError or is silent"
            h = h.cos()
        return h.sin()

    def counts(self, h: Tensor) -> Tensor:
        self.steps += 1  # error: [TBR205] "(CheckpointError, or wrong in silence)"
        return (h * self.steps).sin()

    def draws(self, h: Tensor) -> Tensor:
        return (h * random.random()).sin()  # error: [TBR203] "(raises, or wrong in silence)"

    def caches(self, h: Tensor) -> Tensor:
        if self.table is None:
            self.table = self.fc.weight.tanh()  # error: [TBR209] "(CheckpointError)"
        return (h @ self.table).sin()

    def routes(self, h: Tensor) -> Tensor:
        chosen = self.fc(h).argmax(-1)  # error: [TBR210] "a flip is a CheckpointError"
        return h[chosen == 1].sin()

    def forward(self, x: Tensor, options: dict[str, Any]) -> Tensor:
        x = self.fc(x)
        for region in (self.branches, self.counts, self.draws, self.caches, self.routes):
            x = checkpoint(region, x, use_reentrant=False)
        return x


class LeftOut(Base):
    def branches(self, h: Tensor) -> Tensor:
        if h.norm() > 1:  # error: [TBR201] "gives wrong gradients silently"
            h = h.cos()
        return h.sin()

    def counts(self, h: Tensor) -> Tensor:
        self.steps += 1  # error: [TBR205] "(wrong in silence)"
        return (h * self.steps).sin()

    def draws(self, h: Tensor) -> Tensor:
        return (h * random.random()).sin()  # error: [TBR203] "(wrong in silence)"

    def caches(self, h: Tensor) -> Tensor:
        if self.table is None:
            self.table = self.fc.weight.tanh()  # error: [TBR209] "(its parameter gets no gradient)"
        return (h @ self.table).sin()

    def routes(self, h: Tensor) -> Tensor:
        chosen = self.fc(h).argmax(-1)  # error: [TBR210] "a flip is a shape error or silent"
        return h[chosen == 1].sin()

    def forward(self, x: Tensor, options: dict[str, Any]) -> Tensor:
        x = self.fc(x)
        for region in (self.branches, self.counts, self.draws, self.caches, self.routes):
            x = checkpoint(region, x)  # error: [TBR506]
        return x


class Unknown(Base):
    def branches(self, h: Tensor) -> Tensor:
        if h.norm() > 1:  # error: [TBR201] "raises or gives wrong gradients"
            h = h.cos()
        return h.sin()

    def counts(self, h: Tensor) -> Tensor:
        self.steps += 1  # error: [TBR205] "(CheckpointError, or wrong in silence)"
        return (h * self.steps).sin()

    def draws(self, h: Tensor) -> Tensor:
        return (h * random.random()).sin()  # error: [TBR203] "(raises, or wrong in silence)"

    def caches(self, h: Tensor) -> Tensor:
        if self.table is None:
            self.table = self.fc.weight.tanh()  # error: [TBR209] "(CheckpointError, or a lost gradient)"
        return (h @ self.table).sin()

    def routes(self, h: Tensor) -> Tensor:
        chosen = self.fc(h).argmax(-1)  # error: [TBR210] "a flip is an error or silent"
        return h[chosen == 1].sin()

    def forward(self, x: Tensor, options: dict[str, Any]) -> Tensor:
        x = self.fc(x)
        for region in (self.branches, self.counts, self.draws, self.caches, self.routes):
            x = checkpoint(region, x, **options)
        return x
