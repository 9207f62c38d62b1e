"""A module whose sizes decide, and one whose sizes do not; nothing here compiles them."""

from torch import Tensor, nn


class Sized(nn.Module):
    def forward(self, x: Tensor) -> Tensor:
        if x.shape[1] > 128:  # note: "decided here"
            x = x[:, ::2]
        for column in range(x.shape[1]):  # note: "decided here"
            x = x + x[:, column : column + 1]
        return x


class Steady(nn.Module):
    def forward(self, x: Tensor) -> Tensor:
        if x.shape[1] > 4096:
            raise ValueError("too long")
        return x.reshape(x.shape[0], -1)
